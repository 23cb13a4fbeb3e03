"""Answers and schedules as Python shows them: a few lines, and in notebooks a picture as well."""

from html import escape
from typing import Any

from ..families.registry import family_of
from ..instances import AnySchedule, Bound, Instance
from ..instances.catalogue import entries, load
from ..instances.errors import plural, visible
from ..instances.reading.encode import fraction_text
from ..instances.reading.files import recent_instance
from ..instances.reading.vocabulary import cut
from ..instances.size import extent
from .check.judge import AnyVerdict, check

MOST_BYTES = 1_500_000
"""Larger pictures are not put into a notebook, which would keep every one of them."""


def answer_lines(answer: Any) -> list[str]:
    """Return three lines: method and instance, solution quality, and the judge's verdict."""
    outcome, family = answer.outcome, answer.family
    made = f"{answer.instance.name} by {answer.method.name}, seed {answer.seed}"
    value = "no schedule"
    if answer.objective is not None:
        value = f"{family.objective} {family.valued(fraction_text(answer.objective))}"
    bound = f", bound {fraction_text(answer.bound.value)} ({answer.bound.reason()})"
    if answer.status == "infeasible":  # What holds of plans that there are not says nothing.
        bound = ": there is none"
    gap = "" if answer.gap is None else f", gap {100 * float(answer.gap):.2f} %"
    verdict = answer.verdict
    found = verdict and ("valid" if verdict.valid else verdict.brief())
    checked = f", checked: {found}" if found else ""
    note = f"; {cut(answer.rejection or outcome.note)}" if answer.rejection or outcome.note else ""
    return [
        f"{visible(made)}: {answer.conclusion}",
        f"  {value}{gap}{bound}",
        f"  {answer.seconds:.2f} s{checked}{note}",
    ]


def answer_html(answer: Any) -> str:
    """Return the lines, above the schedule's chart if it has one."""
    picture = ""
    if answer.schedule is not None and answer.verdict is not None:
        picture = _chart(answer.instance, answer.schedule, answer.verdict, answer.bound)
    return _framed(answer_lines(answer), picture)


def instance_html(instance: Instance) -> str:
    """Return its name, size, title and family, above a small picture if the family has one."""
    from .drawing.svg import to_svg
    from .portrait import portrait

    try:
        gpus = extent(instance).gpus
        lines = [repr(instance), f"  {visible(instance.title)}" if instance.title else ""]
        lines.append(f"  family {instance.kind}" + (f", {plural(gpus, 'GPU')}" if gpus else ""))
        picture = portrait(instance)
    except Exception:  # An instance that no reader has checked may have any error.
        return _framed([repr(instance)], "")
    if picture is None:
        return _framed(lines, "")
    small = f'<div style="max-width: {picture.width:.0f}px">'
    return _framed(lines, f"{small}{to_svg(picture, embedded=True)}</div>")


def schedule_html(schedule: AnySchedule) -> str:
    """Return its line, above its picture if its instance is available."""
    instance = answered_instance(schedule)
    if instance is None:
        hint = "its instance is not available: draw it with ringyard.plot.gantt(instance, schedule)"
        return _framed([repr(schedule), f"  {hint}"], "")
    verdict = check(instance, schedule)
    lines = [repr(schedule), f"  checked: {verdict.brief()}"]
    return _framed(lines, _chart(instance, schedule, verdict, None))


def answered_instance(schedule: AnySchedule) -> Instance | None:
    """Return the instance of a schedule: one that was used lately, or a named one."""
    found = recent_instance(schedule.digest)
    if found is not None:
        return found
    entry = entries().get(schedule.instance)
    return load(schedule.instance) if entry and entry.digest == schedule.digest else None


def _chart(
    instance: Instance, schedule: AnySchedule, verdict: AnyVerdict, bound: Bound | None
) -> str:
    from .drawing.svg import to_svg
    from .gantt import gantt_picture

    family = family_of(instance)
    if family.chart is None:
        return f"<p>{escape(family.chartless.format(instance.name))}</p>"
    limit = None if bound is None else bound.value
    svg = to_svg(gantt_picture(instance, schedule, verdict, limit), embedded=True)
    if len(svg) > MOST_BYTES:
        return f"<p>the chart has {len(svg) / 1e6:.1f} MB: write it with ringyard.plot.gantt</p>"
    return svg


def _framed(lines: list[str], picture: str) -> str:
    text = escape("\n".join(filter(None, lines)))
    return f'<div><pre style="white-space: pre-wrap">{text}</pre>{picture}</div>'
