"""Check that an installed wheel works and prints nothing but results on standard output.

python .ci/wheel_works.py lowest WHEEL FOLDER   # the lowest versions that pyproject.toml allows
python .ci/wheel_works.py newest WHEEL FOLDER   # the newest ones
"""

import json
import re
import subprocess
import sys
import tomllib
import venv
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CAMPAIGN = """\
format = "ringyard-campaign/1"
name = "wheel"
time_limit = 60

[[parts]]
instances = ["hand-theorem5", "hand-lpt"]
methods = ["gang-lpt", "linearised:highs"]
"""
JSON = ""
"""Standard output is one JSON value. Other commands have a pattern that fits all of it."""

COMMANDS = (
    ("solve hand-theorem5 --json", JSON),
    ("solve hand-lpt --method linearised:highs --json", JSON),
    ("bound hand-theorem5 --json", JSON),
    ("bound small-03x2 --time-limit 2 --json", JSON),
    ("solve hand-theorem5 --method linearised:highs --out schedule.json", r"(?s).*makespan.*6.*"),
    ("check hand-theorem5 schedule.json", r"valid\nmakespan 6 slots.*\n"),
    ("run campaign.toml --out campaign", r"wheel: 4 of 4 runs: .*\nrows are in campaign\. .*\n"),
    ("table campaign --kind runs --format csv", r"instance,.*\n(hand-(theorem5|lpt),.*\n){4}"),
    (
        "verify hand-theorem5",
        r"hand-theorem5: bound 6 .*\nmethod .*\n[- ]+\n(\S+ +[67] .*\n)+\nbound: (?s:.*)",
    ),
    ("report campaign --out report.html", r"report\.html: 4 runs, .*\n"),
)


def requirements(which: str) -> list[str]:
    """Return what pip is asked for beside the wheel."""
    if which == "newest":
        return []
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return [line.replace(">=", "==") for line in project["dependencies"]]


def install(which: str, wheel: Path, folder: Path) -> Path:
    """Make an environment with the wheel, and return its `ringyard`."""
    venv.create(folder / which, with_pip=True)
    program = folder / which / "bin"
    pip = [program / "python", "-m", "pip", "--quiet", "--disable-pip-version-check", "--no-input"]
    subprocess.run([*pip, "install", "--no-compile", wheel, *requirements(which)], check=True)
    return program / "ringyard"


def fault(ringyard: Path, words: Sequence[str], pattern: str, folder: Path) -> str:
    """Run a command, and return what is wrong with it, or nothing."""
    ran = subprocess.run([ringyard, *words], cwd=folder, capture_output=True, text=True)
    if ran.returncode:
        return f"exit code {ran.returncode}: {ran.stderr.strip()}"
    if "Traceback" in ran.stderr or "Warning" in ran.stderr:
        return f"standard error has {ran.stderr!r}"
    if pattern:
        return "" if re.fullmatch(pattern, ran.stdout) else f"it prints {ran.stdout!r}"
    try:
        json.loads(ran.stdout)
    except ValueError:
        return f"standard output is not JSON: {ran.stdout[:500]!r}"
    return ""


def main(which: str, wheel: str, place: str) -> int:
    """Install, run every command, and say what went wrong."""
    folder = Path(place).resolve() / f"used-{which}"
    folder.mkdir(parents=True)
    ringyard = install(which, Path(wheel).resolve(), folder)
    (folder / "campaign.toml").write_text(CAMPAIGN, encoding="utf-8")
    failed = False
    for command, pattern in COMMANDS:
        wrong = fault(ringyard, command.split(), pattern, folder)
        failed |= bool(wrong)
        print(f"{which}: ringyard {command}: {wrong or 'as it should be'}")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
