"""Campaign files: the runs that they make, and what is said of faulty ones."""

import os
from pathlib import Path

import pytest

from ringyard.campaigns.plan import Plan, read_plan
from ringyard.instances import digest, save
from ringyard.instances.catalogue import entries, load
from ringyard.instances.errors import InputError
from ringyard.instances.generate import generate

HEAD = 'format = "ringyard-campaign/1"\nname = "try"\n'
SMALL = HEAD + 'instances = ["hand-lpt"]\nmethods = ["gang-lpt"]\n'


def plan(folder: Path, text: str) -> Plan:
    path = folder / "try.toml"
    path.write_text(text, encoding="utf-8")
    return read_plan(path)


def pairs(found: Plan) -> list[tuple[str, str]]:
    return [(run.instance.name, run.method) for run in found.runs]


def test_every_method_meets_every_instance(tmp_path: Path) -> None:
    text = HEAD + 'instances = ["hand-lpt", "small-0[45]*"]\nmethods = ["gang-lpt", "bound"]\n'
    found = plan(tmp_path, text)
    names = [name for name in entries() if name.startswith(("small-04", "small-05"))]
    assert sorted(pairs(found)) == sorted(
        (name, method) for name in ["hand-lpt", *names] for method in ("gang-lpt", "bound")
    )
    assert (found.name, found.text) == ("try", text)


def test_seeds_are_for_methods_that_draw_lots(tmp_path: Path) -> None:
    text = SMALL.replace('"gang-lpt"', '"gang-lpt", "random", "bound"')
    found = plan(tmp_path, text + "seeds = 3\nfirst_seed = 5\n")
    seeds = [(run.method, run.seed) for run in found.runs]
    assert seeds == [
        ("gang-lpt", 5),
        ("random", 5),
        ("random", 6),
        ("random", 7),
        ("bound", 5),
    ]


def test_limits_and_repetitions_reach_every_run(tmp_path: Path) -> None:
    limits = "repetitions = 2\nthreads = 2\nhorizon = 30\ntime_limit = 1.5\ncpu_limit = 9\n"
    found = plan(tmp_path, SMALL + limits + "memory_limit = 700\n")
    assert [run.repetition for run in found.runs] == [0, 1]
    for run in found.runs:
        assert (run.threads, run.horizon, run.time_limit) == (2, 30, 1.5)
        assert (run.cpu_limit, run.memory_limit) == (9.0, 700.0)


def test_a_run_without_a_limit_gets_a_minute(tmp_path: Path) -> None:
    assert [run.time_limit for run in plan(tmp_path, SMALL).runs] == [60.0]


def test_parts_take_from_the_top_what_they_lack(tmp_path: Path) -> None:
    text = SMALL + "time_limit = 7\n[[parts]]\n[[parts]]\nmethods = ['random']\ntime_limit = 2\n"
    found = plan(tmp_path, text)
    assert [(run.method, run.time_limit) for run in found.runs] == [("gang-lpt", 7), ("random", 2)]


def test_what_two_parts_ask_for_is_one_run(tmp_path: Path) -> None:
    assert len(plan(tmp_path, SMALL + "[[parts]]\n[[parts]]\n").runs) == 1


NODES = (
    "[[nodes]]\nname = 'a'\ntype = 'solve'\ninstances = ['hand-lpt']\nmethods = ['random']\n"
    "seeds = 2\n[[nodes]]\nname = 'b'\ntype = 'bound'\ninstances = ['hand-lpt']\n"
)


def test_nodes_that_need_no_others_are_parts(tmp_path: Path) -> None:
    parts = (
        "[[parts]]\ninstances = ['hand-lpt']\nmethods = ['random']\nseeds = 2\n"
        "[[parts]]\ninstances = ['hand-lpt']\nmethods = ['bound']\n"
    )
    head = HEAD + "time_limit = 7\n"
    old, new = (plan(tmp_path, head + text).runs for text in (NODES, parts))
    assert [run.key for run in old] == [run.key for run in new]
    assert len(old) == 3


@pytest.mark.parametrize(
    "more",
    [
        "needs = ['a']\n",
        "may_fail = 2\n",
        "[[nodes]]\nname = 'c'\ntype = 'generate'\nfamily = 'small'\n",
        "[[nodes]]\nname = 'c'\ntype = 'verify'\nneeds = ['a']\n",
        "[[nodes]]\nname = 'c'\n",
        "[[parts]]\n",
    ],
)
def test_other_nodes_are_refused_with_the_page_on_scripts(more: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"nodes: found .*script: docs/howto/campaign-graphs\.md"):
        plan(tmp_path, HEAD + NODES + more)


@pytest.mark.parametrize("nodes", ["nodes = 3\n", "nodes = [1, 2]\n", "nodes = 'solve'\n"])
def test_what_is_no_list_of_nodes_is_refused(nodes: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="nodes: found"):
        plan(tmp_path, HEAD + nodes)


def test_instances_are_drawn(tmp_path: Path) -> None:
    text = HEAD + 'methods = ["gang-lpt"]\n[[generate]]\nfamily = "small"\nseeds = 2\n'
    found = plan(tmp_path, text + 'first_seed = 4\nset = ["jobs=5"]\n')
    drawn = [generate("small", seed=seed, jobs=5) for seed in (4, 5)]
    assert [digest(run.instance) for run in found.runs] == [digest(one) for one in drawn]


def test_files_are_found_beside_the_campaign(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    save(load("hand-area"), tmp_path / "mine" / "one.json")
    text = SMALL.replace('"hand-lpt"', '"mine/*.json"')
    assert pairs(plan(tmp_path, text)) == [("hand-area", "gang-lpt")]
    whole = SMALL.replace('"hand-lpt"', f'"{tmp_path}/mine/one.json"')
    assert pairs(plan(tmp_path, whole)) == [("hand-area", "gang-lpt")]
    assert pairs(plan(tmp_path, whole.replace("one", "*"))) == [("hand-area", "gang-lpt")]


def test_a_file_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    assert pairs(plan(tmp_path, "\ufeff" + SMALL)) == [("hand-lpt", "gang-lpt")]


def test_methods_meet_instances_of_their_family(tmp_path: Path) -> None:
    text = (
        HEAD + 'instances = ["hand-lpt", "pdors-small-*"]\nmethods = ["gang-*", "drf", "bound"]\n'
    )
    found = pairs(plan(tmp_path, text))
    assert {method for name, method in found if name == "hand-lpt"} == {"gang-lpt", "bound"}
    assert {method for name, method in found if name != "hand-lpt"} == {"drf", "bound"}


def test_options_are_those_of_the_family_of_the_instances(tmp_path: Path) -> None:
    """Two families have a method `fifo`; only one of them knows placements."""
    text = HEAD + 'instances = ["tiny-trace-03x1"]\nmethods = ["fifo:placement=spread"]\n'
    assert pairs(plan(tmp_path, text)) == [("tiny-trace-03x1", "fifo:placement=spread")]
    with pytest.raises(InputError, match="placement: found an unknown key"):
        plan(tmp_path, text.replace("tiny-trace-03x1", "hand-online-wait"))


def test_options_and_solvers_stand_behind_a_colon(tmp_path: Path) -> None:
    text = SMALL.replace('"gang-lpt"', '"sjf-bco:kappa=4", "linearised:scip"')
    assert [m for _, m in pairs(plan(tmp_path, text))] == ["sjf-bco:kappa=4", "linearised:scip"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("name = ", "expected a campaign file in TOML"),
        (SMALL + "sedes = 3\n", "sedes: found an unknown key .*Did you mean 'seeds'"),
        (SMALL + "seeds = 0\n", "seeds: found 0, expected an integer from 1"),
        (SMALL + 'time_limit = "5"\n', "time_limit: found '5', expected a number above 0"),
        (SMALL.replace("campaign/1", "campaign/2"), "format: found 'ringyard-campaign/2'"),
        (HEAD + 'methods = ["gang-lpt"]\n', "instances: found none, expected at least one"),
        (HEAD + 'instances = ["hand-lpt"]\n', "methods: found none, expected at least one"),
        (SMALL.replace("hand-lpt", "hand-lbt"), "Did you mean 'hand-lpt'"),
        (SMALL.replace("hand-lpt", "none/*.json"), "found 'none/\\*.json', expected a file"),
        (SMALL.replace("gang-lpt", "gang-ltp"), "Did you mean 'gang-lpt'"),
        (SMALL.replace("gang-lpt", "sjf-bco:kappa=x"), "kappa: found 'x'"),
        (SMALL.replace("gang-lpt", "linearised:hihgs"), "hihgs"),
        (
            SMALL.replace("gang-lpt", "drf"),
            "found 'drf', expected a method for the family",
        ),
        (SMALL + '[[generate]]\nfamily = "smal"\n', "Did you mean 'small'"),
        (SMALL + '[[parts]]\n[[parts]]\nmethods = ["drf"]\n', "run group 1: methods: found 'drf'"),
        (SMALL + f"seeds = {'9' * 5000}\n", "Exceeds the limit"),
        ("a = " + "[" * 9999, "recursion"),
        (SMALL.replace("hand-lpt", "a**b/*.json"), r"found 'a\*\*b/\*.json', expected a file"),
        (
            SMALL.replace('"try"', '"../try"'),
            r"name: found '../try', expected no / and no leading \.",
        ),
        (SMALL + '[[generate]]\nfamily = "small"\nset = ["seed=3"]\n', "found 'seed'. .*Remove it"),
    ],
)
def test_a_faulty_file_is_refused_with_the_place(text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=said):
        plan(tmp_path, text)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="found nothing, expected an existing file"):
        read_plan(tmp_path / "none.toml")


def test_a_file_without_end_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "zero.toml"
    path.symlink_to("/dev/zero")
    with pytest.raises(InputError, match="found more than 64 MiB"):
        read_plan(path)


def test_a_pipe_that_fits_a_pattern_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.json")
    with pytest.raises(InputError, match=r"pipe.json: file: found not a file"):
        plan(tmp_path, SMALL.replace("hand-lpt", "*.json"))


@pytest.mark.parametrize("text", ["1e999999999999999999999", "1e-999999999999999999999", "nan"])
def test_a_number_that_is_none_is_told_of_where_it_stands(text: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=f"time_limit: found {text}, expected a number "):
        plan(tmp_path, SMALL + f"time_limit = {text}\n")
