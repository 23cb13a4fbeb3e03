"""What benchmarks share: instances made once, rates, and what is allocated."""

import tracemalloc
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from ringyard.instances.generate import generate

ROOT = Path(__file__).resolve().parents[1]

Rates = Callable[..., None]

UNTIMED = 1_000
"""The largest size where nothing is timed, and benchmarks only have to work."""


class Checkout:
    """The checkout is a folder of benchmarks, not a package, whatever its name is."""

    @staticmethod
    def pytest_collect_directory(path: Path, parent: pytest.Collector) -> pytest.Dir | None:
        return pytest.Dir.from_parent(parent, path=path) if path == ROOT else None


def pytest_configure(config: pytest.Config) -> None:
    """Register what pytest asks before it has come to this folder."""
    config.pluginmanager.register(Checkout())


@cache
def _made(preset: str, options: frozenset[tuple[str, Any]]) -> Any:
    return generate(preset, seed=0, **dict(options))


@pytest.fixture
def made() -> Callable[..., Any]:
    """Return what makes the first instance of a preset, by its options, once."""
    return lambda preset, **options: _made(preset, frozenset(options.items()))


@pytest.fixture(scope="session")
def size(request: pytest.FixtureRequest) -> Callable[[int], int]:
    """Return what gives the size of a benchmark; it is small where nothing is timed."""
    untimed = request.config.getoption("benchmark_disable")
    return lambda whole: min(whole, UNTIMED) if untimed else whole


@pytest.fixture
def rates(benchmark: Any) -> Rates:
    """Return what says how many of each are done in a second, once that was timed."""

    def say(**counts: int) -> None:
        if benchmark.enabled:
            seconds = benchmark.stats.stats.mean
            found = {f"{name}_per_second": count / seconds for name, count in counts.items()}
            benchmark.extra_info.update(found)

    return say


@pytest.fixture
def memory(benchmark: Any) -> Callable[[Callable[[], object], int], None]:
    """Return what measures how much work allocates at most, for a number of jobs."""

    def peak(work: Callable[[], object]) -> float:
        tracemalloc.start()
        try:
            work()
            return tracemalloc.get_traced_memory()[1] / 2**20
        finally:
            tracemalloc.stop()

    def measure(work: Callable[[], object], jobs: int) -> None:
        mebibytes = benchmark.pedantic(peak, (work,), rounds=1)
        found = {"mebibytes": mebibytes, "bytes_per_job": mebibytes * 2**20 / jobs}
        benchmark.extra_info.update(found)

    return measure
