"""Schedules in slots by hand, for the tests of their chart."""

from decimal import Decimal
from fractions import Fraction
from typing import Any
from xml.etree import ElementTree

from online_small import amounts, machine, online, training_job

from ringyard.analysis.check import check
from ringyard.analysis.drawing.shapes import Picture
from ringyard.analysis.drawing.svg import to_svg
from ringyard.analysis.gantt import chart_of, gantt_picture
from ringyard.analysis.timeline.slots import SlotTimeline
from ringyard.instances import (
    Admission,
    Gain,
    LinkedMachine,
    OnlineSchedule,
    ReservedInstance,
    ReservedRing,
    ReservedSchedule,
    RingPlan,
    RingSlot,
    SlotPlan,
)

TAKES = {"worker": amounts(cpu=1, gpu=1), "server": amounts(cpu=1)}

INSTANCE = online(
    [machine("m0", gpu=4, cpu=9), machine("m1", gpu=2, cpu=9), machine("m2", "servers", cpu=3)],
    [
        training_job("a", samples=9, **TAKES),
        training_job("b", samples=4, arrival_slot=1, **TAKES),
        training_job("c", arrival_slot=1, **TAKES),
    ],
    6,
)
"""Jobs a and b go through a sample a worker and slot; c will be rejected."""


def slot(number: int, workers: dict[str, int], servers: dict[str, int]) -> SlotPlan:
    return SlotPlan(slot=number, workers=tuple(workers.items()), servers=tuple(servers.items()))


def online_plan(*slots: tuple[str, list[SlotPlan]]) -> OnlineSchedule:
    some = tuple(Admission(job=job, plan=tuple(plan)) for job, plan in slots)
    return OnlineSchedule(instance="small", method="hand", admissions=some)


PLAN = online_plan(
    ("a", [slot(t, {"m0": 3}, {"m0": 1}) for t in (0, 1, 3)]),
    ("b", [slot(2, {"m0": 1, "m1": 1}, {"m2": 1}), slot(3, {"m0": 1, "m1": 1}, {"m2": 1})]),
)
OVERFULL = online_plan(("a", [slot(0, {"m1": 3}, {"m1": 1})]))

RINGS = ReservedInstance(
    name="rings",
    machines=(LinkedMachine(name="m0", capacity=amounts(gpu="1.5")),),
    jobs=tuple(
        ReservedRing(
            name=name,
            arrival_slot=i,
            most_workers=3,
            worker=amounts(gpu="0.5"),
            gain=Gain(shape="capped", value=Decimal(6), scale=Decimal(6)),
        )
        for i, name in enumerate(("r", "s"))
    ),
    horizon_slots=3,
)
"""Workers of half a GPU."""
RING_PLAN = ReservedSchedule(
    instance="rings",
    method="hand",
    plans=(
        RingPlan(job="r", plan=tuple(RingSlot(slot=t, workers=(("m0", 1 + t),)) for t in range(3))),
    ),
)


def facts_of(instance: Any, schedule: Any, bound: Fraction | None = None) -> SlotTimeline:
    """Judge a schedule and collect what its chart tells."""
    facts = chart_of(instance).timeline(instance, schedule, check(instance, schedule), bound)
    assert isinstance(facts, SlotTimeline)
    return facts


def picture_of(instance: Any, schedule: Any, bound: Fraction | None = None) -> Picture:
    return gantt_picture(instance, schedule, check(instance, schedule), bound)


def drawn(instance: Any, schedule: Any) -> ElementTree.Element:
    """Draw an SVG and parse it."""
    return ElementTree.fromstring(to_svg(picture_of(instance, schedule)))
