"""Functions and policies of users, wherever a method can be named."""

import json
import os
from decimal import Decimal
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ringyard
from ringyard import policy
from ringyard.cli import main
from ringyard.extensions.loading import digest_of
from ringyard.families import FAMILIES, Method
from ringyard.instances import InputError, Outcome, RefusedError
from ringyard.instances.errors import MethodError
from ringyard.methods import find_method
from ringyard.simulation.trace import GrantedGpus, TraceDecider, TraceSetting

MINE = '''
from ringyard import policy
from beside import bias, wrong


@policy("makespan")
def small_first(waiting, idle, reverse: bool = False, power: float = 1.0, cut: int = 3):
    """The smallest ring first."""
    for job in sorted(waiting, key=lambda job: job.gpus**power + bias(), reverse=reverse):
        pieces = idle.fit(job)
        if pieces:
            yield job, pieces


@policy("trace", information="full")
def shortest(job):
    return job.remaining


def in_turn(instance, gap=1000):
    return {
        job: (gap * i, dict(zip([s.name for s in instance.cluster.servers], split(job, instance))))
        for i, job in enumerate(instance.jobs)
    }


def split(job, instance):
    left = job.gpus
    for server in instance.cluster.servers:
        yield min(left, server.gpus)
        left -= min(left, server.gpus)


def failing(instance):
    return wrong(instance)
'''

BESIDE = """
def bias():
    return 0


def wrong(instance):
    return 1 / 0
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(MINE)
    (tmp_path / "beside.py").write_text(BESIDE)
    return tmp_path


def said(capsys: pytest.CaptureFixture[str], code: int, *words: str) -> str:
    assert main(list(words)) == code
    found = capsys.readouterr()
    return found.out + found.err


@pytest.mark.usefixtures("folder")
def test_a_function_of_a_file_is_a_method_with_options(capsys: pytest.CaptureFixture[str]) -> None:
    words = "solve", "hand-contend", "--json", "--method"
    row = json.loads(said(capsys, 0, *words, "mine.py:small_first"))
    assert (row["method"], row["valid"]) == ("mine.py:small_first", True)
    chosen = "mine.py:small_first:reverse=yes:power=0.5:cut=4"
    assert json.loads(said(capsys, 0, *words, chosen))["method"] == chosen
    late = json.loads(said(capsys, 0, *words, "mine.py:in_turn"))["objective"]
    assert json.loads(said(capsys, 0, *words, "mine.py:in_turn:gap=2000"))["objective"] > late


@pytest.mark.parametrize(
    ("method", "words"),
    [
        ("none.py:x", "a file of Python code"),
        ("mine.py:smal_first", "Did you mean 'small_first'?"),
        ("mine.py", "Name one"),
        ("mine.py:small_first:revers=no", "Did you mean 'reverse'?"),
        ("mine.py:small_first:cut=x", "an integer"),
        ("mine.py:shortest", "a policy for 'trace' instances"),
        ("broken.py:x", "SyntaxError"),
        ("absent_module:x", "FILE.py:FUNCTION"),
        ("absent.module:x", "no module of this name"),
        ("falls.inside:x", "ZeroDivisionError"),
        ("leaves.inside:x", "SystemExit: 0"),
    ],
)
def test_what_cannot_be_named_is_an_input_error(
    method: str, words: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "broken.py").write_text("def x(:\n")
    for package, code in (("falls", "1 / 0"), ("leaves", "raise SystemExit(0)")):
        (folder / package).mkdir()
        (folder / package / "__init__.py").write_text(code)
    assert words in said(capsys, 2, "solve", "hand-contend", "--method", method)


@pytest.mark.usefixtures("folder")
def test_an_exception_shows_the_lines_of_its_own_code(capsys: pytest.CaptureFixture[str]) -> None:
    text = said(capsys, 1, "solve", "hand-contend", "--method", "mine.py:failing")
    assert text.splitlines() == [
        "error: mine.py:failing raised ZeroDivisionError: division by zero",
        "  mine.py, line 35, in failing: return wrong(instance)",
        "  beside.py, line 7, in wrong: return 1 / 0",
    ]


@pytest.mark.usefixtures("folder")
def test_a_module_is_found_where_one_stands(capsys: pytest.CaptureFixture[str]) -> None:
    row = json.loads(said(capsys, 0, "solve", "hand-contend", "--json", "--method", "mine:in_turn"))
    assert row["method"] == "mine:in_turn"


@pytest.mark.usefixtures("folder")
def test_compare_and_whatif_take_it(capsys: pytest.CaptureFixture[str]) -> None:
    methods = "mine.py:small_first,mine.py:failing,gang-lpt"
    shown = said(capsys, 1, "compare", "hand-contend", "--methods", methods)
    assert "mine.py:failing      -       error" in shown
    text = said(
        capsys, 0, "whatif", "tiny-trace-03x1", "--policies", "mine.py:shortest,fifo", "--out", "w"
    )
    assert "mine.py:shortest" in text


@pytest.mark.slow
@pytest.mark.usefixtures("folder")
def test_a_reproduction_takes_it_beside_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    words = "reproduce", "mobihoc", "--smoke", "--figure", "4", "--method"
    text = said(capsys, 0, *words, "mine.py:small_first")
    assert "| mine.py:small\\_first | sjf-bco | 1 |" in text
    assert "| mine.py:small\\_first | proved bound | " in text


@pytest.mark.usefixtures("folder")
def test_a_reproduction_takes_no_method_of_another_family(
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = "reproduce", "mobihoc", "--smoke", "--figure", "4", "--method"
    assert "a method for makespan" in said(capsys, 2, *words, "mine.py:shortest")
    everything = "reproduce", "all", "--smoke", "--method", "mine.py:shortest"
    assert "one reproduction" in said(capsys, 2, *everything)


def test_code_that_a_method_reaches_changes_its_digest_and_no_other(folder: Path) -> None:
    file = folder / "mine.py"
    names = ("small_first", "in_turn", "failing")

    def digests() -> dict[str, str]:
        return {name: digest_of(file, name) for name in names}

    before = digests()
    file.write_text(MINE.replace("The smallest ring first.", "Small ones.") + "\n# a remark\n")
    assert digests() == before
    file.write_text(MINE.replace("left -= min", "left -= 1 * min"))
    after = digests()
    assert [name for name in names if after[name] != before[name]] == ["in_turn"]
    file.write_text(MINE)
    (folder / "beside.py").write_text(BESIDE.replace("return 0", "return 1"))
    after = digests()
    assert [name for name in names if after[name] != before[name]] == ["small_first", "failing"]


def test_a_file_that_has_changed_is_loaded_anew(folder: Path) -> None:
    first = find_method("mine.py:in_turn", "makespan")
    assert find_method("mine.py:in_turn", "makespan") == first or first.name == "mine.py:in_turn"
    instance = ringyard.load("hand-contend")
    early = ringyard.solve(instance, "mine.py:in_turn").objective
    (folder / "mine.py").write_text(MINE.replace("gap=1000", "gap=5000"))
    late = ringyard.solve(instance, "mine.py:in_turn").objective
    assert early is not None
    assert late is not None
    assert late > early


def test_it_is_given_what_it_asks_for() -> None:
    seen = {}

    @policy("makespan")
    def asking(now: Any, waiting: Any, idle: Any, running: Any, rng: Any, instance: Any) -> Any:
        seen[now] = [job.name for job in waiting], dict(idle), len(running), rng.random() < 1
        return {job: {"s0": job.gpus} for job in waiting if idle["s0"] >= job.gpus}

    instance = ringyard.load("hand-contend")
    with pytest.raises(MethodError, match="starts none of 2 waiting jobs"):
        ringyard.solve(instance, asking)  # Rings of three GPUs never fit on one server of two.
    assert find_method(asking, "makespan").random
    assert seen[0][2] == 0


def test_a_ring_is_offered_servers_of_one_kind_of_gpus() -> None:
    """The first of two equal jobs takes the fast server, and the second the slow ones."""

    @policy("makespan")
    def fitting(waiting: Any, idle: Any) -> Any:
        for job in waiting:
            if pieces := idle.fit(job):
                yield job, pieces

    @policy("makespan")
    def mixing(waiting: Any) -> Any:
        return [(waiting[0], {"fast": 1, "slow": 1})]

    ring = {"gpus": 2, "iterations": 2, "backward_s": 1, "speeds": [{"gpu": "k80", "speed": 0.5}]}
    servers = {name: {"gpus": 1, "gpu": "k80"} for name in ("slow", "old")}
    servers["fast"] = {"gpus": 2, "gpu": "v100"}
    instance = ringyard.makespan({"a": ring, "b": ring}, servers)
    found = ringyard.solve(instance, fitting)
    assert found.schedule is not None
    assert [dict(one.gpus) for one in found.schedule.assignments] == [
        {"fast": 2},
        {"old": 1, "slow": 1},
    ]
    assert found.verdict is not None
    assert (found.verdict.valid, found.verdict.makespan) == (True, 4)
    with pytest.raises(MethodError, match="expected servers of one kind of GPUs"):
        ringyard.solve(instance, mixing)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (3, "gave 3"),
        ("plan", "gave 'plan'"),
        ({"j0": 3}, "for job 'j0'"),
        ({"j0": (0, 3)}, "{server: gpus}"),
        ({"j0": (-1, {"s0": 1})}, "a start of 0 or more"),
        ({"j0": ("soon", {"s0": 1})}, "a start of 0 or more"),
        ({"j0": (0, {"s0": 1.5})}, "a number of GPUs"),
        ([("j0",)], "expected"),
    ],
)
def test_rubbish_is_said_to_be_rubbish(given: Any, words: str) -> None:
    with pytest.raises(MethodError, match=words.replace("{", r"\{")):
        ringyard.solve(ringyard.load("hand-contend"), lambda instance: given)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ([("nobody", {"s0": 1})], "a waiting job"),
        ([("a", {"s0": 99})], "GPUs that are idle"),
        ([("a", {"s9": 1})], "which has no 's9'"),
        ([("a", None)], "(leave the job out if it does not fit)"),
        (
            [("a", {"s0": 3, "s1": 1}), ("b", {"s0": 3, "s1": 1})],
            "but not earlier items of a list",
        ),
        ([("a", {})], "4 GPUs for job 'a'"),
        (None, "starts none of .* at slot 0"),
        ([], "starts none of .* at slot 0"),
        (5, "a pair of"),
    ],
)
def test_a_policy_that_starts_what_cannot_start_is_stopped(given: Any, words: str) -> None:
    asked = policy("makespan")(lambda waiting: given)
    with pytest.raises(MethodError, match=words):
        ringyard.solve(ringyard.load("hand-contend"), asked)


def test_what_is_told_is_kept_on_an_interrupt() -> None:
    def interrupted(instance: Any, tell: Any) -> Any:
        tell(ringyard.solve(instance, "gang-lpt").schedule)
        raise KeyboardInterrupt

    answer = ringyard.solve(ringyard.load("hand-contend"), interrupted)
    assert answer.valid
    assert answer.outcome.termination == "interrupted"


def test_who_asks_for_a_start_is_given_one() -> None:
    def again(instance: Any, start: Any) -> Any:
        return start or ringyard.solve(instance, "gang-lpt").schedule

    instance = ringyard.load("hand-contend")
    first = ringyard.solve(instance, again)
    second = ringyard.solve(instance, again, start=first.schedule)
    assert second.objective == first.objective
    assert "no better schedule" in second.outcome.note
    with pytest.raises(RefusedError, match="cannot use a start"):
        ringyard.solve(instance, lambda instance: None, start=first.schedule)


def test_it_may_refuse_in_advance_and_give_nothing() -> None:
    def nothing(instance: Any) -> None:
        return None

    assert (
        "nothing gave no plan" in ringyard.solve(ringyard.load("hand-spread"), nothing).outcome.note
    )
    nothing.refuses = lambda instance: "too dull"  # type: ignore[attr-defined]
    with pytest.raises(RefusedError, match="too dull"):
        ringyard.solve(ringyard.load("hand-spread"), nothing)


def test_traits_and_parameters_that_there_are_not_are_refused() -> None:
    with pytest.raises(InputError, match="Did you mean 'preempts'"):
        find_method(policy("trace", preempt=False)(lambda job: 1), "trace")
    with pytest.raises(InputError, match="Did you mean 'waiting'"):
        find_method(policy("makespan")(lambda waitin: 1), "makespan")
    with pytest.raises(InputError, match=r"write @ringyard\.policy\(FAMILY\)"):
        find_method(lambda waiting, idle: 1, "makespan")
    with pytest.raises(InputError, match="the instance has the lengths of jobs"):
        ringyard.solve(ringyard.load("tiny-trace-03x1"), policy("trace")(lambda job, instance: 1))
    with pytest.raises(InputError, match="a class has attributes"):
        find_method(policy("trace", information="full")(type("Mine", (InTurn,), {})), "trace")
    with pytest.raises(InputError, match="has no policies"):
        find_method(policy("coded")(lambda job: 1), "coded")


def test_a_policy_of_traces_sees_no_more_than_it_declares() -> None:
    asked = policy("trace")(lambda job: job.remaining)
    with pytest.raises(MethodError, match=r"'remaining', .*information='full'"):
        ringyard.solve(ringyard.load("tiny-trace-03x1"), asked)


class InTurn(TraceDecider):
    """Let jobs run that came first, or last, and fit."""

    def __init__(self, last_first: bool = False) -> None:
        self.last_first = last_first

    def begin(self, setting: TraceSetting) -> None:
        """Look at the cluster."""
        self.gpus = setting.gpus

    def decide(self, jobs: Any, cluster: Any) -> dict[int, GrantedGpus]:
        """Give each the GPUs that it wants."""
        held, free = {}, self.gpus
        for job in reversed(jobs) if self.last_first else jobs:
            if job.gpus <= free:
                held[job.number], free = GrantedGpus(job.gpus), free - job.gpus
        return held


def test_a_class_of_policies_may_be_declared_as_one() -> None:
    declared, instance = policy("trace")(type("Declared", (InTurn,), {})), "tiresias-example"
    found = []
    for last_first in (False, True):
        plain, marked = (
            ringyard.solve(ringyard.load(instance), partial(one, last_first=last_first))
            for one in (InTurn, declared)
        )
        assert marked.valid
        assert marked.schedule.jobs == plain.schedule.jobs
        found.append(marked.schedule.jobs)
    assert found[0] != found[1]
    assert ringyard.solve(ringyard.load(instance), declared).schedule.jobs == found[0]


def test_policies_of_traces_are_those_that_we_have() -> None:
    """First come, first served, without overtaking, and the shortest first, against ours."""
    for name in ("tiny-trace-03x1", "tiny-trace-04x2", "tiresias-example"):
        instance = ringyard.load(name)
        fifo = policy("trace", preempts=False, overtakes=False)(lambda job: job.arrival)
        mine, ours = (ringyard.solve(instance, one).objective for one in (fifo, "fifo"))
        assert mine == ours
        assert instance.gpus


@pytest.mark.parametrize("kind", FAMILIES)
def test_what_is_written_to_begin_with_keeps_what_a_method_promises(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from ringyard.testing import check_method

    monkeypatch.chdir(tmp_path)
    said(capsys, 0, "new", "method", "fresh", "--family", kind)
    assert check_method("fresh.py:fresh", kind, draws=2).runs
    assert "check_method(fresh" in (tmp_path / "test_fresh.py").read_text()
    assert "Choose another name" in said(capsys, 2, "new", "method", "fresh", "--family", kind)


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (("method", "my-own"), "a valid Python name"),
        (("method", "own", "--family", "makspan"), "Did you mean 'makespan'?"),
        (("method", "own", "--out", "nowhere"), "Create it first"),
    ],
)
def test_what_cannot_be_written_is_an_input_error(
    words: tuple[str, ...], shown: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert shown in said(capsys, 2, "new", *words)


def test_a_part_of_a_policy_is_one_too() -> None:
    """With an option set, it decides as the policy does with it."""

    @policy("makespan")
    def mine(waiting: Any, idle: Any, widest_first: bool = True) -> Any:
        for job in sorted(waiting, key=lambda job: job.gpus, reverse=widest_first):
            if pieces := idle.fit(job):
                yield job, pieces

    instance = ringyard.load("small-06x3")
    answers = [ringyard.solve(instance, one) for one in (partial(mine, widest_first=False), mine)]
    assert all(answer.valid for answer in answers)
    assert answers[0].schedule.assignments != answers[1].schedule.assignments


def test_an_object_with_run_is_a_method() -> None:
    class Whole:
        """Ours, by another name."""

        def run(self, instance: Any, request: Any) -> Outcome:
            found: Outcome = find_method("gang-lpt", "makespan").run(
                instance, request.limits, request.rng
            )
            return found

    answer = ringyard.solve(ringyard.load("hand-spread"), Whole())
    assert answer.valid
    assert isinstance(answer.method, Method)
    assert answer.method.about == "Ours, by another name"


@pytest.mark.usefixtures("folder")
def test_a_list_shows_its_options_and_what_it_says_of_itself(
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = "--kind", "mine.py:small_first", "--json"
    (row,) = json.loads(said(capsys, 0, "list", "methods", *words))["methods"]
    assert (row["about"], row["source"]) == ("The smallest ring first", "file: mine.py")
    options = json.loads(said(capsys, 0, "list", "options", *words))["options"]
    shown = {one["option"]: (one["default"], one["values"]) for one in options}
    assert shown["reverse"] == ('"no"', "'no' or 'yes'")
    assert shown["cut"] == ("3", "an integer")


def test_a_neighbour_is_the_one_beside_the_file(tmp_path: Path) -> None:
    for name, value in (("one", 1), ("two", 2)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "shared.py").write_text(f"VALUE = {value}\n")
        (tmp_path / name / "own.py").write_text(
            "from shared import VALUE\n\n\ndef value(instance):\n    return VALUE\n"
        )
    for name, value in (("one", 1), ("two", 2), ("one", 1)):
        with pytest.raises(MethodError, match=f"gave {value} "):
            ringyard.solve(ringyard.load("hand-spread"), f"{tmp_path}/{name}/own.py:value")


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("def f(instance, k=[1]):\n    return None", "a default that is a number"),
        ("def f(instance, k=None):\n    return None", "k: float | None = None"),
        ("def f(*args):\n    return None", "Leave out stars and slashes"),
        ("def f(instance, k, /):\n    return None", "Leave out stars and slashes"),
        ("def f():\n    return None", "Use the parameter"),
        ("class f:\n    def run(self, instance): ...", "Make it an object: NAME = f()"),
        ('@policy("makspan")\ndef f(waiting):\n    return None', "Did you mean 'makespan'?"),
        ("@policy\ndef f(waiting):\n    return None", '@policy("makespan")'),
    ],
)
def test_mistakes_in_a_signature_are_said(code: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "slip.py").write_text(f"from ringyard import policy\n\n\n{code}\n")
    with pytest.raises(InputError) as error:
        find_method(f"{tmp_path}/slip.py:f", "makespan")
    assert words in str(error.value)
    assert "\\n" not in str(error.value)


def test_options_are_what_their_parameters_say(tmp_path: Path) -> None:
    seen = []

    def f(
        instance: Any, g: float = 12, k: float | None = None, name: str = "x", yes: bool = False
    ) -> None:
        seen.append((g * 0.5, k, name, yes))

    method = find_method(f, "makespan")
    instance = ringyard.load("hand-spread")
    ringyard.solve(instance, method)
    code = "def f(instance, k: float | None = None):\n    raise LookupError(repr(k))\n"
    (tmp_path / "f.py").write_text(code)
    with pytest.raises(MethodError, match=r"LookupError: 4\.0"):
        ringyard.solve(instance, f"{tmp_path}/f.py:f:k=4")
    with pytest.raises(InputError, match="a number or null"):
        ringyard.solve(instance, f"{tmp_path}/f.py:f:k=four")
    assert seen == [(6.0, None, "x", False)]


@pytest.mark.parametrize("start", [0, 0.0, np.int64(0), np.float64(0), Fraction(0), Decimal(0)])
def test_numbers_of_any_sort_are_numbers(start: Any) -> None:
    instance = ringyard.load("hand-contend")
    found = ringyard.solve(instance, lambda one: {"a": (start, {"s0": np.int64(2), "s1": 2})})
    assert found.schedule.assignments[0].start_slot == 0
    with pytest.raises(MethodError, match="a whole slot"):
        ringyard.solve(instance, lambda one: {"a": (0.7, {"s0": 4})})


def test_one_pair_may_be_returned_as_it_is_and_alone_says_what_a_job_takes() -> None:
    seen = {}

    @policy("makespan")
    def first(waiting: Any, idle: Any, alone: Any) -> Any:
        seen.update(alone)
        pieces = idle.fit(waiting[0])
        return (waiting[0], pieces) if pieces else None

    assert ringyard.solve(ringyard.load("hand-spread"), first).valid
    assert set(seen) == {job.name for job in ringyard.load("hand-spread").jobs}


def test_what_was_told_before_an_exception_is_kept() -> None:
    def unlucky(instance: Any, tell: Any) -> Any:
        tell(ringyard.solve(instance, "gang-lpt").schedule)
        raise LookupError("no luck")

    answer = ringyard.solve(ringyard.load("hand-spread"), unlucky)
    assert answer.valid
    assert "LookupError: no luck" in answer.outcome.note


def test_an_error_that_cannot_say_what_it_is_is_named() -> None:
    class MuteError(Exception):
        def __str__(self) -> str:
            raise RuntimeError

    def mute(instance: Any) -> Any:
        raise MuteError

    with pytest.raises(MethodError, match="raised MuteError"):
        ringyard.solve(ringyard.load("hand-spread"), mute)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"instance": "hand-spread"}, "ringyard.load"),
        ({"seed": "x"}, "seed"),
        ({"seed": -1}, "seed"),
        ({"threads": 0}, "threads"),
        ({"time_limit": -1}, "time_limit"),
    ],
)
def test_arguments_in_python_are_refused_as_on_the_command_line(
    given: dict[str, Any], words: str
) -> None:
    given = {"instance": ringyard.load("hand-spread"), **given}
    with pytest.raises(InputError, match=words):
        ringyard.solve(given.pop("instance"), **given)


def test_files_of_one_name_cannot_stand_beside_each_other(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("x", "y"):
        (folder / name).mkdir()
        (folder / name / "m.py").write_text("def f(instance):\n    return None\n")
    text = said(capsys, 2, "compare", "hand-spread", "--methods", "x/m.py:f,y/m.py:f")
    assert "Rename a file" in text
    (folder / "twins.toml").write_text(
        'format = "ringyard-campaign/1"\nname = "twins"\ninstances = ["hand-spread"]\n'
        'methods = ["x/m.py:f", "y/m.py:f"]\n'
    )
    assert "Rename a file" in said(capsys, 2, "run", "twins.toml", "--out", "twins")


def test_names_that_python_has_are_not_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("class", "json", "numpy"):
        words = "new", "method", name, "--out", str(tmp_path)
        assert "uses this name" in said(capsys, 2, *words)


def test_a_file_of_code_without_end_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.touch()
    os.truncate(file, 100 * 2**30)
    with pytest.raises(InputError, match="found more than 64 MiB"):
        find_method(f"{file}:mine", "makespan")


def test_a_function_of_traces_obeys_the_most_of_groups_and_a_class_says_if_it_does() -> None:
    """Of four GPUs, the jobs of g may hold two: its second job waits, and the other one runs."""
    jobs = [{"name": f"g{k}", "gpus": 2, "duration_s": 5, "group": "g"} for k in range(2)]
    jobs += [{"name": "other", "gpus": 2, "duration_s": 5}]
    instance = ringyard.trace(jobs, servers=[4], groups=[{"name": "g", "most": 2}])
    for overtakes in (True, False):
        asked = policy("trace", overtakes=overtakes)(lambda job: job.arrival)
        found = ringyard.solve(instance, asked)
        assert found.valid
        assert found.verdict.ends == {"g0": 5, "g1": 10, "other": 5}
    with pytest.raises(MethodError, match="group 'g' has `most`, which the method does not obey"):
        ringyard.solve(instance, InTurn)
    sure = type("Sure", (InTurn,), {"obeys_most": True})
    assert "most" in [one.rule for one in ringyard.solve(instance, sure).verdict.violations]
