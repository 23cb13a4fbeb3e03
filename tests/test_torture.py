"""A sample of each part of `benchmarks/torture.py`, and its frame."""

import json
import sys
from collections.abc import Iterator
from dataclasses import is_dataclass
from pathlib import Path
from typing import Any

import pytest

from ringyard.instances import RingJob
from ringyard.instances.reading.files import INSTANCES
from ringyard.instances.reading.vocabulary import Shape, entity_fields

sys.path.append(str(Path(__file__).parents[1] / "benchmarks"))

import kills
import torture
import torture_instances


def rows(part: str, indices: range) -> list[torture.Row]:
    return [torture.trial(part, index) for index in indices]


def test_instances_are_solved_or_refused() -> None:
    found = rows("instances", range(30))
    assert not [row["fault"] for row in found if row["fault"]]
    assert {"optimal", "feasible"} <= {row["what"] for row in found}


def test_mutants_are_sound_or_refused() -> None:
    found = rows("mutants", range(100, 400))
    assert not [row["fault"] for row in found if row["fault"]]
    sorts = ("instance", "schedule", "campaign", "journal", "log")
    wanted = {f"{sort} {word}" for sort in sorts for word in ("sound", "refused")}
    wanted -= {
        "campaign sound",
        "journal refused",
    }
    assert {row["what"] for row in found} >= wanted


@pytest.mark.slow
def test_theorems_hold_on_random_runs() -> None:
    found = rows("certified", range(38))
    assert not [row["fault"] for row in found if row["fault"]]
    said = {word for row in found for word in row["what"].split(", ")}
    assert {"any-order holds", "optimal holds", "mds-bound holds", "list ascending"} <= said


def test_broken_logs_are_imported_or_refused() -> None:
    assert not [row["fault"] for row in rows("logs", range(20)) if row["fault"]]


@pytest.mark.slow
def test_what_fails_to_be_written_is_not_lost() -> None:
    found = [row for first in (0, 1, 2, 3) for row in rows("writes", range(first, 60, 10))]
    assert not [row["fault"] for row in found if row["fault"]]
    assert {row["what"][-1] for row in found} == {"0", "2"}


@pytest.mark.slow
def test_interrupted_commands_end_well() -> None:
    assert not [row["fault"] for row in rows("interrupts", range(3, 5)) if row["fault"]]


@pytest.mark.slow
def test_a_killed_campaign_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    kills._reference.cache_clear()
    monkeypatch.setattr(kills, "CAMPAIGN", kills.CAMPAIGN.replace("small-0*", "small-0[34]x2"))
    assert torture.trial("kills", 0)["fault"] is None


def test_whatever_a_trial_raises_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(torture.PARTS, "broken", ("json:loads", 3))
    row = torture.trial("broken", 7)
    assert (row["part"], row["index"]) == ("broken", 7)
    assert row["fault"].startswith("TypeError: the JSON object must be")


def test_shards_and_logs_leave_nothing_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[int] = []

    def trial(part: str, index: int, _: float) -> torture.Row:
        done.append(index)
        fault, reason = ("bad 17", None) if index == 4 else (None, "too large")
        return {"part": part, "index": index, "what": "", "fault": fault, "reason": reason}

    monkeypatch.setattr(torture, "trial", trial)
    log = tmp_path / "log.jsonl"
    words = ["mutants", "--count", "9", "--log", str(log)]
    torture.campaign(torture.arguments([*words, "--shard", "2/3"]))
    assert done == [1, 4, 7]
    found = torture.campaign(torture.arguments(words))
    assert sorted(done) == list(range(9))
    assert sorted(row["index"] for row in map(json.loads, log.read_text().splitlines())) == list(
        range(9)
    )
    lines = torture.table(found).splitlines()[2:]
    assert lines == [
        "| mutants | tried | 9 | |",
        "| mutants | failed | 1 | |",
        "| mutants | refused: too large | 8 | 0 |",
        "| mutants | failed: bad N | 1 | 4 |",
    ]


def test_a_process_that_dies_is_a_fault(tmp_path: Path) -> None:
    program = tmp_path / "dies.py"
    program.write_text(
        "import os, sys\nprint('{\"index\": %s}' % sys.argv[3], flush=True)\nos.abort()\n"
    )
    first, second, third = torture.chunk(str(program), sys.executable, "mutants", [3, 5, 8])
    assert (first, third) == ({"index": 3}, {"index": 8})
    assert (second["index"], second["what"]) == (5, "died")
    assert "exit code -6" in second["fault"]


@pytest.mark.slow
def test_instances_say_all_that_their_formats_can() -> None:
    missing = {what for entity in INSTANCES.values() for what in _sayable(entity, set())}
    # Jobs that run at slot 0 are drawn from cut plans: benchmarks/replan_cuts.py.
    missing.remove((RingJob, "held", False))
    for index in range(8000):
        if missing:
            missing.difference_update(_said(torture_instances.instance_of(index)))
    assert missing == set()


def _said(entity: Any) -> Iterator[tuple[Any, ...]]:
    """Yield the fields that an entity has at their default or not, and the words chosen."""
    yield (type(entity),)
    for name, field in entity_fields(type(entity)).items():
        value = getattr(entity, name)
        yield type(entity), name, not field.required and value == field.default
        if field.shape.kind == "choice":
            yield type(entity), name, value
        for one in value if isinstance(value, tuple) else (value,):
            if is_dataclass(one):
                yield from _said(one)


def _sayable(entity: Any, known: set[Any]) -> Iterator[tuple[Any, ...]]:
    """Yield all that entities of a type can say, but for what only describes the file."""
    if entity in known:
        return
    known.add(entity)
    yield (entity,)
    about = getattr(entity, "ABOUT", ())
    for name, field in entity_fields(entity).items():
        for inner in _inner(field.shape):
            yield from _sayable(inner.entity, known)
        if len(field.shape.choices) == 1 or name in about:
            continue
        yield from ((entity, name, word) for word in field.shape.choices)
        yield from ((entity, name, usual) for usual in (False, *([] if field.required else [True])))


def _inner(shape: Shape) -> Iterator[Shape]:
    if shape.kind == "object":
        yield shape
    for one in shape.inner:
        yield from _inner(one)
