"""How many updates can be applied by a moment: a relaxation of their ways to the server.

Source: ours, after the second of MLfabric's decisions.

Of any plan, only this is kept: what has to cross each direction of a link within a stretch of time
fits through, and the sum of updates on its way from an aggregator is as large as each of them.

Data: a moment T; the ways m in W_i of update i on which it could be applied by T, with its size
s_i; the moment r_i when it is ready and g_im when it could be at the aggregator of m; bandwidths
b_h; moments rho_w < T, w in 0..W, from which on loads are counted.

Variables
    takes[i, m] in [0, 1]: update i is applied by T, and takes way m
    size[a, w] >= 0: what aggregator a sends to the server after rho_w

Objective
    not_applied: minimise - sum_(i,m) takes[i, m]

Constraints
    one_way[i]: sum_m takes[i, m] <= 1
    largest[i, m, w]: size[a, w] >= s_i takes[i, m], if m is by way of a, and g_im >= rho_w
    fits[h, w]: sum_(i,m: r_i >= rho_w, m crosses h before its aggregator, if any)
        s_i takes[i, m] + sum_(a sends across h) size[a, w] <= b_h (T - rho_w)

Size: at most |I| (1 + |A|) + |A| W variables and |I| (1 + |A| W) + |H| W rows.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import inf
from typing import NamedTuple

import numpy as np

from ...instances import TransfersInstance
from ...instances.directed_rounding import above, below
from ...simulation.transfers import Network
from ..grown import Entry, GrownRows
from ..program import Matrix
from .ways import Way, all_ways

WINDOWS = 6
"""Moments from which on loads are counted, at most."""


class CountingProgram(NamedTuple):
    """The program, the moments rho, and what the duals of its rows are about, by row."""

    matrix: Matrix
    starts: list[Fraction]
    fits: dict[int, tuple[int, int]]
    """The hop and the number of the moment."""
    largest: dict[int, tuple[int, str, int]]
    """The update by number, the aggregator and the number of the moment."""


def counting(
    instance: TransfersInstance, ways: Sequence[Sequence[Way]], by: Fraction
) -> CountingProgram:
    """Return the program for a moment; a point of it is no plan."""
    network, rows = Network.of(instance), GrownRows()
    fits, largest = dict[int, tuple[int, int]](), dict[int, tuple[int, str, int]]()
    sizes = [network.sizes[one.name] for one in instance.updates]
    takes = [(i, way) for i, own in enumerate(ways) for way in own if way.arrives <= by]
    starts = windows([way for _, way in takes])
    senders = {(way.via, way.rest) for _, way in takes if way.rest}
    sent = {(via, w): len(takes) + k for k, (via, w) in enumerate(_pairs(senders, len(starts)))}
    by_update: dict[int, list[Entry]] = {}
    for column, (i, way) in enumerate(takes):
        by_update.setdefault(i, []).append((column, 1.0))
        for w, start in enumerate(starts if way.rest else ()):
            if way.via is not None and way.gathered >= start:
                largest[len(rows.names)] = i, way.via, w
                entries = [(column, below(Fraction(sizes[i]))), (sent[way.via, w], -1.0)]
                rows.add(f"largest[{i},{way.via},{w}]", -inf, 0.0, entries)
    for i, entries in by_update.items():
        rows.add(f"one_way[{i}]", -inf, 1.0, entries)
    for w, start in enumerate(starts):
        loads: dict[int, list[Entry]] = {}
        for column, (i, way) in enumerate(takes):
            for hop in way.own if way.ready >= start else ():
                loads.setdefault(hop, []).append((column, below(Fraction(sizes[i]))))
        for via, rest in sorted(senders):
            for hop in rest:
                loads.setdefault(hop, []).append((sent[via, w], 1.0))
        for hop, entries in loads.items():
            fits[len(rows.names)] = hop, w
            most = above(network.rates[hop] * (by - start))
            rows.add(f"fits[{hop},{w}]", -inf, most, entries)
    columns = len(takes) + len(sent)
    matrix = Matrix(
        columns=(
            *(f"takes[{i},{way.via}]" for i, way in takes),
            *(f"size[{via},{w}]" for via, w in sent),
        ),
        cost=np.concatenate([-np.ones(len(takes)), np.zeros(len(sent))]),
        lower=np.zeros(columns),
        upper=np.concatenate([np.ones(len(takes)), np.full(len(sent), float(max(sizes)))]),
        integer=np.zeros(columns, dtype=np.bool_),
        **rows.parts(columns),
    )
    return CountingProgram(matrix, starts, fits, largest)


def windows(ways: Sequence[Way]) -> list[Fraction]:
    """Return moments from which on loads are counted: spread, the first one among them."""
    moments = sorted({way.ready for way in ways} | {way.gathered for way in ways if way.rest})
    step = -(-len(moments) // WINDOWS) or 1
    return moments[::step]


def ready_moments(instance: TransfersInstance) -> list[Fraction]:
    """Return moments when updates are ready: spread, the first one among them."""
    ready = sorted({Fraction(one.ready_s) for one in instance.updates})
    return ready[:: -(-len(ready) // WINDOWS)]


def _pairs(
    senders: set[tuple[str | None, tuple[int, ...]]], count: int
) -> list[tuple[str | None, int]]:
    return [(via, w) for via, _ in sorted(senders) for w in range(count)]


def counting_at(instance: TransfersInstance, moment: int) -> Matrix:
    """Return the program that counts the updates which can be applied by a moment, in seconds."""
    return counting(instance, all_ways(instance), Fraction(moment)).matrix
