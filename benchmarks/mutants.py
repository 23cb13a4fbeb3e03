"""Change the checker of certificates in one place at a time, and see whether its tests notice.

    python benchmarks/mutants.py [TEST ..] [--sample N] [--seed S] [--only PART] [--again LOG]
                                 [--log FILE]

Runs the tests in tests/check/certificates, or those named, once and notes the lines of the
checker that each of them reaches. Every mutant then gets a fork of that process, in which
functions are given the changed code, and the tests that reach it run, the quickest first, until
one fails. What does not end within its time counts as noticed. Of all mutants, or of N drawn with
a seed, those of files with PART in their name are tried; with --again those that LOG of an earlier
run has as not noticed. With --log each becomes a line of FILE, and a second run skips those that
are there. What is named in `mutants_alike.py` is tried and not counted.
`docs/studies/mutation.md` has what came out.
"""

# ruff: noqa: T201

import argparse
import json
import os
import resource
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from types import CodeType, FrameType
from typing import Any

import pytest
from _pytest.runner import runtestprotocol

sys.path.insert(0, str(Path(__file__).parent))

from by_number import Row, logged
from mutant_code import Mutant, forget, mutants, put
from mutants_alike import ALIKE

ROOT = Path(__file__).parent.parent
CHECKER = ROOT / "analysis/check/certificates"
TESTS = ["tests/check/certificates"]
LEFT_OUT = ["tests/check/certificates/test_bare.py"]
"""Tests that start another Python, which would not see the change."""

NOTICED, NOT_NOTICED, FOR_EVER, NO_TEST = "noticed", "not noticed", "for ever", "no test"
MISSED = NOT_NOTICED, NO_TEST
PATIENCE = 20
"""Times its seconds, and as many seconds, that a test is given."""

CALLS = 200
"""Of a function in a test of which the lines are noted, as that takes time."""


class Hunt:
    """A plugin of pytest that runs all tests once, and then those of each mutant."""

    def __init__(self, options: argparse.Namespace) -> None:
        """Know what is asked for."""
        self.options, self.rows = options, logged(options.log)
        self.seconds, self.reached = dict[int, float](), dict[tuple[str, int], set[int]]()
        self.calls, self.failed = Counter[CodeType](), list[str]()

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Try all mutants."""
        for number, item in enumerate(session.items):
            forget()
            self.calls.clear()
            started = time.process_time()
            sys.settrace(self._tracer(number))
            reports = runtestprotocol(item, log=False)
            sys.settrace(None)
            self.seconds[number] = time.process_time() - started
            self.failed += [one.nodeid for one in reports if one.failed]
        slowest = sorted(self.seconds, key=self.seconds.__getitem__)[-8:]
        print(*(f"{self.seconds[k]:.1f} s {session.items[k].nodeid}" for k in slowest), sep="\n")
        print(f"{len(session.items)} tests take {sum(self.seconds.values()):.0f} s", flush=True)
        if self.failed:
            return True
        known = {row["mutant"] for row in self.rows}
        for mutant in self._chosen():
            if mutant.name not in known:
                self._keep(mutant, session)
        return True

    def _chosen(self) -> list[Mutant]:
        every = every_mutant()
        print(f"{len(every)} mutants", flush=True)
        count = min(self.options.sample or len(every), len(every))
        drawn = Random(self.options.seed).sample(every, count)
        if self.options.again:
            missed = (row for row in logged(self.options.again) if row["came"] in MISSED)
            names = {without_line(row["mutant"]) for row in missed}
            drawn = [one for one in drawn if without_line(one.name) in names]
        return [one for one in drawn if self.options.only in str(one.path)]

    def _tracer(self, test: int) -> Any:
        """Return a tracer that notes the lines of the checker which a test reaches."""
        own = f"{CHECKER}{os.sep}"

        def local(frame: FrameType, _: str, __: Any) -> Any:
            place = frame.f_code.co_filename, frame.f_lineno
            self.reached.setdefault(place, set()).add(test)
            return local

        def enter(frame: FrameType, what: str, given: Any) -> Any:
            code = frame.f_code
            self.calls[code] += 1
            if self.calls[code] > CALLS or not code.co_filename.startswith(own):
                return None
            return local(frame, what, given)

        return enter

    def _keep(self, mutant: Mutant, session: pytest.Session) -> None:
        tests = set[int]()
        for line in mutant.lines:
            tests |= self.reached.get((str(mutant.path), line), set())
        if not mutant.lines:
            places = ((path, own) for (path, _), own in self.reached.items())
            tests = set().union(*(own for path, own in places if path == str(mutant.path)))
        started = time.monotonic()
        came = self._tried(mutant, session, sorted(tests, key=self.seconds.__getitem__))
        row = {"mutant": mutant.name, "came": came, "tests": len(tests)}
        row["seconds"] = round(time.monotonic() - started, 2)
        self.rows.append(row)
        if came in MISSED:
            print(f"{came}: {mutant.name}", flush=True)
        if self.options.log:
            with self.options.log.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row) + "\n")

    def _tried(self, mutant: Mutant, session: pytest.Session, tests: list[int]) -> str:
        if not tests:
            return NO_TEST
        sys.stdout.flush()
        child = os.fork()
        if not child:
            os._exit(self._failing(mutant, session, tests))
        _, status = os.waitpid(child, 0)
        if os.WIFSIGNALED(status):
            return FOR_EVER if os.WTERMSIG(status) == signal.SIGXCPU else NOTICED
        return NOTICED if os.WEXITSTATUS(status) else NOT_NOTICED

    def _failing(self, mutant: Mutant, session: pytest.Session, tests: list[int]) -> int:
        """Return 1 if a test fails; of a process that is only there for this."""
        signal.signal(signal.SIGXCPU, signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_AS, (8 << 30, resource.RLIM_INFINITY))
        try:
            put(mutant)
            for test in tests:
                now = resource.getrusage(resource.RUSAGE_SELF)
                ends = now.ru_utime + now.ru_stime + PATIENCE * (1 + self.seconds[test])
                resource.setrlimit(resource.RLIMIT_CPU, (int(ends), resource.RLIM_INFINITY))
                if any(one.failed for one in runtestprotocol(session.items[test], log=False)):
                    return 1
        except BaseException:
            return 1
        return 0


def every_mutant() -> list[Mutant]:
    """Return all mutants of the checker."""
    return [one for path in sorted(CHECKER.rglob("*.py")) for one in mutants(path, CHECKER)]


def alike(name: str) -> bool:
    """Return True if a mutant is one of those that change no verdict."""
    return without_line(name) in ALIKE


def without_line(name: str) -> str:
    """Return the name of a mutant without the number of its line."""
    path, _, rest = name.split(":", 2)
    return f"{path}:{rest}"


def tables(rows: list[Row]) -> Iterator[str]:
    """Yield the lines of a table by file, without what changes no verdict."""
    rows = [row for row in rows if not alike(row["mutant"])]
    counts = Counter((row["mutant"].split(":")[0], row["came"]) for row in rows)
    files = sorted({name for name, _ in counts})
    yield "| file | changes | noticed | not noticed | score |"
    yield "|---|--:|--:|--:|--:|"
    total = [0, 0]
    for name in [*files, "all"]:
        missed = counts[name, NOT_NOTICED] + counts[name, NO_TEST]
        caught = counts[name, NOTICED] + counts[name, FOR_EVER]
        if name == "all":
            caught, missed = total
        total = [total[0] + caught, total[1] + missed]
        score = 100 * caught / max(1, caught + missed)
        yield f"| {name} | {caught + missed} | {caught} | {missed} | {score:.1f} % |"


def main() -> int:
    """Try mutants; return 1 if the tests fail without any."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="")
    parser.add_argument("--again", type=Path)
    parser.add_argument("tests", nargs="*", default=TESTS)
    parser.add_argument("--log", type=Path)
    hunt = Hunt(parser.parse_args())
    os.chdir(ROOT)
    left_out = [f"--ignore={path}" for path in LEFT_OUT]
    quiet = ["-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-m", "not slow"]
    pytest.main(
        [*quiet, *left_out, "-k", "not needs_no and not needs_what", *hunt.options.tests], [hunt]
    )
    print("\n".join(tables(hunt.rows)))
    print("\n".join(f"fails without any change: {name}" for name in hunt.failed))
    return int(bool(hunt.failed))


if __name__ == "__main__":
    sys.exit(main())
