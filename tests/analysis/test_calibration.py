"""Laws of contention fitted to made measurements: their own numbers come back."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from figures.painted import names, notes

from ringyard.analysis.calibration import (
    FAIR,
    FREE,
    LEAF,
    LINEAR,
    UPLINK,
    MeasuredReduce,
    chosen,
    draw_contention,
    fit,
    laws_for,
    laws_table,
    read_measured,
    remarks,
)
from ringyard.instances.errors import InputError

NCCL = """\
# Using devices
#  Rank  0 Group  0 Pid   1 on      node0 device  0 [0x07] A GPU
#  Rank  1 Group  0 Pid   2 on      node1 device  0 [0x07] A GPU
#
#       size         count      type   redop    root     time   algbw   busbw #wrong     time
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)
           0             0     float     sum      -1     9.00    0.00    0.00      0     9.00
     8388608       2097152     float     sum      -1   720.00   11.65   11.65      0   721.00
# Out of bounds values : 0 OK
"""


def made(slowdown: Callable[[int], float], noise: float = 0.0) -> list[MeasuredReduce]:
    """Return times of a network with 2 GB/s and a start-up of 1 ms."""
    rng = np.random.default_rng(0)
    return [
        MeasuredReduce(
            place=f"{rings} of {size}",
            rings=rings,
            gpus=4,
            size=size,
            seconds=(0.001 + 1.5 * size / 2e9 * slowdown(rings)) * (1 + noise * rng.normal()),
        )
        for rings in (1, 2, 3, 4, 6, 8)
        for size in (1e6, 1e7, 1e8)
    ]


def test_a_law_finds_its_own_numbers() -> None:
    share, more = 0.6, 0.25
    measured = made(lambda p: max(1, share * p) + more * (max(1, share * p) - 1))
    found = fit(UPLINK, measured, 0, 0)
    assert found.numbers == pytest.approx((0.001, 0.5, share, more), rel=1e-6)
    assert found.rms < 1e-9
    assert fit(LINEAR, measured, 0, 0).rms > 0.02


def test_a_fair_link_is_recognised_through_noise_and_its_numbers_lie_in_the_intervals() -> None:
    measured = made(lambda p: p, noise=0.03)
    fits = [fit(law, measured, 0, 100) for law in laws_for(measured, None)]
    best = chosen(fits)
    assert best.law is FAIR
    (start, bandwidth, _, _) = best.intervals
    assert start[0] <= 0.001 <= start[1]
    assert bandwidth[0] <= 2 <= bandwidth[1]
    uplink = next(one for one in fits if one.law is UPLINK)
    assert uplink.intervals[2][1] == 1
    assert uplink.intervals[3][0] < 0.05
    assert not any("warning" in line for line in remarks(fits, measured, None))


def test_no_law_of_rings_is_nearer_than_any_number_for_each() -> None:
    rng = np.random.default_rng(2)
    for _ in range(20):
        measured = made(lambda p: 1 + rng.random() * p, noise=0.2)
        least = fit(FREE, measured, 0, 0).rms
        assert all(least <= fit(law, measured, 0, 0).rms + 1e-9 for law in laws_for(measured, 4))


def test_what_the_model_misses_is_said_and_whether_its_form_is_at_fault() -> None:
    steps = made(lambda p: 1.0 if p < 6 else 12.0)
    fits = [fit(law, steps, 0, 0) for law in laws_for(steps, None)]
    said = "\n".join(remarks(fits, steps, None))
    assert "warning: " in said
    assert "the law is wrong in the number of rings" in said
    wild = made(lambda p: p, noise=0.5)
    fits = [fit(law, wild, 0, 0) for law in laws_for(wild, None)]
    assert "no law of the ring count alone" in "\n".join(remarks(fits, wild, None))


def test_leaves_give_their_oversubscription() -> None:
    measured = made(lambda p: max(1, 2 * p / 8))
    fits = [fit(law, measured, 0, 0) for law in laws_for(measured, 8)]
    leaf = next(one for one in fits if one.law is LEAF)
    assert leaf.numbers is not None
    assert leaf.numbers.share * 8 == pytest.approx(2)
    assert "oversubscription of leaves (8 servers each): 2" in remarks(fits, measured, 8)


def test_too_few_kinds_of_measurements_fix_what_they_cannot_tell() -> None:
    pairs = [one for one in made(lambda p: p) if one.rings < 3]
    fits = [fit(law, pairs, 0, 0) for law in laws_for(pairs, None)]
    assert UPLINK not in [one.law for one in fits]
    assert any(line.startswith("share 1 is assumed") for line in remarks(fits, pairs, None))
    alike = [one for one in made(lambda p: p) if one.size == 1e7]
    fits = [fit(law, alike, 0, 0) for law in laws_for(alike, None)]
    assert all(one.numbers is None or one.numbers.start_s == 0 for one in fits)
    assert any(line.startswith("start-up 0 is assumed") for line in remarks(fits, alike, None))


def test_nccl_tests_are_read_as_printed(tmp_path: Path) -> None:
    path = tmp_path / "pair.txt"
    path.write_text(NCCL)
    (one,) = read_measured(f"{path}=2")
    assert (one.rings, one.gpus, one.size, one.seconds) == (2, 2, 8388608, pytest.approx(72e-5))
    assert one.place == f"{path}, line 8"
    assert read_measured(str(path))[0].rings == 1
    path.write_text(NCCL.replace("Rank", "rank?"))
    assert read_measured(str(path), gpus=4)[0].gpus == 4
    with pytest.raises(InputError, match="--gpus"):
        read_measured(str(path))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("rings,bytes\n1,5\n", "a column seconds"),
        ("rings,bytes,seconds\n1,5,1\n", "--gpus"),
        ("rings,bytes,seconds,gpus\n0,5,1,2\n", "line 2, rings"),
        ("rings,bytes,seconds,gpus\n1,5,1,1\n", "line 2, gpus"),
        ("rings,bytes,seconds,gpus\n1,5,x,2\n", "line 2, seconds"),
        ("rings,bytes,seconds,gpus\n1,0,1,2\n", "line 2, bytes"),
        ("rings,bytes,seconds,gpus\n", "at least one measurement"),
        ("# size count\n", "the nccl-tests header"),
        (NCCL.replace("720.00", "oops"), "line 8"),
    ],
)
def test_faulty_files_are_refused_line_by_line(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "measured.csv"
    path.write_text(text)
    with pytest.raises(InputError, match=said):
        read_measured(str(path))


def test_times_have_a_unit_that_fits() -> None:
    def shown(start: float) -> tuple[str, str, str]:
        quick = [replace(one, seconds=one.seconds + start - 0.001) for one in made(lambda p: p)]
        fits = [fit(law, quick, 0, 5) for law in (FAIR, LINEAR, UPLINK)]
        table = laws_table(fits, quick)
        (span, *_) = (line for line in remarks(fits, quick, None) if "intervals" in line)
        return table.columns[2].head, table.texts()[0][2], span.partition(": ")[2]

    head, text, span = shown(32e-6)
    assert (head, text) == ("start-up, µs", "32.0")
    assert span.startswith("start-up 32 to 32 µs, bandwidth 2 to 2 GB/s")
    assert shown(0.001)[:2] == ("start-up, ms", "1.0")
    assert shown(2.5)[:2] == ("start-up, s", "2.5")


@pytest.mark.parametrize(("count", "note"), [(8, ""), (12, "4 more sizes not shown")])
def test_all_sizes_are_drawn_or_counted_and_rings_are_whole(count: int, note: str) -> None:
    measured = [
        replace(one, size=size)
        for one in made(lambda p: p)[:6:3]
        for size in (2.0**i for i in range(10, 10 + count))
    ]
    figure = draw_contention([fit(FAIR, measured, 0, 0)], measured)
    assert names(figure)[:8:7] == ["1 KiB", {8: "128 KiB", 12: "2 MiB"}[count]]
    assert len(names(figure)) == 9
    assert notes(figure) == note
    assert all(float(tick).is_integer() for tick in figure.axes[0].get_xticks())
