"""The reader names every fault of a text at once: place, value, expectation, next step."""

import json
import re

import pytest
from fuzz.mutate import SEEDS

from ringyard.instances import InputError
from ringyard.instances.reading import decode
from ringyard.instances.reading.decode import MAX_PROBLEMS
from ringyard.instances.reading.files import INSTANCES, SCHEDULES, parse

KINDS = {**INSTANCES, **SCHEDULES}


@pytest.fixture
def value() -> dict:
    """A good instance as plain values, to be broken."""
    return json.loads(SEEDS["uplink"])


def faults(value: object, kinds: dict = INSTANCES) -> list[str]:
    """Return the lines of the error that a text or value ends in."""
    text = value if isinstance(value, str) else json.dumps(value)
    with pytest.raises(InputError) as caught:
        parse(text, kinds, "f")
    return [line.removeprefix("f: ") for line in str(caught.value).split("\n")]


def test_the_good_text_reads(value):
    assert parse(json.dumps(value), INSTANCES).name == "seed-uplink"


def test_all_faults_are_told_at_once(value):
    value["cluster"]["servers"][1]["gpus"] = 0
    value["cluster"]["inter_bandwidth_gb_s"] = None
    value["jobs"][0] |= {"gpus": "6", "iterations": 2.5, "backward_s": -1, "colour": "red"}
    value["jobs"][1]["name"] = " resnet"
    value["progress"] = "flor"
    value["contention"]["share"] = True
    del value["cluster"]["reduce_gb_s"]
    assert faults(value) == [
        "cluster.servers[1].gpus: found 0, expected an integer from 1 to 1e9. Raise it.",
        "cluster.inter_bandwidth_gb_s: found null, expected a number above 0, at most 1e15. "
        "Write a number.",
        "cluster.reduce_gb_s: found nothing, expected a number above 0, at most 1e15 or null: "
        'speed of adding gradients (C), or null if it takes no time. Add "reduce_gb_s".',
        "jobs[0].colour: found an unknown key (value 'red'), expected one of the fields name, "
        "gpus, gpu, speeds, iterations, gradient_gb, batch_samples, forward_s_per_sample, "
        "backward_s, release_slot, allowed_regions, held. Remove it.",
        "jobs[0].gpus: found '6', expected an integer from 1 to 1e9. Remove the quotes.",
        "jobs[0].iterations: found 2.5, expected an integer from 1 to 1e12, or a fraction such as "
        '"7/2". Round it.',
        "jobs[0].backward_s: found -1, expected a number from 0 to 1e15. Raise it.",
        "jobs[1].name: found ' resnet', expected a name of 1 to 100 printable characters. "
        "Remove blanks at its ends.",
        "contention.share: found true, expected a number above 0, at most 1. Write a number.",
        "progress: found 'flor', expected 'floor', 'fractional' or 'continuous'. "
        "Did you mean 'floor'?",
    ]


@pytest.mark.parametrize(
    ("place", "new", "line"),
    [
        ("name", "", "name: found '', expected a name of 1 to 100 printable characters. Write one"),
        (
            "name",
            "a\tb",
            r"name: found 'a\\tb', .* printable characters. Remove unprintable characters",
        ),
        ("name", "x" * 101, r"name: found 'x{60}'\.\.\. \(101 characters\), .*. Shorten it"),
        ("title", 5, "title: found 5, .* at most 20,000 characters. Write a text in double"),
        ("title", "x" * 20_001, "title: .*. Shorten it"),
        ("jobs", [], "jobs: found an empty list, expected a non-empty list. Add at least one"),
        ("jobs", {"a": 1}, r"jobs: found an object with keys 'a', .*. Put the elements in \[ \]"),
        ("jobs", [3], r"jobs\[0\]: found 3, expected an object. Put the fields in \{ \}"),
        ("cluster", [], r"cluster: found an empty list, expected an object. Put the fields in"),
        ("contention", "fluid", 'contention: found .* model is .*. Write {"model": "server_up'),
        (
            "contention",
            {},
            "contention.model: found nothing, .*. Write 'server_uplink' or 'fluid'.$",
        ),
        (
            "contention",
            {"model": "fluit"},
            "contention.model: found 'fluit'.*. Did you mean 'fluid'\\?$",
        ),
        ("contention", {"model": ["fluid"]}, "contention.model: found a list of 1, expected"),
        ("overhead", None, "overhead: .*. Write 'paper', 'step' or 'max_workers_per_server'.$"),
        ("contention", 1, 'contention: found 1,.*. Write {"model": "server_uplink"}.$'),
        ("overhead_s", "fast", "overhead_s: found 'fast', .*. Write a number.$"),
        ("overhead_s", "NaN", "overhead_s: found 'NaN', .*. Write a number.$"),
        ("overhead_s", "1" * 200, "overhead_s: .*. Write a number.$"),
        ("overhead_s", "1e3", "overhead_s: found '1e3', .*. Remove the quotes.$"),
        ("horizon_slots", "soon", "horizon_slots: .*. Write an integer.$"),
        ("overhead_s", 10**16, "overhead_s: found 1.*, expected a number from 0 to 1e15. Lower"),
        ("slot_s", 0, "slot_s: found 0, expected a number above 0, at most 1e15. Raise it"),
        ("horizon_slots", 1.5, "horizon_slots: found 1.5, .* from 1 to 1e9 or null. Round it"),
        ("kind", "makspan", r"kind: .* expected 'makespan', .* or '\w+'. Did you mean"),
        ("kind", {}, "kind: found an empty object, expected 'makespan', .*. Write one of"),
        ("format", "ringyard/2", "format: found 'ringyard/2', .* version of Ringyard that wrote"),
        ("format", 1, 'format: found 1, expected \'ringyard/1\'. Write "format": "ringyard/1"'),
    ],
)
def test_words_for_a_wrong_field(value, place, new, line):
    value[place] = new
    (found,) = faults(value)
    assert re.match(line, found), found


@pytest.mark.parametrize("token", ["NaN", "Infinity", "-Infinity", "1e400", "-1e-400", "9" * 10**5])
@pytest.mark.parametrize("key", ["slot_s", "horizon_slots", "title", "jobs", "extra"])
def test_numbers_that_are_none(value, token, key):
    value[key] = "TOKEN"
    (found,) = faults(json.dumps(value).replace('"TOKEN"', token))
    assert found.startswith(f"{key}: found ")
    assert token[:60] in found
    assert len(found) < 500


@pytest.mark.parametrize("spelling", ["4", "4.0", "4e0", "40e-1", "0.4E+1", "0.0004e4"])
def test_integers_may_be_spelled_as_any_number(value, spelling):
    value["jobs"][0]["gpus"] = "TOKEN"
    text = json.dumps(value).replace('"TOKEN"', spelling)
    assert parse(text, INSTANCES).jobs[0].gpus == 4
    assert isinstance(parse(text, INSTANCES).jobs[0].gpus, int)


def test_a_misspelt_key_is_one_fault(value):
    value["jobs"][0]["Gpus"] = value["jobs"][0].pop("gpus")
    (found,) = faults(value)
    assert found.startswith("jobs[0].Gpus: found an unknown key (value 6), expected one of")
    assert found.endswith("Did you mean 'gpus'?")


def test_keys_twice_are_named_wherever_they_stand(value):
    text = json.dumps(value)
    text = text.replace('"progress"', '"slot_s": 2, "progress"')
    text = text.replace('"share"', '"model": "fluid", "share": 1, "share"')
    assert [line.partition(", expected")[0] for line in faults(text)] == [
        "slot_s: found this key twice",
        "contention.model: found this key twice",
        "contention.share: found this key twice",
        "contention.share: found an unknown key (value 0.8)",
        "contention.degradation: found an unknown key (value 0.25)",
        "contention.leaves: found nothing",
    ]


def test_a_server_twice_in_an_assignment_is_named():
    text = SEEDS["schedule"].decode().replace('"s1": 4', '"s0": 4')
    (found,) = faults(text, SCHEDULES)
    assert found.startswith("assignments[0].gpus.s0: found this key twice, expected it once")


@pytest.mark.parametrize("key", ["\ud800", "a\nb", "\x00", "a.b", "", "x" * 10**6, "é", "'"])
def test_hostile_keys_can_be_printed(value, key):
    value["jobs"][0][key] = 1
    (found,) = faults(value)
    assert found.isprintable()
    found.encode()
    assert found.startswith("jobs[0]['")
    assert len(found) < 400


def test_a_place_in_an_assignment_is_named():
    text = SEEDS["schedule"].decode().replace('"机 2": 1', '"机 2": 0')
    (found,) = faults(text, SCHEDULES)
    assert (
        found
        == "assignments[1].gpus['机 2']: found 0, expected an integer from 1 to 1e9. Raise it."
    )


@pytest.mark.parametrize("gpus", ["{}", "[]", "3", '[["s0", 2]]'])
def test_placements_are_objects(gpus):
    text = SEEDS["schedule"].decode().replace('{"机 2": 1}', gpus)
    (found,) = faults(text, SCHEDULES)
    assert found.startswith("assignments[1].gpus: found ")
    assert found.endswith('to numbers of GPUs. Write for example {"s0": 2}.')


def test_many_faults_are_counted(value):
    value["jobs"] = [{"ngpus": i} for i in range(1000)]
    lines = faults(value)
    assert len(lines) == MAX_PROBLEMS + 1
    # A job without name and iterations, with gpus misspelt, has three faults.
    assert lines[-1] == "2,800 more problems are hidden. Correct these first."


def test_counting_faults_ends_too(value):
    value["jobs"] = [{}] * 10**5
    lines = faults(value)
    assert lines[-1] == "at least 10,000 more problems are hidden. Correct these first."


def test_checks_across_fields_run_beside_other_faults(value):
    value["title"] = 7
    value["cluster"]["inter_bandwidth_gb_s"] = 1000
    value["jobs"] *= 2
    value["jobs"].append({"name": "big", "gpus": 15, "iterations": 1, "backward_s": 1})
    value["jobs"][0] = {**value["jobs"][0], "iterations": 0, "release_slot": 0.5, "gpus": 15}
    assert [line.partition(", expected")[0] for line in faults(value)] == [
        "title: found 7",
        "jobs[0].iterations: found 0",
        "jobs[3].name: found 'resnet'",
        "cluster.inter_bandwidth_gb_s: found 1000",
        "jobs[4].gpus: found 15",
    ]


def test_checks_across_fields_do_not_guess(value):
    value["progress"] = "flor"
    value["jobs"][0]["release_slot"] = 0.5
    (found,) = faults(value)
    assert found.startswith("progress: ")


@pytest.mark.parametrize("sort", ["an instance", "a schedule"])
def test_the_wrong_sort_of_file_is_told_apart(sort):
    name, kinds = ("uplink", SCHEDULES) if sort == "an instance" else ("schedule", INSTANCES)
    (found,) = faults(SEEDS[name].decode(), kinds)
    other = "makespan" if name == "uplink" else "makespan-schedule"
    *others, last = map(repr, kinds)
    wanted = f"{', '.join(others)} or {last}"
    assert found == f"kind: found '{other}', expected {wanted}. This is {sort}: name another file."


@pytest.mark.parametrize(
    ("kind", "advice"),
    [("zzz", "Write one of them"), (None, "Write one of them"), ("makspan", "Did you mean 'mak")],
)
def test_a_kind_that_nobody_knows(value, kind, advice):
    del value["jobs"]
    lines = faults(value | {"kind": kind}, KINDS)
    found = "null" if kind is None else f"'{kind}'"
    *others, last = map(repr, KINDS)
    wanted = f"{', '.join(others)} or {last}"
    assert lines[0].startswith(f"kind: found {found}, expected {wanted}. {advice}")
    assert len(lines) == (2 if kind == "makspan" else 1), "the body is read as the kind meant"


@pytest.mark.parametrize("text", ["", " \n", "null", "true", "1", "NaN", '"x"', "[]", "[{}]"])
def test_what_is_no_object_is_refused(text):
    (found,) = faults(text)
    assert found.startswith("file: found ") or "found an empty file" in found


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('{"a": 1,}', "line 1 column 8: found ',}', expected no comma before a closing bracket"),
        ('{"a": [1,\n\n ]}', "line 1 column 9: found ',', expected no comma before a closing"),
        ("{'a': 1}", "line 1 column 2: found ''a': 1}', expected a key in double quotes"),
        ('{"a" 1}', "line 1 column 6: found '1}', expected a colon after the key. Add it"),
        ('{"a": 1 "b": 2}', "line 1 column 9: found '\"b\": 2}', expected a comma or the closing"),
        ('{"a": 1} {}', "line 1 column 10: found '{}', expected the end of the file. Keep one"),
        ('{"a": "x\ny"}', "line 1 column 9: found '', expected printable text. Write \\n for"),
        ('{"a": "\\x"}', "line 1 column 8: found '\\\\x\"}', expected a valid JSON escape"),
        ('{"a": "x', "line 1 column 7: found '\"x', expected a closing double quote. Close the"),
        ("\ufeff{}", r"line 1 column 1: found '\ufeff{}', expected plain UTF-8. Remove the byte"),
        (
            "job_id,arrival_s\nj0,1",
            "line 1 column 1: found 'job_id,arrival_s', expected JSON. Import a table of jobs",
        ),
        ('{"a": tru', "line 1 column 7: found 'tru', expected a value. Correct the text"),
        ('{"a":\n  ', "line 2 column 3: found the end of the file, expected a value. Complete"),
        ('{"a": 1\n', "line 2 column 1: found the end of the file, expected a comma or the clos"),
    ],
)
def test_text_that_is_no_json(text, line):
    (found,) = faults(text)
    assert found.startswith(line)


@pytest.mark.parametrize("name", SEEDS)
def test_every_truncation_is_refused(name):
    text = SEEDS[name].decode().rstrip()
    for end in range(len(text)):
        with pytest.raises(InputError):
            parse(text[:end], KINDS)


@pytest.mark.parametrize("opening", ["[", '{"a":', '[{"a":'])
def test_deep_nesting_is_refused(value, opening):
    for depth in (50, 100_000):
        text = json.dumps(value).replace('"step"', opening * depth)
        assert len(faults(text)) == 1
    closing = "".join({"[": "]", "{": "}"}.get(c, "") for c in reversed(opening))
    (found,) = faults(json.dumps(value).replace('"step"', opening * 50 + "1" + closing * 50))
    assert found.startswith("overhead: found ")


def test_of_hostile_sizes_no_more_is_looked_at_than_is_told(value, monkeypatch):
    """Each of these took minutes, if digits were converted or names compared for all."""
    compared = []
    monkeypatch.setattr(decode, "nearest", lambda *names: compared.append(names))
    value["slot_s"] = "TOKEN"
    value["jobs"] += [{"name": "x" * 10**6, "gpus": 1, "iterations": 1, "backward_s": 1}]
    value |= {f"slot_{i}": i for i in range(200_000)}
    text = json.dumps(value).replace('"TOKEN"', "9" * 10**7)
    assert len(faults(text)) == MAX_PROBLEMS + 1
    assert 0 < len(compared) <= MAX_PROBLEMS + 1
