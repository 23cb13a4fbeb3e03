"""What a run came to, on three jobs whose numbers fit in the head."""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import numpy as np

from ringyard.analysis.fleet import FleetCourse, course_of, fleet_metrics
from ringyard.instances import Epoch, FleetInstance, FleetJob, JobType, PowerLaw

HOUR = 3600

ENDS = {"a": Fraction(HOUR), "b": Fraction(2 * HOUR), "c": Fraction(5 * HOUR)}


def path() -> FleetInstance:
    """Return two jobs of weight 1 and one of weight 2, on a span of ten hours."""
    epoch = Epoch(work_h=Decimal(1), speedup=PowerLaw(exponent=Decimal("0.5")))
    light = JobType(name="light", rate_per_h=Decimal("0.2"), epochs=(epoch,))
    heavy = replace(light, name="heavy", weight=Decimal(2))
    jobs = (
        FleetJob(name="a", type="light", work_s=(Decimal(HOUR),)),
        FleetJob(name="b", type="heavy", arrival_s=Decimal(HOUR), work_s=(Decimal(2 * HOUR),)),
        FleetJob(name="c", type="light", arrival_s=Decimal(HOUR), work_s=(Decimal(HOUR),)),
    )
    return FleetInstance(
        name="three",
        types=(light, heavy),
        jobs=jobs,
        span_s=Decimal(10 * HOUR),
        budget_gpus=Decimal(1),
        price_per_gpu_h=Decimal("2.505"),
        tick_s=Decimal(60),
    )


def course() -> FleetCourse:
    return course_of(path(), ENDS, held=Fraction(6), leased=Fraction(8))


def test_times_and_spend_are_exact() -> None:
    found = fleet_metrics(course())
    assert found.jobs == 3
    assert found.mean_jct_h == Fraction(1 + 2 * 1 + 4, 4)
    assert (found.median_jct_h, found.p95_jct_h, found.p99_jct_h) == (1, 4, 4)
    assert found.mean_slowdown == (1 + 0.5 + 4) / 3
    assert (found.mean_gpus_held, found.mean_gpus_paid) == (Fraction(6, 10), Fraction(8, 10))
    assert found.utilisation == Fraction(3, 4)
    assert found.spend == Fraction("20.04")
    assert found.cents == 2004


def test_late_jobs_are_counted_where_they_are_wanted_by_some_hour() -> None:
    """They take 1, 1 (heavy) and 4 hours; one that ends just then is in time."""
    for light, heavy, late in (
        ("1", None, Fraction(1, 2)),
        ("0.99", None, Fraction(1)),
        ("0.99", "1", Fraction(2, 3)),
        ("4", "0.5", Fraction(1, 3)),
        (None, None, None),
    ):
        wanted = [None if hours is None else Decimal(hours) for hours in (light, heavy)]
        types = (replace(one, deadline_h=h) for one, h in zip(path().types, wanted, strict=True))
        some = course_of(replace(path(), types=tuple(types)), ENDS, Fraction(6), Fraction(8))
        assert fleet_metrics(some).late_share == late


def test_half_a_cent_is_rounded_up() -> None:
    odd = replace(course(), paid_gpu_h=Fraction(1))
    assert fleet_metrics(odd).cents == 251


def test_ticks_do_not_change_what_happened() -> None:
    fine = course()
    coarse = replace(
        fine,
        tick_s=Fraction(HOUR),
        arrivals=fine.arrivals // 60,
        ends=fine.ends // 60,
        alone=fine.alone // 60,
    )
    assert fleet_metrics(coarse) == fleet_metrics(fine)
    assert np.all(coarse.ends * 60 == fine.ends)
