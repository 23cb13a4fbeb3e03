"""The digest names the problem: not how its file is written, but every number in it."""

import hashlib
import json
from dataclasses import replace
from decimal import Decimal
from random import Random

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from strategies import makespan_instances

from ringyard.instances import FluidLinks, Leaf, MakespanInstance, digest
from ringyard.instances.reading import schema
from ringyard.instances.reading.encode import AT_ONCE, FORMAT, plain, to_text
from ringyard.instances.reading.files import INSTANCES, parse
from ringyard.instances.reading.vocabulary import entity_fields
from ringyard.instances.trace import trace

PROBLEM_FIELDS = [f for f in entity_fields(MakespanInstance) if f not in MakespanInstance.ABOUT]


def shuffled(value, rng):
    """Return a value with the keys of every object in another order."""
    if isinstance(value, dict):
        keys = rng.sample(list(value), len(value))
        return {key: shuffled(value[key], rng) for key in keys}
    return [shuffled(item, rng) for item in value] if isinstance(value, list) else value


def spelled(value, rng):
    """Write JSON with odd blanks, and every number in another spelling."""
    gap = rng.choice(("", " ", "\n\t"))
    if isinstance(value, dict):
        rows = (f"{json.dumps(key)}{gap}:{spelled(v, rng)}" for key, v in value.items())
        return "{" + gap + f"{gap},".join(rows) + "}"
    if isinstance(value, list):
        return "[" + f",{gap}".join(spelled(item, rng) for item in value) + gap + "]"
    if isinstance(value, int | Decimal) and not isinstance(value, bool):
        number = Decimal(value)
        choices = [f"{number:f}", f"{number:e}", f"{number:.20E}"]
        return rng.choice([c for c in choices if Decimal(c) == number])
    return json.dumps(value)


@given(makespan_instances(described=True), st.randoms(use_true_random=False))
def test_spelling_does_not_matter(instance, rng):
    full = {"format": FORMAT, **plain(instance)}
    again = parse(spelled(shuffled(full, rng), rng), INSTANCES)
    assert again == instance
    assert digest(again) == digest(instance)


@given(makespan_instances())
def test_descriptions_do_not_matter(instance):
    about = dict.fromkeys(MakespanInstance.ABOUT, "something else")
    assert digest(replace(instance, **about)) == digest(instance)


@pytest.mark.parametrize("field", PROBLEM_FIELDS)
@settings(max_examples=15)
@given(data=st.data())
def test_each_field_of_the_problem_matters(field, data):
    instance = data.draw(makespan_instances())
    value = getattr(data.draw(makespan_instances(contention="fluid")), field)
    assume(field == "kind" or value != getattr(instance, field))
    value = "another" if field == "kind" else value
    assert digest(replace(instance, **{field: value})) != digest(instance)


@given(makespan_instances(), st.data())
def test_each_field_of_a_job_matters(instance, data):
    job = instance.jobs[0]
    field = data.draw(st.sampled_from(list(entity_fields(type(job)))))
    others = {"name": f"{job.name}!", "allowed_regions": ("elsewhere",)}
    other = others[field] if field in others else getattr(job, field) + 1
    jobs = (replace(job, **{field: other}), *instance.jobs[1:])
    assert digest(replace(instance, jobs=jobs)) != digest(instance)


def test_the_order_of_jobs_and_servers_matters(instance):
    backwards = replace(instance, jobs=instance.jobs[::-1])
    cluster = replace(instance.cluster, servers=instance.cluster.servers[::-1])
    assert len({digest(y) for y in (instance, backwards, replace(instance, cluster=cluster))}) == 3


def test_small_differences_matter(instance):
    near = replace(instance, slot_s=Decimal("1.00000000000000000000000000001"))
    assert digest(near) != digest(replace(instance, slot_s=Decimal(1)))


def test_fields_cannot_run_into_one_another(instance):
    racks = [
        (Leaf(name="a", servers=("s0", "s1")), Leaf(name="b", servers=("s2",))),
        (Leaf(name="a", servers=("s0",)), Leaf(name="b", servers=("s1", "s2"))),
        (Leaf(name="a", servers=('s0","s1',)), Leaf(name="b", servers=("s2",))),
    ]
    instances = [replace(instance, contention=FluidLinks(leaves=leaves)) for leaves in racks]
    assert len({digest(y) for y in instances}) == 3


def filled(value, rules, parts):
    """Fill in the defaults that the published schema states."""
    if value is not None and {"type": "null"} in rules.get("anyOf", []):
        rules = next(rule for rule in rules["anyOf"] if rule != {"type": "null"})
    rules = parts[rules["$ref"].rpartition("/")[2]] if "$ref" in rules else rules
    if isinstance(value, list):
        return [filled(item, rules["items"], parts) for item in value]
    if not isinstance(value, dict):
        return value
    if "oneOf" in rules:
        known = [parts[option["$ref"].rpartition("/")[2]] for option in rules["oneOf"]]
        rules = next(r for r in known if r["properties"]["model"]["const"] == value["model"])
    fields = rules["properties"]
    given_or_default = {
        key: value[key] if key in value else rule["default"]
        for key, rule in fields.items()
        if key in value or ("default" in rule and rule.get("$comment") != schema.LATER)
    }
    return {key: filled(v, fields[key], parts) for key, v in given_or_default.items()}


def written(value):
    """Write the canonical text, from its definition in docs/reference/format.md."""
    if isinstance(value, dict):
        return "{" + ",".join(f'"{key}":{written(value[key])}' for key in sorted(value)) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(written, value)) + "]"
    if isinstance(value, int | Decimal):
        whole, _, rest = f"{Decimal(value):f}".partition(".")
        return f"{whole}.{rest.rstrip('0')}".rstrip(".")
    return json.dumps(value, ensure_ascii=False)


@given(makespan_instances(described=True))
def test_the_definition_gives_the_same_digest(instance):
    assert defined(instance) == digest(instance)


def defined(instance):
    """Follow docs/reference/format.md with the file and the published schema alone."""
    value = json.loads(to_text(instance), parse_float=Decimal)
    file = schema.FOLDER / f"{instance.kind}.schema.json"
    rules = json.loads(file.read_text(), parse_float=Decimal)
    full = filled(value, rules, rules["$defs"])
    for key in ("format", "name", "title", "notes", "source", "licence"):
        del full[key]
    return hashlib.sha256(written(full).encode()).hexdigest()


def test_the_definition_gives_the_same_digest_of_a_long_list():
    """Its jobs are encoded in parts, in which fields are left out by some jobs, all or none."""
    row = {"gpus": 1, "duration_s": 2}
    curved = {"gpus": 2, "duration_s": Decimal("3.0"), "curve": {"epochs": 5}, "group": "a"}
    wide = {"gpus": 4, "duration_s": 9, "speeds": [{"gpus": 1, "speed": 0.25}], "due_s": 20}
    rows = [row] * AT_ONCE + [row, curved, wide] * 5
    assert defined(trace(rows, [8, 8])) == digest(trace(rows, [8, 8]))


def test_a_digest_on_record(instance):
    """Digests stand in catalogues and papers: a new one for an old problem is a fault."""
    assert digest(instance) == ("3fef43e986737c56f0e6680afe3e91c7c4c4938619eb3504a52d7d656a95fa0a")


def test_shuffling_really_shuffles():
    value = {str(i): i for i in range(20)}
    assert list(shuffled(value, Random(1))) != list(value)
