"""`ringyard warm`: kernels compiled ahead of time."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from queue import Empty, SimpleQueue
from resource import RUSAGE_CHILDREN, getrusage
from threading import Thread

from ..families.registry import FAMILIES
from ..instances.arguments import at_least_one
from ..instances.errors import Problem, RingyardError, raise_any
from .shared.options import Whole
from .shared.output import note, say
from .shared.progress import counting, results, set_apart

EXAMPLES = {"makespan": ("hand-spread", "small-06x3", "mobihoc-10-s0")}
"""Instances that need all kernels of a family, if its first two examples do not."""

SECONDS = 1.0
"""Seconds for a method on an example, without compilation."""

WORKER = "from ringyard.cli.warm import work; work()"

Task = tuple[str, str]


def warm_command(kind: str | None = None, /, *, workers: Whole | None = None) -> int:
    """Compile kernels ahead of time.

    Each method solves some small instances. Compiled kernels are kept until their sources change.

    Parameters
    ----------
    kind
        A problem family, such as makespan or trace (default: all families).
    workers
        Parallel processes (default: one per processor).
    """
    problems = at_least_one("--workers", workers)
    if kind is not None and kind not in FAMILIES:
        problems.append(Problem("kind", kind, f"one of {', '.join(FAMILIES)}", "choose one"))
    raise_any("ringyard warm", problems)
    from ..simulation.jit import all_kept

    tasks, before = list(_tasks([kind] if kind else list(FAMILIES))), all_kept()
    left: SimpleQueue[Task] = SimpleQueue()
    for task in tasks:
        left.put(task)
    answered = list[Task]()
    with counting("compiling kernels, methods run", len(tasks)) as progress:

        def done(task: Task) -> None:
            answered.append(task)
            progress(len(answered))

        several = [
            Thread(target=_feed, args=(left, done))
            for _ in range(min(len(tasks), workers or os.cpu_count() or 1))
        ]
        for one in several:
            one.start()
        for one in several:
            one.join()
    used = getrusage(RUSAGE_CHILDREN)
    took = f"{used.ru_utime + used.ru_stime:.0f} s of processor time"
    say(f"{len(all_kept() - before)} functions compiled, {len(before)} already cached ({took})")
    if lost := len(tasks) - len(answered):
        note(
            f"{lost} of {len(tasks)} methods gave no answer because a process ended. Rerun "
            "the command."
        )
    return 1 if lost else 0


def _tasks(kinds: list[str]) -> Iterator[Task]:
    for kind in kinds:
        family = FAMILIES[kind]
        for name in EXAMPLES.get(kind, family.examples[:2]):
            for method in family.methods:
                if method.kind != "program":
                    yield name, method.name


def _feed(left: SimpleQueue[Task], done: Callable[[Task], None]) -> None:
    """Let a process work on the remaining tasks. It ends with this process, at the end of input."""
    words = [sys.executable, "-P", "-c", WORKER]
    from ..simulation.jit import MODE

    environment = os.environ | {MODE: "compiled"}
    pipe = subprocess.PIPE
    with (
        suppress(BrokenPipeError),
        subprocess.Popen(words, stdin=pipe, stdout=pipe, env=environment, text=True) as worker,
    ):
        assert worker.stdin is not None
        assert worker.stdout is not None
        while True:
            try:
                task = left.get_nowait()
            except Empty:
                return
            worker.stdin.write(f"{' '.join(task)}\n")
            worker.stdin.flush()
            if not worker.stdout.readline():
                return
            done(task)


def work() -> None:
    """Process the tasks on standard input until its end."""
    from ..instances.catalogue import load
    from ..run import solve

    set_apart()
    for line in sys.stdin:
        name, method = line.split()
        with suppress(RingyardError):  # A method may refuse.
            solve(load(name), method, time_limit=SECONDS)
        results().write(line)
        results().flush()
