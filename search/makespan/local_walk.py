"""Simulated annealing over orders and rules, a cycle of cooling after the other.

A schedule is judged by the GPU-slots worked after a goal just below the best makespan.
Makespan alone would be flat: this says which of two schedules is nearer to a better one.

Random changes of an order and its rules, and the random numbers behind them.
"""

from typing import NamedTuple

import numpy as np

from ...simulation import Model
from ...simulation.jit import entry, kernel
from ...simulation.model import Floats, Ints, Records
from ...simulation.records import record
from .listing import BARRIER, DecodingScratch, decode, new_scratch

RULE, FENCE, LATE, FAR, SWAP = 0.1, 0.001, 0.3, 0.5, 0.3
"""How often a move changes a rule or a barrier; else, how often it picks a job that ends too
late, sends it anywhere rather than at most `NEAR` places away, and swaps rather than inserts."""

NEAR = 10


@kernel
def below(rng: Ints, n: int) -> int:
    """Draw a whole number below n by xorshift; ``rng[0]`` is the state, never 0."""
    x = np.uint64(rng[0])
    x ^= x << np.uint64(13)
    x ^= x >> np.uint64(7)
    x ^= x << np.uint64(17)
    rng[0] = np.int64(x)
    return int(np.int64(x >> np.uint64(2)) % n)


@kernel
def unit(rng: Ints) -> float:
    """Draw a number in (0, 1]."""
    return float((below(rng, 1 << 53) + 1) / 9007199254740992.0)


@kernel
def change(
    rng: Ints, order: Ints, rules: Ints, late: Ints, menu: Ints, begin: Ints, end: Ints
) -> None:
    """Change `order` or `rules` at one place; `late` marks jobs that end after the goal."""
    n, u = order.size, unit(rng)
    job = order[below(rng, n)]
    if u < RULE and end[job] - begin[job] > 1:
        fence = rules[job] // BARRIER * BARRIER
        rules[job] = fence + menu[begin[job] + below(rng, end[job] - begin[job])]
        return
    if RULE <= u < RULE + FENCE:
        rules[job] = (rules[job] + BARRIER) % (2 * BARRIER)
        return
    i = below(rng, n)
    if unit(rng) < LATE:
        i = _late_one(rng, order, late, i)
    k = below(rng, n)
    if unit(rng) >= FAR:
        k = min(n - 1, max(0, i + below(rng, 2 * NEAR + 1) - NEAR))
    if unit(rng) < SWAP:
        order[i], order[k] = order[k], order[i]
    else:
        _insert(order, i, k)


@kernel
def _late_one(rng: Ints, order: Ints, late: Ints, i: int) -> int:
    """Return the place of a random job that ends too late; `i` if there is none."""
    count = 0
    for job in order:
        count += late[job]
    if count == 0:
        return i
    count = below(rng, count)
    for p in range(order.size):
        if late[order[p]] == 1:
            if count == 0:
                return p
            count -= 1
    return i


@kernel
def _insert(order: Ints, i: int, k: int) -> None:
    """Move the job at place i to place k."""
    job, step = order[i], 1 if i < k else -1
    for p in range(i, k, step):
        order[p] = order[p + step]
    order[k] = job


HOT, COLD = 0.02, 0.0002
"""Temperatures at both ends of a cycle, in mean GPU-slots of a job."""

NEARER = 0.002
"""The goal is a slot, and at least this part of the makespan, below the best."""

NUMBERS = record("done", floats="best value goal scale step")
"""The best makespan, the current value, the goal, the mean GPU-slots of a job, the least step of a
makespan, and the steps done in this cycle."""


class Annealing(NamedTuple):
    """Where one annealing stands: its current, tried and best order and rules."""

    scratch: DecodingScratch
    order: Ints
    rules: Ints
    next_order: Ints
    next_rules: Ints
    best_order: Ints
    best_rules: Ints
    late: Ints
    menu: Ints
    begin: Ints
    end: Ints
    rng: Ints
    numbers: Records


def new_walk(
    model: Model, least: Floats, step: float, menu: tuple[Ints, Ints, Ints], seed: int
) -> Annealing:
    """Return a walk that has not begun; a makespan is at least `step` better if it is better."""
    jobs = model.jobs.size
    scale = float((model.jobs["gpus"] * least).sum() / jobs)
    places = [np.arange(jobs) for _ in range(3)]
    rules = [np.zeros(jobs, np.int64) for _ in range(4)]
    return Annealing(
        new_scratch(model, least),
        places[0],
        rules[0],
        places[1],
        rules[1],
        places[2],
        rules[2],
        rules[3],
        *menu,
        np.array([seed]),
        np.array([(0, np.inf, np.inf, 0.0, scale, step)], NUMBERS),
    )


@entry
def adopt(model: Model, walk: Annealing, order: Ints, rules: Ints) -> float:
    """Make an order and rules the best and the current, where a new cycle begins."""
    _copy(order, walk.order)
    _copy(rules, walk.rules)
    walk.numbers[0].done = 0
    makespan = decode(model, walk.scratch, order, rules, 0.0, np.inf)
    if makespan < np.inf:
        _keep(model, walk, makespan)
    return makespan


@kernel
def _keep(model: Model, walk: Annealing, makespan: float) -> None:
    """Note that the current order and rules, just decoded, are the best, and set the goal."""
    numbers = walk.numbers[0]
    _copy(walk.order, walk.best_order)
    _copy(walk.rules, walk.best_rules)
    numbers.best = makespan
    numbers.goal = makespan - max(numbers.step, NEARER * makespan)
    numbers.value = _value(model, walk)
    _mark_late(walk)


@kernel
def _copy(source: Ints, target: Ints) -> None:
    for i in range(source.size):
        target[i] = source[i]


@kernel
def _value(model: Model, walk: Annealing) -> float:
    value = 0.0
    for j in range(walk.order.size):
        over = walk.scratch.state.runs[j].end - walk.numbers[0].goal
        value += max(0.0, over) * model.jobs[j].gpus
    return value


@kernel
def _mark_late(walk: Annealing) -> None:
    for j in range(walk.order.size):
        walk.late[j] = walk.scratch.state.runs[j].end > walk.numbers[0].goal


@entry
def anneal(model: Model, walk: Annealing, steps: int, cycle: int) -> None:
    """Take so many steps of a cycle."""
    numbers = walk.numbers[0]
    for _ in range(steps):
        heat = HOT * (COLD / HOT) ** (numbers.done / cycle)
        numbers.done += 1
        _copy(walk.order, walk.next_order)
        _copy(walk.rules, walk.next_rules)
        change(
            walk.rng, walk.next_order, walk.next_rules, walk.late, walk.menu, walk.begin, walk.end
        )
        allowed = numbers.value - heat * numbers.scale * np.log(unit(walk.rng))
        allowed += 1e-9 * (1.0 + allowed)
        makespan = decode(
            model, walk.scratch, walk.next_order, walk.next_rules, numbers.goal, allowed
        )
        if makespan == np.inf:
            continue
        value = _value(model, walk)
        better = makespan < numbers.best - 1e-9
        if value > allowed and not better:
            continue
        _copy(walk.next_order, walk.order)
        _copy(walk.next_rules, walk.rules)
        numbers.value = value
        _mark_late(walk)
        if better:
            _keep(model, walk, makespan)
