"""Sums modulo 2 and what is spanned by them, as bits of integers."""

from collections.abc import Iterable, Sequence

Basis = tuple[int, ...]
"""A basis in reduced echelon form, its highest vector first: one for each span."""


def reduced(basis: Basis, vector: int) -> int:
    """Return a vector less what the span can take from it; 0 if it is in the span."""
    for own in basis:
        if vector & highest_bit(own):
            vector ^= own
    return vector


def highest_bit(vector: int) -> int:
    """Return the highest bit of a vector other than 0, as a mask."""
    return 1 << (vector.bit_length() - 1)


def extended(basis: Basis, vector: int) -> Basis:
    """Return the basis with a vector added."""
    new = reduced(basis, vector)
    if not new:
        return basis
    head = highest_bit(new)
    others = ((own ^ new) if own & head else own for own in basis)
    return tuple(sorted((*others, new), reverse=True))


def spanned(vectors: Iterable[int]) -> Basis:
    """Return the basis of what vectors span."""
    basis: Basis = ()
    for vector in vectors:
        basis = extended(basis, vector)
    return basis


def needs(basis: Basis, has: int, lacks: int) -> int:
    """Return how many rows a worker must be sent beside the span, to know all that it lacks."""
    known = len(spanned(vector & ~has for vector in basis))
    strange = len(spanned(vector & ~has & ~lacks for vector in basis))
    return lacks.bit_count() + strange - known


def unknown(basis: Basis, has: int, lacks: int) -> list[int]:
    """Return the rows that a worker lacks and cannot work out, as bits."""
    seen = spanned(vector & ~has for vector in basis)
    return [bit for bit in bits(lacks) if reduced(seen, bit)]


def bits(mask: int) -> list[int]:
    """Return the bits of a mask, each as a mask."""
    found = []
    while mask:
        found.append(mask & -mask)
        mask &= mask - 1
    return found


def packed(rows: Iterable[int], places: Sequence[int]) -> int:
    """Return rows as bits at their places."""
    have = set(rows)
    return sum(1 << i for i, row in enumerate(places) if row in have)
