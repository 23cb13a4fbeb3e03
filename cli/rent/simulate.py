"""`ringyard rent --simulate`: a long simulation of the plan, or of another policy."""

from collections.abc import Iterator

from ...analysis.rental import counted_gpus, lease_premises
from ...analysis.tables import Table, columns_of
from ...campaigns.rent.budget import Rented, as_asked
from ...campaigns.rent.long_run import (
    Drawing,
    Simulated,
    TermsBudget,
    drawn_path,
    path_of,
    planned,
    served,
    violations,
)
from ...campaigns.rent.offers import OffersPlayed
from ...instances import FleetInstance, FleetLog, Limits, RentalInstance
from ...instances.errors import Problem, RefusedError, Words, plural, raise_any
from ...methods import all_methods, extension_families
from ...run import solve
from ..shared.choice import kind_problems
from ..shared.options import write_entity
from ..shared.output import note, percent, say, show_table
from ..shared.progress import counting
from .options import SimulationOptions, option_of

COUNTING = "static-fair, pollux or boa-online,"
"""Methods for fleets only, which keep to the budget under all terms."""


def simulation(
    given: RentalInstance | FleetInstance,
    instance: RentalInstance,
    found: Rented,
    options: SimulationOptions,
    shares: Iterator[Limits],
) -> Simulated:
    """Simulate the jobs, and write the requested files.

    The instance has the actual budget. The plan may be made for less.
    """
    policy, drawing = options.policy, options.drawing()
    by_plan = policy is None or _has_plan(policy)
    if isinstance(given, FleetInstance):
        expected = "no value: a fleet has its own"
        problems = [
            Problem(option_of(name), Words(f"{value}"), expected, "leave it out")
            for name, value in options.given().items()
            if name != "seed"
        ]
        raise_any(given.name, problems)
        path = path_of(as_asked(given, instance))
    else:
        as_fleet = bool(options.log or options.save_fleet) or not by_plan
        path = drawn_path(instance, drawing, as_fleet=as_fleet)
    time_limit = None if policy is None else next(shares).left_s()
    if policy is None or by_plan:
        answer = found.answer if policy is None else solve(instance, policy, time_limit=time_limit)
        plan = answer.schedule
        if plan is None:
            why = answer.outcome.note or "no plan keeps to the budget"
            raise RefusedError(f"{instance.name}: {policy} finds no plan: {why}")
        with counting("jobs done", len(path.stream.at)) as report:
            measured, log = planned(instance, path, plan, drawing.seed, report)
    else:
        measured, log = served(instance, path, policy, drawing.seed, time_limit)
    _write(path.fleet, log, options)
    return measured


def _has_plan(policy: str) -> bool:
    """Return True if a policy is a method for rental instances, not for fleets."""
    names = {one.name: one.family for one in all_methods("fleet")}
    names |= {one.name: one.family for one in all_methods("rental")}
    name = policy.partition(":")[0]
    if name not in names and (brought := extension_families(policy)):
        return "rental" in brought
    problems = kind_problems("--policy", name, list(names), "ringyard list methods")
    raise_any("ringyard rent", problems)
    return names[name] == "rental"


def _write(fleet: FleetInstance | None, log: FleetLog | None, options: SimulationOptions) -> None:
    """Write the jobs and the log, and report the judge's violations."""
    if fleet is None:
        return
    for path, thing in ((options.save_fleet, fleet), (options.log, log)):
        if path is not None and thing is not None:
            write_entity(thing, path)
    if options.log is not None and log is not None:
        for violation in violations(fleet, log):
            note(f"note: on this path the log violates {violation}")


def show_simulation(
    measured: Simulated,
    found: Rented,
    given: RentalInstance | FleetInstance,
    run: SimulationOptions,
    terms: TermsBudget | None = None,
) -> None:
    """Print the measured values next to the plan's."""
    metrics, drawing = measured.metrics, run.drawing()
    jobs = f"{plural(metrics.jobs, 'job')} of {given.name}"
    if isinstance(given, RentalInstance):
        jobs = jobs_text(metrics.jobs, drawing)
    jct, spend = None, None
    if measured.expected is not None:
        jct = float(measured.expected.mean_jct)
        spend = float(measured.expected.mean_gpus) * float(found.instance.price_per_gpu_h)
    show_times(f"{jobs}, by {measured.policy}", measured, jct, spend)
    least = float(measured.least.value)
    paid = counted_gpus(float(metrics.mean_gpus_paid))
    say(
        f"  spend     {metrics.cents / 100:,.2f} in total: {paid} on average, "
        f"{100 * float(metrics.utilisation):.1f} % of their time held by jobs"
    )
    say(f"  bound     {least:.4f} h for exactly these jobs and this spend ({measured.least.kind})")
    say(f"  ratio     {float(measured.ratio):.4f} of mean JCT to bound")
    for one in lease_premises(
        drawing.provision_s, drawing.node_gpus, drawing.billing_s, drawing.tick_s
    ):
        if one.unmet:
            say(f"  not met   {one.name}: {one.unmet}")
    show_doubt(drawing)
    if terms is not None:
        show_terms(terms)
    if measured.over_per_h is not None:
        show_over(measured, measured.over_per_h, terms)


def jobs_text(jobs: int, drawing: Drawing) -> str:
    """Report the number of jobs and their distribution."""
    return f"{plural(jobs, 'job')} with {drawing.arrivals} arrivals and {drawing.sizes} sizes"


def show_times(
    caption: str, measured: Simulated | OffersPlayed, jct_h: float | None, spend: float | None
) -> None:
    """Print mean JCT and spend, measured and planned, and the quantiles of times."""
    columns = columns_of({"": None, "measured (95 % interval)": 4, "by the plan": 4})
    rows = (
        ("mean JCT, h", measured.mean_jct_h, jct_h),
        ("spend per hour", measured.spend_per_h, spend),
    )
    say()
    show_table(Table(caption=caption, columns=columns, rows=rows))
    metrics = measured.metrics
    times = (metrics.mean_jct_h, metrics.median_jct_h, metrics.p95_jct_h, metrics.p99_jct_h)
    mean, median, p95, p99 = map(float, times)
    spread = f"median {median:.4f} h, 95 % within {p95:.4f} h, 99 % within {p99:.4f} h"
    say(f"  mean JCT  {mean:.4f} h of all jobs ({spread})")
    if metrics.late_share is not None:
        say(f"  late      {percent(metrics.late_share)} of the jobs with a deadline")


def show_doubt(drawing: Drawing) -> None:
    """Warn of intervals that cannot be trusted."""
    if drawing.sizes == "pareto":
        say("  warning   the sizes' variance is infinite, so the intervals are too narrow")


def show_terms(terms: TermsBudget) -> None:
    """Describe the planned budget and its cost under these terms."""
    spend, allowed = f"{terms.spend_per_h:,.2f}", f"{terms.allowed_per_h:,.2f}"
    if terms.fits:
        say(f"  terms     planned for jobs to hold {counted_gpus(float(terms.gpus))} on average:")
        say(f"            that costs {spend} per hour of {allowed}, with {terms.jobs}")
        return
    say(f"  TERMS     no plan of widths keeps to {allowed} per hour: the cheapest that was tried")
    say(f"            costs {spend}, with {terms.jobs}. Allow that, or use --policy {COUNTING}")
    say("            whose targets include the full cost of leases")


def show_over(measured: Simulated, over: float, terms: TermsBudget | None) -> None:
    """Report how far a plan exceeds its budget under these terms, and the remedies."""
    instance, used = measured.instance, float(measured.metrics.utilisation)
    gpus, price = float(instance.budget_gpus), float(instance.price_per_gpu_h)
    part = over / (gpus * price)
    say(
        f"  OVER      {over:,.2f} per hour above the budget of {gpus * price:,.2f}: {percent(part)}"
    )
    rest = (
        "the remaining time pays for effects outside the model"
        if used < 1
        else "they need more than expected"
    )
    say(f"  why       jobs hold {percent(used)} of the paid time, and {rest}")
    if terms is None:
        say(f"  to do     add --for-terms to plan for less, or use --policy {COUNTING}")
        say("            whose targets include the full cost of leases")
    elif terms.fits:
        say("  to do     these jobs cost more than the planned ones: increase --jobs")
