"""Every entry of the catalogue is what it says, and every record is certified again."""

import json
import re
import shutil
from collections import Counter
from datetime import date
from fractions import Fraction
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import ringyard
from ringyard import instances
from ringyard.analysis.check import check
from ringyard.families import FAMILIES
from ringyard.instances import InputError, Limits, MakespanInstance, digest, load_instance
from ringyard.instances.catalogue import (
    DATA,
    Entry,
    best_schedule,
    edition,
    entries,
    load,
    meet,
    on_record,
)
from ringyard.instances.generate import generate
from ringyard.policies.request import Request
from ringyard.search.makespan.bounds.slow_bounds import best_slow_bound
from ringyard.search.makespan.exact import branch_and_bound
from ringyard.search.online.bounds import combinatorial_bounds
from ringyard.search.online.dual_bound import dual_bound
from ringyard.search.rental.bounds import combinatorial_bounds as rental_bounds
from ringyard.search.reserved.bounds import combinatorial_bounds as gain_bounds
from ringyard.search.trace.bounds import combinatorial_bounds as trace_bounds

ROOT = Path(__file__).parents[2]
GOOD = [entry for entry in entries().values() if entry.kind != "broken"]
QUICK = [
    pytest.param(entry, marks=[pytest.mark.slow] if entry.jobs > 2000 else [], id=entry.name)
    for entry in GOOD
]

LONG = (
    *("pdors-s0", "pdors-large-s0", "pdors-small-05x3x5", "pdors-small-06x3x6", "gadget-s0"),
    *("mobihoc-10-s0", "mobihoc-15-s0", "knot-cheap-s0", "knot-half-s0", "tight-cheap-s0"),
)
"""Long ones, priced or counted, and others like one that is quick enough."""


def certified(kind: str) -> list[Any]:
    """Return the entries of a kind; of those drawn alike all but the first take a slow test."""
    found = [entry for entry in GOOD if entry.kind == kind]
    later = {entry.name for entry in found if re.search(r"-s[1-9]\d*$", entry.name)}
    long = later | {entry.name for entry in found if entry.jobs > 1000 or entry.name in LONG}
    return [
        pytest.param(e, marks=[pytest.mark.slow] if e.name in long else [], id=e.name)
        for e in found
    ]


EDITIONS = {
    1: "bfda672cd6359b633384bae007e7cb90d2a62a62d2a53fe5a50028ff3d6b3830",
    2: "3c708956625ae4e5cd29434428762a07018f9ae5e6a5ce6046346b67c531d2ad",
    3: "f1611e267ac0362d77f349095074177ee5022536363b204e249da648e476daf9",
    4: "d8d338e80851c73448d20c67997ee3a9886e6cf42ec847d1a09bb9085f6b7383",
}
"""What names meant; a new problem, or another of an old name, makes a new edition."""


def test_an_edition_means_the_same_problems_for_ever() -> None:
    number, found = edition()
    assert EDITIONS[number] == found
    assert number == max(EDITIONS)


def script(path: str) -> ModuleType:
    spec = spec_from_file_location(Path(path).stem, ROOT / path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_of_records_is_that_of_the_index() -> None:
    records = script("docs/records.py")
    assert records.PAGE.read_text(encoding="utf-8") == records.page(), "run python docs/records.py"


def test_only_a_valid_and_better_schedule_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The best known schedule is taken where a worse one is on record, and only there."""
    catalogue = script("benchmarks/catalogue.py")
    data = tmp_path / "data"
    index = json.loads((DATA / "index.json").read_text(encoding="utf-8"))
    (row,) = (row for row in index["instances"] if row["name"] == "hand-lpt")
    best = row["upper"][0]["value"]
    row["upper"] = [row["upper"][0] | {"value": str(Fraction(best) + 1)}]
    shutil.copytree(DATA / "hand", data / "hand")
    (data / "schedules").mkdir()
    (data / "index.json").write_text(json.dumps(index), encoding="utf-8")
    for module in (catalogue, instances.catalogue):
        monkeypatch.setattr(module, "DATA", data)
    entries.cache_clear()
    try:
        plan = DATA / "schedules/hand-lpt.json"
        assert catalogue.take("hand-lpt", plan) == 0
        assert str(entries()["hand-lpt"].upper[0].value) == best
        assert (data / "schedules/hand-lpt.json").read_bytes() == plan.read_bytes()
        assert catalogue.take("hand-lpt", plan) == 1
        assert catalogue.take("hand-area", plan) == 1
    finally:
        entries.cache_clear()
    said = capsys.readouterr().out.splitlines()
    assert said[:2] == [f"taken: hand-lpt {best}", f"not taken: {best}, known is {best}"]
    assert "violations" in said[2]


every_entry = pytest.mark.parametrize("entry", QUICK)


def size_of(instance: Any) -> tuple[int, int]:
    """Count jobs, or what stands for them, and servers."""
    match instance.kind:
        case "coded":
            return instance.workers, instance.workers
        case "shuffle":
            return instance.rows, len(instance.workers)
        case "transfers":
            return len(instance.updates), 0
        case "rental":
            return len(instance.types), 0
    home = instance.cluster if isinstance(instance, MakespanInstance) else instance
    return len(instance.jobs), len(getattr(home, "servers", getattr(home, "machines", ())))


@every_entry
def test_the_entry_describes_its_instance(entry: Entry) -> None:
    instance = load(entry.name)
    assert instance.name == entry.name
    assert digest(instance) == entry.digest
    assert size_of(instance) == (entry.jobs, entry.servers)
    assert instance.licence == entry.licence != ""
    assert instance.source == entry.source != ""
    assert instance.title != ""


@pytest.mark.parametrize("entry", [p for p in QUICK if p.values[0].kind == "trace"])
def test_the_bound_on_a_mean_is_certified(entry: Entry) -> None:
    """It is a count computed anew, argued by hand, or a complete search above that count."""
    instance, best = load(entry.name), entry.lower[0]
    computed = trace_bounds(instance)[0]
    if best.certificate == "argued":
        assert entry.family == "hand"
        assert str(best.value) in instance.notes
    elif best.certificate == "combinatorial":
        assert best.value == computed.value
    else:
        assert best.certificate in ("dual", "searched")
        assert best.value >= computed.value
    assert best.value <= entry.upper[0].value


@pytest.mark.parametrize("entry", [p for p in QUICK if p.values[0].kind in ("rental", "fleet")])
def test_the_bound_for_rented_gpus_is_certified(entry: Entry) -> None:
    """It is the best of those computed anew, or argued by hand."""
    instance, best = load(entry.name), entry.lower[0]
    computed = rental_bounds(instance)[0]
    if best.certificate == "argued":
        assert entry.family == "hand"
        assert str(best.value) in instance.notes
        assert best.value >= computed.value
    else:
        assert best.certificate == computed.kind
        assert meet(best.value, computed.value)
    assert best.value <= entry.upper[0].value


@pytest.mark.parametrize(
    "entry", [p for p in QUICK if p.values[0].kind in ("coded", "shuffle", "transfers")]
)
def test_the_bound_on_a_time_or_load_is_certified(entry: Entry) -> None:
    """It is a count computed anew, or argued by hand, or comes of a search or program above it."""
    instance, best = load(entry.name), entry.lower[0]
    computed = FAMILIES[entry.kind].bounds(instance)[0]
    if best.certificate == "combinatorial":
        assert meet(best.value, computed.value)
    elif best.certificate == "argued":
        assert entry.family == "hand"
        assert {str(best.value), str(float(best.value))} & {
            *instance.notes.replace(",", "").split()
        }
        assert best.value >= computed.value
    else:
        assert best.certificate in ("dual", "searched")
        assert best.value >= computed.value
    assert best.value <= entry.upper[0].value


@every_entry
def test_the_best_schedule_on_record_is_certified(entry: Entry) -> None:
    schedule = best_schedule(entry.name)
    assert schedule is not None
    verdict = check(load(entry.name), schedule)
    assert verdict.violations == ()
    up = not FAMILIES[entry.kind].maximize
    assert verdict.objective is not None
    assert on_record(verdict.objective, up=up) == entry.upper[0].value


@pytest.mark.parametrize(
    "entry",
    [
        pytest.param(e, marks=[pytest.mark.slow] if e.name in LONG else [], id=e.name)
        for e in GOOD
        if e.kind == "online"
    ],
)
def test_the_bound_on_a_utility_is_certified(entry: Entry) -> None:
    """It is a count or priced anew, no better than what is proved here, or argued by hand.

    Pricing takes minutes for large ones, which only `python benchmarks/catalogue.py certify` does.
    """
    instance, best = load(entry.name), entry.lower[0]
    if best.certificate == "argued":
        assert entry.family == "hand"
        assert str(best.value) in instance.notes
    elif best.certificate == "dual":
        if entry.jobs <= 8:
            assert best.value == dual_bound(instance, Limits()).value
        assert best.value <= combinatorial_bounds(instance)[0].value
    else:
        assert best.certificate == "combinatorial"
        assert best.value == combinatorial_bounds(instance)[0].value
    assert best.value >= entry.upper[0].value


@pytest.mark.parametrize("entry", certified("reserved"))
def test_the_bound_on_a_gain_is_certified(entry: Entry) -> None:
    """It is a count computed anew, or argued by hand."""
    instance, best = load(entry.name), entry.lower[0]
    if best.certificate == "argued":
        assert entry.family == "hand"
        assert str(best.value) in instance.notes
    else:
        assert best.certificate == "combinatorial"
        assert best.value == gain_bounds(instance)[0].value
    assert best.value >= entry.upper[0].value


@pytest.mark.parametrize("entry", certified("makespan"))
def test_the_bound_on_record_is_certified(entry: Entry) -> None:
    """The best bound is a count or a dual computed anew, or a complete search above it."""
    instance = load(entry.name)
    best, computed = entry.lower[0], best_slow_bound(instance, Limits())
    if best.certificate in ("combinatorial", "dual"):
        assert (best.value, best.certificate) == (computed.value, computed.kind)
    elif best.certificate == "argued":
        assert (entry.family, instance.progress) == ("hand", "continuous")
        assert str(float(best.value)) in instance.notes
    else:
        assert best.certificate == "searched"
        assert best.value >= computed.value
    assert best.value <= entry.upper[0].value


@pytest.mark.slow
@pytest.mark.parametrize(
    "entry",
    [
        entry
        for entry in GOOD
        if entry.kind == "makespan" and entry.jobs < 16  # `small-16x6` takes 40 s.
        if entry.lower and entry.lower[0].certificate == "searched"
    ],
    ids=lambda e: e.name,
)
def test_exact_bounds_are_proved_again(entry: Entry) -> None:
    outcome = branch_and_bound.run(load(entry.name), Request())
    assert outcome.bound is not None
    assert outcome.bound.value == entry.lower[0].value


def test_names_are_listed_by_family() -> None:
    everything = ringyard.list_instances()
    assert set(everything) == {name for name, one in entries().items() if one.problem is None}
    assert sorted(n for kind in FAMILIES for n in ringyard.list_instances(kind)) == sorted(
        everything
    )
    open_ones = ringyard.list_instances("trace", proved=False)
    assert open_ones
    assert not any(entries()[name].closed for name in open_ones)
    closed = ringyard.list_instances("trace", proved=True)
    assert {*open_ones, *closed} == set(ringyard.list_instances("trace"))
    for kind, family in FAMILIES.items():
        names = ringyard.list_methods(kind)
        assert names[0] == family.default
        assert {method.name for method in family.methods} <= set(names)
    for ask in (ringyard.list_instances, ringyard.list_methods):
        with pytest.raises(InputError, match=r"kind: found 'makspan'.*Did you mean 'makespan'"):
            ask("makspan")


def test_records_are_complete() -> None:
    for entry in GOOD:
        assert entry.difficulty in ("toy", "easy", "medium", "hard", "open"), entry.name
        assert (entry.difficulty == "open") == (not entry.closed), entry.name
        for known in (*entry.upper, *entry.lower):
            assert known.method, entry.name
            assert date.fromisoformat(known.date), entry.name
        assert (entry.file is None) != (entry.recipe is None), entry.name


def test_families_have_their_sizes() -> None:
    counts = Counter(entry.family for entry in entries().values())
    assert counts["hand"] >= 12
    assert len([e for e in GOOD if re.fullmatch("small-[0-9]+x[0-9]", e.name)]) == 20
    assert counts["mobihoc"] == 30
    assert {e.jobs for e in GOOD if e.family == "large"} == {2000, 20000}
    assert counts["tight"] >= 10
    assert len([e for e in GOOD if e.name.startswith("hand-online")]) >= 6
    assert (counts["pdors"], counts["pdors-large"]) == (10, 1)
    assert counts["pdors-small"] >= 6
    assert (counts["gadget"], counts["gadget-small"]) == (3, 5)
    assert (counts["tiresias"], counts["elastic"]) == (1, 1)
    assert (counts["philly"], counts["helios"], counts["pai"]) == (2, 1, 1)
    assert counts["tiny-trace"] >= 6
    assert {e.kind: e.jobs for e in GOOD if e.name.startswith("boa")} == {"rental": 2, "fleet": 200}
    assert (counts["rental-mixed"], counts["rental-pollux"], counts["tiny-fleet"]) == (8, 2, 6)
    assert {e.jobs for e in GOOD if e.family == "rental-large"} == {1000}
    assert counts["broken"] >= 12


def test_no_file_is_forgotten() -> None:
    listed = {entry.file for entry in entries().values()} - {None}
    found = {str(p.relative_to(DATA)) for p in DATA.rglob("*.json*") if p.parent != DATA}
    assert listed == {name for name in found if not name.startswith("schedules")}


@pytest.mark.parametrize(
    "entry", [e for e in entries().values() if e.kind == "broken"], ids=lambda e: e.name
)
def test_broken_files_have_the_fault_on_record(entry: Entry) -> None:
    with pytest.raises(InputError) as caught:
        load_instance(DATA / str(entry.file))
    assert str(caught.value.problems[0]) == entry.problem


def test_a_recipe_is_an_instance() -> None:
    found = load("small@jobs=5,servers=2,seed=3")
    made = generate("small", jobs=5, servers=2, seed=3, name=found.name)
    assert (found.name, found) == ("small@jobs=5,servers=2,seed=3", made)


@pytest.mark.parametrize(
    ("recipe", "told"),
    [
        ("small@jobs=5", "Write small@jobs=5,seed=0"),
        ("smal@seed=1", "Did you mean 'small'"),
        ("small@job=5,seed=0", "Did you mean 'jobs'"),
        ("small@jobs=5,seed", "expected key=value"),
    ],
)
def test_a_wrong_recipe_is_refused(recipe: str, told: str) -> None:
    with pytest.raises(InputError, match=told):
        load(recipe)


def test_an_unknown_name_suggests_one() -> None:
    with pytest.raises(InputError, match="Did you mean 'mobihoc-20-s0'"):
        load("mobihoc-20-s00")
