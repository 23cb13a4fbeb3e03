"""`ringyard corpus`: the programs, their size, and their known optima."""

from collections.abc import Collection
from dataclasses import asdict
from typing import Annotated, Any, Literal

from cyclopts import App, Parameter

from ...formulations.corpus.index import Class, CorpusEntry, Difficulty, Tier, corpus, find_entry
from ...instances.errors import raise_any, unknown
from ..shared.options import SHOWN, AsJson, Flag
from ..shared.output import emit, say, table

corpus_command = App(name="corpus", help_epilogue="", default_parameter=SHOWN)
"""The list and the history are here. Each other command has a file, imported when it is called."""

for _name, _about in (
    ("export", "Write programs of the corpus, their best points and an index into a folder."),
    ("check", "Judge a solver's point of a program of the corpus, in fractions."),
    ("history", "Show what became known of a program, and when."),
    ("learn", "Add better points, new claims and certified bounds from a benchmark to the corpus."),
):
    _place = "" if _name == "history" else f".{_name}"
    corpus_command.command(f"{__package__}{_place}:{_name}_command", name=_name, help=_about)

HEADERS = ["name", "class", "columns", "rows", "nonzeros", "value", "optimum", "difficulty"]


@corpus_command.default
def list_command(
    *,
    kind: Annotated[Class | None, Parameter("--class")] = None,
    family: str | None = None,
    difficulty: Difficulty | None = None,
    formulation: str | None = None,
    tier: Tier = "standard",
    json: Flag = False,
) -> int:
    """List the programs of the corpus.

    Parameters
    ----------
    kind
        Only linear programs (LP), mixed-integer programs (MILP), programs in bounded integers with
        small coefficients (ip), nonlinear programs (NL), or conic programs (conic).
    family
        Only programs of this problem family, such as makespan.
    difficulty
        Only programs that every tested solver solved within the limit (easy), that some solver
        or a proof settled (hard), that are open (open), or that no solver has tried (untried).
    formulation
        Only programs of this formulation, as in their names: linearised, slot, ..
    tier
        The standard tier, or the hard one: large or difficult programs, on which solvers have 10
        minutes instead of seconds.
    json
        Print one JSON object, with all known facts.
    """
    programs = corpus(tier).values()
    _refuse_unknown(programs, family, formulation)
    found = [
        one
        for one in programs
        if kind in (None, one.kind)
        and family in (None, one.family)
        and difficulty in (None, one.difficulty)
        and formulation in (None, one.recipe.program)
    ]
    if json:
        emit({"programs": [fact_row(one) for one in found]})
    elif found:
        table(HEADERS, [_cells(one) for one in found])
        say(f"{len(found)} of {len(programs)} programs")
    else:
        say("no program of that kind")
    return 0


def _cells(one: CorpusEntry) -> list[str]:
    value = "infeasible" if one.infeasible else "-" if one.value is None else f"{one.value:.7g}"
    sizes = [f"{size:,}" for size in (one.columns, one.rows, one.nonzeros)]
    return [one.name, one.kind, *sizes, value, one.optimum, one.difficulty]


def _refuse_unknown(
    known: Collection[CorpusEntry], family: str | None, formulation: str | None
) -> None:
    families = sorted({one.family for one in known})
    programs = sorted({one.recipe.program for one in known})
    asked: list[tuple[Literal["--family", "--formulation"], str | None, list[str]]] = [
        ("--family", family, families),
        ("--formulation", formulation, programs),
    ]
    wrong = [
        unknown(option, name, names, "see `ringyard corpus`")
        for option, name, names in asked
        if name is not None and name not in names
    ]
    raise_any("corpus", wrong)


def fact_row(one: CorpusEntry) -> dict[str, Any]:
    """Return all facts about a program, or None for an unknown one."""
    recipe = one.recipe
    return {
        "name": one.name,
        "instance": recipe.instance,
        "formulation": recipe.program,
        "number": recipe.number,
        "relaxed": recipe.relaxed,
        "family": one.family,
        "class": one.kind,
        "columns": one.columns,
        "rows": one.rows,
        "nonzeros": one.nonzeros,
        "integers": one.integers,
        "density": float(f"{one.density:.3g}"),
        "smallest_coefficient": one.smallest,
        "largest_coefficient": one.largest,
        "digest": one.digest,
        "value": one.value,
        "miss": one.miss,
        "source": one.source,
        "infeasible": one.infeasible,
        "certified_bound": one.bound,
        "certificate": one.certificate,
        "claimed_bound": one.claimed,
        "optimum": one.optimum,
        "provers": " ".join(one.provers),
        "wrong": " ".join(one.wrong),
        "tier": one.tier,
        "difficulty": one.difficulty,
        "limit_s": one.limit_s,
        "claims": "; ".join(
            f"{claim.solver} {claim.version}: {claim.termination}, {claim.status}, "
            f"{claim.seconds:g} s"
            for claim in one.claims
        ),
    }


def history_command(program: str, /, *, json: AsJson = False) -> int:
    """Show the points, bounds and proofs of a program of the corpus, with their dates.

    Parameters
    ----------
    program
        A name from `ringyard corpus`.
    """
    from ...formulations.corpus.history import HEADERS as HISTORY
    from ...formulations.corpus.history import history_of_entry, shown_line

    entry = find_entry(program)
    lines = history_of_entry(program, entry.digest)
    if json:
        emit({"program": program, "optimum": entry.optimum, "lines": [asdict(x) for x in lines]})
        return 0
    if lines:
        table(list(HISTORY), [shown_line(one) for one in lines])
    say(f"optimum: {entry.optimum}")
    return 0
