"""BOA with whole widths: one type at most has two, drawn by lot or one after the other."""

from dataclasses import dataclass
from typing import Annotated, Literal

from numpy.random import Generator

from ...instances import FleetInstance, Limits, Outcome
from ..rental import boa_integer
from ..rental.boa import stalls
from .expected import LoadOptions
from .planned import play_planned


@dataclass(frozen=True, slots=True, kw_only=True)
class Options(LoadOptions):
    """What is known of the loads, and how work is split."""

    split: Annotated[
        Literal["random", "within"], "random: a job draws its width; within: it changes its width"
    ] = "random"


def refuses(instance: FleetInstance, options: Options | None = None) -> str | None:
    """Say why widths cannot be chosen epoch by epoch, or None if they can."""
    if stalls(instance):
        return "jobs stand still when their GPUs change: take boa"
    if options is not None and options.split == "within" and instance.rescale_s > 0:
        return "jobs stand still when their GPUs change: take split=random"
    return None


def run(
    instance: FleetInstance, limits: Limits, rng: Generator, options: Options | None = None
) -> Outcome:
    """Return the log."""
    chosen = options or Options()
    own = boa_integer.Options(split=chosen.split)
    return play_planned(
        instance,
        limits,
        rng,
        "boa-integer",
        chosen.loads,
        lambda rental: boa_integer.run(rental, limits, rng, own),
    )
