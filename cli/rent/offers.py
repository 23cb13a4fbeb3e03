"""`ringyard rent --offer`: the best assignment of jobs to several offers of GPUs."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Annotated, Any

from cyclopts import Parameter

from ...analysis.intervals import Interval
from ...analysis.tables.model import Table, columns_of, texts
from ...campaigns.rent.budget import BudgetRequest, Rented, asked, rental_of, rented
from ...campaigns.rent.offers import (
    MOST,
    GpuOffer,
    OfferedRental,
    OfferShare,
    OffersPlayed,
    Reserve,
    offered,
    play_offers,
    reserve,
)
from ...instances import FleetInstance, Limits, RentalInstance
from ...instances.errors import Problem, Words, raise_any
from ...instances.generate import read_words, with_options
from ..shared.options import Number
from ..shared.output import emit, percent, say, show_table
from .options import BudgetOptions, CurveOptions, FileOptions, SimulationOptions, option_of
from .simulate import jobs_text, show_doubt, show_times

OWN = "on demand"
"""The instance's own GPUs, which are always offered."""


@Parameter(name="*")
@dataclass(frozen=True, slots=True, kw_only=True)
class OfferOptions:
    """Additional offers of GPUs.

    Parameters
    ----------
    offer
        GPUs for rent in addition to the instance's, as name=spot,price_per_gpu_h=0.3 with
        optional speed=, interruptions_per_h= (of one GPU) and resume_s= (of a job, including lost
        work). May be repeated. Widths are then integers.
    reserved_price
        Hourly price of a reserved GPU of the instance. The plan then includes how many of its GPUs
        to reserve.
    """

    offer: Annotated[tuple[str, ...], Parameter(negative=())] = ()
    reserved_price: Number | None = None

    @property
    def given(self) -> bool:
        """True if an option of offers is given."""
        return bool(self.offer) or self.reserved_price is not None

    @property
    def option(self) -> str:
        """The name of the given option."""
        return "--offer" if self.offer else "--reserved-price"


OFFERS = OfferOptions()


def rent_offers(
    given: RentalInstance | FleetInstance,
    ask: BudgetOptions,
    offers: OfferOptions,
    files: FileOptions,
    run: SimulationOptions,
    json: bool,
) -> int:
    """Print the assignment of jobs to offers. Exit with code 1 if the judge rejects the plan."""
    own = given if isinstance(given, RentalInstance) else rental_of(given)
    known = [GpuOffer(name=OWN, price_per_gpu_h=own.price_per_gpu_h), *_read(offers.offer)]
    raise_any(own.name, _twice(known))
    money = offered(own, known)
    request = BudgetRequest(per_hour=ask.dollars_per_hour, target_h=ask.target_jct)
    limits = Limits(time_s=ask.time_limit)
    problem = asked(money.instance, request, limits)
    found = rented(problem, problem, limits)
    shares = list(money.shares(found.answer.schedule))
    kept = None
    if offers.reserved_price is not None:
        used = [(one.option.gpus, one.jobs) for one in shares if one.option.offer == OWN]
        kept = reserve(used, float(own.price_per_gpu_h), float(offers.reserved_price))
    files.write(found.answer.schedule, found.instance)
    played = None
    if run.simulate:
        played = play_offers(money, found.answer.schedule, run.drawing())
    if json:
        more = {} if played is None else {"simulated": played.plain()}
        emit({**_plain(found, shares, kept), **more})
    else:
        _show(money, found, shares, kept)
        if played is not None:
            show_offers_played(played, found, run)
        if played is not None and kept is not None and kept.gpus:
            prices = float(own.price_per_gpu_h), float(offers.reserved_price or 0)
            show_reserve_played(played.with_reserve(OWN, kept.gpus, *prices), kept)
    return 0 if found.answer.valid else 1


NOT_BESIDE = (
    *("budget", "whole", "rescale_s", "curve", "plot", "latex", "csv", "policy", "for_terms"),
    *("log", "save_fleet", "provision_s", "node_gpus", "billing_s"),
)
"""Options that conflict with offers."""


def refused_with_offers(
    instance: RentalInstance | FleetInstance,
    offers: OfferOptions,
    ask: BudgetOptions,
    curve: CurveOptions,
    files: FileOptions,
    run: SimulationOptions,
) -> Iterator[Problem]:
    """Yield the options that conflict with offers or with a reserve."""
    given = offers.option
    chosen = {
        field.name: getattr(group, field.name)
        for group in (ask, curve, files, run)
        for field in fields(group)
    }
    for name in NOT_BESIDE:
        if chosen[name] is not None and chosen[name] is not False:
            expected = f"no --dollars-per-hour, --target-jct, --out or --save-instance with {given}"
            yield Problem(given, Words(f"and {option_of(name)}"), expected, "leave one out")
    if instance.rescale_s:
        expected = f"0: with {given}, the plan treats changes of GPUs as free"
        yield Problem("rescale_s", instance.rescale_s, expected, "take another instance")


def _read(words: Sequence[str]) -> Iterator[GpuOffer]:
    for text in words:
        example = "name=spot,price_per_gpu_h=0.3"
        options = read_words(text.split(","), "--offer", example)
        yield with_options(GpuOffer(), options, "--offer")


def _twice(offers: Sequence[GpuOffer]) -> Iterator[Problem]:
    names = [one.name for one in offers]
    for name in names:
        if names.count(name) > 1:
            yield Problem("--offer", name, "distinct names", "choose another name=")
            return


def _plain(found: Rented, shares: Sequence[OfferShare], kept: Reserve | None) -> dict[str, Any]:
    plan = found.plain()
    names = ("mean_jct_h", "spend_per_h", "bound_h", "bound_kind", "gap", "valid")
    rows = [
        {
            "type": one.type,
            "epoch": one.epoch,
            "part": one.part,
            "offer": one.option.offer,
            "gpus": one.option.gpus,
            "jobs": one.jobs,
        }
        for one in shares
    ]
    return {
        **{name: plan[name] for name in names},
        "rents": rows,
        "reserve": None if kept is None else kept.plain(),
    }


def _show(
    money: OfferedRental, found: Rented, shares: Sequence[OfferShare], kept: Reserve | None
) -> None:
    budget = float(found.instance.budget_gpus * found.instance.price_per_gpu_h)
    show_table(_table(f"Plan for {budget:,.2f} per hour: {money.given.name}", shares))
    bound = found.answer.bound
    say(f"  mean JCT  {float(found.worth.mean_jct):.4f} h")
    say(f"  bound     {float(bound.value):.4f} h ({bound.kind}, for at most {MOST} GPUs a job)")
    say(f"  gap       {percent(found.answer.gap)}")
    say(f"  spend     {float(found.spend_per_h):,.2f} per hour")
    if kept is not None and not kept.gpus:
        say(f"  reserve   no on-demand GPU: {kept.in_use:.4g} are in use on average")
    elif kept is not None:
        used, cost = f"{kept.in_use:.4g}", f"{kept.per_h:,.2f}"
        say(f"  reserve   {kept.gpus:,} of the on-demand GPUs. On average, {used} are in use.")
        say(f"            If jobs arrive at random (Poisson), they then cost {cost} per hour,")
        say(f"            instead of {kept.per_h_on_demand:,.2f}.")
    say(f"  checked   {'valid' if found.answer.valid else 'INVALID'}")


def _table(caption: str, shares: Sequence[OfferShare]) -> Table:
    spent = sum(one.jobs * one.option.per_h for one in shares)
    return Table(
        caption=caption,
        columns=(
            *texts("type", "epoch"),
            *columns_of({"work, %": 1}),
            *texts("offer"),
            *columns_of({"GPUs": 0, "jobs at once": 3, "spend, %": 1}),
        ),
        rows=tuple(
            (
                one.type,
                f"{one.epoch}",
                100 * one.part,
                one.option.offer,
                float(one.option.gpus),
                one.jobs,
                100 * one.jobs * one.option.per_h / spent,
            )
            for one in shares
        ),
    )


def show_offers_played(played: OffersPlayed, found: Rented, run: SimulationOptions) -> None:
    """Print the measured values next to the plan's expectations."""
    metrics, drawing = played.metrics, run.drawing()
    jct, spend = float(found.worth.mean_jct), float(found.spend_per_h)
    show_times(jobs_text(metrics.jobs, drawing), played, jct, spend)
    say(f"  spend     {metrics.cents / 100:,.2f} in total")
    if played.taken:
        say(f"  preempted {played.taken:,} times a GPU was taken, and its job paused")
    show_doubt(drawing)


def show_reserve_played(measured: Interval | None, kept: Reserve) -> None:
    """Print the measured cost of GPUs on demand, including the reserve."""
    if measured is not None:
        low, high = f"{measured.low:,.2f}", f"{measured.high:,.2f}"
        span = f"{measured.mean:,.2f} per hour measured ({low} to {high})"
        say(f"  reserved  {span}, {kept.per_h:,.2f} planned")
