"""Check that a wheel holds the packages and data that pyproject.toml names, and nothing else."""

import sys
import tomllib
from pathlib import Path, PurePosixPath
from zipfile import ZipFile

ROOT = Path(__file__).resolve().parents[1]


def faults(wheel: str) -> list[str]:
    """Describe which files of the wheel are out of place, and which rooms are missing."""
    with ZipFile(wheel) as archive:
        names = [PurePosixPath(name) for name in archive.namelist()]
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]
    rooms = {PurePosixPath(package.replace(".", "/")) for package in settings["packages"]}
    wanted, found = set(), []
    for package, patterns in settings["package-data"].items():
        home = PurePosixPath(*package.split("."))
        room = ROOT / home.relative_to("ringyard")
        for pattern in patterns:
            there = [path for path in room.glob(pattern) if path.is_file()]
            wanted |= {home / path.relative_to(room) for path in there}
            if not there:
                found.append(f"{package} has no {pattern}, which pyproject.toml names as data")
    for name in names:
        is_code = name.parent in rooms and name.suffix == ".py"
        if not (is_code or name in wanted or name.parts[0].endswith(".dist-info")):
            found.append(f"{name} does not belong into the wheel")
    wanted |= {room / "__init__.py" for room in rooms}
    return found + [f"{name} is missing" for name in sorted(wanted - set(names))]


if __name__ == "__main__":
    trouble = faults(sys.argv[1])
    size = Path(sys.argv[1]).stat().st_size
    print("\n".join(trouble) or f"{Path(sys.argv[1]).name}: {size:,} bytes, only the package")
    sys.exit(bool(trouble))
