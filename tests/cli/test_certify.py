"""`ringyard certify`: certificates of named instances, made, checked, and gone on with."""

import gzip
import json
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from ringyard.analysis.check.certificates.makespan import every
from ringyard.campaigns import certifying
from ringyard.campaigns.certifying import (
    CertifiedInstance,
    ClaimReach,
    by_family,
    by_rule,
    lacking,
    sentences,
)
from ringyard.cli import certify as command
from ringyard.instances import Bound, RefusedError
from ringyard.instances.catalogue import entries

Ringyard = Callable[..., Any]

NAMES = ("hand-lpt", "hand-exclusion", "hand-timing-continuous")
"""Of the first two counting proves the optimum; of the third a note does, which is no proof."""


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Note which instances are certified anew."""
    names: list[str] = []

    def noting(entry: Any, *given: Any) -> CertifiedInstance:
        names.append(entry.name)
        return real(entry, *given)

    real = certifying.certify
    monkeypatch.setattr(certifying, "certify", noting)
    return names


def test_what_is_written_is_what_check_accepts(ringyard: Ringyard, tmp_path: Path) -> None:
    done = ringyard("certify", *NAMES, "--out", tmp_path, "--json")
    assert done.code == 0
    rows = {row["instance"]: row for row in done.json["instances"]}
    assert [*rows] == sorted(NAMES, key=[*entries()].index)
    assert [rows[name]["proves"] for name in NAMES] == ["optimum", "optimum", "less"]
    assert rows[NAMES[2]]["why"] == "by an argument in the notes of the instance"
    for name in NAMES:
        path = tmp_path / "certificates" / f"{name}.jsonl.gz"
        assert path.stat().st_size == rows[name]["size"]
        checked = ringyard("check", name, path, "--json")
        assert checked.code == 0
        assert checked.json["certificate"]["claim_exact"] == rows[name]["claim"]


def test_what_only_a_search_proves_is_searched_by_the_checker(
    ringyard: Ringyard, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def asked() -> dict[str, Any]:
        done = ringyard(
            "certify", "hand-spread", "--out", tmp_path / str(every.MOST_WORK), "--json"
        )
        row: dict[str, Any] = done.json["instances"][0]
        return row

    row = asked()
    assert (row["proves"], row["rules"]) == ("optimum", ["every schedule"])
    monkeypatch.setattr(every, "MOST_WORK", 10)
    row = asked()
    assert row["proves"] == "less"
    assert row["why"] == "by enumeration, a search without a log"


def test_it_goes_on_where_it_was(
    ringyard: Ringyard, tmp_path: Path, asked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(folder: Path, row: CertifiedInstance) -> None:
        if row.instance == NAMES[2]:
            raise KeyboardInterrupt
        real(folder, row)

    real = command.keep
    monkeypatch.setattr(command, "keep", interrupted)
    names = sorted(NAMES, key=[*entries()].index)
    stopped = ringyard("certify", *NAMES, "--out", tmp_path)
    assert stopped.code == 130
    assert f"{names.index(NAMES[2])} of 3. Rerun the command to resume." in stopped.err
    monkeypatch.setattr(command, "keep", real)
    known = [*asked[:-1]]
    asked.clear()
    done = ringyard("certify", *NAMES, "--out", tmp_path)
    assert done.code == 0
    assert asked == [name for name in names if name not in known]
    asked.clear()
    again = ringyard("certify", *NAMES, "--out", tmp_path)
    assert (again.code, asked) == (0, [])
    assert again.out == done.out
    assert "3 of 3 were already certified" in again.err


@pytest.mark.parametrize("damage", ["certificate", "no certificate", "row", "code", "limit"])
def test_what_no_longer_holds_is_done_again(
    ringyard: Ringyard, tmp_path: Path, asked: list[str], damage: str
) -> None:
    words = ("certify", "hand-lpt", "--out", tmp_path)
    assert ringyard(*words).code == 0
    asked.clear()
    proof, row = tmp_path / "certificates/hand-lpt.jsonl.gz", tmp_path / "rows/hand-lpt.json"
    if damage == "certificate":
        text = gzip.decompress(proof.read_bytes()).replace(b'"9"', b'"8"')
        proof.write_bytes(gzip.compress(text))
    elif damage == "no certificate":
        proof.unlink()
    elif damage == "row":
        row.write_bytes(row.read_bytes()[:-9])
    elif damage == "code":
        row.write_text(json.dumps({**json.loads(row.read_text()), "code": "0"}))
    else:
        words = (*words, "--time-limit", "3")
    assert ringyard(*words).code == 0
    assert asked == ["hand-lpt"]
    assert ringyard("check", "hand-lpt", proof).code == 0


def test_a_false_bound_is_refused_and_named(
    ringyard: Ringyard, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def higher(*given: Any) -> list[Bound]:
        return [replace(bound, value=bound.value + 1) for bound in real(*given)]

    real = certifying._bounds
    monkeypatch.setattr(certifying, "_bounds", higher)
    done = ringyard("certify", "hand-lpt", "--out", tmp_path)
    assert done.code == 1
    assert "REFUSED at line 1: it claims at least 10" in done.out
    assert "0 certificates accepted, 1 refused" in done.out


def test_what_has_no_proof_or_no_bound_says_why(
    ringyard: Ringyard, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def bare(*given: Any) -> list[Bound]:
        return [replace(bound, proof=None) for bound in real(*given)]

    def none(*given: Any) -> list[Bound]:
        raise RefusedError("too large to be bounded")

    real = certifying._bounds
    for bounds, said in (bare, "no proof of area"), (none, "too large to be bounded"):
        monkeypatch.setattr(certifying, "_bounds", bounds)
        done = ringyard("certify", "hand-lpt", "--out", tmp_path / said[:2], "--json")
        (row,) = done.json["instances"]
        assert done.code == 0
        assert (row["proves"], row["claim"]) == ("none", None)
        assert row["why"].startswith(said)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("hand-lp",), "Did you mean"),
        (("broken-nan",), "a catalogue name, or a pattern that matches some"),
        (("--time-limit", "0"), "--time-limit: found 0"),
        (("hand-lpt", "--docs", "docs"), "expected the whole catalogue"),
        (("--docs", "nowhere"), "the folder of the pages"),
    ],
)
def test_what_cannot_be_asked_is_refused(
    ringyard: Ringyard, tmp_path: Path, words: tuple[str, ...], said: str
) -> None:
    done = ringyard("certify", *words, "--out", tmp_path / "out")
    assert done.code == 2
    assert said in done.err
    assert not (tmp_path / "out").exists()


def row(claim: str | None, **other: Any) -> CertifiedInstance:
    """Return what came of an instance of which 9 is known, and at least 7 on record."""
    known: dict[str, Any] = {
        "instance": "some",
        "digest": "d",
        "family": "makespan",
        "time_limit": 1.0,
        "best": "9",
        "record": "7",
        "claim": claim,
        "accepted": claim is not None,
    }
    return CertifiedInstance(**{**known, **other})


@pytest.mark.parametrize(
    ("given", "reach"),
    [
        (row("9"), ClaimReach.OPTIMUM),
        (row("8"), ClaimReach.RECORD),
        (row("7"), ClaimReach.RECORD),
        (row("6"), ClaimReach.LESS),
        (row(None), ClaimReach.NONE),
        (row("9", accepted=False), ClaimReach.NONE),
        (row("6", best=None, record=None), ClaimReach.RECORD),
        (row("10", family="online", record="12"), ClaimReach.RECORD),
        (row("13", family="online", record="12"), ClaimReach.LESS),
        (row(str(9 - Fraction(1, 10**12))), ClaimReach.OPTIMUM),  # Records have twelve decimals.
    ],
)
def test_how_far_a_claim_goes(given: CertifiedInstance, reach: ClaimReach) -> None:
    assert given.reach is reach


def test_counts_add_up() -> None:
    rows = [
        row("9", rules=("area",), size=100, checked_s=2.0, made_s=0.8),
        row("9", rules=("area",), instance="short", checked_s=0.003, made_s=0.001),
        row("6", rules=("loads",), size=300, checked_s=61.0, why="by a search"),
        row("3", rules=("each alone",), size=200, checked_s=1.0, family="online"),
        row(None, why="by a search", instance="other"),
    ]
    families = {line[0]: line[1:6] for line in by_family(rows).rows}
    assert families == {
        "makespan": (4, 2, 0, 1, 1),
        "online": (1, 0, 1, 0, 0),
        "all": (5, 2, 1, 1, 1),
    }
    assert [line[:3] for line in by_rule(rows).rows] == [
        ("makespan", "area", 2),
        ("makespan", "loads", 1),
        ("online", "each alone", 1),
    ]
    assert lacking(rows).rows == (("makespan", "by a search", "some, other"),)
    first, largest, slowest, longest = sentences(rows)
    assert "4 certificates accepted, 0 refused. 2 prove" in first
    assert "200 bytes packed, 1.0 s" in largest
    assert "300 bytes packed, 61.0 s" in slowest
    assert "2.50, on some" in longest
