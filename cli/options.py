"""Options that several commands share."""

from ..instances.errors import Problem, Words


def seed_problems(seed: int) -> list[Problem]:
    """Return what is wrong with a seed: it must fit into a file and into every generator."""
    if 0 <= seed < 2**63:
        return []
    return [Problem("--seed", seed, "an integer from 0 to 2^63 - 1", "choose another seed")]


def time_limit_problems(seconds: float | None) -> list[Problem]:
    """Return what is wrong with a time limit: there must be some time."""
    if seconds is None or seconds > 0:
        return []
    found = Words(f"{seconds:g}")
    return [Problem("--time-limit", found, "seconds above 0", "give a longer time")]
