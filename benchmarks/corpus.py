"""Ask solvers about programs of the corpus, and put on record what is new.

    python benchmarks/corpus.py measure [--only PATTERN] [--limit S] [--solvers A,B] [--threads N]
    python benchmarks/corpus.py build [--only PATTERN]
    python benchmarks/corpus.py claims
    python benchmarks/corpus.py verify [--only PATTERN]

`measure` asks about each program of `corpus_names.py` whose name fits PATTERN (as h*.linearised.*)
and that the index does not have. Its provers have S seconds each, and their claims go into the
index. With --solvers, it asks these solvers about programs of the index. Improvements are lines of
formulations/corpus/history.jsonl, short points go to points.json.gz. Each program is written when
it is done, so that a run that was ended goes on.
`build` builds the programs of the hard tier that its index lacks. `ringyard bench --tier hard`
measures them.
`claims` takes what the kept runs of the solver comparison claim, whose points are not at hand.
`verify` makes every program of the index anew and compares digests; exit code 1 if one differs.
"""

# ruff: noqa: T201

import argparse
import gzip
import json
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import fields
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from importlib.metadata import version
from math import inf
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

from corpus_names import hard_recipes, recipes

from ringyard.engines.kept import kept_rows
from ringyard.engines.learn import Answer, certified_line, learned, on_record
from ringyard.engines.programs import class_of, sizes_of
from ringyard.formulations.adapters.conic_programs import FINE, knows, solve_conic
from ringyard.formulations.conic import ConicProgram
from ringyard.formulations.corpus.build import build_any, digest_of
from ringyard.formulations.corpus.history import HISTORY, HistoryLine, history_of, line_text
from ringyard.formulations.corpus.index import (
    INDICES,
    POINTS,
    Class,
    CorpusEntry,
    ProgramRecipe,
    SolverClaim,
    corpus,
    row_of,
    with_history,
)
from ringyard.formulations.program import Caps, Matrix, Program
from ringyard.formulations.solver_interface.solve import find_solver, solve
from ringyard.instances import RingyardError, SolutionStatus
from ringyard.instances.catalogue import load

MOST_VALUES = 1_000
"""Points with more values that are not 0 are not stored."""

LARGE, LARGE_NL = 50_000, 200_000
"""Nonzeros, or bytes of NL text, from which on solvers may not notice their limit in time."""

TODAY = datetime.now(UTC).date().isoformat()

Told = tuple[SolverClaim, Answer]


def turns() -> list[ProgramRecipe]:
    """Return all programs, one of each kind in turn, so that a part of a run has some of each."""
    seen: Counter[tuple[str, bool]] = Counter()
    turn = {}
    for one in recipes():
        seen[one.program, one.relaxed] += 1
        turn[one.name] = seen[one.program, one.relaxed]
    return sorted(recipes(), key=lambda one: turn[one.name])


def measure_all(given: argparse.Namespace) -> None:
    """Ask about programs, and write what is new."""
    known, solvers = corpus(), given.solvers.split(",") if given.solvers else []
    stated = [one.recipe for one in known.values()] if solvers else turns()
    wanted = [one for one in stated if fnmatchcase(one.name, given.only)]
    wanted = [one for one in wanted if (one.name in known) == bool(solvers)]
    for count, recipe in enumerate(wanted, start=1):
        began = time.perf_counter()
        try:
            said = measure(recipe, solvers, Caps(time_s=given.limit, threads=given.threads))
        except RingyardError as error:
            said = f"left out: {error}"
        took = time.perf_counter() - began
        print(f"{count}/{len(wanted)} {recipe.name}: {said} {took:.1f} s", flush=True)


def measure(recipe: ProgramRecipe, solvers: list[str], caps: Caps) -> str:
    """Ask about a program, write what is new, and return it in words."""
    program, lines = build_any(recipe), stored_lines().get(recipe.name, [])
    entry, told = corpus().get(recipe.name), list[Told]()
    if entry is None:
        bare = _bare(recipe, program)
        names = provers(bare.kind) if not isinstance(program, ConicProgram) else FINE
        told = list(_told(program, names, caps))
        claims = tuple(claim for claim, _ in told)
        index_with(entry := _bare(recipe, program, limit_s=caps.time_s, claims=claims))
    else:
        told = list(_told(program, solvers, caps))
    answers = [answer for _, answer in told]
    if not isinstance(program, ConicProgram) and (plan := on_record(recipe, program, TODAY)):
        answers.append(plan)
    found = learned(entry, lines, program, answers)
    now = with_history(entry, [*lines, *found.lines])
    bound = certified_line(now, program, caps.time_s or inf, TODAY)
    new = [*found.lines, *([] if bound is None else [bound])]
    append(new)
    for line in new:
        if line.side == "point":
            store(recipe.name, next(one for one in answers if one.by == line.by))
    now = with_history(entry, [*lines, *new])
    words = [f"{line.side} {line.value} {line.by or line.certificate}" for line in new]
    against = [f"CONTRADICTION {one}" for one in found.contradictions]
    return f"{now.value} {now.bound} {now.optimum}; {', '.join(words + against) or 'nothing new'};"


def build_hard(only: str) -> None:
    """Build the programs of the hard tier that its index lacks, and put them there."""
    for recipe in hard_recipes():
        if fnmatchcase(recipe.name, only) and recipe.name not in corpus("hard"):
            began = time.perf_counter()
            try:
                index_with(_bare(recipe, build_any(recipe), tier="hard"))
                said = "built"
            except RingyardError as error:
                said = f"left out: {error}"
            print(f"{recipe.name}: {said}, {time.perf_counter() - began:.1f} s", flush=True)


def _told(program: Program | ConicProgram, names: Iterable[str], caps: Caps) -> Iterator[Told]:
    if isinstance(program, ConicProgram):
        yield from (_conic(name, program) for name in names if knows(name, program))
        return
    for name in names:
        solver, began = find_solver(name), time.perf_counter()
        found = solve(program, name, _caps(program, caps))
        took = round(time.perf_counter() - began, 1)
        by = {"seconds": took, "version": solver.version or ""}
        claim = SolverClaim(
            solver=name,
            termination=found.termination.value,
            status=found.status.value,
            value=found.value,
            bound=found.bound,
            **by,
        )
        limit = {"limit_s": caps.time_s, "threads": caps.threads}
        yield (
            claim,
            Answer(by=name, date=TODAY, status=found.status, point=found.point, **by, **limit),
        )


def _conic(name: str, program: ConicProgram) -> Told:
    """Ask a solver about a program in cones, which takes moments, and has no limit."""
    began = time.perf_counter()
    point, sure, _ = solve_conic(program, name)
    status = SolutionStatus.OPTIMAL if sure else SolutionStatus.FEASIBLE
    by = {"version": version(name), "seconds": round(time.perf_counter() - began, 1)}
    claim = SolverClaim(
        solver=name,
        termination="done",
        status=status.value,
        value=float(program.cost @ point) + program.offset,
        **by,
    )
    return claim, Answer(by=name, date=TODAY, status=status, point=point, **by)


def _caps(program: Program, caps: Caps) -> Caps:
    """Return the limits. A large program has a process of its own, which is ended if need be."""
    large = len(program.nl) > LARGE_NL if not isinstance(program, Matrix) else program.a.nnz > LARGE
    return Caps(time_s=caps.time_s, threads=caps.threads, own_process=large)


def _bare(recipe: ProgramRecipe, program: Program | ConicProgram, **about: Any) -> CorpusEntry:
    return CorpusEntry(
        name=recipe.name,
        family=load(recipe.instance).kind,
        kind=class_of(program),
        **sizes_of(program),
        digest=digest_of(program),
        **about,
    )


def provers(kind: Class) -> tuple[str, ...]:
    """Return the solvers that are asked."""
    if kind == "NL":
        return ("scip",)
    return ("highs", "scip", "cp-sat") if kind == "ip" else ("highs", "scip")


def stored_lines() -> dict[str, list[HistoryLine]]:
    """Return the history as it is in the file now."""
    return history_of(HISTORY.read_text(encoding="utf-8"))


def append(lines: Iterable[HistoryLine]) -> None:
    """Append lines to the history."""
    with HISTORY.open("a", encoding="utf-8") as file:
        file.writelines(f"{line_text(line)}\n" for line in lines)


def index_with(entry: CorpusEntry) -> None:
    """Write the index of its tier with one more program."""
    index = INDICES[entry.tier]
    rows = {row["name"]: row for row in json.loads(index.read_text(encoding="utf-8"))["programs"]}
    by_history = with_history(entry, ())
    known = {field.name for field in fields(CorpusEntry)} - set(HISTORICAL)
    rows[entry.name] = {name: value for name, value in row_of(by_history).items() if name in known}
    lines = [json.dumps(row, separators=(",", ":")) for row in rows.values()]
    index.write_text('{"programs": [\n' + ",\n".join(lines) + "\n]}\n", encoding="utf-8")


HISTORICAL = ("value", "miss", "source", "bound", "certificate", "proofs", "tier")
"""Facts that follow from the history or the tier."""


def store(name: str, answer: Answer) -> None:
    """Write the points with the point of an answer, if it is short."""
    assert answer.point is not None
    points = json.loads(gzip.decompress(POINTS.read_bytes()))
    points.pop(name, None)
    places = np.flatnonzero(answer.point)
    if len(places) <= MOST_VALUES:
        points[name] = [places.tolist(), answer.point[places].tolist()]
    data = json.dumps(points, separators=(",", ":")).encode()
    POINTS.write_bytes(gzip.compress(data, 9, mtime=0))


def learn_claims() -> int:
    """Write the claims of kept runs that are new; return how many contradict what is known."""
    rows, against = dict[str, list[Answer]](), 0
    for row in kept_rows():
        if row["valid"] or row["solution_status"] == "infeasible":
            answer = Answer(
                by=row["method"],
                version=row["solver_version"],
                date=row["started"][:10],
                status=SolutionStatus(row["solution_status"]),
                value=row["objective"],
                seconds=row["seconds"],
                limit_s=row["time_limit"],
                threads=row["threads"],
            )
            rows.setdefault(row["instance"], []).append(answer)
    for name, answers in rows.items():
        found = learned(corpus()[name], stored_lines().get(name, []), None, answers)
        append(found.lines)
        against += len(found.contradictions)
        for words in (*map(line_text, found.lines), *found.contradictions):
            print(f"{name}: {words}")
    return against


def verify(only: str) -> int:
    """Compare digests of programs made anew with those on record; return how many differ."""
    differ = 0
    for name, entry in corpus().items():
        if fnmatchcase(name, only) and digest_of(build_any(entry.recipe)) != entry.digest:
            print(f"{name}: differs", flush=True)
            differ += 1
    print(f"{differ} programs differ")
    return differ


def main() -> int:
    """Do what the command line says."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("what", choices=["measure", "build", "claims", "verify"])
    parser.add_argument("--limit", type=float, default=10.0)
    parser.add_argument("--only", default="*")
    parser.add_argument("--solvers", default="")
    parser.add_argument("--threads", type=int, default=1)
    given = parser.parse_args()
    if given.what == "verify":
        return 1 if verify(given.only) else 0
    if given.what == "build":
        build_hard(given.only)
    elif given.what == "claims":
        print(f"{learn_claims()} claims are contradicted")
    else:
        measure_all(given)
    return 0


if __name__ == "__main__":
    sys.exit(main())
