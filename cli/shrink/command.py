"""`ringyard shrink`: the smallest instance on which methods still contradict each other."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from ...instances import Limits, MakespanInstance
from ...instances.arguments import seed_problems, time_limit_problems
from ...instances.catalogue import load_rings
from ...instances.errors import InputError, Problem
from ...interrupts import keeping
from ...search.makespan.shrink import Fails, shrink
from ..shared.options import out_problems, write_noun
from ..shared.output import emit, note, say
from .claims import disagreement, repeated

NAMES = "Names from `ringyard list methods`, with commas between them."


def shrink_command(
    instance: str,
    /,
    *,
    methods: Annotated[str, Parameter(help=NAMES)],
    out: Path,
    time_limit: float | None = None,
    run_limit: float = 10.0,
    seed: int = 0,
    json: Annotated[bool, Parameter(negative=())] = False,
) -> int:
    """Make an instance smaller while methods still contradict each other on it.

    Exit code 3 if they do not contradict each other. Ctrl-C keeps the smallest so far.

    Parameters
    ----------
    instance
        A name of the catalogue, or a file.
    out
        Write the smallest instance found to this file (.json or .json.gz).
    time_limit
        Seconds after which the smallest so far is taken.
    run_limit
        Seconds for each run of a method.
    seed
        Seed of the random steps of methods.
    json
        Print one JSON object.
    """
    problems = [*seed_problems(seed), *_limits(time_limit, run_limit), *out_problems(instance, out)]
    if problems:
        raise InputError("ringyard shrink", problems)

    names = [name.strip() for name in methods.split(",")]
    problem = load_rings(instance)
    first = disagreement(problem, names, run_limit, seed)
    if first is None:
        if json:
            emit({"instance": problem.name, "disagreement": None})
        else:
            say(f"{problem.name}: {', '.join(names)} do not contradict each other")
        return 3
    note(f"{problem.name}: {first.text}")
    seen = {problem: first}

    def fails(smaller: MakespanInstance) -> bool:
        again = repeated(smaller, first, names, run_limit, seed)
        if again is not None:
            seen[smaller] = again
        return again is not None

    smallest, stop = _shrink(problem, fails, time_limit)
    found = seen[smallest]
    source = f"shrunk from {problem.name}"
    write_noun(replace(smallest, title="", notes=found.text, source=source), out)
    if json:
        size = {"jobs": len(smallest.jobs), "servers": len(smallest.cluster.servers)}
        emit({"instance": problem.name, "disagreement": found.text, **size, "stop": stop})
    else:
        say(f"{_size(problem)} shrunk to {_size(smallest)}{'' if stop == 'done' else f' ({stop})'}")
        say(f"  {found.text}")
    return 130 if stop == "interrupted" else 0


def _limits(time_limit: float | None, run_limit: float) -> list[Problem]:
    run = [replace(problem, path="--run-limit") for problem in time_limit_problems(run_limit)]
    return [*time_limit_problems(time_limit), *run]


def _shrink(
    instance: MakespanInstance, fails: Fails, time_limit: float | None
) -> tuple[MakespanInstance, str]:
    """Return the smallest instance found that fails, and why it went no further."""
    kept = instance

    def tell(smaller: MakespanInstance) -> None:
        nonlocal kept
        if _size(smaller) != _size(kept):
            note(f"  {_size(smaller)}")
        kept = smaller

    limits = Limits(time_s=time_limit)
    try:
        with keeping():
            shrink(instance, fails, limits, tell)
    except KeyboardInterrupt:
        return kept, "interrupted"
    return kept, "time limit" if limits.over() else "done"


def _size(instance: MakespanInstance) -> str:
    jobs, servers = len(instance.jobs), len(instance.cluster.servers)
    gpus = sum(server.gpus for server in instance.cluster.servers)
    counts = ((jobs, "job"), (servers, "server"), (gpus, "GPU"))
    return ", ".join(f"{count} {word}{'s' * (count != 1)}" for count, word in counts)
