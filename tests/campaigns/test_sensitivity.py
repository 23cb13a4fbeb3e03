"""The sensitivity study: same draws under every model, and sentences that follow the rows."""

from typing import Any

import pytest

from ringyard.campaigns.reproductions import Settings
from ringyard.campaigns.runs import BOUND, Run
from ringyard.instances import FluidLinks, MakespanInstance
from ringyard.papers.mobihoc import sensitivity
from ringyard.papers.mobihoc.figures import Conclusion, claims
from ringyard.papers.mobihoc.sensitivity import HEAVY, LIGHT, MODELS, PACKED
from ringyard.papers.study import HOLDS, OPEN, REVERSED, Compared, ours

FACTOR = {"sjf-bco": 2.0, "list-scheduling": 2.5, "first-fit": 3.0, "random": 4.0, ours(): 1.1}
SETTINGS = Settings(seeds=4, time_limit=0.5)
CLAIM = Conclusion(measure="makespan", better="SJF-BCO", worse="LS")


def made_up(run: Run) -> dict[str, Any]:
    """Return a row whose values are a factor of the method over 100, 101, .."""
    level = 100 + run.seed
    if run.method == BOUND:
        return {
            "method": BOUND,
            "bound": 100,
            "bound_kind": "dual",
            "certificate": "area",
            "valid": False,
        }
    value = FACTOR[run.method] * level
    row = {"instance": run.instance.name, "method": run.method, "valid": True}
    kinds = {"bound": 50, "bound_kind": "combinatorial", "certificate": "area"}
    return {**row, **kinds, "objective": value, "mean_end": value / 2}


def fluid_reversed(run: Run) -> dict[str, Any]:
    row = made_up(run)
    if run.method == "sjf-bco" and isinstance(run.instance.contention, FluidLinks):
        return {**row, "objective": 300}
    return row


def compared(better: list[int], worse: list[int]) -> Compared:
    rows = {
        name: [{"objective": value, "mean_end": value} for value in values]
        for name, values in (("SJF-BCO", better), ("LS", worse))
    }
    return Compared(rows=rows)


def test_the_conclusions_are_what_the_plots_tell_apart() -> None:
    # Completion: 180 against 185 cannot be told apart when each is off by up to 10.
    assert [(c.measure, c.better, c.worse) for c in claims()] == [
        ("makespan", "SJF-BCO", "LS"),
        ("makespan", "LS", "FF"),
        ("makespan", "FF", "RAND"),
        ("mean completion", "LS", "RAND"),
        ("mean completion", "RAND", "FF"),
    ]


@pytest.mark.parametrize(
    ("better", "worse", "verdict"),
    [
        ([10, 11, 12], [20, 23, 24], HOLDS),
        ([20, 23, 24], [10, 11, 12], REVERSED),
        ([10, 11, 12], [12, 11, 10], OPEN),
        ([10, 11, 12], [10, 11, 12], OPEN),
        ([10], [20], OPEN),
        # Paired: always 2 % less, though the seeds differ by far more than that.
        ([98, 980, 9800], [100, 1001, 9990], HOLDS),
    ],
)
def test_a_conclusion_holds_only_where_pairs_tell_it_apart(
    better: list[int], worse: list[int], verdict: str
) -> None:
    assert CLAIM.verdict(compared(better, worse)) == verdict


def about_jobs(instance: MakespanInstance) -> list[tuple[str, int, int]]:
    return [(job.name, job.gpus, job.iterations) for job in instance.jobs]


def test_models_change_nothing_else() -> None:
    base = MODELS[0].instance(3)
    for model in MODELS:
        instance = model.instance(3)
        if model.transfer != PACKED:
            assert about_jobs(instance) == about_jobs(base)
            assert instance.cluster == base.cluster
        transfers = [job.gradient_gb for job in instance.jobs]
        assert (sum(transfers) > 5 * sum(j.gradient_gb for j in base.jobs)) == (
            model.transfer != LIGHT
        )
    assert len({(model.transfer, model.name) for model in MODELS}) == len(MODELS)


def test_every_model_of_an_instance_is_tried() -> None:
    drawn = [model.instance(0) for model in MODELS]
    assert {one.overhead for one in drawn} == {"paper", "step", "max_workers_per_server"}
    assert {one.contention.model for one in drawn} == {"server_uplink", "fluid"}
    assert {one.progress for one in drawn} == {"fractional", "floor"}
    uplinks = [one.contention for one in drawn if one.contention.model == "server_uplink"]
    assert max(uplink.degradation for uplink in uplinks) > 0
    assert min(uplink.share for uplink in uplinks) < 1


def test_what_runs_is_what_the_report_asks_for() -> None:
    asked: set[str] = set()

    def note(run: Run) -> dict[str, Any]:
        asked.add(run.key)
        return made_up(run)

    sensitivity.report(SETTINGS, note)
    assert asked == {run.key for run in sensitivity.runs(SETTINGS)}


def test_what_holds_everywhere_is_said() -> None:
    said = sensitivity.report(SETTINGS, made_up).statements
    assert said[0] == "SJF-BCO before LS (makespan): holds in all models"
    assert said[4] == "RAND before FF (mean completion): reversed in all models"
    assert said[-1] == "0 of 5 conclusions hold under one model and are reversed under another"


def test_what_flips_is_said() -> None:
    said = sensitivity.report(SETTINGS, fluid_reversed).statements
    rest = "paper, alpha 1, share 1/2, x 10, step, workers, floor"
    assert said[0] == (
        f"SJF-BCO before LS (makespan): holds in {LIGHT}: {rest} | {HEAVY}: {rest} | {PACKED}; "
        f"reversed in {LIGHT}: fluid | {HEAVY}: fluid"
    )
    assert said[-1] == (
        "1 of 5 conclusions hold under one model and are reversed under another: "
        "SJF-BCO before LS (makespan), holds in the paper's own model"
    )


def test_the_tables_have_a_row_for_every_model() -> None:
    tables = sensitivity.report(SETTINGS, made_up).tables
    for table in tables.values():
        assert [row[:2] for row in table.rows] == [(m.transfer, m.name) for m in MODELS]
    first = tables["makespans"].rows[0]
    # Over a bound of 100: 2 (1 + 0.015) on average for SJF-BCO.
    assert first[3].mean == pytest.approx(2.03)
    assert tables["conclusions"].rows[0][2].startswith("holds: 0.80 (0.80 to 0.80)")
