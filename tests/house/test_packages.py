"""What pyproject.toml lists agrees with the rooms on disk and with constraints.txt."""

import tomllib
from collections.abc import Iterator
from pathlib import Path

from packaging.markers import Marker
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
OUTSIDE = {"benchmarks", "build", "dist", "docs", "mutants", "out", "tests"}


def folders(top: Path) -> Iterator[Path]:
    """Yield the root and every folder below it that could be a room."""
    yield top
    for entry in sorted(top.iterdir()):
        hidden = entry.name.startswith((".", "__")) or entry.name.endswith(".egg-info")
        if entry.is_dir() and not hidden and not (top == ROOT and entry.name in OUTSIDE):
            yield from folders(entry)


def test_every_room_is_listed_once() -> None:
    rooms = [folder for folder in folders(ROOT) if any(folder.glob("*.py"))]
    names = [".".join(["ringyard", *room.relative_to(ROOT).parts]) for room in rooms]
    assert sorted(PROJECT["tool"]["setuptools"]["packages"]) == sorted(names)


def test_every_room_says_what_it_is() -> None:
    without = [
        str(folder.relative_to(ROOT))
        for folder in folders(ROOT)
        if any(folder.glob("*.py")) and not (folder / "__init__.py").is_file()
    ]
    assert not without, f"no __init__.py in {without}"


def constraint_lines() -> list[str]:
    """Return the lines of constraints.txt that are no comments."""
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def test_constraints_are_names_and_versions_only() -> None:
    for line in constraint_lines():
        pin, _, marker = line.partition(";")
        name, equals, version = pin.strip().partition("==")
        assert equals, f"{line!r} is not name==version"
        assert name.replace("-", "").replace("_", "").replace(".", "").isalnum(), line
        assert version.replace(".", "").isalnum(), line
        if marker:
            Marker(marker)


def test_constraints_hold_a_fitting_version_of_all_that_is_asked_for() -> None:
    pins = [Requirement(line) for line in constraint_lines()]
    tested = {canonicalize_name(pin.name): next(iter(pin.specifier)).version for pin in pins}
    project = PROJECT["project"]
    groups = project["optional-dependencies"] | PROJECT["dependency-groups"]
    extras = [line for lines in groups.values() for line in lines if isinstance(line, str)]
    for line in [*project["dependencies"], *extras]:
        asked = Requirement(line)
        if asked.name != project["name"]:
            assert tested[canonicalize_name(asked.name)] in asked.specifier, line


def test_the_package_and_its_metadata_have_one_version() -> None:
    import ringyard

    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert ringyard.__version__ == PROJECT["project"]["version"]
    assert f"\nversion: {ringyard.__version__}\n" in citation
