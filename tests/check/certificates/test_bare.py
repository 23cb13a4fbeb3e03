"""Schedules and certificates of large instances, in an interpreter with nothing but the checker.

A folder gets the checker, the records of families and the data model. Python runs there alone,
without installed packages, on three files.
"""

import json
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

import ringyard
from ringyard.campaigns.certifying import CERTIFICATES, ROWS, ClaimReach, certificate_path, certify
from ringyard.campaigns.store import make_folders
from ringyard.instances import save
from ringyard.instances.catalogue import best_schedule, entries, load

ROOT = Path(ringyard.__file__).parent

HANDED = (
    *("__init__.py", "version.py", "interrupts.py"),
    *("analysis/__init__.py", "analysis/check"),
    *("families", "instances", "extensions/entry_points.py"),
)
"""What the checker and the entities are, of the package."""

PROGRAM = """
import sys
sys.path.insert(0, sys.argv[1])
from pathlib import Path
from ringyard.analysis.check import check
from ringyard.analysis.check.certificates.checking import check_certificate
from ringyard.analysis.check.certificates.reading import read_certificate
from ringyard.instances import load_instance, load_schedule
from ringyard.instances.reading.decode import read_text
instance = load_instance(sys.argv[2])
judged = check(instance, load_schedule(sys.argv[3]))
proof = read_certificate(read_text(Path(sys.argv[4])), sys.argv[4])
accepted = check_certificate(instance, proof)
import json
print(json.dumps({
    "valid": judged.valid,
    "value": str(judged.objective),
    "accepted": accepted.accepted,
    "claim": str(proof.claim),
    "files": [one.__file__ for one in sys.modules.values() if getattr(one, "__file__", None)],
}))
"""


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with nothing but what is handed over."""
    folder = tmp_path_factory.mktemp("bare")
    leave_out = shutil.ignore_patterns("__pycache__", "data")
    for name in HANDED:
        source, target = ROOT / name, folder / "ringyard" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=leave_out)
        else:
            shutil.copy(source, target)
    return folder


@pytest.mark.parametrize(
    "name",
    [
        "hand-lpt",
        "small-04x2",
        *(
            pytest.param(name, marks=pytest.mark.slow)
            for name in ("mobihoc-20-s1", "tight-full-s3", "large-2000-s1")
        ),
    ],
)
def test_a_bare_interpreter_finds_schedule_and_certificate_optimal(
    name: str, bare: Path, tmp_path: Path
) -> None:
    instance, plan = tmp_path / "instance.json", tmp_path / "plan.json"
    make_folders(tmp_path, (ROWS, CERTIFICATES))
    made = certify(entries()[name], 600.0, tmp_path)
    assert made.reach is ClaimReach.OPTIMUM
    save(load(name), instance)
    best = best_schedule(name)
    assert best is not None
    save(best, plan)
    files = [bare, instance, plan, certificate_path(tmp_path, name)]
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-B", "-c", PROGRAM, *map(str, files)],
        cwd=bare,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    best_value = str(entries()[name].upper[0].value)
    assert (said["valid"], said["value"]) == (True, best_value)
    assert (said["accepted"], said["claim"]) == (True, best_value)
    own = (str(bare), sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib"))
    assert [file for file in said["files"] if not file.startswith(own)] == []
    assert not [file for file in said["files"] if "site-packages" in file]
