"""The pages of the format in docs/reference say what the code does."""

import importlib.util
import json
import re
from pathlib import Path
from types import ModuleType

import pytest

from ringyard import check
from ringyard.families import FAMILIES
from ringyard.instances import digest
from ringyard.instances.errors import MANY
from ringyard.instances.reading.decode import MAX_BYTES, MAX_PROBLEMS
from ringyard.instances.reading.encode import _canonical, plain
from ringyard.instances.reading.files import INSTANCES, SCHEDULES, parse
from ringyard.instances.reading.vocabulary import MAX_DIGITS, entity_fields

DOCS = Path(__file__).parents[2] / "docs"
GENERAL = (DOCS / "reference/format.md").read_text(encoding="utf-8")
PAGES = {
    kind: (DOCS / f"reference/format-{kind}.md").read_text(encoding="utf-8") for kind in FAMILIES
}
EXAMPLE = re.compile(r"```json\n({\n.*?)```", re.DOTALL)
INSTANCE, SCHEDULE = EXAMPLE.findall(GENERAL)


@pytest.fixture(scope="module")
def tables() -> ModuleType:
    """The script that writes the tables."""
    spec = importlib.util.spec_from_file_location("format_tables", DOCS / "format_tables.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_tables_are_those_of_the_types(tables):
    for page in tables.PAGES:
        assert tables.renewed(page) == page.read_text(encoding="utf-8"), (
            "run python docs/format_tables.py"
        )


def test_every_entity_of_a_file_has_its_table():
    entities, found = [*INSTANCES.values(), *SCHEDULES.values()], set()
    while entities:
        entity = entities.pop()
        found.add(entity.__name__)
        shapes = [field.shape for field in entity_fields(entity).values()]
        while shapes:
            shape = shapes.pop()
            shapes += shape.inner
            entities += [shape.entity] if shape.entity else []
    shown = re.findall(r"^### (\w+)$", "".join(PAGES.values()), re.MULTILINE)
    assert sorted(shown) == sorted(found)


def test_examples_read_and_belong_together():
    instance, schedule = parse(INSTANCE, INSTANCES), parse(SCHEDULE, SCHEDULES)
    assert schedule.instance == instance.name
    assert schedule.digest == digest(instance)
    assert {piece.job for piece in schedule.assignments} == {job.name for job in instance.jobs}


@pytest.mark.parametrize("kind", FAMILIES)
def test_the_examples_of_each_family_read_and_belong_together(kind):
    instance, schedule = EXAMPLE.findall(PAGES[kind])
    assert parse(instance, INSTANCES).kind == kind
    assert check(parse(instance, INSTANCES), parse(schedule, SCHEDULES)).valid


def test_the_canonical_text_begins_as_shown():
    instance = parse(INSTANCE, INSTANCES)
    (shown,) = re.findall(r"the text begins\s`(.*)`", GENERAL)
    assert len(shown) > 50
    assert _canonical(plain(instance, without=instance.ABOUT, defaults="early")).startswith(shown)


def test_the_errors_shown_are_real():
    (shown,) = re.findall(r"```text\n(broken-.*?)```", GENERAL, re.DOTALL)
    name = shown.partition(".")[0]
    golden = Path(__file__).parent / "golden" / f"{name}.txt"
    assert shown == golden.read_text(encoding="utf-8")


def test_limits_are_those_of_the_code():
    text = " ".join(GENERAL.split())
    assert f"at most {MAX_BYTES // 2**20} MiB" in text
    assert f"at most {MAX_DIGITS} significant digits" in text
    assert f"at least 1e-{MAX_DIGITS} and below 1e{MAX_DIGITS}" in text
    assert f"The first {MAX_PROBLEMS} errors are printed" in text
    assert f"up to {MANY:,} more are counted" in text


def test_the_schema_named_for_editors_is_shipped():
    (shown,) = re.findall(r"`({\"json.schemas\".*?)`", GENERAL, re.DOTALL)
    name = Path(json.loads(shown)["json.schemas"][0]["url"]).name
    assert (DOCS.parent / "instances" / "schema" / name).exists()
