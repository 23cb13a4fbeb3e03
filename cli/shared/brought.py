"""Rows of lists: what there is of ours, and what other packages bring, each shown as such."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ...outside.entry_points import Brought, brought, named

Rows = tuple[list[str], list[list[Any]]]


def rows_of_all(
    heads: Sequence[str],
    own: Iterable[Any],
    group: str,
    make: Callable[[Brought], Any],
    row: Callable[[Any], list[Any]],
    keep: Callable[[Any], bool] = lambda _: True,
) -> Rows:
    """Return heads and rows of things of ours and of others; these are imported for it.

    What cannot be used has a row that says why, unless only some things are to be kept.
    """
    own = list(own)
    rows = [row(one) for one in own if keep(one)]
    where = "source" if "source" in heads else "remark"
    wholly = all(map(keep, own))
    for one, made, reason in brought(group, {thing.name for thing in own}, make):
        if made is not None and keep(made):
            rows.append(row(made))
        elif made is None and wholly:
            told = {"name": one.name, where: f"{one.source}; {reason}"}
            rows.append([told.get(head) for head in heads])
    return list(heads), rows


def named_kinds(own: dict[str, str], group: str) -> Rows:
    """Return heads and rows of kinds by name, of ours with what they are; nothing is imported."""
    rows = [[name, about, "ours"] for name, about in own.items()]
    for name, one in sorted(named(group).items()):
        taken = "; ringyard has one of this name, which is used" if name in own else ""
        rows.append([name, one.about, one.source + taken])
    return ["name", "about", "source"], rows
