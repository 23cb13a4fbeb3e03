"""Orders and rules to begin with: every order under every rule, the best is kept."""

from collections.abc import Iterator

import numpy as np

from ...instances import FluidLinks, MakespanInstance
from ...simulation.model import Floats, Ints, open_sizes
from .local_placing import CAPS, EAGER, EVEN, FEWEST, RACK, rule_of


def orders(instance: MakespanInstance, least: Floats) -> list[Ints]:
    """Return orders by time, by time and size in several mixtures, and by size, descending.

    The last measure but one counts the servers that a job fills or breaks into.
    """
    gpus = np.array([job.gpus for job in instance.jobs], dtype=float)
    largest = max(server.gpus for server in instance.cluster.servers)
    release = np.array([float(job.release_slot) for job in instance.jobs])
    measures = [least * gpus**power for power in (0, 0.25, 0.5, 1)]
    measures += [least * np.ceil(gpus / largest), gpus]
    found = [np.lexsort((-gpus, -least, -measure)) for measure in measures]
    if release.any():
        found += [np.lexsort((-measure, release)) for measure in measures[:1]]
    return found


def spreading(instance: MakespanInstance) -> list[int]:
    """Return the rules for a ring across servers that make sense for this instance."""
    shapes = [FEWEST]
    if instance.overhead == "max_workers_per_server":
        shapes.append(EVEN)
    if isinstance(instance.contention, FluidLinks):
        shapes.append(RACK)
    return [rule_of(cap, shape) for shape in shapes for cap in range(CAPS)]


def beginnings(instance: MakespanInstance, least: Floats) -> Iterator[tuple[Ints, Ints]]:
    """Yield every order with every rule, the same for all jobs."""
    jobs, ways = len(instance.jobs), spreading(instance)
    spread = max(job.gpus for job in instance.jobs) > 1
    for order in orders(instance, least):
        for rule in [rule + eager for rule in ways for eager in (0, EAGER)] if spread else ways[:1]:
            yield order, np.full(jobs, rule, dtype=np.int64)


def menus(instance: MakespanInstance) -> tuple[Ints, Ints, Ints]:
    """Return rules, and for each job where those begin and end that it can choose from.

    A job larger than every server must spread; a smaller one may wait for a server; for a
    job of one GPU all rules are the same.
    """
    sizes, ways = open_sizes(instance), spreading(instance)
    rules = ways + [ways[0]] * len(ways) + [rule + EAGER for rule in ways]
    n, begin, end = len(ways), [], []
    for job in instance.jobs:
        small, single = job.gpus <= sizes[job.allowed_regions][0], job.gpus == 1
        begin.append(n if small else 0)
        end.append(n + 1 if single else 3 * n if small else n)
    return np.array(rules), np.array(begin), np.array(end)
