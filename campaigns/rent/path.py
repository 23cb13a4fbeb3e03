"""The jobs of a long run: drawn from the streams, or those of a fleet."""

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

from ...instances import FleetInstance, RentalInstance, TraceInstance
from ...instances.catalogue import load_as
from ...instances.errors import InputError, Problem, Words, plural
from ...instances.fleet.mix import Arrivals, DrawnJobs, Sizes, draw, fleet_of
from ...simulation.fleet.stream import MILLI, JobStream, Terms, stream_from, stream_of
from ...simulation.model import Ints

LAWS: dict[str, Arrivals] = {"poisson": "poisson", "bursty": "bursty", "even": "even"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """How jobs are drawn, and the terms on which GPUs are leased for them."""

    jobs: int = 10_000
    seed: int = 0
    arrivals: str = "poisson"
    """A law; or a trace, by name or file, whose times of arrival are stretched to the mean rate."""
    sizes: Sizes = "exponential"
    tick_s: Decimal = Decimal(1)
    provision_s: Decimal = Decimal(0)
    node_gpus: int | None = None
    billing_s: Decimal | None = None


class Path(NamedTuple):
    """Jobs as they come; as an instance, and their places in it, where that is asked for."""

    stream: JobStream
    fleet: FleetInstance | None = None
    order: Ints | None = None


def path_of(fleet: FleetInstance) -> Path:
    """Return the jobs of a fleet."""
    stream, order = stream_of(fleet)
    return Path(stream, fleet, order)


def drawn_path(instance: RentalInstance, drawing: Drawing, *, as_fleet: bool) -> Path:
    """Return drawn jobs; with `as_fleet` as an instance, too, which takes its time."""
    drawn = drawn_jobs(instance, drawing)
    if as_fleet:
        fleet = fleet_of(
            instance,
            drawn,
            name=f"{instance.name}-s{drawing.seed}",
            provision_s=drawing.provision_s,
            node_gpus=drawing.node_gpus,
            billing_s=drawing.billing_s,
            tick_s=drawing.tick_s,
        )
        return path_of(fleet)
    terms = Terms(
        rescale=_ticks("--rescale-s", instance.rescale_s, drawing),
        provision=_ticks("--provision-s", drawing.provision_s, drawing),
        unit=MILLI * drawing.node_gpus if drawing.node_gpus else 1,
        billing=_ticks("--billing-s", drawing.billing_s or drawing.tick_s, drawing),
    )
    whole = instance.widths == "whole"
    return Path(stream_from(instance.types, drawn, drawing.tick_s, terms, whole=whole))


def _ticks(option: str, seconds: Decimal, drawing: Drawing) -> int:
    ticks = Fraction(seconds) / Fraction(drawing.tick_s)
    if ticks.denominator != 1:
        found = Words(f"{seconds:f}")
        expected = f"a multiple of --tick-s, {drawing.tick_s:f}"
        raise InputError("ringyard rent", [Problem(option, found, expected, "shorten the tick")])
    return int(ticks)


def drawn_jobs(instance: RentalInstance, drawing: Drawing) -> DrawnJobs:
    """Return jobs as they are asked for."""
    law = LAWS.get(drawing.arrivals)
    times = None if law else _stretched(instance, drawing)
    return draw(
        instance.types,
        drawing.jobs if times is None else min(drawing.jobs, len(times)),
        drawing.seed,
        arrivals=law or "poisson",
        sizes=drawing.sizes,
        tick_s=drawing.tick_s,
        times=times,
    )


def _stretched(instance: RentalInstance, drawing: Drawing) -> list[int]:
    """Return the arrivals of a trace in ticks, stretched to the instance's mean rate."""
    trace = load_as(TraceInstance, drawing.arrivals)
    times = sorted(float(job.arrival_s) for job in trace.jobs)[: drawing.jobs]
    span = times[-1] - times[0]
    if not span:
        found = Words(f"{plural(len(times), 'job')} at once")
        problem = Problem("--arrivals", found, "jobs that come over time", "take another trace")
        raise InputError(trace.name, [problem])
    wanted = len(times) / float(sum(instance.rates)) * 3600 / float(drawing.tick_s)
    return [int((time - times[0]) / span * wanted) for time in times]
