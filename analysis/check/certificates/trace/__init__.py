"""Rules of `trace`: bounds on the mean completion time, in ticks and half GPUs.

The bounds are for jobs alone, on one fluid machine, or at prices of GPUs in intervals, with proofs
in docs/theory/trace-bounds.md. The rule `every tick` tries all actions of jobs from tick to tick.
It omits no schedule, and includes infeasible better ones, because jobs across servers do not slow
each other down here. `docs/concepts/certificates.md` has the argument.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from itertools import pairwise
from math import ceil, lcm

from .....instances.errors import shorten
from .....instances.trace import TraceInstance
from ..kernel import bought, fluid
from ..reading import ProofStep, StepError
from .needs import Modes, Need, Needs, needs_of
from .ticks import every_tick

PART = 2**60
"""Resolution of means in parts of a tick, rounded down."""


Supply = list[tuple[int, int]]
"""Prices of a unit of work, and how much of it there is."""


def _mean(instance: TraceInstance, needs: Needs, ends: int) -> Fraction:
    """Return the mean of completion times if all ends add up to `ends` ticks."""
    waited = ends - sum(need.arrival for need in needs)
    return waited * Fraction(instance.tick_s) / len(needs)


def _each_alone(instance: TraceInstance, _: ProofStep) -> Fraction:
    """Every job as if there was no other."""
    needs = needs_of(instance)
    return _mean(instance, needs, sum(need.alone for need in needs))


def _fluid_ends(needs: Needs, halves: int) -> list[int]:
    """The k-th end of a schedule is not before the k-th of the machine, shortest left first."""
    played = fluid([halves * n.arrival for n in needs], [n.whole for n in needs], by_left=True)
    last = {j: end for j, _, end in played}
    return [-(-end // halves) for end in sorted(last.values())]


def _end_by_end(needs: Needs, halves: int) -> int:
    """At least the k-th smallest end of the jobs alone."""
    return sum(map(max, sorted(need.alone for need in needs), _fluid_ends(needs, halves)))


def _busy_times(needs: Needs, halves: int) -> int:
    """The minimum sum of mean busy times, smallest job first, plus half of the minimum times."""
    moments, total = [0] * len(needs), 0
    played = fluid([halves * n.arrival for n in needs], [n.area for n in needs], by_left=False)
    for j, start, end in played:
        moments[j] += end * end - start * start
    for need, moment in zip(needs, moments, strict=True):
        # The mean of the moments of its work is moment / (2 area), in parts of the machine.
        size = 2 * halves * need.area
        total += PART * moment // size if size else PART * need.arrival
        total += int(PART * need.lag)
    return -(-total // PART)


def _region_by_region(instance: TraceInstance, _: ProofStep) -> Fraction:
    """The jobs restricted to the same servers, alone on these servers, for each such set."""
    apart, needs = dict[tuple[int, ...], list[Need]](), needs_of(instance)
    for need in needs:
        apart.setdefault(need.home, []).append(need)
    pairs = [(own, 2 * sum(home)) for home, own in apart.items()]
    total = sum(max(_end_by_end(*pair), _busy_times(*pair)) for pair in pairs)
    return _mean(instance, needs, total)


def _priced(instance: TraceInstance, step: ProofStep) -> tuple[list[Need], int]:
    """Return the needs, and all half GPUs of a tick. Each kind counts for its price, if any."""
    kinds = instance.kinds
    prices = dict[str | None, int].fromkeys(kinds, 1)
    if "prices" in step.values:
        prices = step.whole_by_name("prices")
        if prices.keys() != set(kinds):
            found, known = (", ".join(map(str, names)) for names in (prices, kinds))
            known = "none" if None in kinds else known
            raise StepError(f"prices are for {shorten(found)}, expected the kinds of GPUs: {known}")
    if not any(prices.values()):
        raise StepError("prices are all 0, expected one above 0")
    halves = sum(2 * server.gpus * prices[server.gpu] for server in instance.servers)
    return needs_of(instance, [prices[kind] for kind in kinds]), halves


def _counted(ends: Callable[[Needs, int], int]) -> Callable[[TraceInstance, ProofStep], Fraction]:
    """Return the rule that sums ends to a bound, given all half GPUs."""

    def rule(instance: TraceInstance, step: ProofStep) -> Fraction:
        needs, halves = _priced(instance, step)
        return _mean(instance, needs, ends(needs, halves))

    return rule


def cheapest_plans(instance: TraceInstance, step: ProofStep) -> Fraction:
    """Return the mean from prices of half GPUs in intervals that begin at `starts`.

    A job costs its end plus its payments until then, and at least its cheapest plan. All ends are
    at least these costs minus the cost of all half GPUs.

    The last interval has no end and no prices. `pools` are lists of servers by number. Each has a
    row of `prices`, paid on GPUs of a kind by jobs whose servers of this kind are all in the pool.
    Prices are integers over `unit`.
    """
    unit, starts, needs = step.whole("unit", 1), step.counts("starts"), needs_of(instance)
    pools, prices = step.rows("pools"), step.rows("prices")
    lengths = [end - start for start, end in pairwise(starts)]
    first = min(need.arrival for need in needs)
    if not starts or starts[0] > first or min(lengths, default=1) < 1:
        raise StepError("starts must increase, and begin at the first arrival or before it")
    if len(prices) != len(pools) or any(len(row) != len(lengths) for row in prices):
        raise StepError(
            f"prices must have a row for each pool, and {len(lengths)} prices in each row"
        )
    priced = [(frozenset(pool), row) for pool, row in zip(pools, prices, strict=True)]
    total = Fraction(0)
    for pool, row in priced:
        halves = 2 * sum(server.gpus for s, server in enumerate(instance.servers) if s in pool)
        total -= sum(halves * price * length for price, length in zip(row, lengths, strict=True))

    @cache
    def pays_of(home: tuple[int, ...]) -> list[tuple[int, ...]]:
        """Return the price of half a GPU by interval, for each kind."""
        found = []
        for kind in instance.kinds:
            own = {s for s, one in enumerate(instance.servers) if home[s] and one.gpu == kind}
            rows = [row for pool, row in priced if own <= pool]
            found.append(tuple(map(sum, zip(*rows, strict=True))) or (0,) * len(lengths))
        return found

    @cache
    def sides_of(modes: Modes, home: tuple[int, ...]) -> list[Supply]:
        """Return the pieces of work of a tick with their prices, for each interval."""
        pays = zip(*pays_of(home), strict=True)
        return [
            _pieces([(halves * pay[kind], rate) for halves, rate, kind in modes]) for pay in pays
        ]

    total += sum(_cheapest(need, starts, sides_of(need.modes, need.home), unit) for need in needs)
    return _mean(instance, needs, ceil(total / unit))


def _pieces(modes: Sequence[tuple[int, int]]) -> Supply:
    """Return possible increases of work per tick beyond cheaper pieces, with their costs.

    They are the edges of the convex hull of all modes. From each corner, the next is the mode with
    the cheapest additional unit of work, the farthest if several are equal.
    """
    found, work, paid = [], 0, 0
    while more := [(cost - paid, rate - work) for cost, rate in modes if rate > work]:
        taken, done = min(more, key=lambda one: (Fraction(one[0], one[1]), -one[1]))
        found.append((taken, done))
        work, paid = work + done, paid + taken
    return found


def _cheapest(need: Need, starts: Sequence[int], sides: Sequence[Supply], unit: int) -> Fraction:
    """Return the minimum cost of a plan over all ends.

    In an interval, the decrease of the cost slows down with later ends. The minimum is found by
    bisection, and is at least the cost of the last end minus all earlier ticks.
    """
    grain = lcm(*(work for pieces in sides for _, work in pieces))
    tick, before = unit * grain, Supply()
    best = tick * starts[-1]
    for (start, until), pieces in zip(pairwise(starts), sides, strict=True):
        edges = [(cost * grain // work, work) for cost, work in pieces]
        since, least = max(start, need.arrival), max(start + 1, need.alone)
        if since >= until:
            continue
        if tick * start >= best:
            break

        def cost(
            end: int, since: int = since, edges: Supply = edges, before: Supply = before
        ) -> int:
            new = [(price, work * (end - since)) for price, work in edges]
            return tick * end + (bought(sorted(before + new), need.work) or 0)

        if least <= until and cost(until) - tick * (until - least) < best:
            last = until
            while least < last:
                middle = (least + last) // 2
                if cost(middle) <= cost(middle + 1):
                    last = middle
                else:
                    least = middle + 1
            best = min(best, cost(least))
        before = sorted(before + [(price, work * (until - since)) for price, work in edges])
    return Fraction(best, grain)


def last_end(instance: TraceInstance, step: ProofStep) -> Fraction:
    """Return a bound on the makespan: all jobs alone, and all together on the fluid machine."""
    needs, halves = _priced(instance, step)
    last = max(*(need.alone for need in needs), *_fluid_ends(needs, halves))
    return (last - min(need.arrival for need in needs)) * Fraction(instance.tick_s)


MAKESPAN_RULES = {"last end": last_end}
"""Rules for the metric `makespan_s`."""

RULES = {
    "each alone": _each_alone,
    "one machine": _counted(lambda needs, halves: sum(_fluid_ends(needs, halves))),
    "end by end": _counted(_end_by_end),
    "busy times": _counted(_busy_times),
    "region by region": _region_by_region,
    "cheapest plans": cheapest_plans,
    "every tick": every_tick,
}
