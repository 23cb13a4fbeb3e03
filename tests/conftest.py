"""What every test can use: shared helpers on the path, golden texts, hypothesis settings."""

import gc
import os
import re
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

try:
    from hypothesis import HealthCheck, settings

    from ringyard.simulation import jit
except ModuleNotFoundError as error:
    advice = (
        "type `make test`, or first `python -m pip install -c constraints.txt -e . --group test`"
    )
    pytest.exit(f"the tests need {error.name}, which is not installed here: {advice}", 4)

TESTS = Path(__file__).resolve().parent
ROOT = TESTS.parent
STATUS = Path("/proc/self/status")

# `python -m pytest` puts the checkout on the path, where rooms such as `cli` would hide the folders
# of tests that are called like them; so it is taken off, also for the programs that tests start.
sys.path[:] = [str(TESTS), *(place for place in sys.path if Path(place).resolve() != ROOT)]
os.environ["PYTHONSAFEPATH"] = "1"

# The suite comes back to most kernels, so it compiles them sooner than a command would.
jit.COMPILING_S = 1.0

# What is under way is said on standard error when it takes long, which tests do not compare.
os.environ["RINGYARD_QUIET"] = "yes"

# A shell starts what runs in the background deaf to Ctrl-C, and nohup to the end of a terminal;
# tests send both to themselves.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)

# The suite draws the same examples on every run; `--hypothesis-profile=search` draws new ones, and
# more where a test does not say how many.
settings.register_profile(
    "suite",
    deadline=None,
    derandomize=True,
    max_examples=15,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile(
    "search", settings.get_profile("suite"), derandomize=False, max_examples=100
)
settings.load_profile("suite")


class Checkout:
    """The checkout is a folder of tests, not a package, whatever its name is."""

    @staticmethod
    def pytest_collect_directory(path: Path, parent: pytest.Collector) -> pytest.Dir | None:
        return pytest.Dir.from_parent(parent, path=path) if path == ROOT else None


def pytest_collection() -> None:
    """Keep the collector of garbage from what pytest collects: it all stays until the end."""
    gc.disable()


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.set_threshold(20_000, 20)
    gc.enable()
    gc.freeze()


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown() -> None:
    """Fail a test whose libraries leave Ctrl-C without a handler: a later test would die of it."""
    if STATUS.is_file():
        caught = re.search(r"SigCgt:\s*(\w+)", STATUS.read_text())
        assert caught
        assert int(caught[1], 16) >> (signal.SIGINT - 1) & 1, "nobody handles SIGINT any more"


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Checkout())


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--write-golden", action="store_true", help="write golden texts anew")


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Hold a text against `golden/<name>.txt` beside the test.

    Run ``pytest --write-golden`` after a wanted change, and read the difference.
    """
    folder = request.path.parent / "golden"

    def compare(name: str, text: str) -> None:
        path = folder / f"{name}.txt"
        if request.config.getoption("--write-golden"):
            folder.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        assert path.exists(), f"no {path.name}: run pytest --write-golden"
        assert text == path.read_text(encoding="utf-8")

    return compare


@pytest.fixture(autouse=True)
def _same_path() -> Iterator[None]:
    """Take off the path what a test has put there: packages beside it would be found later on."""
    before = list(sys.path)
    yield
    sys.path[:] = before
