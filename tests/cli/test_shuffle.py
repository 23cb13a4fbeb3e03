"""`ringyard shuffle`: rates, measured messages, and rows sent as bytes."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ringyard.analysis import shuffle as measure
from ringyard.instances import save
from ringyard.instances.generate import generate

Call = Callable[..., Any]


def test_a_setting_is_measured_and_sent(ringyard: Call) -> None:
    told = ringyard(
        "shuffle", "--rows", "200", "--workers", "5", "--multicast", "1.25", "--json"
    ).json
    (setting,) = told["settings"]
    assert (setting["cache"], setting["excess"]) == (72, 0.2)
    assert setting["uncoded_rate"] == 128
    assert setting["gain"] == pytest.approx(setting["uncoded_rate"] / setting["coded_rate"] / 1.25)
    assert setting["asymptotic_gain"] == pytest.approx(2 / 1.25)
    plain, padded, cover = told["sent"]["schemes"]
    assert plain["load"] > padded["load"] > cover["load"] >= told["sent"]["bound"]
    assert all(one["valid"] and not one["wrong"] for one in (plain, padded, cover))
    assert plain["sent_bytes"] == 64 * plain["messages"]


def test_a_sweep_is_a_table_in_files(ringyard: Call, tmp_path: Path) -> None:
    csv, latex = tmp_path / "rows.csv", tmp_path / "rows.tex"
    sweep = ("--workers", "4", "--sweep", "rows", "--values", "40,400", "--seeds", "3")
    shown = ringyard("shuffle", *sweep, "--csv", str(csv), "--latex", str(latex)).out
    assert "over coded" in shown
    assert len(csv.read_text().splitlines()) == 3
    assert "tab:shuffle" in latex.read_text()


def test_an_instance_is_sent(ringyard: Call, tmp_path: Path) -> None:
    path = tmp_path / "one.json"
    save(generate("tiny-shuffle", seed=1), path)
    shown = ringyard("shuffle", str(path), "--row-bytes", "5").out
    assert "rows of 5 random bytes" in shown
    assert "WRONG" not in shown


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--rows", "7"), "a multiple of the 10 workers"),
        (("--cache", "9"), "from 100, a worker's batch, to 1000"),
        (("--workers", "0"), "from 1 to 60"),
        (("--sweep", "rows"), "integers separated by commas"),
        (("--values", "5"), "--sweep as well"),
        (("--seeds", "0"), "at least 1"),
        (("--row-bytes", "1000000"), "at most"),
        (("--multicast", "0"), "above 0"),
        (("boa-two-types",), "'shuffle'"),
    ],
)
def test_what_cannot_be_meant_is_refused(ringyard: Call, words: tuple[str, ...], said: str) -> None:
    result = ringyard("shuffle", *words)
    assert result.code == 2
    assert said in result.err


def test_an_interrupt_shows_what_is_measured(
    ringyard: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    true = measure.counted

    def interrupted(epoch: Any) -> Any:
        if epoch.setting.rows == 60:
            raise KeyboardInterrupt
        return true(epoch)

    monkeypatch.setattr(measure, "counted", interrupted)
    words = ("--workers", "4", "--sweep", "rows", "--values", "40,60,80", "--seeds", "2")
    done = ringyard("shuffle", *words, "--json")
    assert done.code == 130
    assert [one["rows"] for one in done.json["settings"]] == [40]
    assert "interrupted: 1 of 3" in done.err
