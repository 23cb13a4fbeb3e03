"""Writing then reading gives an equal object; numbers stay exactly as they were."""

import gzip
import json
from dataclasses import replace
from decimal import Decimal, localcontext

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import makespan_instances, makespan_schedules

from ringyard.instances import (
    InputError,
    Schedule,
    digest,
    load_instance,
    load_schedule,
    save,
    validate,
)
from ringyard.instances.reading.encode import decimal_text, dump, to_text
from ringyard.instances.reading.files import INSTANCES, SCHEDULES, parse

exact = st.decimals("-1e29", "1e29", allow_nan=False, places=0) | st.builds(
    lambda digits, scale: Decimal(digits).scaleb(scale),
    st.integers(-(10**12), 10**12),
    st.integers(-30, 17),
)


@given(makespan_instances(described=True))
def test_instance_comes_back_equal(instance):
    validate(instance)
    again = parse(to_text(instance), INSTANCES)
    assert again == instance
    assert hash(again) == hash(instance)
    assert digest(again) == digest(instance)
    assert to_text(again) == to_text(instance)


@given(st.data())
def test_schedule_comes_back_equal(data):
    instance = data.draw(makespan_instances())
    plan = data.draw(makespan_schedules(instance))
    validate(plan)
    again = parse(to_text(plan), SCHEDULES)
    assert again == plan
    assert hash(again) == hash(plan)


@pytest.mark.parametrize("ending", [".json", ".json.gz"])
@settings(max_examples=25)
@given(data=st.data())
def test_files_come_back_equal(tmp_path_factory, ending, data):
    folder = tmp_path_factory.mktemp("files")
    instance = data.draw(makespan_instances(max_jobs=2))
    plan = data.draw(makespan_schedules(instance))
    save(instance, folder / f"yard{ending}")
    save(plan, str(folder / f"plan{ending}"))
    assert load_instance(folder / f"yard{ending}") == instance
    assert load_schedule(str(folder / f"plan{ending}")) == plan
    assert sorted(path.name for path in folder.iterdir()) == [f"plan{ending}", f"yard{ending}"]


def test_a_compressed_file_is_the_same_on_every_write(tmp_path, instance):
    for name in ("a.json.gz", "b.json.gz"):
        save(instance, tmp_path / name)
    data = (tmp_path / "a.json.gz").read_bytes()
    assert data == (tmp_path / "b.json.gz").read_bytes()
    assert gzip.decompress(data).decode() == to_text(instance)


@given(exact)
def test_a_decimal_is_written_exactly(value):
    with localcontext(prec=3):
        text = decimal_text(value)
    assert Decimal(text) == value
    assert "E" not in text.upper()
    assert not text.startswith("-0") or value
    if "." in text:
        assert text[-1] not in "0."


@given(exact)
def test_a_number_of_a_file_is_read_exactly(value):
    plan = Schedule(instance="any", assignments=(), makespan=value)
    with localcontext(prec=3):
        again = parse(to_text(plan), SCHEDULES)
    assert again.makespan == value


@pytest.mark.parametrize("zero", ["0", "-0", "-0.00", "0E+5"])
def test_zero_is_written_as_one_character(zero):
    assert decimal_text(Decimal(zero)) == "0"


def test_the_text_of_a_file(instance, plan, golden):
    golden("yard", to_text(instance))
    golden("plan", to_text(plan))


def claiming(token: str) -> str:
    """Return the text of a schedule whose makespan is a token."""
    head = '"format": "ringyard/1", "kind": "makespan-schedule", "instance": "a"'
    return f'{{{head}, "assignments": [], "makespan": {token}}}'


@pytest.mark.parametrize(
    "token",
    ["9" * 30, "-" + "9" * 30, "9." + "9" * 29, "1e-30", "-1e-30", "9e29", "0e-500", "1e0", "-0"],
)
def test_a_number_at_the_limits_is_read(token):
    plan = parse(claiming(token), SCHEDULES)
    assert plan.makespan == Decimal(token)
    assert parse(to_text(plan), SCHEDULES) == plan


@pytest.mark.parametrize(
    "token",
    ["1e30", "1e-31", "9" * 31, "-1" + "0" * 30, "1." + "1" * 30, "-1e30", "1." + "0" * 999],
)
def test_a_number_beyond_the_limits_is_refused(token):
    with pytest.raises(InputError, match=r"makespan: found .* between 1e-30 and 1e30"):
        parse(claiming(token), SCHEDULES)


@pytest.mark.parametrize("number", [Decimal("1." + "1" * 30), Decimal("1e30"), 10**30])
def test_a_number_of_python_beyond_the_limits_is_refused(plan, number):
    with pytest.raises(InputError, match=r"^Schedule: makespan: .* 30 digits.* 1e30\. Round it\.$"):
        validate(replace(plan, makespan=number))


def test_floats_of_python_are_refused_with_the_way_out(instance):
    with pytest.raises(
        InputError, match=r"slot_s: found 0\.1 \(float\).*. Write Decimal\('0\.1'\), which"
    ):
        validate(replace(instance, slot_s=0.1))


@pytest.mark.parametrize(
    ("field", "value", "path"),
    [
        ("jobs", 5, "jobs"),
        ("jobs", (None,), r"jobs\[0\]"),
        ("jobs", [{"name": "j"}], r"jobs\[0\].gpus"),
        ("cluster", None, "cluster"),
        ("contention", "fluid", "contention"),
        ("title", "\ud800", "title"),
        ("kind", "makespan-schedule", "name"),
        ("horizon_slots", Decimal("1e400"), "horizon_slots"),
        ("slot_s", Decimal("NaN"), "slot_s"),
        ("slot_s", Decimal("Infinity"), "slot_s"),
    ],
)
def test_a_wrong_object_made_in_python_is_refused(instance, tmp_path, field, value, path):
    wrong = replace(instance, **{field: value})
    with pytest.raises(InputError, match=f"^MakespanInstance: {path}: found"):
        validate(wrong)
    with pytest.raises(InputError):
        save(wrong, tmp_path / "yard.json")
    assert not list(tmp_path.iterdir()), "nothing is left behind"


def test_a_server_twice_in_an_assignment_is_refused(plan):
    twice = replace(plan.assignments[0], gpus=(("s0", 1), ("s0", 2)))
    with pytest.raises(InputError, match=r"assignments\[0\].gpus: found a list of 2"):
        validate(replace(plan, assignments=(twice,)))


@pytest.mark.parametrize("place", ["missing/yard.json", "file/yard.json", "x" * 300, "a\0b", ""])
def test_a_place_that_cannot_be_written_is_named(tmp_path, instance, place):
    (tmp_path / "file").write_text("a file, no folder")
    with pytest.raises(InputError, match=r"expected a writable place\. Choose another path"):
        save(instance, tmp_path / place)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


trees = st.recursive(
    st.integers(0, 99) | st.text("ab"),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("ab"), inner, max_size=4),
    max_leaves=12,
)


@given(trees)
def test_what_fits_on_a_line_stays_on_one(tree):
    text, flat = dump(tree, width=30), dump(tree, width=1000)
    assert json.loads(text) == json.loads(flat) == tree
    assert "\n" not in flat
    assert text == flat or len(flat) > 29
    for line in text.split("\n"):
        alone = not line.rstrip(",").endswith(("]", "}")) or line.strip(" ,]}") == ""
        assert len(line) <= 30 or alone
