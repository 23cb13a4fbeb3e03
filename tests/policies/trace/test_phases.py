"""Jobs that go through phases under every method: by hand, and a valid schedule or a refusal."""

from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest
from check.trace.small import job, make_instance, type_of

from ringyard import solve
from ringyard.analysis.check import check
from ringyard.campaigns.whatif import on_servers
from ringyard.cli.export.lists import export_trace
from ringyard.cli.show.jobs import show_trace
from ringyard.families.trace import METHODS
from ringyard.instances import (
    InputError,
    Outage,
    Phase,
    RefusedError,
    TraceInstance,
    TraceType,
    Width,
    validate,
)
from ringyard.instances.generate import generate
from ringyard.instances.importers.clusters import in_words
from ringyard.simulation.trace import FULL, GrantedGpus, TraceDecider, simulate
from ringyard.simulation.trace.records import to_schedule

SLOW = type_of("slow", (0.25, {1: 1, 2: 1.9}), (0.75, {1: 0.5, 2: 0.4}))
"""Faster on two GPUs in the first phase, on one in the second."""

STATES_NO_PHASES = {"state-search", "tickwise"}


def drawn(width: int | None, **more: object) -> TraceInstance:
    made: TraceInstance = generate(
        "tiresias",
        seed=3,
        jobs=12,
        servers=2,
        least_s=Decimal(20),
        most_s=Decimal(300),
        gap_s=Decimal(10),
        most_width=width,
        restart_s=Decimal(5),
        phases=3,
        **more,
    )
    return made


@pytest.mark.parametrize("method", [method.name for method in METHODS])
@pytest.mark.parametrize("width", [None, 8])
def test_every_method_returns_a_valid_schedule_or_refuses(method: str, width: int | None) -> None:
    widths = "single" if method == "allox" else "tiresias"
    instance = drawn(width, widths=widths)
    if method in STATES_NO_PHASES:
        with pytest.raises(RefusedError, match="has a type, whose phases no"):
            solve(instance, method)
        return
    outcome = solve(instance, method, time_limit=20)
    assert outcome.verdict.valid
    assert outcome.bound.value <= outcome.verdict.mean_jct


@pytest.mark.parametrize("method", ["gavel", "themis", "sia", "allox"])
def test_policies_of_kinds_serve_phases(method: str) -> None:
    instance = drawn(None, widths="single", kinds=2, picky=Decimal(0))
    assert solve(instance, method).verdict.valid


def test_elastic_srtf_follows_the_speeds_of_the_present_phase() -> None:
    """Two GPUs for 2 ticks, then one for 15."""
    small = make_instance({"s0": 2}, job("a", 1, 10, type="slow"), types=(SLOW,))
    outcome = solve(small, "elastic-srtf")
    assert outcome.verdict.mean_jct == 17
    (entry,) = outcome.schedule.jobs
    assert [(run.start_s, run.gpus) for run in entry.runs] == [(0, (("s0", 2),)), (2, (("s0", 1),))]


class _Asked(TraceDecider):
    """Keeps a job on one GPU, and notes what it sees when it is asked."""

    information = FULL

    def __init__(self) -> None:
        self.seen: list[tuple[int, int, dict[int, float], float]] = []

    def decide(self, jobs, _):
        self.seen += [(one.now, one.phase, dict(one.speeds), one.remaining) for one in jobs]
        self.again = float("inf")
        return {one.number: GrantedGpus(1) for one in jobs}


def test_a_decider_is_asked_when_a_phase_ends() -> None:
    small = make_instance({"s0": 2}, job("a", 1, 10, type="slow"), types=(SLOW,))
    policy = _Asked()
    trace = simulate(small, policy).trace
    assert policy.seen[:2] == [(0, 0, {1: 1.0, 2: 1.9}, 10.0), (3, 1, {1: 0.5, 2: 0.4}, 7.5)]
    assert check(small, to_schedule(small, trace, "asked")).ends == {"a": Fraction(18)}


def test_jobs_with_the_least_work_left_in_all_phases_go_first() -> None:
    """Job b has 3 ticks of work left, a only 1 in its first phase, but 10 in all."""
    early = type_of("early", (0.1, {1: 1}), (0.9, {1: 1}))
    jobs = job("a", 1, 10, type="early"), job("b", 1, 3)
    small = make_instance({"s0": 1}, *jobs, types=(early,))
    assert solve(small, "srtf").verdict.ends == {"a": 13, "b": 3}


def test_the_fastest_kind_of_the_present_phase_is_tried_first() -> None:
    """Kind b is faster in the second phase, from 5 on. Both kinds are back at 7."""

    def phase(share: str, a: str, b: str) -> Phase:
        widths = Width(gpus=1, gpu="a", speed=Decimal(a)), Width(gpus=1, gpu="b", speed=Decimal(b))
        return Phase(share=Decimal(share), speeds=widths)

    kind = TraceType(name="turns", phases=(phase("0.5", "1", "0.5"), phase("0.5", "1", "2")))
    out = [
        Outage(server=name, from_s=Decimal(start), until_s=Decimal(7))
        for name, start in (("s0", 6), ("t0", 0))
    ]
    small = make_instance(
        {"s0": 1, "t0": 1},
        job("x", 1, 10, gpu="a", type="turns"),
        kinds={"s0": "a", "t0": "b"},
        types=(kind,),
        outages=tuple(out),
    )
    outcome = solve(small, "fifo")
    (entry,) = outcome.schedule.jobs
    assert [run.gpus for run in entry.runs] == [(("s0", 1),), (("t0", 1),)]
    assert outcome.verdict.ends == {"x": 7 + 2}


def test_a_smaller_cluster_keeps_the_speeds_that_all_jobs_of_a_type_may_have() -> None:
    small = make_instance({"s0": 2}, job("a", 1, 10, type="slow"), types=(SLOW,))
    (left,) = on_servers(small, in_words("1x1")).types
    assert [[width.gpus for width in phase.speeds] for phase in left.phases] == [[1], [1]]
    validate(on_servers(small, in_words("1x1")))


def test_lists_of_jobs_have_no_phases(tmp_path: Path) -> None:
    small = make_instance({"s0": 2}, job("a", 1, 10, type="slow"), types=(SLOW,))
    with pytest.raises(InputError, match="types: found 1 type of jobs, expected none"):
        export_trace(small, "csv", None, tmp_path / "jobs.csv")


def test_show_counts_the_jobs_of_types(capsys: pytest.CaptureFixture[str]) -> None:
    small = make_instance({"s0": 2}, job("a", 1, 10, type="slow"), job("b", 1, 3), types=(SLOW,))
    show_trace(small, 1)
    shown = capsys.readouterr().out
    assert "  1 go through phases\n" in shown
    assert "  type slow: 1 job, phases of 25 %, 75 %\n" in shown
