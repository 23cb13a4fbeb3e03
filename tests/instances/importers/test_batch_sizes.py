"""Batch sizes of Shockwave's jobs, and the time of their epochs."""

from collections.abc import Iterator
from fractions import Fraction
from math import ceil
from pathlib import Path
from typing import Any

import pytest
from foreign_texts import SHOCKWAVE

from ringyard.instances.importers.batch_sizes import (
    DOUBLINGS,
    EXAMPLES,
    LARGEST,
    MODES,
    Stretch,
    seconds_of,
    stretches_of,
)

LM, R50 = "LM (batch size 10)", "ResNet-50 (batch size 64)"


def steps_of(epochs: int, kind: str) -> int:
    """Return the steps of whole epochs."""
    model, _, batch = kind.partition(" (batch size ")
    return epochs * ceil(EXAMPLES[model] / int(batch[:-1]))


@pytest.mark.parametrize(
    ("kind", "gpus", "mode", "epochs", "stretches"),
    [
        # The lists that `get_gns_bs_pattern` and `get_accordion_bs_pattern` return there.
        (LM, 1, "gns", 11, [(11, 10)]),
        (LM, 1, "gns", 21, [(11, 10), (10, 20)]),
        (LM, 1, "gns", 22, [(11, 10), (10, 20), (1, 10)]),
        (LM, 1, "gns", 23, [(11, 10), (10, 20), (1, 40), (1, 10)]),
        (LM, 8, "gns", 90, [(90, 10)]),
        ("ResNet-18 (batch size 128)", 4, "gns", 13, [(11, 128), (2, 256)]),
        ("ResNet-18 (batch size 32)", 1, "accordion", 92, [(28, 32), (64, 256)]),
        ("ResNet-18 (batch size 64)", 1, "accordion", 158, [(48, 64), (102, 256), (8, 64)]),
        ("ResNet-18 (batch size 256)", 1, "accordion", 80, [(80, 256)]),
        (
            "ResNet-50 (batch size 64)",
            2,
            "accordion",
            42,
            [(13, 64), (17, 128), (10, 64), (2, 128)],
        ),
        ("Recommendation (batch size 2048)", 1, "accordion", 50, [(40, 2048), (10, 8192)]),
        ("Transformer (batch size 16)", 1, "accordion", 99, [(99, 16)]),
        (LM, 1, "static", 40, [(40, 10)]),
    ],
)
def test_batch_sizes_of_epochs(
    kind: str, gpus: int, mode: str, epochs: int, stretches: list[tuple[int, int]]
) -> None:
    found = stretches_of(kind, gpus, mode, steps_of(epochs, kind))
    assert list(found) == [Stretch(*one) for one in stretches]


@pytest.mark.parametrize(
    ("kind", "mode", "steps"),
    [("VGG (batch size 10)", "gns", 9), ("LM", "gns", 9), (LM, "odd", 9), (LM, "gns", 0)],
)
def test_what_is_unknown_has_no_batch_sizes(kind: str, mode: str, steps: int) -> None:
    assert stretches_of(kind, 1, mode, steps) == ()
    assert stretches_of(LM, 1, "gns", 10**13) == ()


def test_a_duration_that_lacks_is_that_of_the_steps(bring: Any, tmp_path: Path) -> None:
    """A kind that the simulator does not have, with 100 steps at 20 a second."""
    (tmp_path / "speeds").write_text(SPEEDS.replace("'LM (batch size 5)', 1", "'new', 1"))
    line = "new\tmain.py\tlm\t--steps\t1\t100\t1\tgns\t1\t-1.0\t\t0\n"
    made = bring("gavel", line, throughputs=tmp_path / "speeds")
    assert [job.duration_s for job in made.instance.jobs] == [5]


def test_no_batch_size_is_too_large() -> None:
    for (model, batch, _), doublings in DOUBLINGS.items():
        assert batch << len(doublings) == LARGEST[model]
        assert list(doublings) == sorted(set(doublings))


def test_the_time_of_all_epochs() -> None:
    """Two epochs of 5,000 steps at 10 a second, if a model had 50,000 examples."""
    kind, wide = "ResNet-18 (batch size 10)", "ResNet-18 (batch size 20)"
    speeds = {(kind, 1): Fraction(10), (wide, 1): Fraction(4)}
    assert seconds_of(kind, 1, (Stretch(2, 10),), speeds) == 1000
    assert seconds_of(kind, 1, (Stretch(2, 10), Stretch(1, 20)), speeds) == 1000 + 2500 / 4
    assert seconds_of(kind, 2, (Stretch(2, 10),), speeds) is None
    assert seconds_of(kind, 1, (), speeds) is None


SPEEDS = """{"v100": {
"('LM (batch size 5)', 1)": {"null": 20.0}, "('LM (batch size 10)', 1)": {"null": 16.0},
"('LM (batch size 5)', 2)": {"null": 40.0}}}"""


def lines_of(mode: str, epochs: int) -> str:
    """Return a job of whole epochs, 11,935 steps each."""
    return (
        SHOCKWAVE.splitlines()[0].replace("gns", mode).replace("\t1000\t", f"\t{11935 * epochs}\t")
    )


@pytest.mark.parametrize(
    ("mode", "epochs", "duration", "remark"),
    [
        # An epoch has 59,675 examples: 596.75 s with 5 at 20 steps per second, 372.97 s with 10 at
        # 16. The batch size doubles after 31 epochs.
        ("gns", 3, round(3 * 596.75), None),
        ("gns", 33, round(31 * 596.75 + 2 * 372.96875), "with the time of all epochs"),
        # The largest size, 80, has no speed, so the duration is the file's.
        ("accordion", 33, 1418, "with the duration at their first one"),
        ("static", 33, round(33 * 596.75), None),
        ("new", 33, 1418, "other than static, accordion, gns"),
    ],
)
def test_durations_of_jobs_whose_batch_size_grows(
    bring: Any, tmp_path: Path, mode: str, epochs: int, duration: int, remark: str | None
) -> None:
    (tmp_path / "speeds").write_text(SPEEDS)
    made = bring("gavel", lines_of(mode, epochs), throughputs=tmp_path / "speeds")
    assert [job.duration_s for job in made.instance.jobs] == [duration]
    told = [one for one in made.remarks if "batch size" in one or "mode" in one]
    assert len(told) == (remark is not None)
    assert remark is None or (remark in told[0] and told[0].endswith(": 1"))


def test_without_speeds_it_is_said_that_batch_sizes_are_lost(bring: Any) -> None:
    made = bring("gavel", lines_of("gns", 33))
    assert [job.duration_s for job in made.instance.jobs] == [1418]
    assert any("at their first one: 1" in one for one in made.remarks)


def kinds() -> Iterator[tuple[str, int]]:
    for model, batch, gpus in DOUBLINGS:
        yield f"{model} (batch size {batch})", gpus


@pytest.mark.parametrize("mode", MODES)
def test_epochs_add_up(mode: str) -> None:
    for kind, gpus in kinds():
        for epochs in (1, 10, 60, 130):
            found = stretches_of(kind, gpus, mode, steps_of(epochs, kind) - 1)
            assert sum(one.epochs for one in found) == epochs
            assert found[0].batch == int(kind.split(" ")[-1][:-1])
