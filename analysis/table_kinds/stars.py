"""Which methods are surely worse than the best of a group, and how that is marked."""

from collections.abc import Collection, Mapping

from ...instances.errors import InputError
from ..stats.cases import common_set
from ..stats.comparisons import compare_values
from .blocks import ResultBlock

STARS = {0.001: "***", 0.01: "**", 0.05: "*"}
"""Marks by the chance below which they stand."""

LEGEND = (
    "Stars: worse than the best of the group, by Wilcoxon's signed-rank test over instances with "
    "Holm's correction for all pairs of the group: "
    + ", ".join(f"{mark} p < {chance}" for chance, mark in sorted(STARS.items(), reverse=True))
    + "."
)


def stars(
    block: ResultBlock, means: Mapping[str, float], seedless: Collection[str]
) -> dict[str, str]:
    """Return the marks of methods that are worse than the one with the least mean.

    There are none where the runs cannot be compared: some are made again, or under other limits.
    """
    try:
        common = common_set(block.rows, seedless=seedless, restrict=True)
        pairs = compare_values(common) if len(means) > 1 else []
    except InputError:
        return {}
    best = min(means, key=lambda name: means[name], default="")
    found: dict[str, str] = {}
    for one in pairs:
        if best in (one.method, one.other) and (one.effect > 0) == (one.method == best):
            worse = one.other if one.method == best else one.method
            mark = next((mark for chance, mark in STARS.items() if one.holm < chance), "")
            found |= {worse: mark} if mark and worse in means else {}
    return found
