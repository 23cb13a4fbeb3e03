"""What the charts of papers have in common: a series for each name, and ours beside the paper's."""

from collections.abc import Iterable, Mapping, Sequence

from ..analysis.plots import PALETTE, Look, Series, Value

HERE, PAPER = PALETTE[:2]


def by_name(
    values: Mapping[str, Iterable[Value]], look: Look, colours: Sequence[str] = PALETTE
) -> tuple[Series, ...]:
    """Return a series for each name, in colours by their order."""
    return tuple(
        Series(name=name, values=tuple(some), look=look, colour=colour)
        for (name, some), colour in zip(values.items(), colours, strict=False)
    )


def beside_paper(
    here: tuple[str, Iterable[Value]], paper: tuple[str, Iterable[Value]], look: Look
) -> tuple[Series, ...]:
    """Return what came out here, with the paper's numbers as hollow marks; each with its name."""
    (ours, values), (theirs, printed) = here, paper
    return (*by_name({ours: values}, look, [HERE]), *by_name({theirs: printed}, "marks", [PAPER]))
