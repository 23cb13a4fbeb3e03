"""A cluster as laboratories have them: three kinds of GPUs, each with its own uplinks."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from cli.conftest import Run

LAB = {
    "format": "ringyard/1",
    "kind": "makespan",
    "name": "lab",
    "cluster": {
        "servers": [
            {"name": "dgx0", "gpus": 8, "gpu": "a100"},
            {"name": "dgx1", "gpus": 8, "gpu": "a100"},
            {"name": "v0", "gpus": 4, "gpu": "v100", "uplink": 0.5},
            {"name": "v1", "gpus": 4, "gpu": "v100", "uplink": 0.5},
            {"name": "v2", "gpus": 4, "gpu": "v100", "uplink": 0.5},
            {"name": "old", "gpus": 4, "gpu": "k80", "uplink": 0.05},
        ],
        "intra_bandwidth_gb_s": 300,
        "inter_bandwidth_gb_s": 25,
        "reduce_gb_s": None,
    },
    "jobs": [
        {
            "name": "gpt2",
            "gpus": 16,
            "gpu": "a100",
            "iterations": 1000,
            "gradient_gb": 6,
            "backward_s": 2,
        },
        {
            "name": "bert",
            "gpus": 8,
            "gpu": "a100",
            "speeds": [{"gpu": "v100", "speed": 0.5}],
            "iterations": 1000,
            "gradient_gb": 1.25,
            "backward_s": 0.5,
        },
        {
            "name": "resnet",
            "gpus": 4,
            "gpu": "v100",
            "speeds": [{"gpu": "a100", "speed": 2.5}, {"gpu": "k80", "speed": 0.25}],
            "iterations": 3000,
            "gradient_gb": 0.1,
            "backward_s": 0.2,
        },
        {
            "name": "vgg",
            "gpus": 4,
            "gpu": "k80",
            "iterations": 600,
            "gradient_gb": 0.5,
            "backward_s": 1,
        },
    ],
    "slot_s": 60,
}
"""The exchange of gpt2 over both DGX takes 2 * 6 * 15/16 / 25 = 0.45 s, an iteration 2.45 s, and
the job 1000 * 2.45 / 60, which are 41 slots. Over two V100 servers bert takes 20 slots: 0.175 s for
the exchange on uplinks of 12.5 GB/s, and 1 s at half the speed. The others take 11 slots."""


@pytest.fixture
def lab(tmp_path: Path) -> Path:
    file = tmp_path / "lab.json"
    file.write_text(json.dumps(LAB))
    return file


def test_the_lab_is_solved_with_a_proof(lab: Path, ringyard: Callable[..., Run]) -> None:
    plan, proof = lab.with_name("plan.json"), lab.with_name("proof.jsonl")
    found = ringyard("solve", lab, "--method", "portfolio", "--out", plan, "--json").json
    assert (found["status"], found["objective"], found["bound"]) == ("optimal", 41, 41)
    checked = ringyard("check", lab, plan, "--json").json
    assert checked["valid"]
    assert checked["ends"] == {"gpt2": "41", "bert": "20", "resnet": "11", "vgg": "11"}
    assert ringyard("bound", lab, "--certificate", proof).code == 0
    assert "41" in ringyard("check", lab, proof).out


def test_the_lab_is_shown(lab: Path, ringyard: Callable[..., Run]) -> None:
    shown = ringyard("show", lab).out
    assert "kinds of GPUs: 16 a100 on 2 servers, 12 v100 on 3 servers, 4 k80 on 1 server" in shown
    assert "uplinks: 1 of it on 2 servers, 0.5 of it on 3 servers, 0.05 of it on 1 server" in shown
    assert "a100, v100, k80" in shown
    chart = lab.with_name("lab.svg")
    ringyard("solve", lab, "--method", "gang-lpt", "--gantt", chart)
    assert "dgx0 · 8 a100" in chart.read_text(encoding="utf-8")


def test_other_methods_say_what_they_lack(lab: Path, ringyard: Callable[..., Run]) -> None:
    refused = ringyard("solve", lab, "--method", "cp-sat")
    assert refused.code == 2
    assert (
        "its servers have several kinds of GPUs, so use portfolio, local-search or a" in refused.err
    )
