"""Runs that may be compared: of problems on which the same methods ran."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from re import sub

from ..by_key import by_key
from ..rows import BOUND, Row
from ..stats.references import Key, key_of

SEED_OR_SIZE = r"-(s\d+|\d+x\d+(x\d+)*)(?=-|$)"
"""The parts of a name that tell the seed and the size of an instance."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultBlock:
    """Problems, and what each of some methods made of every one of them."""

    name: str
    methods: tuple[str, ...]
    problems: dict[Key, tuple[Row, ...]]

    @property
    def rows(self) -> list[Row]:
        """All runs."""
        return [row for rows in self.problems.values() for row in rows]

    def runs(self, method: str) -> dict[Key, list[Row]]:
        """Return the runs of a method by problem."""
        return {
            key: [row for row in rows if row["method"] == method]
            for key, rows in self.problems.items()
        }


def group_of(name: str) -> str:
    """Return what names of instances have in common that differ in seed or size."""
    return sub(SEED_OR_SIZE, "", name)


def blocks(rows: Iterable[Row], *, grouped: bool) -> list[ResultBlock]:
    """Split rows by the methods that ran on their problem, and if `grouped` by instance group.

    Runs that only compute a bound are left out.
    """
    problems = by_key((row for row in rows if row["method"] != BOUND), key_of)
    alike: dict[tuple[str, tuple[str, ...]], dict[Key, tuple[Row, ...]]] = {}
    for key, some in problems.items():
        group = group_of(some[0]["instance"]) if grouped else ""
        methods = tuple(sorted({row["method"] for row in some}))
        alike.setdefault((group, methods), {})[key] = tuple(some)
    found = [
        ResultBlock(name=_name(found.values()), methods=methods, problems=found)
        for (_, methods), found in alike.items()
    ]
    return sorted(found, key=lambda block: (block.name, block.methods))


def _name(problems: Iterable[Sequence[Row]]) -> str:
    """Name the groups of instances; of many, the first."""
    names = sorted({group_of(rows[0]["instance"]) for rows in problems})
    return ", ".join(names[:2]) + (", .." if len(names) > 2 else "")
