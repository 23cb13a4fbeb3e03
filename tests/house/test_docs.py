"""The pages say what the program says: rules, schedulers and bounds."""

import re

import pytest
from house.test_commands import PAGES, ROOT

from ringyard.families import FAMILIES
from ringyard.instances.catalogue import entries
from ringyard.instances.generate import generate
from ringyard.methods import all_methods
from ringyard.search.makespan.bounds.counting import combinatorial_bounds


def page(name: str) -> str:
    return (ROOT / "docs" / name).read_text(encoding="utf-8")


def first_cells(text: str) -> list[str]:
    """Return what stands in backticks in the first cells of tables."""
    return re.findall(r"^\| `([^`]+)`", text, re.MULTILINE)


def test_the_rules_are_those_of_the_judge() -> None:
    shown = re.findall(
        r"^\| `(\w+)` \| ([^|]+) \| [^|]+ \|$", page("concepts/judge.md"), re.MULTILINE
    )
    assert shown == list(FAMILIES["makespan"].rules.items())


@pytest.mark.parametrize("kind", ["trace", "rental", "fleet", "coded", "shuffle", "transfers"])
def test_the_rules_of_later_families_are_those_of_their_judges(kind: str) -> None:
    (part,) = re.findall(rf"^### Of `{kind}` \w+\n(.*?)^##", page("concepts/judge.md"), re.M | re.S)
    assert re.findall(r"^\| `(\w+)` \| (.+) \|$", part, re.M) == list(FAMILIES[kind].rules.items())


@pytest.mark.parametrize("kind", [kind for kind, one in FAMILIES.items() if one.proofs])
def test_the_rules_of_certificates_are_those_of_the_checker(kind: str) -> None:
    (part,) = re.findall(
        rf"^## Rules of `{kind}`\n(.*?)^##", page("concepts/certificates.md"), re.M | re.S
    )
    assert first_cells(part) == list(FAMILIES[kind].proofs or {})


def test_every_policy_is_described() -> None:
    policies = {
        kind: {m.name for m in all_methods() if m.kind == "policy" and m.family == kind}
        for kind in FAMILIES
    }
    shown = sorted(first_cells(page("theory/policies.md")))
    assert shown == sorted([*policies["makespan"], *policies["trace"]])
    pages = {
        "online": "families/online.md",
        "reserved": "families/reserved.md",
        "rental": "theory/rental-programs.md",
        "fleet": "families/fleet.md",
        "coded": "families/coded.md",
        "shuffle": "families/shuffle.md",
        "transfers": "families/transfers.md",
    }
    for kind, where in pages.items():
        assert policies[kind] <= set(re.findall(r"`([a-z-]+)`", page(where)))


def test_every_bound_has_its_proof() -> None:
    instance = generate("small", seed=0, jobs=4, servers=1)
    names = {bound.name for bound in combinatorial_bounds(instance)}
    assert len(names) == 3
    sections = re.split(r"^## ", page("theory/makespan-bounds-counting.md"), flags=re.MULTILINE)
    proved = {part.partition("\n")[0].lower() for part in sections if "*Proof.*" in part}
    assert names <= proved


def test_every_family_of_the_catalogue_is_described() -> None:
    shown = {name.removesuffix("-*") for name in first_cells(page("reference/catalogue.md"))}
    for family in {entry.family for entry in entries().values()}:
        assert family in shown or family.partition("-")[0] in shown


def test_pictures_are_small_and_used() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in PAGES)
    for picture in (ROOT / "docs/pictures").iterdir():
        assert picture.stat().st_size < 150_000
        assert picture.name in text
