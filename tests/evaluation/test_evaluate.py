"""Scores, ranks and rows of methods of ours, and what is written of them."""

import json
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from evaluation.small import SECRET, SOLE, TINY, first_of, gives_nothing, on_tiny, rows

import ringyard
from ringyard.cli import main
from ringyard.cli.evaluate import _loss
from ringyard.evaluation import evaluate as evaluating
from ringyard.evaluation.bench import Judged
from ringyard.evaluation.evaluate import drawn, evaluate
from ringyard.evaluation.score import Evaluation, write_artefacts
from ringyard.evaluation.suites import TRAINING, all_suites, runs_of
from ringyard.instances import RefusedError, load_schedule
from ringyard.instances.errors import InputError
from ringyard.instances.outcome import Limits

MINE = """
from ringyard import policy


@policy("makespan")
def mine(waiting, idle, narrow: bool = False):
    for job in sorted(waiting, key=lambda job: job.gpus, reverse=not narrow):
        pieces = idle.fit(job)
        if pieces:
            yield job, pieces


def half(instance):
    return mine if instance.name.endswith("0") else None


def picks(instance):
    first = instance.cluster.servers[0].name
    return {job.name: (1000 * i, {first: job.gpus}) for i, job in enumerate(instance.jobs)}


picks.refuses = lambda instance: "" if instance.name.endswith("0") else "not this one"


def chance(instance, rng):
    order = [instance.jobs[i] for i in rng.permutation(len(instance.jobs))]
    first = instance.cluster.servers[0].name
    return {job: (1000 * i, {first: job.gpus}) for i, job in enumerate(order)}
"""


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    folder = tmp_path / "methods"
    folder.mkdir()
    monkeypatch.chdir(folder)
    (folder / "mine.py").write_text(MINE)
    return "mine.py:mine"


@pytest.fixture(scope="module")
def of_mine(tmp_path_factory: pytest.TempPathFactory) -> Evaluation:
    """Return what comes of a method in a file."""
    file = tmp_path_factory.mktemp("methods") / "mine.py"
    file.write_text(MINE)
    return on_tiny(f"{file}:mine")


def apart_from_time(found: Evaluation) -> Any:
    result = json.loads(json.dumps(found.to_dict()))
    for one in [result, *result["baselines"], *result["instances"]]:
        for name in ("seconds", "cpu_seconds", "memory_mb"):
            one.pop(name, None)
    return result


@pytest.mark.parametrize(
    "suite",
    [
        pytest.param(one.name, marks=[] if one.name == "online" else [pytest.mark.slow])
        for one in all_suites()
        if one.name != "makespan-quick"
    ],
)
def test_baselines_score_what_they_are_worth(suite: str) -> None:
    chosen = first_of(suite)
    found = evaluate(chosen.baselines[0], chosen, workers=2, time_limit=120.0)
    [instance] = drawn(chosen, TRAINING)
    family = found.family
    bound = (
        family.strong(instance, Limits(), None)
        if chosen.strong
        else family.bounds(instance, Limits())[0]
    ).value
    assert list(found.baselines) == list(chosen.baselines[1:])
    scores = {}
    for name, [run] in found.baselines.items():
        answer = ringyard.solve(instance, name)
        assert (run.status, run.value) == ("valid", answer.objective)
        value = Fraction(answer.objective or 0)
        scores[name] = float(value / bound if family.maximize else bound / value)
        assert found.score_of([run]) == scores[name]
        assert 0 <= scores[name] <= 1
    own = Fraction(ringyard.solve(instance, chosen.baselines[0]).objective or 0)
    assert found.score == float(own / bound if family.maximize else bound / own)
    assert found.rank == 1 + sum(score > found.score for score in scores.values())


def test_the_same_secret_gives_the_same_scores(
    mine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = tmp_path / "secret"
    secret.write_text(SECRET)
    secret.chmod(0o600)
    first = on_tiny(mine, SOLE, workers=2, secret=secret)
    monkeypatch.setattr(evaluating, "_KNOWN", {})
    assert apart_from_time(on_tiny(mine, SOLE, secret=secret)) == apart_from_time(first)
    secret.write_text(SECRET[::-1])
    other = on_tiny(mine, SOLE, secret=secret)
    assert other.to_dict()["secret"] != first.to_dict()["secret"]
    assert other.instances != first.instances


def test_chance_follows_from_the_seed(mine: str) -> None:
    method = mine.replace("mine.py:mine", "mine.py:chance")
    plans = [
        [run.schedule for run in on_tiny(method, SOLE, seed=n, baselines=()).runs]
        for n in (0, 0, 1)
    ]
    assert plans[0] == plans[1] != plans[2]


def test_options_and_functions_are_methods_too(mine: str, of_mine: Evaluation) -> None:
    found = on_tiny(f"{mine}:narrow=yes")
    assert found.method.name == "mine.py:mine:narrow=yes"
    assert [run.value for run in found.runs] != [run.value for run in of_mine.runs]
    assert [run.status for run in on_tiny(gives_nothing, SOLE, baselines=()).runs] == ["no plan"]
    with pytest.raises(InputError, match="a named function defined in a file"):
        on_tiny(lambda instance: None)


@pytest.mark.parametrize(
    ("method", "said"),
    [
        ("none.py:mine", "a file of Python code"),
        ("mine.py:other", "mine.py:other"),
        ("nothing", "See `ringyard list methods --kind makespan`"),
        ("mine.py:mine:wide=yes", "wide"),
    ],
)
@pytest.mark.usefixtures("mine")
def test_what_is_no_method_is_told(method: str, said: str) -> None:
    with pytest.raises(InputError) as caught:
        on_tiny(method, SOLE)
    assert said in str(caught.value)


@pytest.mark.parametrize("words", [{"method": "2d-las"}, {"baselines": ["2d-las"]}])
def test_a_method_that_can_treat_no_instance_is_refused(words: dict[str, Any]) -> None:
    with pytest.raises(RefusedError, match="solves 'trace' instances, not 'makespan' ones"):
        on_tiny(**{"method": "gang-lpt", "suite": SOLE, **words})


def test_a_method_of_another_family_is_told_before_the_baselines_run(mine: str) -> None:
    done: list[int] = []
    said = "^evaluate: mine.py:mine: found a policy for 'makespan' instances, expected a method "
    with pytest.raises(InputError, match=said + "for 'trace' instances. Name another.$"):
        evaluate(mine, first_of("trace"), watch=done.append)
    assert done == [1]


def test_a_run_that_is_refused_says_why(mine: str) -> None:
    rests = rows(on_tiny(mine.replace(":mine", ":picks")))
    assert [(row["status"], row["note"]) for row in rests] == [
        ("valid", ""),
        ("refused", "not this one"),
    ]


@pytest.mark.parametrize(
    "words",
    [
        {"time_limit": "1"},
        {"time_limit": -1},
        {"seed": "a"},
        {"workers": 0},
        {"memory_limit": 5},
        {"memory_limit": 0},
        {"seeds": "hiden"},
    ],
)
def test_an_argument_in_python_is_refused_by_its_name(words: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=f"^evaluate: {next(iter(words))}: found "):
        evaluate("gang-lpt", TINY, **words)


def test_a_suite_that_there_is_not_is_told_in_words_of_no_command_line() -> None:
    with pytest.raises(
        InputError, match=r"^evaluate: suite: found 'makespan-quik', .* Did you mean"
    ):
        evaluate("gang-lpt", "makespan-quik")


def test_a_method_is_no_baseline_of_itself(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("ringyard.evaluation.suites.all_suites", lambda: (SOLE,))
    done: list[int] = []
    found = on_tiny("gang-lpt", SOLE, watch=done.append)
    assert (found.rank, found.to_dict()["of"], len(done)) == (
        1,
        1,
        runs_of("sole", "gang-lpt", None),
    )
    assert main(["evaluate", "gang-lpt", "--suite", "sole", "--workers", "1"]) == 0
    assert "rank   1 of 1\n" in capsys.readouterr().out
    main(["evaluate", "gang-lpt", "--suite", "sole", "--workers", "1", "--metrics", "mean_end"])
    assert capsys.readouterr().out.splitlines()[1].split()[3] == "mean_end"


def test_where_it_loses_is_told_only_where_it_does(mine: str) -> None:
    found = on_tiny(mine.replace(":mine", ":chance"))
    [good, _], [best, other] = found.runs, found.baselines["gang-lpt"]
    failed = Judged(status="error")

    def told(*runs: Judged) -> str:
        return _loss(Evaluation(**{**vars(found), "runs": runs}))

    assert good.value != best.value
    assert told(best, other) == told(failed, failed) == ""
    assert told(good, other) == ", behind most on tiny-00"
    assert told(best, failed) == ", without a valid plan on tiny-01"


def test_a_failure_scores_nothing_and_is_where_it_loses_most(of_mine: Evaluation) -> None:
    found = of_mine
    first, second = found.runs
    failed = Judged(status="error")
    changed = Evaluation(**{**vars(found), "runs": [first, failed]})
    assert changed.score == found.score_of([first, failed]) < found.score
    assert (changed.worst(), changed.valid) == (1, 1)
    assert changed.row(1)["rank"] == 2
    assert changed.row(1)["behind"] is None
    assert second.valid


def test_strict_refuses_where_nothing_is_guarded(
    mine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process of a run refuses by itself; what it is to hide is not there, so it cannot."""
    guards = on_tiny(mine, SOLE, baselines=()).guards
    if all(guards.values()):
        assert on_tiny(mine, SOLE, strict=True, baselines=()).valid == 1
        monkeypatch.setattr("ringyard.evaluation.bench.HIDDEN", ("/nowhere/at/all",))
        with pytest.raises(RefusedError, match=r"the sandbox cannot be created: .*/nowhere/at/all"):
            on_tiny(mine)
    else:
        with pytest.raises(RefusedError, match=r"this system cannot guard .*"):
            on_tiny(mine, strict=True)


def test_artefacts_hold_plans_charts_and_the_worst(of_mine: Evaluation, tmp_path: Path) -> None:
    found, folder = of_mine, tmp_path / "made" / "here"
    write_artefacts(found, folder)
    result = json.loads((folder / "result.json").read_text())
    assert result == json.loads(json.dumps(found.to_dict()))
    for instance in drawn(TINY, TRAINING):
        plan = load_schedule(folder / "schedules" / f"{instance.name}.json")
        assert ringyard.check(instance, plan).valid
        assert (folder / "charts" / f"{instance.name}.svg").read_text().startswith("<svg")
    page = (folder / "worst.html").read_text()
    assert result["worst"] in page
    assert page.count("<svg") == 2


def test_the_command_prints_a_table_or_one_object(
    mine: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ringyard.evaluation.suites.all_suites", lambda: (SOLE, TINY))
    out = tmp_path / "result.json"
    words = ["evaluate", mine, "--workers", "1", "--suite"]
    assert main([*words, "sole", "--out", str(out), "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown == json.loads(out.read_text())
    assert shown["format"] == "ringyard-evaluation/1"
    assert main([*words, "sole"]) == 0
    text = capsys.readouterr().out
    assert f"score  {shown['score']:.4f}" in text
    assert "training seeds" in text
    assert main([*words[:1], "mine.py:half", *words[2:], "tiny"]) == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--suite", "makespam"], "Did you mean 'makespan'?"),
        (["--seeds", "hidden"], "RINGYARD_EVALUATION_SECRET"),
        (["--memory-limit", "5"], "200 or more"),
        (["--workers", "0"], "--workers"),
        (["--time-limit", "0"], "--time-limit"),
        (["--out", "/nowhere/at/all.json"], "--out"),
        (["--artefacts", "mine.py"], "a folder"),
        (["--baselines", "gang-ltp"], "gang-lpt"),
    ],
)
def test_bad_input_is_told_with_exit_code_2(
    mine: str, words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["evaluate", mine, *words]) == 2
    assert said in capsys.readouterr().err


def test_the_page_lists_every_key(of_mine: Evaluation) -> None:
    page = (Path(__file__).parents[2] / "docs/reference/columns.md").read_text(encoding="utf-8")
    part = page.partition("## Result of an evaluation")[2].partition("\n## ")[0]
    result = of_mine.to_dict()
    listed = re.findall(r"^\| `(\w+)` \|", part, re.MULTILINE)
    assert listed == [*result, *result["instances"][0]]


def test_a_program_of_ones_own_is_evaluated(tmp_path: Path) -> None:
    """Pyomo makes a lock when it is imported, also in the protected process."""
    page = Path(__file__).parents[2] / "docs/howto/own-program.md"
    (text,) = re.findall(r"```python mytix\.py\n(.*?)```", page.read_text(encoding="utf-8"), re.S)
    (tmp_path / "mytix.py").write_text(text, encoding="utf-8")
    [row] = rows(on_tiny(f"{tmp_path / 'mytix.py'}:TIX", SOLE, baselines=()))
    assert (row["status"], row["note"]) == ("valid", "")
