"""Policies to ask about, each with every placement."""

from itertools import product

from ...methods import all_methods, find_method
from .asked import parts, unknown

USUAL = "usual"
"""The placement of a policy where none is asked for."""


def methods_of(policies: str, placements: str | None) -> dict[tuple[str, str], str]:
    """Return the name of a method for each policy and placement."""
    known = [method.name for method in all_methods("trace")]
    names = parts("--policies", policies)
    for name in names:
        if name.partition(":")[0] not in known:
            raise unknown("--policies", name.partition(":")[0], known)
    if placements is None:
        return {(name, USUAL): find_method(name, "trace").name for name in names}
    pairs = product(names, parts("--placements", placements))
    return {
        (name, place): find_method(f"{name}:placement={place}", "trace").name
        for name, place in pairs
    }
