"""The two types of the BOA paper's Figure 1: what the program says beside numbers worked out."""

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal

from ...analysis.tables import Table, texts
from ...instances import RentalInstance
from ...instances.catalogue import load_as
from ...policies.rental.dual import solve_budget
from ...policies.rental.streams import streams_of
from ...run import ContradictionError, solve

WIDTHS = {
    "1.0": ("2.429", "1.474", "0.6765"),
    "1.5": ("4.214", "4.440", "0.4322"),
    "2.0": ("6", "9", "0.3333"),
    "2.5": ("7.786", "15.154", "0.2798"),
    "3.0": ("9.571", "22.903", "0.2463"),
}
"""By budget the widths of both types and the mean completion time, from closed forms."""

WHOLE = {
    "1.0": ("0.69393", "0.73333"),
    "1.5": ("0.43323", "0.45000"),
    "2.0": ("0.33333", "0.33333"),
    "3.0": ("0.246387", "0.246507"),
}
"""By budget the mean with whole widths: one type split among two, and none."""


def oracle() -> Table:
    """Return real widths and the mean completion time, both ways."""
    rows = []
    for budget, known in WIDTHS.items():
        priced = solve_budget(streams_of(_two_types(budget)), float(budget))
        assert priced is not None
        found = (*priced.widths.tolist(), priced.mean_jct)
        rows.append((budget, *_beside(f"{budget} GPUs", known, found)))
    heads = ("GPUs of the first", "GPUs of the second", "mean JCT, h")
    return _table("One width for each type, by budget", heads, rows)


def whole() -> Table:
    """Return the mean completion time with whole widths, both ways."""
    rows = []
    for budget, known in WHOLE.items():
        instance = replace(_two_types(budget), widths="whole")
        found = [float(solve(instance, name).objective or 0) for name in ("boa", "boa-pure")]
        rows.append((budget, *_beside(f"{budget} GPUs, whole", known, found)))
    heads = ("one type split, h", "none split, h")
    return _table("Whole widths, by budget", heads, rows)


def _two_types(budget: str) -> RentalInstance:
    return replace(load_as(RentalInstance, "boa-two-types"), budget_gpus=Decimal(budget))


def _beside(
    what: str, known: tuple[str, ...], found: tuple[float, ...] | list[float]
) -> Iterator[str]:
    """Yield what is known and what was found, in as many digits; they are the same."""
    for wanted, value in zip(known, found, strict=True):
        digits = -int(Decimal(wanted).as_tuple().exponent)
        shown = f"{value:.{digits}f}"
        if shown != wanted:
            raise ContradictionError(f"boa-two-types, {what}: {shown} where {wanted} is known")
        yield wanted
        yield shown


def _table(caption: str, heads: tuple[str, ...], rows: list[tuple[str, ...]]) -> Table:
    pairs = (column for head in heads for column in texts("known", "here", over=head))
    return Table(
        caption=f"{caption} (two types of Figure 1 of the BOA paper)",
        columns=(*texts("budget"), *pairs),
        rows=tuple(rows),
        notes=("Known: computed from closed forms, which the axes of the figure agree with.",),
    )
