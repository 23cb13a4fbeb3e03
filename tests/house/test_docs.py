"""The pages say what the program says: rules, schedulers and bounds."""

import re
from importlib import import_module

import pytest
from house.test_commands import PAGES, ROOT

from ringyard.families import FAMILIES
from ringyard.instances.catalogue import entries
from ringyard.instances.generate import generate
from ringyard.search.makespan.bounds.counting import combinatorial_bounds


def page(name: str) -> str:
    return (ROOT / "docs" / name).read_text(encoding="utf-8")


def first_cells(text: str) -> list[str]:
    """Return what stands in backticks in the first cells of tables."""
    return re.findall(r"^\| `([^`]+)`", text, re.MULTILINE)


@pytest.mark.parametrize("kind", [kind for kind, one in FAMILIES.items() if one.proofs])
def test_the_rules_of_certificates_are_those_of_the_checker(kind: str) -> None:
    (part,) = re.findall(
        rf"^## Rules of `{kind}`\n(.*?)(?:^##|\Z)",
        page("reference/certificate-rules.md"),
        re.M | re.S,
    )
    family = FAMILIES[kind]
    of_metrics = [rule for one in family.bounded.values() for rule in one.proofs]
    assert first_cells(part) == [*(family.proofs or {}), *of_metrics]


def test_the_reference_is_what_the_code_says(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else run `python docs/generate.py`."""
    monkeypatch.syspath_prepend(ROOT / "docs")
    written = import_module("reference_pages").written()
    assert {name: page(f"reference/{name}.md") for name in written} == written


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
