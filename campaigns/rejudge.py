"""A row checked against what stands in the folder: its instance, its schedule, and the judge."""

from collections.abc import Iterator

from ..analysis.check import check
from ..analysis.rows import Row
from ..analysis.sources import Sources
from ..instances import InputError, digest
from ..instances.errors import plural
from ..instances.reading.encode import as_number


def title(row: Row) -> str:
    """Name a row to people."""
    again = f", repetition {row['repetition']}" if row["repetition"] else ""
    return f"{row['method']} on {row['instance']}, seed {row['seed']}{again}"


def faults(row: Row, sources: Sources) -> Iterator[str]:
    """Say where a row and the judge disagree; nothing is taken from the row but its claims."""
    what = title(row)
    if row["valid"] and not row["schedule"]:
        yield f"{what}: a value of {row['objective']} without a schedule"
    if not row["schedule"]:
        return
    try:
        instance, schedule = sources.read(row)
    except InputError as error:
        yield f"{what}: {error.source}: {error.problems[0]}"
        return
    if digest(instance) != row["digest"] or schedule.digest not in ("", row["digest"]):
        yield f"{what}: instance, schedule and row are not about the same"
    verdict = check(instance, schedule)
    value = as_number(verdict.objective)
    if verdict.violations and not row["violations"]:
        first = verdict.violations[0]
        yield f"{what}: the judge rejects it: {first.rule}: {first.where}"
    elif verdict.valid and not row["valid"]:
        yield f"{what}: the judge says that it is valid, the row that it is not"
    elif len(verdict.violations) != row["violations"]:
        count, said = len(verdict.violations), row["violations"]
        yield f"{what}: the judge finds {plural(count, 'violation')}, the row says {said:,}"
    elif row["objective"] != (None if value is None else float(value)):
        yield f"{what}: the judge says {value}, the row {row['objective']}"
