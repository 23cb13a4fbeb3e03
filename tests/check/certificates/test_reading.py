"""Certificates as files: what is refused, where, and that the checker needs nothing else."""

import json
import subprocess
import sys
from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from random import Random

import pytest

from ringyard.analysis.check.certificates.checking import check_certificate
from ringyard.analysis.check.certificates.reading import is_certificate, read_certificate
from ringyard.instances import Bound, BoundKind, InputError
from ringyard.instances.catalogue import load
from ringyard.instances.certificate import certificate_bytes, certificate_text
from ringyard.search.makespan.bounds.counting import best_bound

HEAD = '{"certificate": 1, "instance": "ab", "family": "makespan", "claim": {"at_least": "14/3"}}'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "found nothing, expected a certificate"),
        ('{"certificate": 2}', "line 1: certificate: found 2, expected 1"),
        (HEAD.replace("1,", "true,", 1), "line 1: certificate: found true"),
        (HEAD.replace('"at_least": "14/3"', '"at_least": 4.5'), "line 1: claim"),
        (HEAD.replace('"claim"', '"metric": 3, "claim"'), "line 1: metric"),
        (HEAD.replace('"14/3"', f'"{10**100}"'), "line 1: claim"),
        (HEAD.replace('"at_least": "14/3"', '"at_least": "14/0"'), "line 1: claim"),
        (HEAD.replace('"ab"', "7"), "line 1: instance: found 7"),
        (HEAD + '\n{"rule": "area"', "line 2 column"),
        (HEAD + "\n\n[1]", "line 3: found a list of 1"),
        (HEAD + '\n{"from": 0}', "line 2: rule: found nothing"),
    ],
)
def test_a_file_that_is_none_is_refused_with_its_line(text: str, said: str) -> None:
    with pytest.raises(InputError) as refused:
        read_certificate(text, "bound.jsonl")
    assert f"bound.jsonl: {said}" in str(refused.value).replace("file: ", "")


def test_the_largest_claim_is_read() -> None:
    text = HEAD.replace("14/3", str(10**100 - 1))
    assert read_certificate(text, "bound.jsonl").claim == 10**100 - 1


def test_certificates_are_told_from_schedules() -> None:
    assert is_certificate(HEAD)
    assert not is_certificate('{"format": "ringyard/1", "kind": "makespan-schedule"}')


@pytest.mark.parametrize(
    ("step", "said"),
    [
        ({"rule": "magic"}, "there is no such rule. Known rules: longest job, area"),
        ({"rule": "area"}, "from is missing"),
        ({"rule": "area", "from": -1}, "from is -1, expected a nonnegative number"),
        ({"rule": "area", "from": 0.5}, "from is 0.5, expected a nonnegative number"),
        ({"rule": "area", "from": True}, "from is true"),
        ({"rule": "longest job", "job": "nobody"}, "there is no job 'nobody' here"),
        ({"rule": "exclusion", "places": "1/2", "from": 0}, "places is '1/2', expected"),
        ({"rule": "exclusion", "places": 1, "from": 99}, "no job is released at slot 99"),
        ({"rule": "loads", "by": 8, "prices": [[0, 3]]}, "expected lists of 4 numbers"),
        ({"rule": "loads", "by": 10**9, "prices": []}, "one after the other, all jobs end by"),
        ({"rule": "area", "from": 0, "regions": ["mars"]}, "no servers are in these regions"),
        ({"rule": "servers", "inside": [], "pieces": [[1, 2, 3]]}, "more on a crowded server"),
        ({"rule": "servers", "inside": [[9, 1]], "pieces": []}, "more GPUs than a server has"),
        ({"rule": "servers", "inside": [], "pieces": []}, "servers earn 0"),
        ({"rule": "area", "from": 0, "until": 9}, "this rule is given no 'until'"),
        ({"rule": "every schedule", "before": 1, "regions": ["a"]}, "is given no 'regions'"),
    ],
)
def test_a_step_that_does_not_follow_is_named_with_the_reason(
    step: dict[str, object], said: str
) -> None:
    instance = load("hand-lpt")
    head = certificate_text(instance, best_bound(instance), False).splitlines()[0]
    good = json.dumps({"rule": "area", "from": 0})
    lines = [head, good, json.dumps(step)]
    verdict = check_certificate(instance, read_certificate("\n".join(lines), "text"))
    assert not verdict.accepted
    assert verdict.refused is not None
    assert (verdict.refused.line, verdict.refused.rule) == (3, step["rule"])
    assert said in verdict.refused.why


def test_whatever_stands_in_a_file_is_refused_in_words() -> None:
    instance, rng = load("hand-lpt"), Random(1)
    text = certificate_text(instance, best_bound(instance), False)
    text += '{"rule": "loads", "by": 8, "prices": [[0, 5, 1, 1], [0, 4, 1, "1/3"]]}\n'
    pieces = [*'{}[]":,/-0917e.\n\\ ', "null", "1e999", "10" * 400, "rule", "area", "NaN", "\u2028"]
    for _ in range(400):
        damaged = text
        for _ in range(rng.choice([1, 1, 2, 5])):
            at = rng.randrange(len(damaged))
            damaged = damaged[:at] + rng.choice(pieces) + damaged[at + rng.randrange(3) :]
        with suppress(InputError):
            verdict = check_certificate(instance, read_certificate(damaged, "text"))
            assert all(value <= 9 for value in verdict.follows)


def test_an_upper_bound_on_the_makespan_is_refused() -> None:
    instance = load("hand-lpt")
    text = certificate_text(instance, best_bound(instance), True)
    refused = check_certificate(instance, read_certificate(text, "text")).refused
    assert refused is not None
    assert "at least" in refused.why


def test_long_numbers_stay_exact_and_long_claims_are_rounded_down() -> None:
    instance, price, unit = load("hand-lpt"), 10**40 + 7, Fraction(1, 10**60)
    bound = Bound(
        value=9 - unit / 3,
        kind=BoundKind.DUAL,
        name="loads",
        argument="",
        proof=({"rule": "loads", "by": 8, "prices": [[0, 5, 1, price]]},),
    )
    read = read_certificate(certificate_text(instance, bound, False), "text")
    assert read.steps[0].rows("prices", 4) == [(0, 5, 1, price)]
    assert read.claim == 9 - unit


def test_a_name_in_gz_is_packed() -> None:
    instance = load("hand-lpt")
    bound = best_bound(instance)
    assert certificate_bytes(instance, bound, False, Path("b.jsonl.gz"))[:2] == b"\x1f\x8b"
    assert certificate_bytes(instance, bound, False, Path("b.jsonl"))[:1] == b"{"


PROGRAM = """
import sys
from ringyard.instances.catalogue import load
from ringyard.analysis.check.certificates.checking import check_certificate
from ringyard.analysis.check.certificates.reading import read_certificate
instance = load("hand-exclusion")
text = sys.argv[1]
print(check_certificate(instance, read_certificate(text, "text")).accepted)
print(*sorted(sys.modules))
"""

BESIDE = {"analysis", "families", "instances", "interrupts", "version", "extensions"}
"""Of the package only the folder of the checker, the records of families and the entities."""


def test_the_checker_needs_no_room_that_makes_proofs() -> None:
    instance = load("hand-exclusion")
    text = certificate_text(instance, best_bound(instance), False)
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, text], capture_output=True, text=True, check=True
    )
    accepted, modules = done.stdout.splitlines()
    loaded = set(modules.split())
    rooms = {name.split(".")[1] for name in loaded if name.startswith("ringyard.")}
    own = {name for name in loaded if name.startswith("ringyard.analysis.")}
    assert accepted == "True"
    assert rooms <= BESIDE
    assert all(name.startswith("ringyard.analysis.check") for name in own)
    assert not loaded & {"numpy", "scipy", "numba", "highspy", "ringyard.instances.certificate"}
