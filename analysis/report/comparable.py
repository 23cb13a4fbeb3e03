"""Which methods of a campaign ran the same cases, so that their means can stand side by side."""

from collections.abc import Collection, Sequence

from ..rows import Row
from ..stats.cases import Case, by_method, case_of, for_all_seeds


def latest(rows: Sequence[Row]) -> list[Row]:
    """Return of each method on each case the run that was made last.

    Several differ in what a mean must not mix: version, source, limits.
    """
    found: dict[tuple[str, Case], Row] = {}
    for row in rows:
        place = row["method"], case_of(row)
        if place not in found or found[place]["started"] < row["started"]:
            found[place] = row
    return list(found.values())


def comparable(rows: Sequence[Row], seedless: Collection[str]) -> tuple[list[Row], list[str]]:
    """Return the rows of methods that have cases in common, and the methods that are left out.

    Those that ran most come first; who shares no case with all of them so far is left out. The
    run of a method among the `seedless` stands for every seed.
    """
    table = for_all_seeds(by_method(rows), seedless)
    cases = {method: set(runs) for method, runs in table.items()}
    common: set[Case] = set()
    left_out: list[str] = []
    for method in sorted(cases, key=lambda method: (-len(cases[method]), method)):
        shared = common & cases[method] if common else cases[method]
        if shared:
            common = shared
        else:
            left_out.append(method)
    return [row for row in rows if row["method"] not in left_out], sorted(left_out)
