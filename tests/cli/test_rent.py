"""`ringyard rent`: widths for a budget, the budget for a time, the curve, and a long run."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Call = Callable[..., Any]

TWO = "boa-two-types"
"""Amdahl's law with 0.8 and square root, 0.4 jobs an hour each, an hour of work each."""


def test_the_published_example(ringyard: Call) -> None:
    """At two GPUs 6 and 9 of them are best, and both types take 1/3 h."""
    told = ringyard("rent", TWO, "--budget", "2", "--json").json
    assert told["mean_jct_h"] == pytest.approx(1 / 3, abs=1e-9)
    assert [one["gpus"] for one in told["types"]] == [
        [[{"gpus": pytest.approx(6), "part": 1.0}]],
        [[{"gpus": pytest.approx(9), "part": 1.0}]],
    ]
    assert [one["gpu_h"] for one in told["types"]] == pytest.approx([2, 3])
    assert [one["share"] for one in told["types"]] == pytest.approx([0.4, 0.6])
    assert told["bound_h"] <= told["mean_jct_h"]
    assert told["valid"] is True
    assert set(told["premises"].values()) == {"met"}


def test_the_price_of_the_budget_is_the_slope_of_the_curve(ringyard: Call) -> None:
    more, less = (
        ringyard("rent", TWO, "--budget", budget, "--json").json["mean_jct_h"]
        for budget in ("2.001", "1.999")
    )
    told = ringyard("rent", TWO, "--budget", "2", "--json").json
    assert told["gpu_saves_h"] == pytest.approx((less - more) / 0.002, rel=1e-5)


def test_money_an_hour_is_a_budget(ringyard: Call, tmp_path: Path) -> None:
    dear = tmp_path / "dear.json"
    dear.write_text(json.dumps({**rental(), "price_per_gpu_h": 2.5}))
    told = ringyard("rent", dear, "--dollars-per-hour", "5", "--json").json
    assert told["budget_gpus"] == 2
    assert told["spend_per_h"] == pytest.approx(5)
    assert told["dollar_per_h_saves_h"] == pytest.approx(told["gpu_saves_h"] / 2.5)


@pytest.mark.parametrize("more", [(), ("--whole",)])
def test_the_least_budget_for_a_time(ringyard: Call, more: tuple[str, ...]) -> None:
    told = ringyard("rent", TWO, "--target-jct", "0.25", *more, "--json").json
    assert 0.25 - 1e-5 < told["mean_jct_h"] <= 0.25
    less = str(told["budget_gpus"] - 1e-4)
    assert ringyard("rent", TWO, "--budget", less, *more, "--json").json["mean_jct_h"] > 0.25


def test_a_time_that_one_gpu_each_meets_takes_the_least_budget(ringyard: Call) -> None:
    assert ringyard("rent", TWO, "--target-jct", "3", "--json").json["budget_gpus"] == 0.8


def test_whole_gpus_split_one_type(ringyard: Call) -> None:
    """The program's value is 0.43323, above that of fractions."""
    found = ringyard("rent", TWO, "--budget", "1.5", "--whole")
    assert "4 (36.5 %) or 5 (63.5 %)" in found.out or "5 (63.5 %) or 4 (36.5 %)" in found.out
    assert "mean JCT  0.4332 h" in found.out
    assert "not met   fractions of GPUs: widths are integers" in found.out


def test_a_stall_is_part_of_the_plan_and_its_price(ringyard: Call, tmp_path: Path) -> None:
    """Two epochs that would have 1 and 4 GPUs: an hour's stall is worth one width for both."""
    types = rental()["types"]
    types[0]["epochs"] = [epoch(0.3), epoch(0.9)]
    path = tmp_path / "epochs.json"
    path.write_text(json.dumps({**rental(), "types": types}))
    free = ringyard("rent", path, "--json").json
    stalled = ringyard("rent", path, "--rescale-s", "3600", "--curve", "--points", "2", "--json")
    first, second = free["types"][0]["gpus"]
    assert first != second
    first, second = stalled.json["types"][0]["gpus"]
    assert first == second
    assert stalled.json["mean_jct_h"] > free["mean_jct_h"]
    assert stalled.json["premises"]["free changes of width"].startswith(
        "a width change pauses a job"
    )
    assert len(stalled.json["curve"]) == 2


def stalling(path: Path, epochs: int) -> Path:
    """Write an instance one type of which has so many epochs, between which jobs stand still."""
    types = rental()["types"]
    types[0]["epochs"] = [epoch(0.3 + 0.6 * (e % 2)) for e in range(epochs)]
    told = {**rental(), "types": types, "rescale_s": 60, "budget_gpus": epochs}
    path.write_text(json.dumps(told))
    return path


def test_in_no_time_there_is_a_plan_and_no_curve(ringyard: Call, tmp_path: Path) -> None:
    path, figure = stalling(tmp_path / "epochs.json", 2), tmp_path / "curve.svg"
    asked = ("--time-limit", "1e-9", "--curve", "--plot", figure)
    found = ringyard("rent", path, *asked, "--json")
    assert (found.code, found.json["valid"], found.json["curve"]) == (0, True, [])
    assert found.json["gpu_saves_h"] is found.json["dollar_per_h_saves_h"] is None
    assert "after 0 of 20 budgets" in found.err
    assert "one GPU more" not in figure.read_text(encoding="utf-8")
    assert (
        "marginal  unknown, because the time limit was too short"
        in ringyard("rent", path, *asked).out
    )


def test_in_no_time_a_budget_is_enough_or_none_is_found(ringyard: Call) -> None:
    """The second that is tried is 1.6 GPUs, twice the least there can be."""
    enough = ringyard("rent", TWO, "--target-jct", "0.5", "--time-limit", "1e-9", "--json")
    assert enough.code == 0
    assert enough.json["budget_gpus"] == pytest.approx(1.6)
    assert enough.json["mean_jct_h"] < 0.5
    assert "a smaller one may too" in enough.err
    none = ringyard("rent", TWO, "--target-jct", "0.25", "--time-limit", "1e-9")
    assert none.code == 2
    assert "Increase --time-limit" in none.err


def test_too_many_epochs_to_choose_stalls_for_are_refused(ringyard: Call, tmp_path: Path) -> None:
    found = ringyard("rent", stalling(tmp_path / "epochs.json", 120), "--time-limit", "1")
    assert found.code == 2
    assert "295,240 epochs in total, more than 250,000" in found.err
    assert "rescale_s" in found.err


def test_the_curve_goes_through_the_published_points(ringyard: Call) -> None:
    asked = ("--curve", "--from", "1", "--to", "3", "--points", "5")
    told = ringyard("rent", TWO, *asked, "--json").json["curve"]
    assert [one["budget_gpus"] for one in told] == [1, 1.5, 2, 2.5, 3]
    published = [0.6765, 0.4322, 0.3333, 0.2798, 0.2463]
    assert [round(one["mean_jct_h"], 4) for one in told] == published
    shown = ringyard("rent", TWO, *asked).out
    # The root has 1 / nu GPUs, and a GPU more saves nu / 0.8 hours: 60 / (0.8 * 15.154) minutes.
    line = next(line for line in shown.splitlines() if line.startswith("2.50"))
    assert line.split()[2:] == ["0.2798", "4.9491", "7.786", "15.154"]


def test_files_hold_the_plan_the_table_and_the_figure(ringyard: Call, tmp_path: Path) -> None:
    plan, figure = tmp_path / "plan.json", tmp_path / "curve.svg"
    latex, csv = tmp_path / "rent.tex", tmp_path / "rent.csv"
    found = ringyard("rent", TWO, "--out", plan, "--plot", figure, "--latex", latex, "--csv", csv)
    assert found.code == 0
    assert found.err.count("wrote ") == 4
    assert ringyard("check", TWO, plan).code == 0
    assert "one more GPU saves 8.333 min" in figure.read_text(encoding="utf-8")
    assert r"\begin{tabular}" in latex.read_text(encoding="utf-8")
    assert len(csv.read_text(encoding="utf-8").splitlines()) == 3


def test_a_plan_for_another_budget_has_its_own_instance(ringyard: Call, tmp_path: Path) -> None:
    plan, own = tmp_path / "plan.json", tmp_path / "own.json"
    asked = ("--budget", "2.5", "--whole")
    assert ringyard("rent", TWO, *asked, "--out", plan, "--save-instance", own).code == 0
    assert ringyard("check", own, plan).code == 0
    assert ringyard("check", TWO, plan).code == 1


def test_of_many_types_the_terminal_shows_some(ringyard: Call, tmp_path: Path) -> None:
    one = rental()["types"][0]
    types = [{**one, "name": f"t{i}", "rate_per_h": 0.01 * (i + 1)} for i in range(40)]
    path, csv = tmp_path / "many.json", tmp_path / "many.csv"
    path.write_text(json.dumps({**rental(), "types": types, "budget_gpus": 20}))
    shown = ringyard("rent", path, "--csv", csv).out
    assert "and 10 more types" in shown
    assert "t39 " in shown
    assert "t1 " not in shown
    assert len(csv.read_text(encoding="utf-8").splitlines()) == 41


def test_a_long_run_agrees_with_the_plan(ringyard: Call) -> None:
    """Within the interval of the plan's value, and never below what its own jobs allow."""
    found = ringyard("rent", TWO, "--simulate", "--jobs", "20000", "--seed", "1", "--json").json
    measured = found["simulated"]
    jct, spend = measured["mean_jct_interval_h"], measured["spend_per_h_interval"]
    assert jct["low"] < 1 / 3 < jct["high"]
    assert spend["low"] < 2 < spend["high"]
    assert 1 <= measured["ratio"] < 1.001
    assert measured["utilisation"] == 1


def test_late_jobs_are_told_where_there_is_a_deadline(ringyard: Call, tmp_path: Path) -> None:
    """On four GPUs jobs take half of an exponential hour: past an hour are exp(-2) of them."""
    told = rental()
    told["types"][0]["deadline_h"] = 1
    path = tmp_path / "wanted.json"
    path.write_text(json.dumps({**told, "budget_gpus": 0.8}))
    run = ("rent", path, "--simulate", "--jobs", "4000")
    assert ringyard(*run, "--json").json["simulated"]["late_share"] == pytest.approx(
        0.135, abs=0.02
    )
    assert " % of the jobs with a deadline" in ringyard(*run).out
    assert "late" not in ringyard("rent", TWO, "--simulate", "--jobs", "300").out


def test_lumps_and_delays_cost_what_the_ratio_says(ringyard: Call) -> None:
    terms = ("--provision-s", "60", "--node-gpus", "8", "--billing-s", "600")
    laws = ("--arrivals", "even", "--sizes", "fixed", "--jobs", "400")
    shown = ringyard("rent", TWO, "--simulate", *laws, *terms).out
    assert "400 jobs with even arrivals and fixed sizes, by boa" in shown
    assert "not met   GPUs at once: they arrive 60 s after the paid request" in shown
    assert "one by one, by the tick: leased in nodes of 8 and billed by 600 s" in shown
    ratio = float(shown.split("ratio")[1].split()[0])
    assert ratio > 1.5


REAL = ("--provision-s", "300", "--node-gpus", "8", "--billing-s", "3600")


@pytest.mark.parametrize("jobs", [60, 1500])
def test_what_costs_more_than_the_budget_is_told(ringyard: Call, jobs: int) -> None:
    """With or without an interval; the bill is for nodes by the hour, the plan for GPUs held."""
    run = ("rent", TWO, "--simulate", "--jobs", str(jobs), *REAL)
    shown = ringyard(*run)
    assert shown.code == 1
    told = ringyard(*run, "--json")
    assert told.code == 1
    measured = told.json["simulated"]
    over = measured["mean_gpus_paid"] - 2
    assert measured["over_per_h"] == pytest.approx(over, rel=0.05)
    said = f"OVER      {measured['over_per_h']:,.2f} per hour above the budget of 2.00: "
    assert said in shown.out
    assert f"jobs hold {100 * measured['utilisation']:.2f} % of the paid time" in shown.out
    assert "use --policy static-fair" in shown.out


def test_a_plan_for_the_terms_keeps_to_the_budget(ringyard: Call) -> None:
    """Nodes by the hour cost half as much again; planned for less, the same jobs cost no more."""
    run = ("rent", "rental-pollux", "--simulate", "--jobs", "1500", *REAL, "--json")
    dear, kept = ringyard(*run), ringyard(*run, "--for-terms")
    assert (dear.code, kept.code) == (1, 0)
    terms, budget = kept.json["for_terms"], 120
    assert terms["budget_gpus"] == pytest.approx(kept.json["budget_gpus"])
    assert terms["budget_gpus"] < 100
    assert 0.95 * budget < terms["spend_per_h"] <= terms["allowed_per_h"] == budget
    assert kept.json["simulated"]["over_per_h"] is None
    assert kept.json["simulated"]["mean_jct_h"] > dear.json["simulated"]["mean_jct_h"]


def test_on_free_terms_the_plan_is_for_the_whole_budget(ringyard: Call) -> None:
    told = ringyard("rent", TWO, "--simulate", "--jobs", "4000", "--for-terms", "--json").json
    assert told["for_terms"]["fits"] is True
    assert told["budget_gpus"] == pytest.approx(2, rel=0.05)


def test_that_no_plan_keeps_to_the_terms_is_told(ringyard: Call) -> None:
    """A node by the hour for a job of half an hour or so: no width makes that two GPUs."""
    found = ringyard("rent", TWO, "--simulate", "--jobs", "400", *REAL, "--for-terms")
    assert found.code == 1
    assert "TERMS     no plan of widths keeps to 2.00 per hour: the cheapest" in found.out
    assert found.out.count("use --policy") == 1


def test_a_fleet_is_planned_for_on_its_own_jobs(ringyard: Call, tmp_path: Path) -> None:
    fleet = tmp_path / "fleet.json"
    drawn = ("rent", TWO, "--budget", "3", "--simulate", "--jobs", "150", "--save-fleet", fleet)
    ringyard(*drawn, "--node-gpus", "2", "--billing-s", "60")
    found = ringyard("rent", fleet, "--simulate", "--for-terms")
    assert found.code == 0
    assert "with these jobs" in found.out


def test_chance_is_not_called_too_dear(ringyard: Call) -> None:
    """On free terms the plan costs the budget in the long run; short paths may cost far more."""
    paid = []
    for seed in range(3):
        told = ringyard("rent", TWO, "--simulate", "--jobs", "60", "--seed", str(seed), "--json")
        assert (told.code, told.json["simulated"]["over_per_h"]) == (0, None)
        paid.append(told.json["simulated"]["mean_gpus_paid"])
    assert max(paid) > 2.5


def test_intervals_are_doubted_where_sizes_have_no_variance(ringyard: Call) -> None:
    run = ("rent", TWO, "--simulate", "--jobs", "200", "--sizes")
    assert "intervals are too narrow" in ringyard(*run, "pareto").out
    assert "too narrow" not in ringyard(*run, "lognormal").out


def test_another_policy_promises_what_its_plan_is_worth(ringyard: Call) -> None:
    run = ("--simulate", "--policy", "equal-width", "--jobs", "2000", "--json")
    assert ringyard("rent", TWO, *run).json["simulated"]["ratio"] > 1.01


def test_the_same_seed_is_the_same_run(ringyard: Call) -> None:
    run = ("rent", TWO, "--simulate", "--jobs", "300", "--arrivals", "bursty", "--json", "--seed")
    first, again, other = (ringyard(*run, seed).json["simulated"] for seed in (3, 3, 4))
    assert first == again
    assert first["mean_jct_h"] != other["mean_jct_h"]


def test_a_run_is_kept_as_a_fleet_and_its_log(ringyard: Call, tmp_path: Path) -> None:
    """The judge finds the same time and spend; the fleet itself can be asked about."""
    fleet, log = tmp_path / "fleet.json", tmp_path / "log.json"
    files = ("--save-fleet", fleet, "--log", log)
    run = ("--simulate", "--jobs", "150", "--budget", "2", "--json")
    measured = ringyard("rent", TWO, *run, *files).json["simulated"]
    checked = ringyard("check", fleet, log, "--json").json
    assert float(checked["objective"]) == pytest.approx(measured["mean_jct_h"], rel=1e-12)
    own = ringyard("rent", fleet, "--simulate", "--json").json
    assert own["premises"]["GPUs at once"] == "met"
    assert own["simulated"]["jobs"] == 150
    assert own["simulated"]["mean_jct_h"] == pytest.approx(own["mean_jct_h"], rel=2e-3)


def test_jobs_that_come_at_once_have_no_interval_of_spend(ringyard: Call, tmp_path: Path) -> None:
    jobs = [{"name": f"j{i}", "type": "one", "work_s": [3600]} for i in range(120)]
    terms = {"span_s": 360000, "budget_gpus": 2, "kind": "fleet", "jobs": jobs}
    path = tmp_path / "at-once.json"
    path.write_text(json.dumps({**rental(), **terms}))
    told = ringyard("rent", path, "--simulate", "--json").json["simulated"]
    assert told["spend_per_h_interval"] is None
    assert told["mean_jct_interval_h"]["low"] == told["mean_jct_interval_h"]["high"]


@pytest.mark.slow
def test_a_method_for_fleets_keeps_to_the_budget_of_its_path(ringyard: Call) -> None:
    run = ("--simulate", "--policy", "static-fifo", "--jobs", "120", "--json")
    told = ringyard("rent", TWO, *run).json["simulated"]
    assert told["mean_gpus_paid"] <= 2
    assert told["ratio"] > 1


def test_arrivals_of_a_trace_are_stretched(ringyard: Call) -> None:
    run = ("--simulate", "--arrivals", "tiresias-testbed", "--jobs", "200", "--json")
    told = ringyard("rent", TWO, *run).json["simulated"]
    assert told["jobs"] == 200
    most = ringyard("rent", TWO, "--simulate", "--arrivals", "tiresias-testbed").out
    assert "480 jobs with tiresias-testbed arrivals" in most
    assert told["mean_gpus_paid"] == pytest.approx(2, rel=0.2)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--budget", "0.5"), "expected at least 0.8 GPUs on average"),
        (("--dollars-per-hour", "0.7"), "expected at least 0.8, for 0.8 GPUs"),
        (("--target-jct", "1e-9"), "the limit with any number of GPUs"),
        (("--budget", "1", "--target-jct", "1"), "expected one of them"),
        (("--budget", "-1"), "a number above 0"),
        (("--budget", "many"), "'many' is not a number"),
        (("--rescale-s", "-1"), "seconds at least 0"),
        (("--curve", "--from", "0.5"), "the minimum of any plan"),
        (("--curve", "--from", "9"), "above 9 GPUs"),
        (("--curve", "--points", "1"), "an integer from 2"),
        (("--points", "5"), "Add --curve"),
        (("--plot", "curve.gif"), "one of .svg, .pdf, .png"),
        (("--out", "plan.txt"), ".json or .json.gz"),
        (("--jobs", "10"), "Add --simulate"),
        (("--simulate", "--jobs", "1"), "at least 2"),
        (("--simulate", "--policy", "boa-onlin"), "Did you mean 'boa-online'?"),
        (("--simulate", "--provision-s", "0.5"), "a multiple of --tick-s"),
        (("--simulate", "--tick-s", "0"), "seconds above 0"),
        (("--for-terms",), "Add --simulate"),
        (("--simulate", "--for-terms", "--policy", "boa"), "Leave one out"),
        (("--simulate", "--node-gpus", "0"), "at least 1"),
        (("--simulate", "--arrivals", "hand-lpt"), "'trace'"),
        (("--simulate", "--log", "log.txt"), ".json or .json.gz"),
    ],
)
def test_what_cannot_be_meant_is_said(ringyard: Call, words: tuple[str, ...], said: str) -> None:
    found = ringyard("rent", TWO, *words)
    assert found.code == 2
    assert said in found.err


SPOT = "name=spot,price_per_gpu_h=0.3,interruptions_per_h=0.1,resume_s=600"


def test_offers_are_rented_where_they_are_worth_it(ringyard: Call, tmp_path: Path) -> None:
    plan, own = tmp_path / "plan.json", tmp_path / "own.json"
    run = ("rent", TWO, "--offer", SPOT)
    told = ringyard(*run, "--json", "--out", plan, "--save-instance", own).json
    assert told["bound_h"] <= told["mean_jct_h"] < 0.3
    assert told["spend_per_h"] == pytest.approx(2)
    assert {one["offer"] for one in told["rents"]} == {"spot", "on demand"}
    assert ringyard("check", own, plan).code == 0
    alone = ringyard("rent", TWO, "--offer", SPOT.replace("0.3", "3"), "--json").json
    assert {one["offer"] for one in alone["rents"]} == {"on demand"}
    assert alone["mean_jct_h"] == pytest.approx(1 / 3)


def test_money_and_targets_go_with_offers(ringyard: Call) -> None:
    run = ("rent", TWO, "--offer", SPOT, "--json")
    quick = ringyard(*run, "--target-jct", "0.25").json
    assert quick["mean_jct_h"] == pytest.approx(0.25, rel=1e-6)
    again = ringyard(*run, "--dollars-per-hour", f"{quick['spend_per_h']:.9f}").json
    assert again["mean_jct_h"] == pytest.approx(0.25, rel=1e-6)


def test_a_reserve_is_told(ringyard: Call) -> None:
    """Six GPUs for 0.133 jobs and nine for as many are two on average, none most of the time."""
    few = ringyard("rent", TWO, "--reserved-price", "0.6").out
    assert "reserve   no on-demand GPU: 2 are in use on average" in few
    told = ringyard("rent", TWO, "--reserved-price", "0.2", "--json").json["reserve"]
    assert told["gpus"] == 6
    assert told["per_h"] < told["per_h_on_demand"] == pytest.approx(2)
    assert (
        "reserve   6 of the on-demand GPUs. On average, 2 are in use."
        in ringyard("rent", TWO, "--reserved-price", "0.2").out
    )


def test_a_plan_of_offers_is_simulated(ringyard: Call) -> None:
    run = ("rent", TWO, "--offer", SPOT, "--simulate", "--jobs", "3000")
    told = ringyard(*run, "--json").json["simulated"]
    assert told["taken"] > 0
    assert told["median_jct_h"] < told["p95_jct_h"] < told["p99_jct_h"]
    assert f"preempted {told['taken']} times" in ringyard(*run).out.replace(",", "")
    sure = ringyard("rent", TWO, "--reserved-price", "0.2", "--simulate").out
    assert "  reserved  " in sure
    assert "preempted" not in sure


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--offer", "spot"), "key=value"),
        (("--offer", "name=spot,price=1"), "unknown key"),
        (("--offer", "name=spot,speed=0"), "above 0"),
        (("--offer", SPOT, "--offer", SPOT), "distinct names"),
        (("--offer", "name=on demand"), "distinct names"),
        (("--offer", SPOT, "--simulate", "--policy", "boa"), "found and --policy"),
        (("--offer", SPOT, "--simulate", "--node-gpus", "4"), "found and --node-gpus"),
        (("--offer", SPOT, "--jobs", "5"), "no --simulate"),
        (("--offer", SPOT, "--budget", "2"), "found and --budget"),
        (("--offer", SPOT, "--whole"), "--offer: found and --whole"),
        (("--whole", "--reserved-price", "0.2"), "--reserved-price: found and --whole"),
    ],
)
def test_offers_that_cannot_be_meant_are_said(
    ringyard: Call, words: tuple[str, ...], said: str
) -> None:
    found = ringyard("rent", TWO, *words)
    assert found.code == 2
    assert said in found.err


def test_other_families_are_refused(ringyard: Call) -> None:
    found = ringyard("rent", "hand-lpt")
    assert found.code == 2
    assert "expected 'rental' or 'fleet'" in found.err


def epoch(exponent: float) -> dict[str, Any]:
    return {"work_h": 1, "speedup": {"model": "power", "exponent": exponent}}


def rental() -> dict[str, Any]:
    """Return one type of jobs with a square-root speed-up, and two GPUs for it."""
    one = {"name": "one", "rate_per_h": 0.4, "epochs": [epoch(0.5)]}
    return {
        "format": "ringyard/1",
        "kind": "rental",
        "name": "one-type",
        "types": [one],
        "budget_gpus": 2,
    }
