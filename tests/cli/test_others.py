"""`ringyard list, show, bound, generate, completion`."""

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ringyard.instances import digest
from ringyard.instances.catalogue import entries, load
from ringyard.instances.generate import presets
from ringyard.methods import all_methods


def test_list_names_everything(ringyard: Callable[..., Any]) -> None:
    shown = ringyard("list", "instances", "--json").json["instances"]
    good = [name for name, entry in entries().items() if not entry.problem]
    assert [row["name"] for row in shown] == good
    assert {m.name for m in all_methods()} == {
        row["name"] for row in ringyard("list", "methods", "--json").json["methods"]
    }
    assert set(presets()) == {
        row["name"] for row in ringyard("list", "families", "--json").json["families"]
    }


def test_list_open_names_what_is_not_proved(ringyard: Callable[..., Any]) -> None:
    rows = ringyard("list", "instances", "--open", "--json").json["instances"]
    still = {name for name, one in entries().items() if not (one.closed or one.problem)}
    assert {row["name"] for row in rows} == still
    gaps = [row["gap"] for row in rows if row["gap"] is not None]
    assert gaps == sorted(gaps, reverse=True)
    done = ringyard("list", "methods", "--open")
    assert done.code == 2
    assert "--open: found 'methods', expected instances" in done.err


def test_list_can_be_narrowed(ringyard: Callable[..., Any]) -> None:
    rows = ringyard("list", "--family", "tight", "--json").json["instances"]
    assert {row["name"].split("-")[0] for row in rows} == {"tight"}
    broken = ringyard("list", "--kind", "broken").out
    assert "broken-truncated" in broken
    assert ringyard("list", "bounds").err == (
        "No package has added a bound. `ringyard bound INSTANCE` prints Ringyard's own bounds. "
        "To add one, see docs/howto/write-a-plugin.md.\n"
    )
    names = [
        row["name"]
        for row in ringyard("list", "instances", "small-06*", "--json").json["instances"]
    ]
    assert set(names) == {name for name in entries() if name.startswith("small-06")}
    options = ringyard("list", "options", "srtf", "--json").json["options"]
    assert {row["method"] for row in options} == {"srtf"}
    assert (
        "no solvers with --kind makespan" in ringyard("list", "solvers", "--kind", "makespan").err
    )
    for words, said in (
        (("solvers", "higs"), "NAME: found 'higs', expected a name from `ringyard list solvers`"),
        (("options", "srft"), "Did you mean 'srtf'?"),
    ):
        refused = ringyard("list", *words)
        assert refused.code == 2
        assert said in refused.err
    unknown = ringyard("list", "--family", "tigh")
    assert unknown.code == 2
    assert "--family: found 'tigh', expected one of broken, coded" in unknown.err
    assert "Did you mean 'tight'?" in unknown.err


@pytest.mark.parametrize(
    "name", ["hand-theorem5", "small-06x3-fluid", "tight-half-s1", "tiny-trace-05x2-racks"]
)
def test_show_fits_a_screen(ringyard: Callable[..., Any], name: str) -> None:
    lines = ringyard("show", name).out.splitlines()
    assert len(lines) <= 45
    assert max(map(len, lines)) <= 110
    text = "\n".join(lines)
    assert load(name).jobs[0].name in text
    assert "best known" in text


def test_show_json_is_the_instance(ringyard: Callable[..., Any], tmp_path: Path) -> None:
    file = tmp_path / "copy.json"
    file.write_text(ringyard("show", "small-06x3", "--json").out)
    assert load(file) == load("small-06x3")


def test_bound_gives_the_best_and_all(ringyard: Callable[..., Any]) -> None:
    row = ringyard("bound", "mobihoc-20-s0", "--json").json
    assert row["bound"] == max(other["bound"] for other in row["all"])
    assert row["bound_kind"] == "combinatorial"
    assert row["digest"] == digest(load("mobihoc-20-s0"))
    assert str(row["bound"]) in ringyard("bound", "mobihoc-20-s0").out


def test_a_time_limit_brings_a_stronger_bound(ringyard: Callable[..., Any]) -> None:
    """Two rings that must share a server end at 7; counting uplinks says 5."""
    assert ringyard("bound", "hand-contend", "--json").json["bound"] == 5
    row = ringyard("bound", "hand-contend", "--time-limit", 3600, "--json").json
    assert (row["bound"], row["bound_kind"], row["name"]) == (7, "dual", "configurations")
    names = {one["name"] for one in row["all"]}
    assert names > {"configurations", "server configurations", "uplinks", "loads", "area"}
    assert [one["bound"] for one in row["all"]] == sorted(
        (one["bound"] for one in row["all"]), reverse=True
    )


def test_a_bound_that_does_not_apply_is_left_out_aloud(ringyard: Callable[..., Any]) -> None:
    done = ringyard("bound", "small-06x3-fluid", "--time-limit", 3600, "--json")
    assert (done.json["bound"], done.json["name"]) == (12, "loads")
    assert "configurations" not in {one["name"] for one in done.json["all"]}
    assert "left out" in done.err


SIZES = {
    "rental": "types=12",
    "coded": "workers=12",
    "shuffle": "workers=12",
    "transfers": "workers=12",
    "federated": "clients=12",
    "late-lists": "slots=12",
    "rising-values": "room=12",
}
"""An option of the generators of a kind, or of one of them, that has no jobs."""

FIXED = ("rental-two-types", "rental-pollux", "coded", "coded-pareto", "coded-bimodal")
"""Families that draw nothing."""


@pytest.mark.parametrize(
    "family",
    [
        pytest.param(name, marks=pytest.mark.slow if name.endswith("-large") else ())
        for name in presets()
    ],
)
def test_generate_is_deterministic(
    ringyard: Callable[..., Any], tmp_path: Path, family: str
) -> None:
    first, second, other = (tmp_path / f"{k}.json.gz" for k in range(3))
    for seed, file in ((1, first), (1, second), (2, other)):
        kind = presets()[family][1].build(0, "one").kind
        size = SIZES.get(family) or SIZES.get(kind, "jobs=12")
        words = ("generate", family, "--seed", seed, "--set", size, "--out", file)
        assert ringyard(*words, "--name", "same").code == 0
    assert first.read_bytes() == second.read_bytes()
    drawn = family not in FIXED
    assert (digest(load(first)) != digest(load(other))) == drawn


def test_generate_prints_without_a_file(ringyard: Callable[..., Any], tmp_path: Path) -> None:
    file = tmp_path / "out.json"
    file.write_text(ringyard("generate", "small", "--seed", 3, "--set", "share=0.25").out)
    assert str(load(file).contention.share) == "0.25"


@pytest.mark.parametrize(
    "shell", ["bash", *(pytest.param(one, marks=pytest.mark.slow) for one in ("zsh", "fish"))]
)
def test_completion_knows_every_command(ringyard: Callable[..., Any], shell: str) -> None:
    script = ringyard("completion", shell).out
    for command in ("list", "show", "solve", "check", "bound", "generate"):
        assert command in script
    assert "--time-limit" in script or "time-limit" in script
    if shell == "bash":
        subprocess.run(["bash", "-n"], input=script, text=True, check=True)


def test_version_and_help(ringyard: Callable[..., Any]) -> None:
    assert ringyard("--version").out.strip() == "ringyard 0.1.0"
    text = ringyard("--help").out
    for command in ("list", "show", "solve", "check", "bound", "generate", "completion"):
        assert f" {command} " in text
