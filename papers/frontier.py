"""The largest instances that each exact method solves to proved optimality.

Each method climbs a ladder of sizes and stops after the first size at which it proves no instance,
so the next runs depend on the rows so far.
"""

from collections.abc import Iterator
from functools import cache
from itertools import count, islice
from statistics import median

from ..analysis.rows import Row
from ..analysis.stats.references import contradictions
from ..analysis.tables import Cell, Table
from ..campaigns.reproductions import Answers, Known, Results, Run, Settings
from ..instances import Instance, MakespanInstance
from ..instances.catalogue import entries
from ..instances.generate import generate
from ..methods import all_methods
from ..run import ContradictionError, solve
from .study import named, table_of

LADDER: tuple[str, ...] = ("4x2", "5x3", "6x3", "7x3", "8x4", "9x4", "10x4", "10x5", "12x4", "12x5")
LADDER += ("14x5", "16x6", "18x6", "20x7", "24x8", "30x10")
"""Jobs x servers, from easy to hard."""

BY_SIZE_ONLY = ("nonconvex", "disjunctive-bigm", "disjunctive-hull")
"""Methods that take too long for the named instances."""

Step = tuple[str, Run]
"""A run and the line of the table that it belongs to."""


def methods() -> list[str]:
    """Return the methods that prove optima."""
    same = all_methods("makespan")
    return [method.name for method in same if method.guarantee == "optimal"]


def runs(settings: Settings, known: Known) -> Iterator[Run]:
    """Yield the runs that are wanted, as far as the rows are known."""
    for _, run in (*_by_size(settings, known), *_by_name(settings)):
        yield run


def report(settings: Settings, answers: Answers) -> Results:
    """Make a table by size and one of named instances. Contradictions are an error."""
    steps = {"sizes": list(_by_size(settings, answers)), "named": list(_by_name(settings))}
    rows = [answers(run) for some in steps.values() for _, run in some]
    found = contradictions(row for row in rows if row["bound"] is not None)
    if found:
        raise ContradictionError("\n".join(found))
    limit = f"{settings.time_limit:g} s for each run"
    captions = {
        "sizes": f"Share proved optimal, and median seconds for proofs, by size: {limit}",
        "named": f"Share and median seconds for the small instances of the catalogue: {limit}",
    }
    return Results(
        tables={name: _table(captions[name], some, answers) for name, some in steps.items()}
    )


def _by_size(settings: Settings, known: Known) -> Iterator[Step]:
    for method in settings.some(methods()):
        unproved: list[str] = []
        for size in settings.some(LADDER):
            if any(_within(small, size) for small in unproved):
                continue
            trials = [_run(one, method, settings) for one in drawn(size, settings.seeds)]
            yield from ((size, run) for run in trials)
            rows = [row for row in map(known, trials) if row is not None]
            if len(rows) < len(trials):
                break
            if not any(map(_is_proved, rows)):
                unproved.append(size)


def _by_name(settings: Settings) -> Iterator[Step]:
    names = [name for name, entry in entries().items() if entry.family == "small"]
    some = settings.some([method for method in methods() if method not in BY_SIZE_ONLY])
    for name in settings.some(names):
        yield from ((name, _run(named(name), method, settings)) for method in some)


def _run(instance: Instance, method: str, settings: Settings) -> Run:
    return Run(instance=instance, method=method, time_limit=settings.time_limit)


@cache
def drawn(size: str, seeds: int) -> tuple[MakespanInstance, ...]:
    """Return the first instances of a size that a list scheduler and a bound do not settle."""
    jobs, servers = numbers_of(size)
    drawn = (generate("small", seed=seed, jobs=jobs, servers=servers) for seed in count())
    unsettled = (one for one in drawn if solve(one, "gang-lpt").status != "optimal")
    return tuple(islice(unsettled, seeds))


def numbers_of(size: str) -> tuple[int, int]:
    """Return how many jobs and servers."""
    jobs, servers = size.split("x")
    return int(jobs), int(servers)


def _within(small: str, large: str) -> bool:
    return all(a <= b for a, b in zip(numbers_of(small), numbers_of(large), strict=True))


def _is_proved(row: Row) -> bool:
    return bool(row["status"] == "optimal")


def _table(caption: str, steps: list[Step], answers: Answers) -> Table:
    """Return a line for each size or name, and a column for each method."""
    tried = list(dict.fromkeys(run.method for _, run in steps))
    lines = {
        (*_size_of(run.instance), where): [answers(run) for at, run in steps if at == where]
        for where, run in steps
    }
    return table_of(
        caption,
        {"instances": None, "jobs": 0, "servers": 0, "slots": None, **dict.fromkeys(tried)},
        (_line(*line, tried, lines[line]) for line in sorted(lines)),
    )


def _size_of(instance: Instance) -> tuple[int, int]:
    assert isinstance(instance, MakespanInstance)
    return len(instance.jobs), len(instance.cluster.servers)


def _line(
    jobs: int, servers: int, where: str, tried: list[str], rows: list[Row]
) -> tuple[Cell, ...]:
    cells = (cell([row for row in rows if row["method"] == method]) for method in tried)
    return where, jobs, servers, slots_of(rows), *cells


def slots_of(rows: list[Row]) -> str:
    """Return the least and the most optimum, or the best known and a `?` without a proof."""
    best: dict[str, float] = {}
    proved = {row["digest"] for row in rows if _is_proved(row)}
    for row in rows:
        if row["valid"]:
            best[row["digest"]] = min(row["objective"], best.get(row["digest"], row["objective"]))
    if not best:
        return "-"
    ends = sorted({min(best.values()), max(best.values())})
    return "-".join(f"{end:g}" for end in ends) + ("" if proved >= set(best) else " ?")


def cell(rows: list[Row]) -> str:
    """Return the number proved and the median seconds, or an empty text if not tried."""
    tried = [row for row in rows if row["status"] != "refused"]
    if not tried:
        return "refused" if rows else ""
    times = [row["seconds"] for row in tried if _is_proved(row)]
    share = "" if len(tried) == len(times) == 1 else f"{len(times)}/{len(tried)}"
    if not times:
        return share
    middle = median(times)
    return f"{share} {f'{middle:.2g}' if middle >= 0.01 else '< 0.01'} s".strip()
