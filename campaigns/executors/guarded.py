"""The process that does one run of a method nobody trusts: ``python -m ...guarded SOCKET``.

It knows an instance and a method, no bound and no other answer, gives up what it can before it
reads any code of the method (`sandbox.py`), and says plans as texts: whoever asked judges them.
What it says first is ours; whatever comes later may be the method's, also the line itself.
"""

import json
import os
import sys
from collections import deque
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from ...instances import Limits, Stop
from ...instances.errors import InputError
from ...instances.reading.encode import digest, to_text
from ...instances.reading.files import INSTANCES, parse
from ...methods import find_method
from ..failures import failure, failure_of
from .processes import die_with_parent
from .sandbox import enter

Told = dict[str, Any]


def main() -> None:
    """Take a task from the keeper, do it, and wait to be ended."""
    die_with_parent()
    line = Connection(int(sys.argv[1]))
    line.send_bytes(b"ready")
    task = json.loads(line.recv_bytes())
    guard = task["guard"]
    shown, hidden = ([Path(one) for one in guard[name]] for name in ("shown", "hidden"))
    guards = enter(shown, hidden, Path(guard["scratch"]), task["memory_limit"])
    instance = parse(task["text"], INSTANCES, task["name"])
    from numpy.random import default_rng  # Before this the process has to have one thread.

    rng = default_rng(task["seed"])
    say(line, {"guards": guards})
    sys.path += filter(None, [guard["folder"]])
    say(line, answer(task, instance, rng))
    line.recv_bytes()


def say(line: Connection, told: Told) -> None:
    """Send an object as a line of text, which nobody has to wait for to be complete."""
    data = memoryview(json.dumps(told).encode() + b"\n")
    while data:
        data = data[os.write(line.fileno(), data) :]


def answer(task: Told, instance: Any, rng: Any) -> Told:
    """Ask the method, and return what it ended with and the last that it told on the way."""
    told: deque[Any] = deque(maxlen=2)
    limits = Limits(time_s=task["time_limit"], watch=lambda one: told.append(one.schedule))
    try:
        method = find_method(task["method"], instance.kind)
        if reason := method.refuses(instance):
            return failure("refused", Stop.FAILED, reason) | {"plans": []}
        outcome = method.run(instance, limits, rng)
        told.append(outcome.schedule)
        columns = {"status": "answered", "stop": outcome.stop.value, "note": outcome.note}
    except InputError as error:
        columns = failure("unusable", Stop.FAILED, str(error.problems[0]))
    except Exception as error:  # What was told before it counts.
        columns = failure_of(error)
    digest.cache_clear()
    columns["changed"] = digest(instance) != task["digest"]
    return columns | {"plans": [to_text(one) for one in told if one is not None]}


if __name__ == "__main__":
    main()
