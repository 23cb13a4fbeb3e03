"""Jobs of `makespan` that have begun before slot 0: read, judged, run by the engine, by methods."""

import re
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from random import Random
from typing import Any

import pytest
from agreement import differences
from all_starts import bounds_hold, placed
from little import few, little_work
from near_ties import near_ties
from unlike import random_schedule, unlike

from ringyard import makespan, solve
from ringyard.analysis.check import check
from ringyard.analysis.guarantees import guarantees_of
from ringyard.extensions import policy
from ringyard.instances import (
    InputError,
    Limits,
    MakespanInstance,
    RefusedError,
    digest,
    validate,
)
from ringyard.instances.generate import generate
from ringyard.instances.makespan import underway
from ringyard.instances.reading.encode import to_text
from ringyard.instances.reading.files import INSTANCES, parse
from ringyard.methods import all_methods
from ringyard.run import Answer
from ringyard.running.replan import Change
from ringyard.running.replan.makespan import cut
from ringyard.search.makespan.annealing import nested
from ringyard.search.makespan.exact import branch_and_bound
from ringyard.search.makespan.exact.decide import HorizonQuestion
from ringyard.search.makespan.exact.profiles import NO, YES
from ringyard.simulation.makespan.evaluate import refusal

REFUSING = ("block-dive", "cells")
"""Methods that repeat patterns of idle servers, which held GPUs break."""

OTHERWISE = re.compile(r"its servers have|fair sharing|\bnested (needs|lets) ")
"""Other reasons to refuse an instance."""

PROGRAMS = ("nonconvex", "disjunctive-bigm", "disjunctive-hull", "linearised", "patterns")

EXACT = ("enumeration", "branch-and-bound", "cp-sat", *PROGRAMS)

RING: dict[str, Any] = {"gpus": 2, "iterations": 4, "gradient_gb": 0.5, "backward_s": 0.5}
"""An iteration takes 0.54 s inside a server, and 1 s across servers of 1 GB/s."""


def begun(progress: str = "fractional", **changes: Any) -> MakespanInstance:
    """Return a ring that holds GPUs on two servers, with 7/2 iterations left, and another."""
    first = {**RING, "iterations": "7/2", "held": {"s0": 1, "s1": 1}, **changes}
    jobs = {"a": first, "b": RING}
    return makespan(
        jobs, [2, 2], inter_bandwidth_gb_s=1, reduce_gb_s=None, slot_s=1, progress=progress
    )


def test_ends_by_hand() -> None:
    """Two rings on the same uplinks take 1.5 s, alone 1 s: b waits for a, or does not."""
    instance = begun()
    together = placed(instance, a={"s0": 1, "s1": 1}, b={"s0": 1, "s1": 1})
    verdict = check(instance, together)
    # By slot 6 they have done 4 iterations each, so that a ends then, too.
    assert (verdict.violations, verdict.ends) == ((), {"a": 6, "b": 6})
    assert differences(instance, together) == []


def test_a_file_keeps_fractions_and_an_instance_without_them_its_digest() -> None:
    instance = begun()
    again = parse(to_text(instance), INSTANCES)
    assert again == instance
    assert again.jobs[0].iterations == Fraction(7, 2)
    assert digest(again) == digest(instance)
    assert digest(instance) != digest(begun(iterations=4)) != digest(begun(held=None, iterations=4))
    assert '"held"' not in to_text(begun(held=None))
    assert begun(iterations="8/2").jobs[0].iterations == 4


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"iterations": "7/0"}, r"iterations: found '7/0', expected an integer from 1 to 1e12, or"),
        ({"iterations": "0/7"}, r"iterations: found 0, expected an integer from 1 to 1e12, or"),
        ({"iterations": "-7/2"}, r"iterations: found '-7/2', expected an integer from 1 to 1e12"),
        ({"iterations": "1" * 5000 + "/2"}, r"expected an integer from 1 to 1e12, or a fraction"),
        ({"iterations": f"{10**13}/3"}, r"expected an integer from 1 to 1e12, or a fraction"),
        ({"held": {"s0": 1, "s9": 1}}, r"held: found 's9', expected one of s0, s1"),
        ({"held": {"s0": 1}}, r"held: found 1, expected 2, the GPUs of job 'a'"),
        ({"gpus": 3, "held": {"s0": 3}}, r"servers\[0\].gpus: found 2, expected at least 3"),
        ({"release_slot": 1}, r"release_slot: found 1, expected 0, because the job holds GPUs"),
    ],
)
def test_faults_are_told(changes: Mapping[str, Any], fault: str) -> None:
    with pytest.raises(InputError, match=fault):
        begun(**changes)


def test_a_fraction_of_too_many_digits_is_refused() -> None:
    long = Fraction(10**5000 + 1, 10**5000)
    with pytest.raises(InputError, match="found a fraction of more than 4,000 digits, expected an"):
        begun(iterations=long)
    with pytest.raises(InputError, match="found a fraction of more than 4,000 digits, expected an"):
        validate(replace(begun(), jobs=(replace(begun().jobs[0], iterations=long),)))


def test_under_floor_iterations_are_whole() -> None:
    with pytest.raises(
        InputError, match="found '7/2', expected whole iterations, because progress"
    ):
        makespan({"a": {**RING, "iterations": "7/2"}}, [2], progress="floor")


@pytest.mark.parametrize("block", few(3, range(40)))
def test_engine_and_judge_agree_on_fractions(block: int) -> None:
    rng = Random(block)
    for _ in range(40):
        instance = near_ties(rng, crowded=rng.random() < 0.2)[0]
        if instance.progress == "floor":
            continue
        parts_of = [Fraction(rng.randint(1, 60), rng.choice((1, 3, 7, 60))) for _ in instance.jobs]
        jobs = [
            replace(job, iterations=job.iterations * part)
            for job, part in zip(instance.jobs, parts_of, strict=True)
        ]
        instance = replace(instance, jobs=tuple(jobs))
        if refusal(instance) is None:
            assert differences(instance, random_schedule(instance, rng)) == [], instance


def drawn(seed: int, **changes: Any) -> MakespanInstance:
    """Draw a small instance, run it for some slots, and return what is left."""
    rng = Random(seed)
    options = {
        "jobs": 6,
        "servers": 3,
        "server_gpus": rng.choice(((2,), (1, 2), (1, 3))),
        "most_slots": Decimal(4),
        "overhead": rng.choice(("paper", "step", "max_workers_per_server")),
        "share": Decimal(rng.choice(("1", "0.5"))),
        "progress": rng.choice(("floor", "fractional", "fractional")),
        "regions": rng.choice((1, 2)),
        "local": Decimal("0.5"),
        "contention": rng.choice(("server_uplink", "server_uplink", "fluid")),
        "rack_servers": 2,
    }
    while True:
        made = generate("small", seed=rng.randint(0, 10**6), **{**options, **changes})
        made = unlike(made, rng) if rng.random() < 0.3 else made
        if refusal(made) is not None:
            continue
        found = solve(made, "gang-lpt")
        if found.verdict is None or found.verdict.makespan < 3:
            continue
        rest: MakespanInstance = cut(made, found.schedule, Change(now=Decimal(1))).instance
        if any(job.held for job in rest.jobs) and len(rest.jobs) > 1:
            return rest


@pytest.mark.parametrize("seed", few(3, range(30)))
def test_every_method_supports_begun_jobs_or_refuses_in_words(seed: int) -> None:
    instance = drawn(seed)
    for method in all_methods("makespan"):
        if method.name in REFUSING:
            with pytest.raises(RefusedError, match=r"holds GPUs|a fraction of|its servers have"):
                solve(instance, method.name)
        elif method.name not in PROGRAMS:
            _solved(instance, method.name, seed)


def _solved(instance: MakespanInstance, method: str, seed: int) -> Answer | None:
    """Return a method's valid answer, or None if it refuses the instance for other reasons."""
    try:
        with little_work():
            found = solve(instance, method, seed=seed, time_limit=None)
    except RefusedError as reason:
        if not OTHERWISE.search(str(reason)):
            raise
        return None
    assert found.verdict is not None, method
    assert found.verdict.valid, method
    assert found.bound.value <= found.verdict.makespan, method
    return found


@pytest.mark.parametrize("seed", few(3, range(60)))
def test_exact_methods_agree_on_begun_jobs(seed: int) -> None:
    instance = drawn(seed, jobs=4, server_gpus=(1, 2), most_slots=Decimal(3))
    answers = [_solved(instance, method, seed) for method in EXACT]
    ends = {one.verdict.makespan for one in answers if one is not None and one.verdict is not None}
    assert len(ends) <= 1, ends


@pytest.mark.parametrize("seed", few(3, range(1000, 1060)))
def test_branch_and_bound_finds_no_plan_before_the_optimum_and_one_by_then(seed: int) -> None:
    instance = drawn(
        seed, jobs=4, servers=2 + seed % 2, server_gpus=(1, 2, 3), most_slots=Decimal(4), regions=1
    )
    if branch_and_bound.refuses(instance) is not None:
        return
    optimum = solve(instance, "enumeration").verdict
    assert optimum is not None
    slots = int(optimum.makespan)
    for horizon, answer in ((slots - 1, NO), (slots, YES)):
        question = HorizonQuestion(instance, horizon)
        assert horizon == 0 or question.answer(Limits(), 10**8) == answer, horizon
    assert question.found is not None
    verdict = check(instance, question.found)
    assert (verdict.violations, verdict.makespan) == ((), slots)


def test_branch_and_bound_leaves_a_held_ring_where_it_is() -> None:
    """Were a on s0 and s2, b could run on s1 alone. Now it slows a down, or waits until slot 4."""
    jobs = {"a": {**RING, "iterations": "7/2", "held": {"s0": 1, "s1": 1}}, "b": RING}
    instance = makespan(jobs, [2, 2, 1], inter_bandwidth_gb_s=1, reduce_gb_s=None)
    assert HorizonQuestion(instance, 5).answer(Limits(), 10**8) == NO
    assert HorizonQuestion(instance, 6).answer(Limits(), 10**8) == YES


def test_held_rings_on_the_same_uplinks_end_later_than_the_bound_without_contention() -> None:
    """Alone they take 3.5 and 4 s. Together a takes 5.25 s, and b has half an iteration left."""
    instance = begun(progress="continuous")
    held = tuple(replace(job, held=instance.jobs[0].held) for job in instance.jobs)
    found = solve(replace(instance, jobs=held), "branch-and-bound")
    assert found.verdict is not None
    assert (found.verdict.violations, found.verdict.makespan) == ((), Fraction("5.75"))
    assert found.bound.value == 4


def test_nested_fills_the_gap_beside_a_held_job() -> None:
    """The small job runs beside the held one, and the large one behind both."""
    small = {**RING, "iterations": 3}
    jobs = {"held": {**RING, "held": {"s0": 2}}, "small": small, "large": {**RING, "gpus": 4}}
    instance = makespan(jobs, [4], inter_bandwidth_gb_s=1, reduce_gb_s=None)
    found, best = (solve(instance, method).verdict for method in ("nested", "enumeration"))
    assert found is not None
    assert best is not None
    assert found.violations == ()
    assert found.makespan == best.makespan < sum(best.ends.values())


@pytest.mark.parametrize("seed", few(3, range(40)))
def test_nested_lays_out_the_jobs_that_wait(seed: int) -> None:
    mix = generate("mobihoc", seed=seed, jobs=40, servers=5)
    before = solve(mix, "gang-lpt")
    assert before.verdict is not None
    now = Decimal(int(before.verdict.makespan) // 10)
    rest: MakespanInstance = cut(mix, before.schedule, Change(now=now)).instance
    assert 0 < sum(job.held is not None for job in rest.jobs) < len(rest.jobs)
    assert nested.refuses(rest) is None
    assert _solved(rest, "nested", seed) is not None


@pytest.mark.parametrize("choice", ["assign=ahead", "mode=pack", "mode=pack:assign=ahead"])
def test_options_of_sjf_bco_support_begun_jobs(choice: str) -> None:
    for seed in range(10):
        assert _solved(drawn(seed), f"sjf-bco:{choice}", seed) is not None


def test_batches_follow_jobs_that_have_begun() -> None:
    for seed in range(6):
        found = solve(drawn(seed), "whole-server-list:batches=yes")
        assert found.verdict is not None
        assert found.verdict.valid


def test_kept_starts_include_those_of_jobs_that_hold_gpus() -> None:
    instance = begun()
    start = placed(instance, a={"s0": 1, "s1": 1}, b={"s0": 1, "s1": 1})
    for before in (0, 1):
        found = solve(instance, "local-search:work=20", start=start, keep_before=before)
        assert found.verdict is not None
        assert found.verdict.valid


def test_a_policy_of_a_user_finds_them_running() -> None:
    seen = []

    @policy("makespan")
    def first_fit(waiting: Any, idle: Any, running: Any) -> Any:
        seen.append({job.name: pieces for job, pieces in running.items()})
        for job in waiting:
            if pieces := idle.fit(job):
                yield job, pieces

    found = solve(begun(), first_fit)
    assert found.verdict is not None
    assert found.verdict.valid
    assert seen[0] == {"a": {"s0": 1, "s1": 1}}


def test_a_job_that_never_gets_on_where_it_is() -> None:
    """A slot of 0.6 s has an iteration inside a server, of 0.54 s, and none across servers."""
    first = {**RING, "held": {"s0": 1, "s1": 1}}
    instance = makespan(
        {"a": first, "b": RING},
        [2, 2],
        inter_bandwidth_gb_s=1,
        reduce_gb_s=None,
        progress="floor",
        slot_s=0.6,
    )
    for method in all_methods("makespan"):
        try:
            assert solve(instance, method.name).schedule is None, method.name
        except RefusedError as reason:
            if "GPUs that it holds" not in str(reason) and "holds GPUs" not in str(reason):
                raise


def test_no_theorem_is_claimed_for_them() -> None:
    instance = begun(iterations=4)
    claimed = [
        theorem.name
        for method in all_methods("makespan")
        if method.name not in (*REFUSING, *EXACT)
        for theorem in guarantees_of(method.name)
        if not any(one.unmet(instance, None) == underway(instance) for one in theorem.hypotheses)
    ]
    assert claimed == []


@pytest.mark.parametrize("block", few(2, range(20)))
def test_no_bound_is_above_an_optimum_and_all_are_recounted(block: int) -> None:
    for seed in range(10 * block, 10 * block + 10):
        instance = drawn(seed, jobs=3, servers=3, server_gpus=(1, 2), most_slots=Decimal(3))
        bounds_hold(instance, str(seed))
