"""How much work a step may make: at a limit it is done, and with one less it is refused."""

import sys
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from check.certificates.proofs import Lines, checked, lines_of

from ringyard.families import family_of
from ringyard.instances import Cluster, MakespanInstance, RingJob, Server
from ringyard.instances.catalogue import load


def stated(instance: Any, **step: Any) -> Lines:
    """Return a certificate of one step about an instance."""
    bound = next(one for one in family_of(instance).bounds(instance) if one.proof)
    head = lines_of(instance, bound)[0]
    return [{**head, "claim": dict.fromkeys(head["claim"], 0)}, step]


def gpus(instance: Any) -> int:
    """Return the GPUs of the largest server."""
    return max(one.gpus for one in instance.cluster.servers)


def cuts(instance: Any) -> int:
    """Return the GPUs of the largest job times its pieces times GPUs of a server."""
    widest, count = max(job.gpus for job in instance.jobs), len(instance.cluster.servers)
    return widest * min(widest, count) * gpus(instance)


def updates(instance: Any) -> int:
    """Return the updates that are pending."""
    return len(instance.updates)


def lacked(instance: Any) -> int:
    """Return the rows that are lacked."""
    return len({row for rows in instance.missing for row in rows})


def kept(instance: Any) -> int:
    """Return how often an update is tried, in sends by a largest one at moments without prices.

    Each of four equal ones alone, then by way of the aggregator: as soon as it can be, or at
    `drop_s`, with all four.
    """
    n = len(instance.updates)
    return 2 * n + 2 * n * n


def hosts(instance: Any) -> int:
    """Return the servers."""
    return len(instance.cluster.servers)


INSIDE = {"rule": "servers", "inside": [[1, 1]], "pieces": []}
EVERY = {"rule": "every schedule", "before": 1}
KEPT = {"rule": "sends at prices", "unit": 1, "starts": [], "by": [], "prices": []}
KEPT["worths"] = [0] * 4
CASES: list[tuple[str, str, str, dict[str, Any], Callable[[Any], int], str]] = [
    ("makespan.servers", "MOST_GPUS", "small-04x2", INSIDE, gpus, "a server has more than"),
    ("makespan.servers", "MOST_CUTS", "small-06x3", INSIDE, cuts, "too many divisions of"),
    ("transfers", "MOST", "hand-transfers-moore", {"rule": "chains"}, updates, "supports at most"),
    ("transfers", "MOST_WORK", "hand-transfers-group", KEPT, kept, "trying all sends"),
    ("shuffle", "MOST_ROWS", "hand-shuffle-cycle", {"rule": "all sums"}, lacked, "sums are tried"),
    ("makespan.every", "MOST_SERVERS", "hand-spread", EVERY, hosts, "more than"),
]


@pytest.mark.parametrize(("module", "limit", "name", "step", "size", "said"), CASES)
def test_at_the_limit_it_is_done_and_above_refused(
    module: str,
    limit: str,
    name: str,
    step: dict[str, Any],
    size: Callable[[Any], int],
    said: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    instance = load(name)
    lines = stated(instance, **step)
    checked(instance, lines)
    rules = sys.modules[f"ringyard.analysis.check.certificates.{module}"]
    monkeypatch.setattr(rules, limit, size(instance))
    done = checked(instance, lines)
    assert done.refused is None or said not in done.refused.why
    monkeypatch.setattr(rules, limit, size(instance) - 1)
    refused = checked(instance, lines).refused
    assert refused is not None
    assert said in refused.why


def one_by_one() -> MakespanInstance:
    """Return two jobs that take 2 and 3 slots of both GPUs of a server."""
    jobs = (
        RingJob(name=f"j{n}", gpus=2, iterations=n, gradient_gb=Decimal(0), backward_s=Decimal(1))
        for n in (2, 3)
    )
    cluster = Cluster(
        servers=(Server(name="s", gpus=2),),
        intra_bandwidth_gb_s=Decimal(1),
        inter_bandwidth_gb_s=Decimal(1),
        reduce_gb_s=None,
    )
    return MakespanInstance(name="two", cluster=cluster, jobs=tuple(jobs))


def test_a_table_of_loads_has_slots_times_jobs(monkeypatch: pytest.MonkeyPatch) -> None:
    instance = one_by_one()
    lines = stated(instance, rule="loads", by=4, prices=[[0, 2, 2, 2], [0, 3, 2, 3]])
    # Not both fit into 4 slots; and 5 GPU-prices of 2 are more than 2 times the dearest, 3.
    assert checked(instance, lines).follows == (5,)
    rules = sys.modules["ringyard.analysis.check.certificates.makespan"]
    monkeypatch.setattr(rules, "MOST_CELLS", 5 * 2)
    assert checked(instance, lines).follows == (5,)
    monkeypatch.setattr(rules, "MOST_CELLS", 5 * 2 - 1)
    assert "A larger grain" in str(checked(instance, lines).refused)
    # A table for no job has slots, too; and of a job that comes after the end none fits.
    monkeypatch.setattr(rules, "MOST_CELLS", 4)
    none = checked(instance, stated(instance, rule="loads", by=4, prices=[])).refused
    assert "A larger grain" in str(none)


def test_places_that_are_tried_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    instance = one_by_one()
    lines = stated(instance, rule="configurations", prices={"j2": [2], "j3": [3]})
    # A slot earns 1 of the 5; nobody, j2 or not, then j3 or not where it can be better: 4.
    assert checked(instance, lines).follows == (5,)
    rules = sys.modules["ringyard.analysis.check.certificates.makespan.configurations"]
    found = [limit for limit in range(1, 9) if follows_with(rules, limit, lines, monkeypatch)]
    assert found == [*range(min(found), 9)]
    assert 2 < min(found) <= 5


def follows_with(rules: Any, limit: int, lines: Lines, patch: pytest.MonkeyPatch) -> bool:
    """Return True if something follows if so many ways are tried at most."""
    patch.setattr(rules, "MOST_PLACEMENTS", limit)
    return bool(checked(one_by_one(), lines).follows)
