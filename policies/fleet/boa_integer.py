"""BOA with whole widths: one type at most has two, drawn by lot or one after the other."""

from dataclasses import dataclass
from typing import Annotated, Literal

from ...instances import FleetInstance, Outcome
from ..rental import boa_integer
from ..rental.boa import stalls
from ..request import Request
from .expected import LoadOptions, simulate_planned


@dataclass(frozen=True, slots=True, kw_only=True)
class Options(LoadOptions):
    """What is known of the loads, and how work is split."""

    split: Annotated[
        Literal["random", "within"], "random: a job draws its width; within: it changes its width"
    ] = "random"


def refuses(instance: FleetInstance, options: Options) -> str | None:
    """Say why widths cannot be chosen epoch by epoch, or None if they can."""
    if stalls(instance):
        return "jobs stand still when their GPUs change: take boa"
    if options.split == "within" and instance.rescale_s > 0:
        return "jobs stand still when their GPUs change: take split=random"
    return None


def run(instance: FleetInstance, request: Request[Options]) -> Outcome:
    """Return the log."""
    own = boa_integer.Options(split=request.options.split)
    return simulate_planned(instance, request, "boa-integer", boa_integer, own)
