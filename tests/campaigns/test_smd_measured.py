"""`ringyard reproduce smd`: parts of the optimum, and how much of what is reserved is in use."""

from dataclasses import replace

import pytest

from ringyard.campaigns.reproductions import Settings
from ringyard.formulations.online.smd import SmdProblem, draw_problem
from ringyard.papers import smd
from ringyard.papers.smd import SmdRatio, measured, report, used_part
from ringyard.search.online.smd import Allocation, Grant


def test_what_is_in_use_by_hand() -> None:
    """Of 8 + 2 workers 6 + 2 are there, of 4 + 1 servers 1 + 1: 8 of 10 and 2 of 5."""
    (job,) = draw_problem(0, jobs=1).jobs
    job = replace(job, worker=(1.0, 0.0), server=(0.0, 1.0), reserved=(8.0, 4.0))
    jobs = (job, replace(job, reserved=(2.0, 1.0)))
    grants = tuple(
        Grant(job=job.name, workers=workers, servers=1, time_ms=1.0, lower_ms=1.0)
        for workers in (6, 2)
    )
    problem = SmdProblem(jobs=jobs, capacity=(9.0, 9.0), slot_ms=1.0)
    found = Allocation(grants=grants, admitted=(True, False), utility=1.0, upper=1.0)
    assert used_part(problem, found) == pytest.approx((8 / 10 + 2 / 5) / 2)


def test_each_rounding_is_compared_with_the_optimum() -> None:
    found = measured(draw_problem(1, jobs=4, most=6), 1)
    for one in found.values():
        assert 0 < one.part <= 1 + 1e-9
        assert one.longer >= 1 - 1e-9
        assert 0 < one.used <= 1 + 1e-9
    assert found["shrunk"].used < found["down"].used


def test_capacity_is_a_part_of_what_is_reserved() -> None:
    problem = draw_problem(3, jobs=4, room=0.5)
    whole = [sum(job.reserved[r] for job in problem.jobs) for r in range(4)]
    assert problem.capacity == pytest.approx([0.5 * amount for amount in whole])
    assert draw_problem(3, jobs=4) == draw_problem(3, jobs=4, room=0.4)


def test_sentences_have_the_extremes_of_all_seeds(monkeypatch: pytest.MonkeyPatch) -> None:
    def by_seed(_: SmdProblem, seed: int) -> dict[str, SmdRatio]:
        one = SmdRatio(part=0.6 + 0.1 * seed, longer=2.0, used=0.3 + 0.1 * seed)
        return {"shrunk": one, "down": one._replace(part=1.0)}

    monkeypatch.setattr(smd, "measured", by_seed)
    found = report(Settings(seeds=3, points=1))
    (row,) = found.tables["ratio"].rows
    means = [getattr(cell, "mean", cell) for cell in row]
    assert means == pytest.approx([30, 10, 0.7, 0.6, 2, 40, 1, 1, 2, 40])
    assert 0 < row[2].low < 0.6 < 0.8 < row[2].high < 1, "wider than three values, within 0 and 1"
    assert row[5].low < 30 < 50 < row[5].high
    assert found.statements == (
        "SMD's rounding: 0.60 to 0.80 of the optimum, with 30 to 50 % of the reserved "
        "resources in use",
        "rounding down: 1.00 to 1.00 of the optimum, with 30 to 50 % of the reserved "
        "resources in use",
    )
