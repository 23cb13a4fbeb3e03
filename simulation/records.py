"""Types of records whose fields are attributes, in compiled code and in plain Python alike.

numba reads `state.runs[job].due` of any numpy array of records; numpy itself does for its own
`np.record`, slowly, and not for names that `np.record` has, as `item`.
"""

from functools import cache
from operator import itemgetter
from typing import Any

import numpy as np


def record(ints: str = "", floats: str = "") -> np.dtype[np.void]:
    """Return a type of records: fields of whole numbers first, then of floating point."""
    whole = [(name, np.dtype(np.int64)) for name in ints.split()]
    return with_attributes(np.dtype(whole + [(n, np.dtype(np.float64)) for n in floats.split()]))


@cache
def with_attributes(plain: np.dtype[np.void]) -> np.dtype[np.void]:
    """Return the same type of records, whose elements have their fields as attributes."""
    names = plain.names or ()
    kind: Any = type("Record", (np.void,), {"__slots__": (), **{n: _field(n) for n in names}})
    return np.dtype((kind, plain.descr))


def _field(name: str) -> Any:
    def put(one: Any, value: Any) -> None:
        one[name] = value

    return property(itemgetter(name), put)
