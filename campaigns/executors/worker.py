"""The process that does runs, one after another: ``python -m ...executors.worker SOCKET``.

Whatever happens to it, its keeper notices.
"""

import json
import sys
from multiprocessing.connection import Connection
from typing import Any

from ..perform import perform
from ..runs import Task
from .processes import die_with_parent


def main() -> None:
    """Take tasks from the keeper until it hangs up."""
    die_with_parent()
    line = Connection(int(sys.argv[1]))
    line.send_bytes(b"ready")
    while True:
        try:
            task = json.loads(line.recv_bytes())
        except (EOFError, OSError):
            return
        line.send_bytes(json.dumps(_done(task)).encode())


def _done(task: Task) -> dict[str, Any]:
    """Do a run, or the step of a node."""
    if "step" not in task:
        return perform(task)
    from ..graph.perform_step import perform_step

    return perform_step(task)


if __name__ == "__main__":
    main()
