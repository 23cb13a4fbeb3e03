"""`ringyard explain` answers either way, with numbers, jobs and rows."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ringyard.analysis.check import check
from ringyard.formulations.iis import irreducible
from ringyard.instances import load_schedule, save
from ringyard.instances.catalogue import load
from ringyard.run import solve

Ringyard = Callable[..., Any]


def test_simple_reasons_need_no_search(ringyard: Ringyard) -> None:
    done = ringyard("explain", "small-07x3", "--horizon", 6)
    assert done.code == 0
    first, *lines = done.out.splitlines()
    assert first == "small-07x3: no schedule ends by slot 6"
    assert lines[0] == "  area: all jobs need 140 GPU-slots; 12 GPUs until slot 6 offer only 72"
    assert "longest job: job 'j2' (2 GPUs) takes at least 7 slots" in lines[1]


def test_of_many_reasons_the_sharpest_are_listed(ringyard: Ringyard) -> None:
    words = ("explain", "mobihoc-20-s0", "--horizon", 100)
    lines = ringyard(*words).out.splitlines()
    count = len(ringyard(*words, "--json").json["reasons"])
    assert lines[-1] == f"  ... and {count - 20} more (--json lists all)"
    assert len(lines) == 22


@pytest.fixture
def crowded(tmp_path: Path) -> Path:
    """Two rings that contend for 7 slots, beside two small jobs that do not matter."""
    instance = load("hand-contend")
    small = replace(instance.jobs[0], gpus=1, iterations=1)
    jobs = (replace(small, name="x"), *instance.jobs, replace(small, name="y"))
    save(replace(instance, name="crowded", jobs=jobs), tmp_path / "crowded.json")
    return tmp_path / "crowded.json"


def test_jobs_are_the_reason_where_no_simple_one_is(ringyard: Ringyard, crowded: Path) -> None:
    words = ("explain", crowded, "--horizon", 6, "--method", "enumeration")
    done = ringyard(*words)
    assert done.code == 0
    said = "these 2 of 4 jobs cannot all end by slot 6, but each of them alone can: 'a', 'b'"
    assert done.out == f"crowded: no schedule ends by slot 6\n  {said}\n"
    row = ringyard(*words, "--json").json
    assert (row["possible"], row["method"]) == (False, "enumeration")
    assert row["conflict"] == {"jobs": ["a", "b"], "minimal": True}


def test_a_schedule_in_time_is_shown_and_written(ringyard: Ringyard, tmp_path: Path) -> None:
    out = tmp_path / "plan.json"
    done = ringyard("explain", "hand-contend", "--horizon", 7, "--out", out)
    assert done.code == 0
    assert done.out.startswith("hand-contend: a schedule ends by slot 7\n")
    verdict = check(load("hand-contend"), load_schedule(out))
    assert verdict.valid
    assert verdict.makespan is not None
    assert verdict.makespan <= 7


def test_rows_are_shown_by_component(ringyard: Ringyard) -> None:
    words = ("explain", "hand-contend", "--horizon", 6, "--formulation", "linearised")
    done = ringyard(*words)
    assert done.code == 0
    assert "the 2 jobs cannot all end by slot 6, but each of them alone can: 'a', 'b'" in done.out
    assert "linearised, rows that contradict each other:" in done.out
    assert "completes: jobs a b (2 rows)" in done.out


@pytest.mark.slow
def test_rows_by_component_are_minimal(ringyard: Ringyard) -> None:
    words = ("explain", "hand-contend", "--horizon", 6, "--formulation", "linearised")
    row = ringyard(*words, "--json").json["rows"]
    assert (row["relaxed"], row["minimal"]) == (False, True)


def test_rows_of_a_relaxation_are_irreducible(ringyard: Ringyard) -> None:
    words = ("explain", "hand-exclusion", "--horizon", 4, "--formulation", "linearised", "--json")
    row = ringyard(*words).json["rows"]
    assert (row["relaxed"], row["minimal"]) == (True, True)
    assert "capacity" in {name.partition("[")[0] for name in row["rows"]}
    from ringyard.formulations.catalogue import find_formulation
    from ringyard.formulations.matrix import matrix_of, relaxed

    program = relaxed(matrix_of(find_formulation("linearised").build(load("hand-exclusion"), 4)))
    some = irreducible(program)
    assert some is not None
    assert sorted(some.rows) == sorted(row["rows"])


def test_too_little_time_is_no_answer(ringyard: Ringyard) -> None:
    words = ("explain", "small-10x3", "--horizon", 17, "--method", "enumeration")
    assert ringyard(*words).code == 2
    done = ringyard("explain", "small-07x3", "--horizon", 12, "--time-limit", 1e-9)
    assert done.code == 3
    assert "not known whether a schedule ends by slot 12" in done.out


def test_without_an_exact_method_a_policy_may_still_find_one(ringyard: Ringyard) -> None:
    name = "small-06x3-continuous"
    found = solve(load(name), "gang-lpt")
    assert found.objective is not None
    late = ringyard("explain", name, "--horizon", int(found.objective) + 1)
    assert (late.code, "a schedule ends" in late.out) == (0, True)


def test_a_job_that_never_ends_is_named(ringyard: Ringyard, tmp_path: Path) -> None:
    instance = load("hand-contend-floor")
    stuck = tmp_path / "stuck.json"
    save(replace(instance, slot_s=instance.slot_s / 10), stuck)
    done = ringyard("explain", stuck, "--horizon", 50)
    assert (done.code, "does no iteration" in done.out) == (0, True)


@pytest.mark.parametrize(
    ("more", "word"),
    [
        (("--horizon", 0), "--horizon"),
        (("--horizon", 6, "--time-limit", 0), "--time-limit"),
        (("--horizon", 6, "--out", "plan.txt"), "--out"),
        (("--horizon", 3, "--method", "none"), "method"),
        (("--horizon", 6, "--formulation", "none"), "formulation"),
        (("--horizon", 6, "--formulation", "nonconvex"), "has no linear rows"),
    ],
)
def test_wrong_options_are_refused(ringyard: Ringyard, more: tuple[object, ...], word: str) -> None:
    done = ringyard("explain", "hand-contend", *more)
    assert done.code == 2
    assert word in done.err
