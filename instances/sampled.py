"""Random options of generators, for the random instances of `verify`."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.random import Generator


def seeded(seed: int, index: int) -> "Generator":
    """Return the random generator of instance number `index` of a seed."""
    from numpy.random import default_rng

    return default_rng((seed, index))


def one_of(rng: "Generator", *choices: Any) -> Any:
    """Return one of some choices, each with the same probability."""
    return choices[int(rng.integers(len(choices)))]
