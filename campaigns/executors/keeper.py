"""The process between an executor and a worker: ``python -m ...executors.keeper SOCKET``.

It hands tasks on, watches what they take, and says what became of them. Whatever a run starts
stays below the keeper, which ends all of it: after a failure, and once its owner is gone.
"""

import json
import sys
from contextlib import suppress
from multiprocessing.connection import Connection

from .processes import adopt_orphans, end_descendants
from .watched_worker import WatchedWorker


def main() -> None:
    """Serve the owner until it hangs up."""
    adopt_orphans()
    try:
        with suppress(EOFError, OSError):
            _serve(Connection(int(sys.argv[1])))
    finally:
        end_descendants()


def _serve(owner: Connection) -> None:
    worker = WatchedWorker()
    while True:
        text = owner.recv_bytes()
        worker = worker.or_new()
        owner.send_bytes(json.dumps(worker.follow(text, owner)).encode())
        worker = worker.or_new()


if __name__ == "__main__":
    main()
