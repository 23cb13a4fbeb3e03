"""Check that a wheel holds the package and its data, and nothing else."""

import sys
import tomllib
from pathlib import Path, PurePosixPath
from zipfile import ZipFile

ROOT = Path(__file__).resolve().parents[1]
DATA = (
    "ringyard/instances/data",
    "ringyard/instances/schema",
    "ringyard/campaigns/files",
    "ringyard/formulations/corpus/hard.json",
    "ringyard/formulations/corpus/history.jsonl",
    "ringyard/formulations/corpus/index.json",
    "ringyard/formulations/corpus/points.json.gz",
    "ringyard/engines/files/runs.jsonl.gz",
)


def faults(wheel: str) -> list[str]:
    """Describe which files of the wheel are out of place, and which rooms are missing."""
    with ZipFile(wheel) as archive:
        names = [PurePosixPath(name) for name in archive.namelist()]
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]
    rooms = {PurePosixPath(package.replace(".", "/")) for package in settings["packages"]}
    found = []
    for name in names:
        at_home = name.parent in rooms and name.suffix in {".py", ".typed", ".css", ".js"}
        is_data = any(name.is_relative_to(home) for home in DATA)
        if not (at_home or is_data or name.parts[0].endswith(".dist-info")):
            found.append(f"{name} does not belong into the wheel")
    found += [f"{room} is missing" for room in rooms if room / "__init__.py" not in names]
    parts = [PurePosixPath(*part.parts[-3:]) for part in ROOT.glob("analysis/report/*.[cj]s*")]
    found += [f"{part} is missing" for part in parts if "ringyard" / part not in names]
    for home in DATA:
        if not any(name.is_relative_to(home) for name in names):
            found.append(f"nothing from {home}")
    return found


if __name__ == "__main__":
    trouble = faults(sys.argv[1])
    size = Path(sys.argv[1]).stat().st_size
    print("\n".join(trouble) or f"{Path(sys.argv[1]).name}: {size:,} bytes, only the package")
    sys.exit(bool(trouble))
