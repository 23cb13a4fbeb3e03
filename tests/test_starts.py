"""Starts: judged first, never made worse, and of use to the methods that say so."""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ringyard.analysis.check import check
from ringyard.analysis.rows import solved
from ringyard.families import FAMILIES
from ringyard.instances import (
    Incumbent,
    MakespanInstance,
    Outcome,
    RefusedError,
    SolutionStatus,
    TerminationReason,
    load_instance,
    save,
)
from ringyard.instances.catalogue import best_schedule, load
from ringyard.instances.errors import InputError
from ringyard.instances.generate import generate
from ringyard.instances.makespan import rounding_of_starts
from ringyard.methods import all_methods, find_method
from ringyard.policies.request import Request
from ringyard.run import solve
from ringyard.search.makespan.annealing import block_plans, nested
from ringyard.search.makespan.annealing.blocks import cut
from ringyard.search.makespan.exact.cp_child import ask
from ringyard.search.makespan.exact.cp_model import CpQuestion
from ringyard.search.online.order_search import _orders_of

from injected import inject  # isort: skip
from little import marks  # isort: skip

ITSELF = "the start itself"

CASES = {
    "makespan": ("hand-spread", "small-05x2", "random", {"local-search": "local-search:work=50"}),
    "online": ("hand-online-packing", "pdors-small-04x2x5", "fifo", {}),
    "trace": ("tiny-trace-03x1", "tiresias-example", "fifo", {}),
    "shuffle": ("hand-shuffle-pair", "hand-shuffle-cycle", "row-by-row", {}),
    "transfers": ("hand-transfers-fair", "hand-transfers-group", "fifo", {}),
}
"""Two instances, a method whose schedules others beat, and methods with little work to do."""

SMALLEST = {"small-05x2": "small-03x2"}
"""A smaller instance for programs on which solvers need seconds with the usual one."""

STARTING = [
    pytest.param(kind, case, method.name, marks=marks(method))
    for kind, case in CASES.items()
    for method in all_methods(kind)
    if method.starts
]


def test_every_family_in_which_something_starts_has_a_case() -> None:
    assert {one.family for one in all_methods() if one.starts} == set(CASES)


@pytest.mark.parametrize(("kind", "case", "method"), STARTING)
def test_no_method_ends_worse_than_a_start(kind: str, case: Any, method: str) -> None:
    family = FAMILIES[kind]
    long = marks(find_method(method, kind))
    for name in case[:2]:
        instance = load(SMALLEST.get(name, name) if long else name)
        if find_method(method, kind).refuses(instance):
            continue
        poor = solve(instance, case[2])
        asked = case[3].get(method, method)
        answer = solve(instance, asked, start=poor.schedule)
        assert answer.valid
        assert not family.better(poor.objective, answer.objective)
        better = family.better(answer.objective, poor.objective)
        assert better == (ITSELF not in answer.outcome.note)
        again = solve(instance, asked, start=answer.schedule)
        assert not family.better(answer.objective, again.objective)
        if again.objective == answer.objective:
            assert ITSELF in again.outcome.note
            assert replace(again.schedule, seed=0) == replace(answer.schedule, seed=0)


@pytest.mark.parametrize("kind", CASES)
def test_the_start_is_told_first_and_nothing_worse_after_it(kind: str) -> None:
    family, (_, name, poor, little) = FAMILIES[kind], CASES[kind]
    instance = load(name)
    start = solve(instance, poor)
    method = next(one.name for one in all_methods(kind) if one.starts)
    told = list[float]()
    solve(
        instance,
        little.get(method, method),
        start=start.schedule,
        watch=lambda seen: told.append(seen.value),
    )
    assert told[0] == float(start.objective or 0)
    assert all(family.better(value, told[0]) for value in told[1:])


@pytest.mark.parametrize("kind", FAMILIES)
def test_methods_that_cannot_start_name_those_that_can(kind: str) -> None:
    able = [one.name for one in all_methods(kind) if one.starts]
    unable = next(one for one in all_methods(kind) if not one.starts)
    instance = load(FAMILIES[kind].examples[0])
    with pytest.raises(RefusedError) as error:
        solve(instance, unable.name, start=best_schedule(instance.name))
    assert f"{unable.name} cannot use a start" in str(error.value)
    assert all(name in str(error.value) for name in able)


def test_a_method_that_loses_its_start_hands_it_on(monkeypatch: pytest.MonkeyPatch) -> None:
    instance = load("small-05x2")
    good, bad = solve(instance, "portfolio"), solve(instance, "random")
    false = replace(good.schedule, makespan=Decimal(1))
    for last, fault in ((bad.schedule, ""), (None, ""), (false, "is invalid (makespan)")):

        def method(same: Any, request: Request[Any], last: Any = last) -> Outcome:
            assert request.start == good.schedule
            assert request.start_value == good.objective
            return Outcome(
                schedule=last, termination=TerminationReason.DONE, status=SolutionStatus.FEASIBLE
            )

        inject(monkeypatch, forgets=method)
        methods = FAMILIES["makespan"].methods
        marked = [replace(one, starts=one.starts or one.name == "forgets") for one in methods]
        monkeypatch.setitem(vars(FAMILIES["makespan"]), "methods", tuple(marked))
        answer = solve(instance, "forgets", start=good.schedule)
        monkeypatch.undo()
        assert answer.valid
        assert answer.objective == good.objective
        assert ITSELF in answer.outcome.note
        assert fault in answer.rejection
        assert bool(fault) == bool(answer.rejection)


def test_bad_starts_are_input_errors_that_name_the_file(tmp_path: Path) -> None:
    instance, file = load("hand-spread"), tmp_path / "plan.json"
    own = solve(instance, "first-fit").schedule
    early = replace(own.assignments[0], start_slot=Decimal(50), end_slot=None)
    cases = {
        "digest: found": solve(load("hand-contend"), "gang-lpt").schedule,
        "every_job_once off by 1": replace(own, assignments=own.assignments[1:], makespan=None),
        "makespan off by": replace(own, assignments=(early, *own.assignments[1:])),
        "expected a schedule of 'makespan' instances": best_schedule("hand-online-packing"),
    }
    for words, schedule in cases.items():
        save(schedule, file)
        with pytest.raises(InputError, match=words) as error:
            solve(instance, "portfolio", start=file)
        assert str(error.value).startswith(str(file))
    with pytest.raises(InputError, match="start: kind: found int"):
        solve(instance, "portfolio", start=3)
    other = replace(solve(load("hand-contend"), "gang-lpt").schedule, digest=None)
    with pytest.raises(InputError) as error:
        solve(instance, "portfolio", start=other)
    assert str(error.value).startswith("start: instance: found 'hand-contend'")


def test_programs_look_only_for_what_is_better_than_the_start() -> None:
    """Gang LPT needs 18 slots here; that 17 are needed is proved by a program of 16."""
    instance = load("small-10x3")
    best = solve(instance, "portfolio")
    assert best.objective == 17
    assert solve(instance, "gang-lpt").objective == 18
    answer = solve(instance, "linearised", start=best.schedule)
    assert (answer.status, answer.objective) == ("optimal", 17)
    assert answer.bound.argument == "no schedule ends by slot 16"


def test_orders_are_those_of_the_plan() -> None:
    instance = load("pdors-small-05x3x5")
    plan = solve(instance, "fifo").schedule
    by_completion, by_beginning = _orders_of(instance, plan, range(len(instance.jobs)))
    held = {one.job: [at.slot for at in one.plan] for one in plan.admissions}
    names = [instance.jobs[i].name for i in by_completion if instance.jobs[i].name in held]
    assert len(names) == len(held) > 1
    assert [max(held[name]) for name in names] == sorted(max(own) for own in held.values())
    firsts = [held.get(instance.jobs[i].name, [99])[0] for i in by_beginning]
    assert firsts == sorted(firsts)


@pytest.mark.parametrize("seed", range(3))
def test_blocks_are_found_again_in_their_plan(seed: int) -> None:
    mix = generate("mobihoc", seed=seed, jobs=40, servers=6)
    blocks = cut(mix)
    assert blocks is not None
    piled = nested.pile(blocks, nested.large_first(blocks))
    found = nested._blocks_in(blocks, block_plans.plan_of(blocks, piled))
    assert nested.heaviest_of(blocks, found) == nested.heaviest_of(blocks, piled)
    assert np.array_equal(blocks.rank, blocks.level[found])


def test_a_hint_changes_no_answer_of_cp_sat() -> None:
    instance = load("small-05x2")
    poor, best = solve(instance, "random").schedule, solve(instance, "portfolio").objective
    for hint in (None, poor):
        question = CpQuestion(instance, int(best), hint=hint)
        assert ask(question).found is True
        assert ask(question._replace(horizon=int(best) - 1)).found is False


KEPT = (
    ("small-10x3", "random"),
    ("small-06x3-release", "gang-lpt"),
    ("small-06x3-fluid", "gang-lpt"),
    ("small-06x3-continuous", "first-fit"),
    ("hand-spread", "first-fit"),
)


@pytest.mark.parametrize("part", [False, True])
@pytest.mark.parametrize(("name", "first"), KEPT)
def test_what_has_begun_stays_and_nothing_else_begins_earlier(
    name: str, first: str, part: bool
) -> None:
    instance = load(name)
    before = solve(instance, first)
    for tenth in (2, 5, 10):
        moment = -(-tenth * before.objective // 10)
        begun = {one.job: one for one in before.schedule.assignments if one.start_slot < moment}
        plan = before.schedule
        if part:
            plan = replace(plan, assignments=tuple(begun.values()))
        answer = solve(instance, "local-search:work=60", start=plan, keep_before=int(moment))
        assert answer.valid
        for one in answer.schedule.assignments:
            if one.job in begun:
                assert (one.start_slot, one.gpus) == (
                    begun[one.job].start_slot,
                    begun[one.job].gpus,
                )
            else:
                assert one.start_slot >= moment
        if not part:
            assert answer.objective <= before.objective


def test_around_nothing_that_matters_it_finds_the_best() -> None:
    """A job of one GPU that ends soon leaves the rest as free as it was."""
    instance = load("small-10x3")
    plan = solve(instance, "random").schedule
    least = solve(instance, "portfolio").objective
    answer = solve(instance, "portfolio", start=plan, keep_before=0, target=float(least or 0))
    assert answer.objective == least
    assert answer.outcome.termination is TerminationReason.TARGET


def test_what_cannot_be_kept_is_refused() -> None:
    instance = load("small-05x2")
    plan = solve(instance, "gang-lpt").schedule
    with pytest.raises(InputError, match="start: found nothing, expected a plan to keep"):
        solve(instance, "portfolio", keep_before=3)
    with pytest.raises(RefusedError, match="these methods can: portfolio, local-search"):
        solve(instance, "cp-sat", start=plan, keep_before=3)
    some = replace(plan.assignments[0], gpus=(("nowhere", 1),))
    for bad, words in (
        (replace(plan, assignments=(some,)), "known_names"),
        (replace(plan, assignments=()), "found none, expected at least one job"),
    ):
        with pytest.raises(InputError, match=words):
            solve(instance, "portfolio", start=bad, keep_before=3)


def test_told_schedules_of_any_worth_are_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    """A method that tells an invalid schedule as better than the start is not believed."""
    instance = load("small-05x2")
    good = solve(instance, "portfolio")
    false = replace(good.schedule, assignments=good.schedule.assignments[1:])

    def method(same: Any, request: Request[Any]) -> Outcome:
        request.limits.report(Incumbent(schedule=false, value=1.0))
        return Outcome(
            schedule=false, termination=TerminationReason.DONE, status=SolutionStatus.OPTIMAL
        )

    inject(monkeypatch, liar=method)
    methods = FAMILIES["makespan"].methods
    marked = [replace(one, starts=one.starts or one.name == "liar") for one in methods]
    monkeypatch.setitem(vars(FAMILIES["makespan"]), "methods", tuple(marked))
    answer = solve(instance, "liar", start=good.schedule, target=1)
    assert answer.objective == Fraction(good.objective)
    assert check(instance, answer.schedule).valid
    assert answer.outcome.termination is TerminationReason.DONE


def test_a_proof_up_to_decimals_of_starts_is_a_proof_and_one_up_to_ticks_is_not() -> None:
    """The best schedule has starts that no decimal says: 151 slots and 1e-18 in any file."""
    name = "continuous-starts-that-are-no-decimals.json"
    instance = load_instance(Path(__file__).parent / "cases" / name)
    assert isinstance(instance, MakespanInstance)
    answer, quick = solve(instance, "branch-and-bound"), solve(instance, "gang-lpt")
    assert answer.objective is not None
    assert 0 < answer.objective - answer.bound.value <= rounding_of_starts(instance)
    assert (answer.status, solved(answer.row())) == ("optimal", True)
    assert answer.gap != 0
    assert quick.objective is not None
    assert quick.objective - quick.bound.value > rounding_of_starts(instance)
    assert (quick.status, solved(quick.row())) == ("feasible", False)
    assert rounding_of_starts(replace(instance, progress="fractional")) == 0
