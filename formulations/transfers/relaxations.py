"""Relaxations of all plans over time: how many updates by a moment, and which sends when."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import inf
from typing import NamedTuple

import numpy as np

from ...instances import TransfersInstance
from ...instances.directed_rounding import above, below
from ...simulation.transfers.network import Network
from ..program import Matrix
from ..rows import Entry, GrownRows
from .routes import UpdateRoute, update_routes

WINDOWS = 6
"""Moments from which on loads are counted, at most."""


class CountingProgram(NamedTuple):
    """The program, the moments rho, and the meaning of its rows' duals, by row."""

    matrix: Matrix
    starts: list[Fraction]
    fits: dict[int, tuple[int, int]]
    """The hop and the number of the moment."""
    largest: dict[int, tuple[int, str, int]]
    """The update by number, the aggregator and the number of the moment."""


def counting(
    instance: TransfersInstance, routes: Sequence[Sequence[UpdateRoute]], by: Fraction
) -> CountingProgram:
    """Return the program for a moment, whose points are no plans.

    Source: Ringyard, after the second of MLfabric's decisions.

    Two properties of plans are kept: the load of each direction of a link within a stretch of time
    fits through, and the sum of updates on the route from an aggregator is as large as each of
    them.

    Data: a moment T. W_i, the routes m of update i on which it could be applied by T, its size s_i,
    the moment r_i when it is ready, and g_im when it could be at the aggregator of m. Bandwidths
    b_h, and moments rho_w < T, w in 0..W, that start the counting of loads.

    Variables
        takes[i, m] in [0, 1]: update i is applied by T, over route m
        size[a, w] >= 0: the volume from aggregator a to the server after rho_w

    Objective
        not_applied: minimise - sum_(i,m) takes[i, m]

    Constraints
        one_way[i]: sum_m takes[i, m] <= 1
        largest[i, m, w]: size[a, w] >= s_i takes[i, m], if m is through a, and g_im >= rho_w
        fits[h, w]: sum_(i,m: r_i >= rho_w, m crosses h before its aggregator, if any)
            s_i takes[i, m] + sum_(a sends across h) size[a, w] <= b_h (T - rho_w)

    Size: at most |I| (1 + |A|) + |A| W variables and |I| (1 + |A| W) + |H| W rows.
    """
    network, rows = Network.of(instance), GrownRows()
    fits, largest = dict[int, tuple[int, int]](), dict[int, tuple[int, str, int]]()
    sizes = [network.sizes[one.name] for one in instance.updates]
    takes = [(i, route) for i, own in enumerate(routes) for route in own if route.arrives <= by]
    starts = windows([route for _, route in takes])
    senders = {(route.via, route.rest) for _, route in takes if route.rest}
    sent = {(via, w): len(takes) + k for k, (via, w) in enumerate(_pairs(senders, len(starts)))}
    by_update: dict[int, list[Entry]] = {}
    for column, (i, route) in enumerate(takes):
        by_update.setdefault(i, []).append((column, 1.0))
        for w, start in enumerate(starts if route.rest else ()):
            if route.via is not None and route.gathered >= start:
                largest[len(rows.names)] = i, route.via, w
                entries = [(column, below(Fraction(sizes[i]))), (sent[route.via, w], -1.0)]
                rows.add(f"largest[{i},{route.via},{w}]", -inf, 0.0, entries)
    for i, entries in by_update.items():
        rows.add(f"one_way[{i}]", -inf, 1.0, entries)
    for w, start in enumerate(starts):
        loads: dict[int, list[Entry]] = {}
        for column, (i, route) in enumerate(takes):
            for hop in route.own if route.ready >= start else ():
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
            *(f"takes[{i},{route.via}]" for i, route in takes),
            *(f"size[{via},{w}]" for via, w in sent),
        ),
        cost=np.concatenate([-np.ones(len(takes)), np.zeros(len(sent))]),
        lower=np.zeros(columns),
        upper=np.concatenate([np.ones(len(takes)), np.full(len(sent), float(max(sizes)))]),
        integer=np.zeros(columns, dtype=np.bool_),
        **rows.parts(columns),
    )
    return CountingProgram(matrix, starts, fits, largest)


def windows(routes: Sequence[UpdateRoute]) -> list[Fraction]:
    """Return moments from which on loads are counted: spread, the first one among them."""
    moments = sorted({one.ready for one in routes} | {one.gathered for one in routes if one.rest})
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
    """Return the program for the number of updates that can be applied by a moment, in seconds."""
    return counting(instance, update_routes(instance), Fraction(moment)).matrix


Row = tuple[int, int, int]
"""Numbers of a hop, of one of the starts rho and of one of the moments tau."""


class SentColumn(NamedTuple):
    """A send that a plan may have, in the program's terms."""

    at: float
    updates: tuple[int, ...]
    loads: Mapping[Row, float]


class SendingProgram(NamedTuple):
    """The program, and the meaning of its rows. The rows of updates come first, in their order."""

    matrix: Matrix
    fits: dict[int, Row]


def sending(
    instance: TransfersInstance, sends: Sequence[SentColumn], room: Mapping[Row, float]
) -> SendingProgram:
    """Return the program over some sends. `room` is the capacity of each row of links.

    Source: Ringyard, after the first two of MLfabric's decisions, with columns as Gilmore and
    Gomory 1961.

    Three properties of plans are kept: each update is in one send or is dropped. A send moves its
    flows across links as late as possible for the moment at which it is applied. The load of each
    direction of a link within a stretch of time fits through.

    Data: sends g, each with its updates, the moment t_g at which it is applied, and load_g(h, w,
    k), its volume across hop h between rho_w and tau_k that is not ready before rho_w. Bandwidths
    b_h, and D, the cost of a dropped update.

    Variables
        sent[g] in [0, 1]: send g is in the plan
        dropped[i] in [0, 1]: update i is not sent

    Objective
        value: minimise sum_g |g| t_g sent[g] + sum_i D dropped[i]

    Constraints
        once[i]: sum_(g with i) sent[g] + dropped[i] >= 1
        fits[h, w, k]: sum_g load_g(h, w, k) sent[g] <= b_h (tau_k - rho_w)

    Size: a variable for each send that is given, and |I| + |H| W K rows.
    """
    n, late = len(instance.updates), float(instance.drop_s)
    columns = [*sends, *(SentColumn(late, (i,), {}) for i in range(n))]
    of_update: list[list[int]] = [[] for _ in range(n)]
    of_link: dict[Row, list[Entry]] = {}
    for column, send in enumerate(columns):
        for i in send.updates:
            of_update[i].append(column)
        for row, load in send.loads.items():
            of_link.setdefault(row, []).append((column, load))
    rows, fits = GrownRows(), dict[int, Row]()
    for i, those in enumerate(of_update):
        rows.add(f"once[{i}]", 1.0, inf, [(column, 1.0) for column in those])
    for row, entries in of_link.items():
        fits[len(rows.names)] = row
        rows.add(f"fits{list(row)}", -inf, room[row], entries)
    names = [*(f"sent[{g}]" for g in range(len(sends))), *(f"dropped[{i}]" for i in range(n))]
    matrix = Matrix(
        columns=tuple(names),
        cost=np.array([len(one.updates) * one.at for one in columns]),
        lower=np.zeros(len(names)),
        upper=np.ones(len(names)),
        integer=np.zeros(len(names), dtype=np.bool_),
        **rows.parts(len(names)),
    )
    return SendingProgram(matrix, fits)
