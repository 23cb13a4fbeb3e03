"""All methods and families keep what is promised of them, and checks notice what does not."""

import sys
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import Any

import pytest
from little import little_work, marks

import ringyard
from ringyard import policy
from ringyard.families import FAMILIES, Method
from ringyard.instances import Incumbent, Outcome, RefusedError, SolutionStatus, TerminationReason
from ringyard.instances.catalogue import entries, load
from ringyard.instances.generate import generate
from ringyard.methods import all_methods
from ringyard.testing import check_family, check_method

LONG = ("boa-online", "cells", "patterns")
"""A method that plans anew at every arrival, in every run by which it finds what a budget allows,
one that chooses patterns of shared servers, and one whose program takes half a second to state."""

PICKY = {"allox": {"family": "gavel", "widths": "single", "jobs": 8}}
"""Policies that refuse most instances: the options of those that they accept."""


def tried() -> Iterator[Any]:
    """Yield every method with a number of draws; the long ones are tried once, by a slow test."""
    for one in all_methods():
        long = [pytest.mark.slow] if one.name in LONG else marks(one)
        yield pytest.param(one, 1, marks=long, id=f"{one.family}-{one.name}-1")
        if not long:
            yield pytest.param(one, 3, marks=pytest.mark.slow, id=f"{one.family}-{one.name}-3")


@pytest.mark.parametrize(("method", "draws"), list(tried()))
def test_every_method_keeps_what_a_method_promises(method: Method, draws: int) -> None:
    """Policies on random and nasty instances; what proves optima on the smallest that there are."""
    with little_work():
        if method.name in PICKY:
            options: Any = PICKY[method.name]
            check_method(method, instances=[generate(**options, seed=s) for s in range(draws)])
        elif method.kind == "policy":
            check_method(method, draws=draws)
        else:
            check_method(method, instances=smallest(method, min(draws, 3)))


def smallest(method: Method, most: int) -> list[Any]:
    known = [entry for entry in entries().values() if entry.kind == method.family]
    known = sorted((one for one in known if not one.problem), key=lambda one: one.jobs)
    fitting = (load(one.name) for one in known)
    return list(islice((one for one in fitting if not method.refuses(one)), most))


SMALLER = {"fleet": ("tiny-fleet-4-delays",)}
"""Instances instead of a family's examples, where every method takes long for these."""


@pytest.mark.parametrize("most", [1, pytest.param(2, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    "kind", [pytest.param(k, marks=[pytest.mark.slow] if k == "fleet" else []) for k in FAMILIES]
)
def test_every_family_keeps_what_a_family_promises(kind: str, most: int) -> None:
    examples = FAMILIES[kind].examples
    chosen = SMALLER.get(kind, examples) if most == 1 else examples
    with little_work():
        check_family(kind, instances=map(load, chosen[:most]))


@pytest.fixture(scope="module")
def weighted() -> Iterator[Any]:
    """Let the family of the page be known, and forget it again."""
    from toy import weighted

    FAMILIES._known["weighted"] = weighted.WEIGHTED
    yield weighted
    del FAMILIES._known["weighted"]


def test_the_family_of_the_page_does(weighted: Any) -> None:
    check_family(weighted.WEIGHTED)


def good(instance: Any) -> Any:
    return ringyard.solve(instance, "gang-lpt").schedule


def no_plan(instance: Any) -> None:
    return None


def too_early(instance: Any) -> Any:
    return {job: (0, {"s0": job.gpus}) for job in instance.jobs}


def changes(instance: Any) -> Any:
    object.__setattr__(instance, "slot_s", instance.slot_s * 2)
    return ringyard.solve(instance, "gang-lpt").schedule


def refuses_late(instance: Any) -> Any:
    raise RefusedError("not this one")


def stutters(instance: Any, tell: Any) -> Any:
    tell(good(instance))
    tell(good(instance))
    return good(instance)


class Counting:
    """Gives another plan each time."""

    def __init__(self) -> None:
        self.calls = 0

    def run(self, instance: Any, request: Any) -> Outcome:
        self.calls += 1
        name = ("gang-lpt", "random")[self.calls % 2]
        found = ringyard.solve(instance, name, seed=self.calls).schedule
        return Outcome(
            schedule=found, termination=TerminationReason.DONE, status=SolutionStatus.FEASIBLE
        )


class Late:
    """Gives a plan that nobody could keep once the time is up."""

    def run(self, instance: Any, request: Any) -> Outcome:
        found = good(instance)
        if request.limits.time_s == 0:
            found = replace(found, assignments=found.assignments[1:])
        return Outcome(
            schedule=found, termination=TerminationReason.DONE, status=SolutionStatus.FEASIBLE
        )


class Boaster:
    """Tells a value that its plan does not have."""

    def run(self, instance: Any, request: Any) -> Outcome:
        found = good(instance)
        request.limits.report(Incumbent(schedule=found, value=0.5))
        return Outcome(
            schedule=found, termination=TerminationReason.DONE, status=SolutionStatus.FEASIBLE
        )


def test_what_is_right_passes() -> None:
    report = check_method(good, "makespan", draws=3)
    assert report.runs > 3
    assert report.empty == 0
    assert check_method(no_plan, "makespan", draws=3).empty == report.runs


@pytest.mark.parametrize(
    ("method", "words"),
    [
        (too_early, "not valid"),
        (changes, "changes the instance"),
        (refuses_late, "refuses only during the run"),
        (stutters, "no better"),
        (Counting(), "the same seed gives another plan"),
        (Late(), "after its time limit"),
        (Boaster(), "reports 0.5 for a plan of value"),
        (lambda instance: {}["x"], "KeyError"),
        (lambda instance: 3, "expected"),
    ],
)
def test_what_is_wrong_is_said(method: Any, words: str) -> None:
    with pytest.raises(AssertionError, match=words):
        check_method(method, "makespan", instances=[ringyard.generate("small", seed=1)])


def test_a_function_must_say_its_family() -> None:
    with pytest.raises(TypeError, match="family="):
        check_method(good)
    asked = policy("makespan")(lambda waiting, idle: ())
    with pytest.raises(AssertionError, match="starts none of 5 waiting jobs"):
        check_method(asked, draws=1)


def lying(instance: Any, schedule: Any) -> Any:
    """Accept whatever comes."""
    found = sys.modules["toy.weighted"].judge(instance, schedule)
    return replace(found, violations=())


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"judge": lying}, "another instance"),
        ({"rules": {}}, "rules that are not in the record"),
        ({"default": "best"}, "not among the methods"),
        ({"claims": {"cost_s": "costs"}}, "no attribute 'costs'"),
        ({"presets": None}, "no instances"),
        ({"bounds": ".nowhere:bounds"}, "does not exist"),
    ],
)
def test_what_is_wrong_with_a_family_is_said(
    fields: dict[str, Any], words: str, weighted: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in fields.items():
        held = vars(weighted.WEIGHTED)
        monkeypatch.setitem(held, name if name in held else f"_{name}", value)
    with pytest.raises((AssertionError, AttributeError), match=words):
        check_family(weighted.WEIGHTED, draws=2)
