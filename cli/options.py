"""Options that several commands share."""

from ..instances.errors import Problem


def seed_problems(seed: int) -> list[Problem]:
    """Return what is wrong with a seed: it must fit into a file and into every generator."""
    if 0 <= seed < 2**63:
        return []
    return [Problem("--seed", seed, "an integer from 0 to 2^63 - 1", "choose another seed")]
