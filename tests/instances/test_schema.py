"""The shipped schemas are those of the types, and agree with the reader."""

import json
from functools import cache
from pathlib import Path
from random import Random

import pytest
from fuzz.mutate import SEEDS, mutants
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from strategies import makespan_instances, makespan_schedules

import ringyard.instances
from ringyard.instances import InputError
from ringyard.instances.reading import schema
from ringyard.instances.reading.decode import Decoder, parse_json
from ringyard.instances.reading.encode import FORMAT, plain, to_text
from ringyard.instances.reading.files import INSTANCES, SCHEDULES, parse
from ringyard.instances.reading.vocabulary import Shape

KINDS = {**INSTANCES, **SCHEDULES}
DATA = Path(ringyard.instances.__file__).parent / "data"

WORDS = (None, True, 0, -1, 1, 2, 2.0, 2.5, 1e3, 0.5, 10**9, 10**9 + 1, 10**12 + 1, 1e15, 2e15)
WORDS += ("", " ", "x", "x ", "x" * 100, "x" * 101, "x" * 20_001, "a\nb", "1", [], {}, [1], ["x"])
WORDS += ("floor", "fluid", "spine", {"x": 1}, {"x": 0}, {"": 1}, {"model": "fluid"}, {"model": 1})
"""Values that JSON Schema can judge as the reader does."""


@cache
def validator(kind: str) -> Draft202012Validator:
    text = (schema.FOLDER / f"{kind}.schema.json").read_text(encoding="utf-8")
    return Draft202012Validator(json.loads(text))


@pytest.mark.parametrize("kind", KINDS)
def test_schema_is_valid_and_fresh(kind, tmp_path):
    Draft202012Validator.check_schema(schema.schema(kind))
    schema.write(tmp_path)
    name = f"{kind}.schema.json"
    shipped = (schema.FOLDER / name).read_text(encoding="utf-8")
    assert shipped == (tmp_path / name).read_text(encoding="utf-8"), (
        "run python -m ringyard.instances.reading.schema"
    )


def test_no_other_schema_is_shipped():
    assert {path.name for path in schema.FOLDER.iterdir()} == {f"{k}.schema.json" for k in KINDS}


@given(st.data())
def test_what_the_writer_writes_fits(data):
    instance = data.draw(makespan_instances(described=True))
    validator("makespan").validate(json.loads(to_text(instance)))
    full = {"format": FORMAT, **json.loads(json.dumps(plain(instance), default=float))}
    validator("makespan").validate(full)
    plan = data.draw(makespan_schedules(instance))
    validator("makespan-schedule").validate(json.loads(to_text(plan)))


def test_schema_never_refuses_what_the_reader_accepts():
    accepted = 0
    for mutant in mutants(tuple(SEEDS.values()), 3000, seed=5):
        try:
            text = mutant.decode("utf-8-sig")
            entity = parse(text, KINDS)
        except (InputError, UnicodeDecodeError):
            continue
        accepted += 1
        assert validator(entity.kind).is_valid(json.loads(text)), text
    assert accepted > 100


@pytest.mark.parametrize("seed", range(3))
def test_schema_and_reader_agree_on_each_value(seed):
    """Put simple values in every place: fields are judged alike, without the checks across."""
    rng = Random(seed)
    verdicts = []
    for _ in range(400):
        value = json.loads(rng.choice(tuple(SEEDS.values())))
        for _ in range(rng.choice((1, 1, 2))):
            change(rng, value)
        fits = validator(value["kind"]).is_valid(value)
        assert fits == reads(value), value
        verdicts.append(fits)
    assert 20 < sum(verdicts) < 380


def reads(value: dict) -> bool:
    """Return True if the reader finds no fault in any single field."""
    body = parse_json(json.dumps(value), "text")
    decoder = Decoder()
    mark = body.pop("format", None)
    decoder.value(Shape("object", entity=KINDS[value["kind"]]), body, "")
    return mark == FORMAT and not decoder.problems


def change(rng: Random, value: dict) -> None:
    """Drop, add or replace one entry somewhere below, the kind excepted."""
    home = rng.choice([home for home in homes(value) if home])
    spots = [key for key in (home if isinstance(home, dict) else range(len(home))) if key != "kind"]
    spot = rng.choice(spots)
    if isinstance(home, dict) and rng.random() < 0.3:
        home[rng.choice(("extra", "name", "Name", "gpus", "spine"))] = home.pop(spot)
    elif rng.random() < 0.2:
        del home[spot]
    else:
        home[spot] = json.loads(json.dumps(rng.choice(WORDS)))


def homes(value: object) -> list:
    """Return every list and object inside a value."""
    inner = list(value.values()) if isinstance(value, dict) else value
    if not isinstance(inner, list):
        return []
    return [value, *(home for item in inner for home in homes(item))]


@pytest.mark.parametrize("fault", ["unknown-key", "negative-gpus", "wrong-type", "zero-servers"])
def test_schema_refuses_broken_files(fault):
    value = json.loads((DATA / "broken" / f"broken-{fault}.json").read_text(encoding="utf-8"))
    assert not validator("makespan").is_valid(value)
