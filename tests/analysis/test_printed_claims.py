"""Counterexamples to printed theorems, with the numbers that docs/theory states."""

import pytest

import ringyard
from ringyard.analysis.guarantees.makespan import facts
from ringyard.campaigns.verifying.theorems import verify
from ringyard.instances import OnlineInstance

ONE = {"samples": 1, "batch_samples": 1, "sample_s": 1, "worker": {"cpu": 1}}
WIDE = ONE | {"samples": 64, "batch_samples": 64, "workers_per_server": 64}


def market(job: dict[str, object], worth: int, *machines: dict[str, object]) -> OnlineInstance:
    """Return a market for one of two jobs: the first is worth 1, the second `worth`."""
    jobs = [{"name": "poor", **job, "utility": 1}, {"name": "rich", **job, "utility": worth}]
    return ringyard.online(jobs=jobs, machines=machines, horizon_slots=1)


def test_the_printed_ratio_of_oasis_is_false_for_large_jobs() -> None:
    places = [{"hosts": hosts, "capacity": {"cpu": 1}} for hosts in ("workers", "servers")]
    proved, printed = verify(market(ONE, 100, *places), ["oasis"])
    assert (printed.value, printed.best) == (1, 100)
    assert float(printed.factor) == pytest.approx(11.98, abs=0.005)
    assert (printed.verdict, proved.verdict) == ("violated", "inconclusive")


def test_the_printed_ratio_of_pd_ors_is_false_for_large_jobs() -> None:
    (run,) = verify(market(WIDE, 10_000, {"capacity": {"cpu": 65}}), ["pd-ors"])
    assert (run.value, run.best, run.verdict) == (1, 10_000, "violated")
    assert float(run.factor) == pytest.approx(573.24, abs=0.005)


def test_the_estimate_of_lemma_3_misses_a_factor() -> None:
    ring = {"gpus": 3, "iterations": 10, "gradient_gb": 0.75}
    links = {"model": "server_uplink", "degradation": 3}
    more = {"inter_bandwidth_gb_s": 1, "reduce_gb_s": 1000, "contention": links}
    rings = ringyard.makespan([ring, ring], [2, 2, 2], **more)
    assert 3 * facts(rings).loads / 2 == 33
    assert ringyard.solve(rings, "list-scheduling").objective == 51
