"""Methods that try to look better than they are, or to do harm; none of them may gain by it."""

import dataclasses
import json
import os
import subprocess
import sys
import time
from pathlib import Path

from ringyard import solve

PLACES = [str(Path(__file__).parents[1]), "/tmp", "/var", "/home", "/run"]

PLANTED, MARKER, ANSWER = "@PLANTED@", "@MARKER@", "@ANSWER@"
"""Filled in by the tests: beginnings of a secret, a file, a plan."""

os.environ["RINGYARD_CHEAT"] = "imported"


def honest(instance):
    return solve(instance, "gang-lpt").schedule


def reads_the_best(instance):
    """The best that is known stands in the catalogue."""
    from ringyard.instances.catalogue import best_schedule, entries

    for entry in entries().values():
        if entry.digest == instance.name:
            return best_schedule(entry.name)
    return None


def searches_files(instance):
    """What the evaluator has may lie about."""
    environments = [f"/proc/{name}/environ" for name in os.listdir("/proc") if name.isdigit()]
    files = [
        os.path.join(folder, name)
        for place in PLACES
        for folder, _, names in os.walk(place)
        for name in names
        if not name.endswith(".py") and os.path.isfile(os.path.join(folder, name))
    ]
    for file in [*environments, *files]:
        try:
            text = Path(file).read_bytes()
        except OSError:
            continue
        if PLANTED.encode() in text:
            return honest(instance)
    return honest(instance) if PLANTED in str(os.environ) else None


def reads_memory(instance):
    """The memory of the process above holds bounds and the secret."""
    for process in [os.getppid(), *(p for p in os.listdir("/proc") if p.isdigit())]:
        if int(process) != os.getpid():
            try:
                Path(f"/proc/{process}/environ").read_bytes()
                with open(f"/proc/{process}/mem", "rb"):
                    pass
            except OSError:
                continue
            return honest(instance)
    return None


def shrinks(instance):
    """A smaller instance is easier."""
    object.__setattr__(instance, "jobs", instance.jobs[:1])
    return honest(instance)


def mutes_the_judge(instance):
    """The judge of this process says what it is told to."""
    from ringyard.analysis.check import judge

    judge.violations_of = lambda *_: ()
    plan = honest(instance)
    object.__setattr__(plan, "assignments", plan.assignments[:1])
    return plan


def stops_the_clock(instance, limits):
    """Time that does not pass is no limit."""
    time.monotonic = time.perf_counter = lambda: 0.0
    while not limits.over():
        pass
    return honest(instance)


def lies_about_time(instance):
    """Half a second that nobody is told of."""
    time.sleep(0.5)
    time.monotonic = time.perf_counter = time.time = lambda: 0.0
    return honest(instance)


def copies(instance):
    """Another instance's plan, which was good there."""
    from ringyard.instances.reading.files import SCHEDULES, parse

    return parse(Path(__file__).with_name("plan.json").read_text(), SCHEDULES)


def smuggles(instance):
    """A plan that holds what an evaluator might repeat."""
    plan = honest(instance)
    first = plan.assignments[0]
    named = dataclasses.replace(first, job="smuggled out")
    return dataclasses.replace(plan, assignments=(named, *plan.assignments[1:]))


def hangs(instance):
    while True:
        time.sleep(1)


def forks(instance):
    """Processes that go on when it is done."""
    for _ in range(3):
        subprocess.Popen(["sleep", "86399"], start_new_session=True)
    return honest(instance)


def prints(instance):
    """A flood that nobody reads."""
    for _ in range(2000):
        os.write(1, b"x" * 100_000)
    return honest(instance)


def complains(instance):
    while True:
        os.write(2, b"x" * 100_000)


def fills_memory(instance):
    return [bytearray(10**8) for _ in range(100)]


def fills_the_disk(instance):
    with open("flood", "wb") as file:
        while True:
            file.write(b"x" * 10**7)


def leaves(instance):
    os._exit(0)


def exits(instance):
    sys.exit(0)


def line_fd():
    """Return the line to the evaluator."""
    return int(sys.argv[1])


def says_it_is_best(instance):
    """Words of the worker, by the method."""
    said = {"status": "valid", "value": 1, "seconds": 0.0, "plans": [], "rank": 1}
    os.write(line_fd(), json.dumps(said).encode() + b"\n")
    hangs(instance)


def says_it_is_done(instance):
    os.write(line_fd(), b'{"status": "answered", "plans": [], "note": "as good as it gets"}\n')
    hangs(instance)


def babbles(instance):
    os.write(line_fd(), b"[" * 100_000 + b"\n")
    hangs(instance)


def says_half(instance):
    os.write(line_fd(), b'{"plans": [')
    hangs(instance)


def says_too_much(instance):
    while True:
        os.write(line_fd(), b"x" * 2**20)


def calls_home(instance):
    """The network might know better."""
    import socket

    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as line:
        line.settimeout(1)
        line.connect(("127.0.0.1", int(MARKER)))
    return honest(instance)


def writes_here(instance):
    """A file that another run would find."""
    try:
        Path(__file__).with_name("left.txt").write_text("plan")
    except OSError:
        return None
    return honest(instance)
