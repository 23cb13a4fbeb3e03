"""Broken logs of every format are read as far as they go, or refused with a message."""

import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from foreign_mutants import FORMATS, small_log

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

from foreign_logs import imported, one


def feed(count: int, seed: int) -> Counter[int]:
    rows = [one(index, seed) for index in range(count)]
    assert not [row for row in rows if row["faults"]]
    return Counter(row["code"] for row in rows)


def test_some_broken_logs() -> None:
    codes = feed(150, 7)
    assert min(codes[0], codes[2]) > 10, "logs of both sorts are needed"


@pytest.mark.slow
def test_hundreds_of_broken_logs() -> None:
    assert min(feed(900, 8).values()) > 30


@pytest.mark.parametrize("kind", FORMATS)
def test_a_log_that_is_whole_is_read_and_a_lost_job_is_noticed(kind: str) -> None:
    log = small_log(kind, Random(0))
    row = imported(log)
    assert (row["code"], row["strict"], row["faults"]) == (0, 0, [])
    assert row["jobs"] == len(log.jobs)
    more = replace(log, jobs={**log.jobs, "lost": (1, 60)}, places={**log.places, "lost": ()})
    (fault,) = imported(more)["faults"]
    assert fault == "lost or changed: {'lost': (1, 60)}"
