"""Which sends are applied when: a relaxation over time of all plans, some sends at a time.

Source: ours, after the first two of MLfabric's decisions; columns as Gilmore and Gomory 1961.

Of any plan, only this is kept: each update is in one send or is dropped, a send takes its flows
across links as late as it can for the moment at which it is applied, and what has to cross each
direction of a link within a stretch of time fits through.

Data: sends g, each with its updates, the moment t_g at which it is applied, and what it takes
across hop h between rho_w and tau_k of what is not ready before rho_w, load_g(h, w, k); bandwidths
b_h; D, which is what a dropped update counts for.

Variables
    sent[g] in [0, 1]: send g is in the plan
    dropped[i] in [0, 1]: update i is not sent

Objective
    value: minimise sum_g |g| t_g sent[g] + sum_i D dropped[i]

Constraints
    once[i]: sum_(g with i) sent[g] + dropped[i] >= 1
    fits[h, w, k]: sum_g load_g(h, w, k) sent[g] <= b_h (tau_k - rho_w)

Size: a variable for each send that is given; |I| + |H| W K rows.
"""

from collections.abc import Mapping, Sequence
from math import inf
from typing import NamedTuple

import numpy as np

from ...instances import TransfersInstance
from ..grown import Entry, GrownRows
from ..program import Matrix

Row = tuple[int, int, int]
"""Numbers of a hop, of one of the starts rho and of one of the moments tau."""


class SentColumn(NamedTuple):
    """A send that a plan may have, by what it is in the program."""

    at: float
    updates: tuple[int, ...]
    loads: Mapping[Row, float]


class SendingProgram(NamedTuple):
    """The program, and what its rows are about: the first are those of updates, in their order."""

    matrix: Matrix
    fits: dict[int, Row]


def sending(
    instance: TransfersInstance, sends: Sequence[SentColumn], room: Mapping[Row, float]
) -> SendingProgram:
    """Return the program over some sends; `room` is what each row of links can carry."""
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
