"""Whatever stands in a file, reading it ends in a sound object or in a clear `InputError`."""

import gzip
from pathlib import Path
from random import Random
from typing import Any

import pytest
from fuzz.mutate import SEEDS, broken, mutants

from ringyard.instances import InputError, digest, load_instance, load_schedule, validate
from ringyard.instances.reading.decode import MAX_PROBLEMS
from ringyard.instances.reading.encode import to_text
from ringyard.instances.reading.files import INSTANCES, SCHEDULES, parse

LOADERS = (load_instance, load_schedule)


def read(load: Any, path: Path) -> bool:
    """Read a file; hold what comes out against what is promised."""
    try:
        entity = load(path)
    except InputError as error:
        check_error(error)
        return False
    validate(entity)
    again = parse(to_text(entity), {**INSTANCES, **SCHEDULES})
    assert again == entity
    assert hash(again) == hash(entity)
    if load is load_instance:
        assert digest(again) == digest(entity)
    return True


def check_error(error: InputError) -> None:
    lines = str(error).split("\n")
    assert len(lines) == len(error.problems) + bool(error.more)
    assert 0 < len(error.problems) <= MAX_PROBLEMS
    assert all(line.isprintable() and len(line) < 2000 for line in lines)


def feed(folder: Path, count: int, seed: int) -> int:
    """Read mutants of every seed file, plain and compressed; return how many were sound."""
    rng = Random(seed)
    sound = 0
    for i, mutant in enumerate(mutants(tuple(SEEDS.values()), count, seed)):
        path = folder / "mutant.json"
        if i % 20 == 0:
            path = folder / "mutant.json.gz"
            mutant = broken(gzip.compress(mutant, 1, mtime=0), rng)
        path.write_bytes(mutant)
        found = [read(load, path) for load in LOADERS]
        sound += any(found)
    return sound


def test_the_reader_refuses_some_mutants_in_clear_words(tmp_path):
    sound = feed(tmp_path, 400, seed=1)
    assert 0 < sound < 400, "mutants of both sorts are needed"


@pytest.mark.slow
def test_the_reader_refuses_thousands_of_mutants_in_clear_words(tmp_path):
    sound = feed(tmp_path, 3_000, seed=2)
    assert 30 < sound < 2_970, "mutants of both sorts are needed"


def test_mutants_are_the_same_for_the_same_seed():
    seeds = tuple(SEEDS.values())
    first, again, other = (list(mutants(seeds, 50, seed)) for seed in (3, 3, 4))
    assert first == again != other


@pytest.mark.parametrize("name", SEEDS)
def test_seeds_are_sound(name, tmp_path):
    path = tmp_path / "seed.json"
    path.write_bytes(SEEDS[name])
    assert [read(load, path) for load in LOADERS].count(True) == 1
