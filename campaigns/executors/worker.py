"""The process that performs consecutive runs: ``python -m ...executors.worker SOCKET``.

Its keeper detects any failure of it.
"""

import json
import sys
from multiprocessing.connection import Connection

from ..perform import perform
from .processes import die_with_parent


def main() -> None:
    """Perform tasks from the keeper until it disconnects."""
    die_with_parent()
    line = Connection(int(sys.argv[1]))
    line.send_bytes(b"ready")
    while True:
        try:
            task = json.loads(line.recv_bytes())
        except (EOFError, OSError):
            return
        line.send_bytes(json.dumps(perform(task)).encode())


if __name__ == "__main__":
    main()
