"""All faults of a file in one error."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress

from ..decode import Decoder, TooManyError
from ..errors import InputError


@contextmanager
def collecting(name: str) -> Iterator[Decoder]:
    """Hand out a place for the faults of a file; raise `InputError` at the end if there are any."""
    faults = Decoder()
    with suppress(TooManyError):
        yield faults
    if faults.problems:
        raise InputError(name, faults.problems, faults.more)
