"""The process of one untrusted run: ``python -m ...guarded SOCKET``.

It has an instance and a method, but no bound and no other answer. It drops its privileges before it
reads any code of the method (`sandbox.py`), and sends reported plans as texts for its parent to
judge. Only the first line is Ringyard's. The method may control the line afterwards.
"""

import json
import os
import sys
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from ...instances import Incumbent, Limits, TerminationReason
from ...instances.errors import InputError
from ...instances.reading.encode import digest, to_text
from ...instances.reading.files import INSTANCES, parse
from ...methods import find_method
from ..runs import failure, failure_of
from .processes import die_with_parent
from .sandbox import SandboxError, enter

Message = dict[str, Any]

ELSEWHERE = "Leave out --strict, or run the command in a separate container."

GIVEN = 0.9
"""The part of the time limit that a method is given: its answer needs time to arrive."""


def main() -> None:
    """Receive a task from the keeper, perform it, and wait for termination."""
    die_with_parent()
    line = Connection(int(sys.argv[1]))
    line.send_bytes(b"ready")
    task = json.loads(line.recv_bytes())
    guard = task["guard"]
    shown, hidden = ([Path(one) for one in guard[name]] for name in ("shown", "hidden"))
    try:
        guards = enter(shown, hidden, Path(guard["scratch"]), task["memory_limit"])
    except SandboxError as error:
        return say(
            line, {"refused": (f"the sandbox cannot be created: {error}. Please report this.")}
        )
    lacking = ", ".join(sorted(name for name, kept in guards.items() if not kept))
    if lacking and guard["strict"]:
        return say(line, {"refused": f"this system cannot guard {lacking}. {ELSEWHERE}"})
    instance = parse(task["text"], INSTANCES, task["name"])
    from numpy.random import default_rng  # Before this the process has to have one thread.

    rng = default_rng(task["seed"])
    say(line, {"guards": guards})
    sys.path += filter(None, [guard["folder"]])
    say(line, answer(task, instance, rng, line))
    line.recv_bytes()
    return None


def say(line: Connection, message: Message) -> None:
    """Send an object as a line of text without waiting for delivery."""
    data = memoryview(json.dumps(message).encode() + b"\n")
    while data:
        data = data[os.write(line.fileno(), data) :]


def answer(task: Message, instance: Any, rng: Any, line: Connection) -> Message:
    """Run the method, send each reported schedule, and return its final answer."""
    plans: list[str] = []

    def report(incumbent: Incumbent) -> None:
        say(line, {"reported": to_text(incumbent.schedule)})

    limits = Limits(time_s=GIVEN * task["time_limit"], watch=report)
    try:
        method = find_method(task["method"], instance.kind)
        if reason := method.refuses(instance):
            return failure("refused", TerminationReason.FAILED, reason) | {"plans": []}
        outcome = method.run(instance, limits, rng)
        plans += [to_text(one) for one in (outcome.schedule,) if one is not None]
        columns = {
            "status": "answered",
            "termination": outcome.termination.value,
            "note": outcome.note,
        }
    except InputError as error:
        columns = failure("unusable", TerminationReason.FAILED, str(error.problems[0]))
    except Exception as error:  # What was reported before it counts.
        columns = failure_of(error)
    digest.cache_clear()
    columns["changed"] = digest(instance) != task["digest"]
    return columns | {"plans": plans}


if __name__ == "__main__":
    main()
