"""A lower bound from what one GPU can do: the load limit of least slots, in exact fractions.

In a schedule that ends by H, each GPU works through a set of jobs one after the other, each
for its least slots or longer, and not before its release; and each job is in the sets of w_j
GPUs. So if the fewest sets, fractions allowed, that cover every job w_j times are more than
there are GPUs, no schedule ends by H. The sets are generated: at prices of jobs, the dearest
set that a GPU can finish by H is found by dynamic programming in whole numbers.
"""

from fractions import Fraction
from math import ceil

from ..instances import Bound, BoundKind, Limits, MakespanInstance
from ..simulation.refusal import never_ends
from .covering import CLOSE, SCALE, covering
from .data import Task, data_of
from .solve import IncrementalLP


def load_bound(instance: MakespanInstance, limits: Limits) -> Bound | None:
    """Return the bound, or None in continuous time; when time is up, what is proved by then."""
    if instance.progress == "continuous" or never_ends(instance):
        return None
    data = data_of(instance)
    tasks = sorted(data.tasks.values(), key=lambda task: task.release)
    gpus = sum(data.sizes.values())
    area = ceil(Fraction(sum(task.gpus * task.least for task in tasks), gpus))
    value = max(area, *(task.release + task.least for task in tasks))
    while not limits.over() and _sets_needed(tasks, value, gpus, limits) > gpus:
        value += 1
    argument = (
        f"by slot {value - 1} a GPU cannot finish enough jobs: even parts of sets of jobs, one "
        f"after the other, take more than {gpus} GPUs to give every job its number"
    )
    return Bound(value=Fraction(value), kind=BoundKind.DUAL, name="loads", argument=argument)


def _sets_needed(tasks: list[Task], horizon: int, enough: int, limits: Limits) -> Fraction:
    """Return what is proved of the least number of sets; exact unless that is `enough`."""
    program = IncrementalLP(covering([float(task.gpus) for task in tasks]))
    for row in range(len(tasks)):
        program.add_column(1.0, [row], [1.0])
    while True:
        found = program.solve()
        prices = [max(0, round(dual * SCALE)) for dual in found.duals]
        most, chosen = _dearest(tasks, prices, horizon)
        total = sum(task.gpus * price for task, price in zip(tasks, prices, strict=True))
        proved = Fraction(total, max(1, most))
        done = proved > enough or found.value <= enough + CLOSE or most <= SCALE * (1 + CLOSE)
        if done or limits.over():
            return proved
        program.add_column(1.0, chosen, [1.0] * len(chosen))


def _dearest(tasks: list[Task], prices: list[int], horizon: int) -> tuple[int, list[int]]:
    """Return the dearest set of jobs that one GPU can finish by the horizon, and its price.

    In the order of releases one GPU is done earliest; `best` holds the dearest set by its end.
    """
    best: dict[int, tuple[int, list[int]]] = {0: (0, [])}
    for number, (task, price) in enumerate(zip(tasks, prices, strict=True)):
        for end, (value, chosen) in sorted(best.items()):
            after = max(end, task.release) + task.least
            if after <= horizon and value + price > best.get(after, (0, []))[0]:
                best[after] = (value + price, [*chosen, number])
    return max(best.values())
