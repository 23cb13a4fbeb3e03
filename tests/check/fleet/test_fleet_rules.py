"""Each rule of the fleet judge: one log that keeps it, one change that breaks it alone."""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from check.fleet.logs import broken, fleet, job, lease, log, run, runs
from check.rental.plans import amdahl, power, stream

from ringyard.analysis.check import check
from ringyard.families import FAMILIES
from ringyard.instances import FleetJobRuns, InputError, Lease, Schedule, digest

FLEET = fleet(
    [
        stream("two", 1, (1, amdahl(1)), (1, power(0.5))),
        stream("one", 1, (1, power(0.5)), weight=2),
    ],
    job("x", "two", 6, 4, arrival=3),
    job("y", "one", 4),
    span_s=100,
    budget_gpus=1,
    price_per_gpu_h=3.6,
    widths="whole",
    rescale_s=1,
    provision_s=2,
    node_gpus=2,
    billing_s=5,
)
X = runs("x", run(3, 5, 2), run(6, None, 4))
"""4 of 6 seconds, a restart of 1; the other 2 fill a half of a tick, then 4 go by twos."""
Y = runs("y", run(10, None, 1))
LEASES = [lease(4, 0, 12), lease(2, 8, 20)]


def test_a_good_log_breaks_no_rule() -> None:
    mean = Fraction(7 + 2 * 14, 3) / 3600
    verdict = check(FLEET, log([X, Y], LEASES, digest=digest(FLEET), spend=Decimal("0.09")))
    assert verdict.valid
    assert verdict.ends == {"x": 10, "y": 14}
    assert verdict.objective == verdict.mean_jct == mean
    assert verdict.spend == Fraction(9, 100)
    assert verdict.leased == Fraction(4 * 15 + 2 * 15, 3600)
    assert verdict.held == Fraction(2 * 2 + 4 * 4 + 4, 3600)


Logged = tuple[list[FleetJobRuns], list[Lease]]
CASES: dict[str, list[tuple[Logged, str, Any]]] = {
    "known_names": [
        (([X, Y, runs("z", run(10, None, 1))], LEASES), "jobs[2], job z", 1),
    ],
    "logged_once": [
        (([X, Y, Y], LEASES), "jobs[2], job y", 1),
        (([X], LEASES), "job y", 1),
    ],
    "ticks": [
        (
            ([X, runs("y", run(10.25, None, 1))], LEASES),
            "jobs[1], job y, runs[0], start",
            Fraction(1, 4),
        ),
        (
            ([X, runs("y", run(10, 15.5, 1))], LEASES),
            "jobs[1], job y, runs[0], stop",
            Fraction(1, 2),
        ),
        (([X, Y], [LEASES[0], lease(2, 7.5, 20)]), "leases[1], start", Fraction(1, 2)),
        (([X, Y], [LEASES[0], lease(2, 8, 20.5)]), "leases[1], stop", Fraction(1, 2)),
    ],
    "order": [
        (([X, runs("y", run(10, 12, 1), run(11, None, 1))], LEASES), "jobs[1], job y, runs[1]", 1),
        (([X, runs("y", run(10, 10, 1), run(10, None, 1))], LEASES), "jobs[1], job y, runs[0]", 1),
        (([X, runs("y", run(10, 7, 1), run(10, None, 1))], LEASES), "jobs[1], job y, runs[0]", 4),
        (([X, runs("y", run(10, None, 1), run(12, 13, 1))], LEASES), "jobs[1], job y, runs[1]", 2),
        (([X, runs("y", run(10, None, 1), run(15, 15, 1))], LEASES), "jobs[1], job y, runs[1]", 1),
        (([X, Y], [*LEASES, lease(2, 5, 5)]), "leases[2]", 1),
        (([X, Y], [*LEASES, lease(2, 5, 3)]), "leases[2]", 3),
    ],
    "arrival": [
        (([runs("x", run(2, 5, 2), run(6, None, 4)), Y], LEASES), "jobs[0], job x, runs[0]", 1),
    ],
    "widths": [
        (([X, runs("y", run(10, None, 1.25))], LEASES), "jobs[1], job y, runs[0]", Fraction(1, 4)),
        (([X, runs("y", run(10, None, 1.75))], LEASES), "jobs[1], job y, runs[0]", Fraction(1, 4)),
        (([X, runs("y", run(10, None, 0))], LEASES), "jobs[1], job y, runs[0]", 1),
    ],
    "nodes": [
        (([X, Y], [*LEASES, lease(1, 8, 9)]), "leases[2]", 1),
        (([X, Y], [*LEASES, lease(0.5, 8, 9)]), "leases[2]", Fraction(1, 2)),
        (([X, Y], [*LEASES, lease(0, 8, 9)]), "leases[2]", 2),
        (([X, Y], [*LEASES, lease(-2, 8, 9)]), "leases[2]", 4),
    ],
    "capacity": [
        (([X, runs("y", run(4, None, 1))], LEASES), "seconds [6, 8)", 1),
        (([X, runs("y", run(18, None, 1))], LEASES), "seconds [20, 22)", 1),
        (([X, runs("y", run(0, None, 2))], LEASES), "seconds [0, 2)", 2),
        (([X, Y], [lease(4, 0, 11), lease(2, 10, 20)]), "seconds [11, 12)", 1),
    ],
    "completes": [
        (([X, runs("y", run(10, 13, 1))], LEASES), "jobs[1], job y", 1),
        (([runs("x", run(3, 5, 2)), Y], LEASES), "jobs[0], job x", 6),
    ],
    "after_end": [
        (([X, runs("y", run(10, None, 1), run(14, 16, 1))], LEASES), "jobs[1], job y, runs[1]", 1),
        (([X, runs("y", run(10, 14, 1), run(17, None, 1))], LEASES), "jobs[1], job y, runs[1]", 1),
    ],
    "budget": [
        (([X, Y], [*LEASES, lease(4, 0, 1)]), "leases", Fraction(1, 100)),
    ],
    "claims": [
        (([X, replace(Y, end_s=Decimal("14.5"))], LEASES), "jobs[1], job y", Fraction(1, 2)),
        (([replace(X, end_s=Decimal(8)), Y], LEASES), "jobs[0], job x", 2),
    ],
}


@pytest.mark.parametrize(
    ("rule", "case"), [(rule, i) for rule, cases in CASES.items() for i in range(len(cases))]
)
def test_one_change_breaks_one_rule(rule: str, case: int) -> None:
    logged, where, amount = CASES[rule][case]
    assert broken(FLEET, log(*logged)) == [(rule, where, amount)]


def test_claims_hold_the_digest_the_mean_and_the_cost() -> None:
    assert broken(FLEET, log([X, Y], LEASES, digest="0" * 64)) == [("instance_digest", "digest", 1)]
    assert broken(FLEET, log([X, Y], LEASES, mean_jct_h=Decimal("0.5"))) == [
        ("claims", "mean_jct_h", Fraction(1, 2) - Fraction(35, 3 * 3600))
    ]
    assert broken(FLEET, log([X, Y], LEASES, spend=Decimal("0.1"))) == [
        ("claims", "spend", Fraction(1, 100))
    ]
    exact = [replace(X, end_s=Decimal(10)), replace(Y, end_s=Decimal(14))]
    assert broken(FLEET, log(exact, LEASES, spend=Decimal("0.09"))) == []


def test_a_log_may_spend_all_of_the_budget() -> None:
    assert broken(FLEET, log([X, Y], [*LEASES, lease(2, 0, 5)])) == []


def test_without_nodes_and_whole_widths_thousandths_are_the_grain() -> None:
    loose = replace(FLEET, widths="any", node_gpus=None)
    fine = log([X, runs("y", run(10, None, "1.999"))], [LEASES[0], lease("1.999", 8, 20)])
    assert broken(loose, fine) == []
    odd = log([X, runs("y", run(10, None, "1.0004"))], [LEASES[0], lease("1.9997", 8, 20)])
    assert broken(loose, odd) == [
        ("widths", "jobs[1], job y, runs[0]", Fraction(4, 10**4)),
        ("nodes", "leases[1]", Fraction(3, 10**4)),
    ]
    # What is in use is counted in thousandths, against the log.
    tight = log([X, runs("y", run(10, None, "1.0001"))], [LEASES[0], lease("1.0009", 8, 20)])
    assert broken(loose, tight)[-1] == ("capacity", "seconds [12, 14)", Fraction(1, 10**3))


def test_an_unfinished_job_leaves_no_mean() -> None:
    for jobs in ([X], [X, runs("y", run(10, 13, 1))]):
        verdict = check(FLEET, log(jobs, LEASES, mean_jct_h=Decimal(9)))
        assert verdict.objective is None
        assert verdict.ends == {"x": 10}
        assert "claims" not in {v.rule for v in verdict.violations}


def test_a_lease_that_stops_before_its_start_earns_nothing() -> None:
    verdict = check(FLEET, log([X, Y], [*LEASES, lease(2, 15, 5)]))
    assert [(v.rule, v.amount) for v in verdict.violations] == [("order", 11)]
    assert verdict.spend == Fraction(9, 100)


def test_an_entry_after_the_first_does_not_count() -> None:
    verdict = check(FLEET, log([X, Y, runs("y", run(0, None, 1))], LEASES))
    assert verdict.ends["y"] == 14
    assert {v.rule for v in verdict.violations} == {"logged_once"}


def test_a_schedule_of_another_family_is_refused() -> None:
    with pytest.raises(InputError, match="expected the schedule of 'fleet' instances"):
        check(FLEET, Schedule(instance="small", assignments=()))  # type: ignore[call-overload]


def test_every_rule_is_tested_here() -> None:
    assert CASES.keys() | {"instance_digest"} == FAMILIES["fleet"].rules.keys()
