"""The trace judge against one that goes tick by tick, on random good and bad schedules."""

from fractions import Fraction

import pytest
from check.trace.drawn import drawn_case
from check.trace.naive import crowding, intrusions, tell
from little import few

from ringyard.analysis.check import check
from ringyard.analysis.check.trace_runs import FULL

HORIZON = 400


def agree(seed: int) -> bool:
    """Hold both against each other; say whether the schedule is valid."""
    instance, made = drawn_case(seed)
    verdict = check(instance, made)
    story = tell(instance, made, HORIZON)
    tick = Fraction(instance.tick_s)
    index = {entry.job: i for i, entry in enumerate(made.jobs)}
    at = {(index[held.run.job.name], held.run.index): held for held in verdict.held}

    assert verdict.ends == {name: end * tick for name, end in story.ends.items()}
    assert {w: list(range(held.start, held.stop)) for w, held in at.items()} == story.held
    worked = {w: list(range(held.works, held.stop)) for w, held in at.items()}
    assert {w: ticks for w, ticks in worked.items() if ticks} == story.worked
    found = {(v.rule, v.where): v.amount for v in verdict.violations}
    lost = {w: Fraction(held.lost, FULL) for w, held in at.items() if held.lost}
    assert lost == {w: amount for w, amount in story.lost.items() if amount}
    out: dict[str, Fraction] = {}
    for v in verdict.violations:
        if v.rule == "outages":
            out[v.where] = out.get(v.where, Fraction(0)) + v.amount / tick
    assert out == intrusions(instance, made, story)
    static = {(rule, where) for rule, where in found if "runs" in where or rule == "completes"}

    def expected(rule: str) -> dict[str, Fraction]:
        return {where: found[rule, where] for named, where in static if named == rule}

    def place(i: int, k: int) -> str:
        return f"jobs[{i}], job {made.jobs[i].job}, runs[{k}]"

    assert expected("after_end") == {place(*where): 1 for where in story.late}
    early = {place(*where): ticks * tick for where, ticks in story.early.items()}
    assert {w: a for w, a in expected("order").items() if w in early} == early
    assert expected("completes") == {
        f"jobs[{index[name]}], job {name}": left * tick
        for name, left in story.left.items()
        if name not in story.ends
    }
    crowded = {
        (f"{name}, seconds [{first * tick}, {(last + 1) * tick})", amount)
        for name, first, last, amount in crowding(instance, made, story)
    }
    places = {"capacity": "server", "most": "group"}
    full = {(v.where, v.amount) for v in verdict.violations if v.rule in places}
    assert all(v.where.startswith(places.get(v.rule, "")) for v in verdict.violations)
    assert len(full) == len(crowded)
    if tick == 1:
        assert full == crowded
    return verdict.valid


@pytest.mark.parametrize("part", few(2, range(5)))
def test_both_say_the_same_of_random_schedules(part: int) -> None:
    valid = sum(agree(seed) for seed in range(100 * part, 100 * part + 100))
    assert 10 < valid < 60
