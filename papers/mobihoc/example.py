"""The example that SJF-BCO begins with: one ring alone takes 295 s, each of four takes 675 s.

Four rings of four GPUs stand on four servers, with a GPU of each on every server. The paper does
not say where the ring alone is: on the same servers, or on one with a faster interconnect.
"""

from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from itertools import product
from typing import NamedTuple

from ...analysis.check import check
from ...analysis.tables import Cell, Table, numbers, texts
from ...instances import (
    Assignment,
    Cluster,
    MakespanInstance,
    RingJob,
    Schedule,
    Server,
    ServerUplink,
)
from ...simulation.model import slowdown
from ..study import table_of

ALONE, TOGETHER = Fraction(295), Fraction(675)
"""Seconds, of the paper."""

RINGS = 4
ITERATIONS = 1000
FASTER = 10
"""Bandwidth inside a server over the bandwidth of its uplink."""

MOST_EXTRA = Fraction(15, 100)
"""Of an iteration, contention and overhead at most, in the experiments of the paper."""

SHARES = (Decimal(1), Decimal("0.5"), Decimal("0.25"))
DEGRADATIONS = (Decimal(0), Decimal(1), Decimal(3))
PLACES = ("on the four servers", "inside one server")


class ExampleModel(NamedTuple):
    """The place of the ring when it is alone, and how much four rings slow each other down."""

    place: str
    share: Decimal
    degradation: Decimal

    @property
    def slow(self) -> Fraction:
        """Slowdown of a transfer among four rings."""
        return slowdown(Fraction(self.share), Fraction(self.degradation), RINGS)

    @property
    def eased(self) -> Fraction:
        """Time of a transfer alone, over one by the uplinks."""
        return Fraction(1) if self.place == PLACES[0] else Fraction(1, FASTER)


class RingSeconds(NamedTuple):
    """Seconds of a job: its transfers by uplinks without contention, and the other time."""

    transfer: Fraction
    rest: Fraction


def fitted(model: ExampleModel) -> RingSeconds | None:
    """Return the job that fits both numbers, or None if it would have no computation."""
    if model.slow == model.eased:
        return None
    transfer = (TOGETHER - ALONE) / (model.slow - model.eased)
    rest = ALONE - model.eased * transfer
    return RingSeconds(transfer, rest) if rest >= 0 else None


def modest(model: ExampleModel) -> RingSeconds:
    """Return the job of 295 s alone whose transfers contention makes 15 % among four."""
    part = MOST_EXTRA / (1 - MOST_EXTRA) / model.slow
    rest = ALONE / (1 + model.eased * part)
    return RingSeconds(part * rest, rest)


def judged(model: ExampleModel, job: RingSeconds, rings: int) -> Fraction:
    """Return when that many such rings end, by the judge."""
    alone = rings == 1 and model.place == PLACES[1]
    servers = [f"s{i}" for i in range(RINGS)]
    place = (("s0", RINGS),) if alone else tuple((server, 1) for server in servers)
    instance = MakespanInstance(
        name="example",
        cluster=Cluster(
            servers=tuple(Server(name=server, gpus=RINGS) for server in servers),
            intra_bandwidth_gb_s=Decimal(FASTER),
            inter_bandwidth_gb_s=Decimal(1),
            reduce_gb_s=None,
        ),
        jobs=tuple(_ring(f"j{i}", job) for i in range(rings)),
        contention=ServerUplink(share=model.share, degradation=model.degradation),
        overhead="step",
        overhead_s=Decimal(0),
        progress="continuous",
    )
    entries = (Assignment(job=j.name, start_slot=Decimal(0), gpus=place) for j in instance.jobs)
    schedule = Schedule(instance=instance.name, assignments=tuple(entries))
    return check(instance, schedule).makespan or Fraction(0)


def _ring(name: str, job: RingSeconds) -> RingJob:
    """Return a ring whose 2 (w - 1) m / w gigabytes take as long as its transfers, at 1 GB/s."""
    gradient = job.transfer / ITERATIONS * RINGS / (2 * (RINGS - 1))
    return RingJob(
        name=name,
        gpus=RINGS,
        iterations=ITERATIONS,
        gradient_gb=_decimal(gradient),
        backward_s=_decimal(job.rest / ITERATIONS),
    )


def _decimal(number: Fraction) -> Decimal:
    return round(Decimal(number.numerator) / number.denominator, 12)


def example_table() -> Table:
    """Return a line for each model: the job that fits, and its ends by the judge."""
    return table_of(
        "One ring alone, and four that share their servers",
        (
            *texts("the ring alone", "xi_1", "alpha"),
            *numbers("slowdown of four", digits=1),
            *numbers("transfer", digits=2),
            *numbers("alone, s", "together, s", "at most 15 %", digits=1),
        ),
        (_line(ExampleModel(*one)) for one in product(PLACES, SHARES, DEGRADATIONS)),
        "Transfer: seconds that a ring with private uplinks transfers for each second of "
        "other work, such that both times come out. A dash means that no value does. At most "
        "15 %: four rings that take 295 s alone, where contention makes transfers 15 % of an "
        f"iteration. A server's GPUs are joined {FASTER} times as fast as servers. Ends are "
        "the judge's.",
        shared=1,
    )


def _line(model: ExampleModel) -> tuple[Cell, ...]:
    job, begins = fitted(model), (model.place, f"{model.share}", f"{model.degradation}")
    modestly = float(judged(model, modest(model), RINGS))
    if job is None or not job.rest:
        return *begins, float(model.slow), None, None, None, modestly
    ends = (float(judged(model, job, rings)) for rings in (1, RINGS))
    return *begins, float(model.slow), float(job.transfer / job.rest), *ends, modestly


def example_statements(table: Table) -> Iterator[str]:
    """Yield statements on the example's place in the experiments and its reproduction."""
    heads = [column.head for column in table.columns]
    rows = [dict(zip(heads, map(str, row), strict=True)) for row in table.rows]
    where = [row for row in rows if _is_together(row["together, s"])]
    if any(_is_together(row["at most 15 %"]) for row in rows) or not where:
        return
    first, most = where[0], float(ALONE / (1 - MOST_EXTRA))
    yield (
        "one ring alone, four that share servers: not with contention of at most 15 % of an "
        f"iteration as in the experiments, which turns {ALONE} s into at most {most:.0f}. The "
        f"time is {TOGETHER} s under {len(where)} of {len(rows)} models, such as a share of "
        f"{first['xi_1']} and a degradation of {first['alpha']}, where a ring alone "
        f"{first['the ring alone']} transfers {float(first['transfer']):.2f} s for each "
        "second of other work"
    )


def _is_together(cell: str) -> bool:
    return cell != "None" and abs(float(cell) - TOGETHER) < DIGITS


DIGITS = 0.001
"""Numbers of files have twelve places, so that ends are a little off."""
