"""Figures of answers, schedules and campaigns, as objects that notebooks show.

For example::

    ringyard.plot.gantt(answer).save("plan.svg")
    ringyard.plot.profile(ringyard.load_campaign("out/demo"), instance="small-*")

All figures except `gantt` and `groups` accept a `Campaign`, one answer, or several.
``campaign.plot("profile")`` is the same as ``plot.profile(campaign)``. Keywords choose runs as in
`Campaign.where`, and ``rename={"sjf-bco": "SJF-BCO"}`` renames entries of the legend. Their
`picture` is a ``matplotlib.figure.Figure``, which you can change before you save it.
"""

from collections.abc import Iterable
from typing import Any

from .analysis.display import answered_instance
from .analysis.figures.view import Figure, groups_figure, schedule_figure
from .campaigns.campaign import Campaign, campaign_of
from .instances import AnySchedule, Instance
from .instances.errors import InputError, Problem, Words
from .run import Answer

__all__ = [
    "Figure",
    "convergence",
    "ecdf",
    "factors",
    "gantt",
    "groups",
    "profile",
    "profile_ratio",
    "ratios",
    "tradeoff",
]

Runs = Campaign | Answer | Iterable[Answer]
"""Sources of figures that compare runs."""


def __dir__() -> list[str]:
    """Return the names of the figures only."""
    return __all__


def gantt(of: Any, schedule: AnySchedule | None = None, **where: Any) -> Figure:
    """Return the Gantt chart of one schedule on servers, machines or rented GPUs.

    `of` is an answer, an instance with its `schedule`, a schedule whose instance was used recently
    or has a catalogue name, or a campaign in which `where` chooses one instance and method.
    """
    if isinstance(of, Answer) and of.schedule is not None:
        return schedule_figure(of.instance, of.schedule, of.verdict, of.bound.value)
    if isinstance(of, Campaign):
        return of.where(**where).plot("gantt")
    return schedule_figure(*_pair("gantt", of, schedule))


def groups(of: Any, schedule: AnySchedule | None = None, **where: Any) -> Figure:
    """Return the GPUs that each group of jobs of a trace holds over time, with quotas.

    `of` and `schedule` are as for `gantt`.
    """
    if isinstance(of, Answer) and of.schedule is not None:
        return groups_figure(of.instance, of.schedule, of.verdict)
    if isinstance(of, Campaign):
        return of.where(**where).plot("groups")
    return groups_figure(*_pair("groups", of, schedule))


def _pair(name: str, of: Any, schedule: AnySchedule | None) -> tuple[Instance, AnySchedule]:
    """Return an instance and a schedule, or raise the error of the function of this name."""
    if isinstance(of, Instance) and schedule is not None:
        return of, schedule
    if isinstance(of, AnySchedule) and (instance := answered_instance(of)) is not None:
        return instance, of
    found = Words(repr(of)[:200].replace("\n", " "))
    expected = "an answer with a schedule, a campaign, or an instance and a schedule"
    problem = Problem("of", found, expected, f"write {name}(instance, schedule)")
    raise InputError(f"ringyard.plot.{name}", [problem])


def ecdf(runs: Runs, **where: Any) -> Figure:
    """Return the distribution of completion times by method."""
    return _figure("ecdf", runs, where)


def profile(runs: Runs, **where: Any) -> Figure:
    """Return performance profiles on the time to a proof: how often a method is within a factor."""
    return _figure("profile", runs, where)


def profile_ratio(runs: Runs, **where: Any) -> Figure:
    """Return performance profiles on objectives: how often a method is within a factor."""
    return _figure("profile-ratio", runs, where)


def convergence(runs: Runs, *, log_time: bool = False, **where: Any) -> Figure:
    """Return objective and bound over the seconds of each run on one instance."""
    return _figure("convergence", runs, where, log_time=log_time)


def tradeoff(runs: Runs, **where: Any) -> Figure:
    """Return the trade-off between mean time and mean distance from the best, by method."""
    return _figure("tradeoff", runs, where)


def ratios(runs: Runs, **where: Any) -> Figure:
    """Return the ratio of each run to the best proved bound of its instance."""
    return _figure("ratios", runs, where)


def factors(runs: Runs, **where: Any) -> Figure:
    """Return the same ratios against the factors that are proved for the methods."""
    return _figure("factors", runs, where)


def _figure(kind: str, runs: Runs, where: dict[str, Any], *, log_time: bool = False) -> Figure:
    named = f"ringyard.plot.{kind.replace('-', '_')}"
    names = where.pop("rename", {})
    chosen = campaign_of(runs, named).where(**where)
    return chosen.plot(kind, rename=names, log_time=log_time)
