"""Constraint models: their values, their files, and what solvers say of these."""

import json
import re
import signal
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from shutil import which
from typing import Any

import pytest
from little import few

from ringyard.analysis.check import check
from ringyard.formulations.adapters.cumulative import starts_of
from ringyard.formulations.catalogue import constraint_models
from ringyard.formulations.constraints import (
    All,
    Clause,
    ConstraintModel,
    ExactlyOne,
    Linear,
    Maximum,
    Task,
    unmet,
)
from ringyard.formulations.files.constraints import cp_json, minizinc_lines
from ringyard.formulations.files.names import to_file
from ringyard.formulations.makespan.fractional import cumulative_question
from ringyard.formulations.program import Caps
from ringyard.instances import InputError, MakespanInstance, RefusedError, SolutionStatus
from ringyard.instances.catalogue import best_schedule, load
from ringyard.instances.generate import generate
from ringyard.search.makespan.exact.cp_model import CpQuestion, answer

POOL, RINGS = (constraint_models()[name] for name in ("pool", "rings"))
minizinc = pytest.mark.skipif(which("minizinc") is None, reason="minizinc is not on the PATH")


def drawn(seed: int) -> MakespanInstance:
    """Return an instance of few jobs, with contention."""
    return generate("small", seed=seed, jobs=3 + seed % 3, servers=2 + seed % 2)


def by_minizinc(model: ConstraintModel, folder: Path) -> list[int] | None:
    """Return the values that Gecode finds, or None if it says that there are none."""
    file = folder / "model.mzn"
    file.write_text("\n".join(minizinc_lines(model, "a model")), encoding="ascii")
    ran = subprocess.run(
        ["minizinc", "--solver", "gecode", file], capture_output=True, text=True, check=True
    )
    if "=====UNSATISFIABLE=====" in ran.stdout:
        return None
    lines = dict(line.split(" ") for line in ran.stdout.partition("-----")[0].splitlines())
    return [int(lines[to_file(name)]) for name in model.names]


@pytest.fixture(autouse=True)
def ctrl_c() -> Iterator[None]:
    """CP-SAT, here in the process of the tests, leaves Ctrl-C without a handler."""
    yield
    signal.signal(signal.SIGINT, signal.getsignal(signal.SIGINT))


def by_cp_sat(model: ConstraintModel) -> list[int] | None:
    """Return the values that CP-SAT finds in the JSON file, or None if there are none."""
    pytest.importorskip("ortools")
    from google.protobuf import json_format, text_format
    from ortools.sat import cp_model_pb2
    from ortools.sat.python import cp_model

    proto = json_format.Parse(cp_json(model, "a model"), cp_model_pb2.CpModelProto())
    read = cp_model.CpModel()
    read.proto.parse_text_format(text_format.MessageToString(proto))
    assert not read.validate()
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    if solver.solve(read) == cp_model.INFEASIBLE:
        return None
    return list(solver.response_proto.solution)


def tiny(kind: str) -> ConstraintModel:
    """Return a model of two variables from 0 to 2 and a flag with a constraint of a kind."""
    model = ConstraintModel()
    a, b, on = model.whole("a", 0, 2), model.whole("b", 0, 2), model.flag("on")
    if kind == "linear":
        model.linear({a: 2, b: -1}, low=1, high=3, when=[on])
        model.linear({b: 1}, high=0, when=[~on])
    elif kind == "clause":
        flag = model.flag("other")
        model.clause(on, ~flag)
        model.every(flag, ~on, when=[~on])
        model.equal({a: 1, b: 1, flag: -1})
    elif kind == "one":
        model.exactly_one([on, model.flag("other"), ~model.flag("third")])
        model.equal({a: 1, b: 1}, 0)
    elif kind == "maximum":
        model.maximum({on: 2}, [a, b])
    else:
        end, late = model.whole("end", 0, 3), model.whole("late", 0, 3)
        model.cumulative([Task(a, b, end, 2), Task(on, b, late, 0, a, on)], 2)
    return model


def all_values(model: ConstraintModel) -> set[tuple[int, ...]]:
    """Return all values that satisfy a model."""
    found: list[tuple[int, ...]] = [()]
    for variable in model.variables:
        found = [(*v, x) for v in found for x in range(variable.low, variable.high + 1)]
    return {values for values in found if unmet(model, values) is None}


KINDS = ("linear", "clause", "one", "maximum", "cumulative")


@pytest.mark.parametrize(
    ("kind", "count"),
    [("linear", 7), ("clause", 3), ("one", 3), ("maximum", 6), ("cumulative", 38)],
)
def test_values_are_counted_as_by_hand(kind: str, count: int) -> None:
    assert len(all_values(tiny(kind))) == count


@minizinc
@pytest.mark.parametrize("kind", KINDS)
def test_minizinc_has_the_same_solutions(kind: str, tmp_path: Path) -> None:
    model = tiny(kind)
    (tmp_path / "all.mzn").write_text("\n".join(minizinc_lines(model, "x")), encoding="ascii")
    command = ["minizinc", "--solver", "gecode", "--all-solutions", tmp_path / "all.mzn"]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found = [
        tuple(int(line.split()[1]) for line in part.split("\n") if line)
        for part in text.removesuffix("==========\n").split("----------\n")[:-1]
    ]
    assert len(found) == len(set(found))
    assert set(found) == all_values(model)


@pytest.mark.parametrize("kind", KINDS)
def test_cp_sat_has_the_same_solutions(kind: str) -> None:
    """Each solution that is found is forbidden, until there is none left."""
    model, found = tiny(kind), set()
    while (values := by_cp_sat(model)) is not None:
        plain = tuple(values[: len(tiny(kind).variables)])
        assert plain not in found
        found.add(plain)
        _forbid(model, plain)
    assert found == all_values(tiny(kind))


def _forbid(model: ConstraintModel, values: tuple[int, ...]) -> None:
    others = []
    for place, value in enumerate(values):
        below, above = model.flag("below"), model.flag("above")
        model.linear({place: 1}, high=value - 1, when=[below])
        model.linear({place: 1}, low=value + 1, when=[above])
        others += [below, above]
    model.clause(*others)


@pytest.mark.parametrize("name", ["hand-contend", "small-06x3"])
def test_known_schedules_satisfy_the_model(name: str) -> None:
    instance = load(name)
    best = best_schedule(name)
    assert best is not None
    model = RINGS.question(instance, int(check(instance, best).objective))
    fixed = dict(zip(model.names, range(len(model.names)), strict=True))
    for item in best.assignments:
        model.equal({fixed[f"start[{item.job}]"]: 1}, int(item.start_slot))
        for server, gpus in item.gpus:
            spread = len(item.gpus) > 1
            kind, count = ("pieces", gpus) if spread else ("inside", 1)
            model.equal({fixed[f"{kind}[{item.job},{server}]"]: 1}, count)
    values = by_cp_sat(model)
    assert values is not None
    assert unmet(model, values) is None
    schedule = RINGS.read(instance, dict(zip(model.names, values, strict=True)))
    assert {a.job: (a.start_slot, dict(a.gpus)) for a in schedule.assignments} == {
        a.job: (a.start_slot, dict(a.gpus)) for a in best.assignments
    }


@pytest.mark.parametrize("seed", few(1, range(20)))
def test_files_answer_as_the_searches_do(seed: int, tmp_path: Path) -> None:
    instance = drawn(seed)
    least = next(h for h in range(1, 99) if answer(CpQuestion(instance, h, True)).found)
    for horizon in (least - 1, least):
        for program in (POOL, RINGS):
            try:
                model = program.question(instance, horizon)
            except RefusedError:
                assert horizon < least
                continue
            ways = [by_cp_sat(model)]
            if which("minizinc"):
                ways.append(by_minizinc(model, tmp_path))
            if program is POOL:
                by_engine = starts_of(cumulative_question(instance, horizon), "cp-sat", Caps())
                assert (by_engine.status is SolutionStatus.OPTIMAL) == (ways[0] is not None)
            else:
                assert (ways[0] is not None) == (horizon == least)
            assert len({values is None for values in ways}) == 1
            for values in filter(None, ways):
                assert unmet(model, values) is None
                schedule = program.read(instance, dict(zip(model.names, values, strict=True)))
                verdict = check(instance, schedule)
                assert verdict.valid
                assert program is POOL or verdict.makespan <= horizon


def test_both_files_hold_the_same_numbers() -> None:
    """The numbers of each constraint, in order, read by patterns that share no code."""
    model = RINGS.question(load("hand-contend"), 7)
    proto = json.loads(cp_json(model, "x"))
    text = "\n".join(minizinc_lines(model, "x"))
    ranges = [[low, high] for low, high in re.findall(r"^var (-?\d+)\.\.(-?\d+)", text, re.M)]
    assert ranges == [variable["domain"] for variable in proto["variables"]]
    rows = [one["linear"] for one in proto["constraints"] if "linear" in one]
    written = re.findall(r"^constraint (?:\(.*\) -> )?(-?\d+\*x.*);$", text, re.M)
    sides = {"-9223372036854775808", "9223372036854775807"}
    expected = []
    for row in rows:
        total = " + ".join(f"{c}*x{v}" for c, v in zip(row["coeffs"], row["vars"], strict=True))
        low, high = row["domain"]
        if low == high:
            expected.append(f"{total} = {low}")
        else:
            expected += [f"{total} >= {low}"] * (low not in sides)
            expected += [f"{total} <= {high}"] * (high not in sides)
    assert sorted(written) == sorted(expected)
    for kind, mark in (("boolOr", r" \/ "), ("cumulative", "constraint cumulative(")):
        assert sum(kind in one for one in proto["constraints"]) == sum(
            mark in line for line in text.splitlines()
        )


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda i: (i, None), "the slot by which all jobs are to end"),
        (lambda i: (i, 2), "cannot end by slot 2, even alone"),
        (lambda i: (replace(i, progress="continuous"), 9), "need slots"),
        (lambda i: (i, 10**6), "at most 500,000 jobs x servers x slots"),
        (lambda i: (load("pdors-small-05x3x5"), 9), "states 'makespan' instances, not 'online'"),
    ],
)
def test_questions_are_refused_with_a_reason(change: Any, words: str) -> None:
    with pytest.raises((RefusedError, InputError), match=re.escape(words)):
        RINGS.question(*change(load("hand-contend")))


def test_all_kinds_of_constraints_occur() -> None:
    instance = replace(load("hand-contend"), overhead="max_workers_per_server", overhead_s=1)
    kinds = {type(one) for one in RINGS.question(instance, 30).constraints}
    assert kinds >= {Linear, Clause, All, ExactlyOne, Maximum}
