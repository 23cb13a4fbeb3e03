"""A Dask cluster as an executor: its address, the process that submits tasks, and its workers."""

import time
import warnings
from contextlib import suppress
from ipaddress import ip_address
from logging import CRITICAL, getLogger
from multiprocessing.connection import wait
from pathlib import Path
from threading import local
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit
from uuid import uuid4

from ...instances import MissingError, RefusedError, RingyardError, TerminationReason
from ...instances.errors import ABSENT, InputError, Problem, Words, raise_any, reason
from ...version import __version__
from ..journal import contents
from ..runs import Task, environment, failure
from . import GRACE_S, Finished
from .local import WorkerSlot

if TYPE_CHECKING:
    from distributed import Client, Future


CONNECT_S = 5.0
"""A scheduler that has not answered by then is not there."""

PAUSE_S = 1.0
"""Time between two looks at the cluster: for its threads, or for a scheduler that is gone."""

GLANCE_S = 0.01
"""Seconds between two polls for finished runs."""


class DaskExecutor:
    """Does tasks in the threads of a cluster's workers, which may come and go."""

    def __init__(self, address: str, *, grace_s: float = GRACE_S) -> None:
        """Connect to the scheduler."""
        self._threads, self._lonely = 0, False
        self._known: set[str] | None = None
        self._address, self._grace_s = checked(address), grace_s
        self._tasks: dict[str, Task] = {}
        self._futures: dict[str, Future] = {}
        self._notices: list[str] = []
        found = parsed_address(self._address)
        self._notices += found.notices
        self._client = _client(address, CONNECT_S)
        if self._client is None:
            raise MissingError(
                f"no Dask scheduler answers at {address}. Start one there with "
                f"`{found.scheduler}`, and use the tcp:// or tls:// address that it prints."
            )
        try:
            self._count()
        except RefusedError:
            self.close()
            raise

    slot_is_processor = False

    @property
    def slots(self) -> int:
        """Number of threads of the connected workers."""
        self._look()
        return self._threads

    def submit(self, task: Task) -> None:
        """Start a task."""
        self._tasks[task["key"]] = {**task, "grace": self._grace_s}
        if self._client is not None:
            self._send(task["key"])

    def finished(self, timeout: float) -> list[Finished]:
        """Return the tasks that have ended, after waiting at most the given seconds."""
        deadline = time.monotonic() + timeout
        while True:
            self._look()
            found = [self._take(key) for key in self._futures if self._client is not None]
            done = [one for one in found if one is not None]
            for one in done:
                del self._tasks[one.key], self._futures[one.key]
            if done or not self._tasks or time.monotonic() > deadline:
                return done
            time.sleep(GLANCE_S)

    def notices(self) -> list[str]:
        """Return messages for people, each sentence once."""
        notices, self._notices = self._notices, []
        return notices

    def close(self) -> None:
        """Leave the cluster, whose workers terminate cancelled runs."""
        if self._client is not None:
            self._client.close(timeout=CONNECT_S)
        self._client = None

    def _send(self, key: str) -> None:
        assert self._client is not None
        with warnings.catch_warnings():
            # It is the instance that is large, and it has to get there.
            warnings.filterwarnings("ignore", "Sending large graph", UserWarning)
            self._futures[key] = self._client.submit(
                do, self._tasks[key], key=f"ringyard-{key}-{uuid4().hex}", pure=False
            )

    def _take(self, key: str) -> Finished | None:
        """Return the result of a task, restarting it if the cluster lost it."""
        from distributed import CancelledError, KilledWorker

        future = self._futures[key]
        if future.status == "pending":
            return None
        try:
            report = future.result(timeout=CONNECT_S)
        except CancelledError:
            self._send(key)
            return None
        except KilledWorker as error:
            note = f"all {error.allowed_failures + 1} Dask workers that ran it were terminated"
            columns = {**environment(), **failure("killed", TerminationReason.KILLED, note)}
            report = {"columns": columns, "schedule": None}
        except OSError:  # The worker that had the result is gone; another does the run again.
            return None
        except RingyardError:
            raise
        except Exception as error:
            raise RefusedError(
                f"the cluster at {self._address} cannot do runs: {type(error).__name__}: {error}"
            ) from error
        return Finished(key=key, **report)

    def _look(self) -> None:
        """See that the scheduler is there, and now and then how many threads there are."""
        if self._client is not None and self._client.status != "running":
            self._lose()
        if time.monotonic() < self._next_look:
            return
        if self._client is None:
            self._find()
        else:
            self._count()

    def _count(self) -> None:
        """Set the number of slots to the number of the workers' threads."""
        assert self._client is not None
        self._next_look = time.monotonic() + PAUSE_S
        try:
            threads = self._client.nthreads(callback_timeout=CONNECT_S)
            if self._known is None or threads.keys() - self._known:
                self._compare_versions(self._client)
        except OSError:
            self._lose()
            return
        if not threads and not self._lonely:
            self._notices.append(
                f"the scheduler at {self._address} has no workers. Start some with "
                f"`{parsed_address(self._address).worker}`."
            )
        self._known, self._lonely = {*threads}, not threads
        self._threads = sum(threads.values())

    def _compare_versions(self, client: "Client") -> None:
        """Refuse a cluster with a process of a different version, or without one."""
        found = client.get_versions(packages=["ringyard"])
        everyone = {"its scheduler": found["scheduler"]}
        everyone |= {f"its worker at {place}": one for place, one in found["workers"].items()}
        for who, one in everyone.items():
            version = one["packages"]["ringyard"]
            if version != __version__:
                raise RefusedError(
                    f"the cluster at {self._address} cannot do runs: {who} has "
                    f"{f'ringyard {version}' if version else 'no ringyard'} installed, not "
                    f"{__version__}. Install it there: pip install "
                    f"'ringyard[dask]=={__version__}'"
                )

    def _lose(self) -> None:
        """Leave a scheduler that is gone."""
        self.close()
        self._threads, self._known = 0, None
        self._notices.append(f"lost the scheduler at {self._address}, waiting for a new one")

    def _find(self) -> None:
        """Resubmit all unfinished tasks to a new scheduler."""
        self._client = _client(self._address, PAUSE_S)
        self._next_look = time.monotonic() + PAUSE_S
        if self._client is not None:
            self._notices.append(f"connected to a new scheduler at {self._address}")
            for key in self._tasks:
                self._send(key)
            self._count()


def _client(address: str, timeout_s: float) -> "Client | None":
    """Return a connection to the scheduler at an address, if one answers."""
    try:
        from distributed import Client
        from distributed.comm.core import FatalCommClosedError
    except ImportError:
        raise MissingError("Dask is not installed: pip install 'ringyard[dask]'") from None
    # Our notices report a lost scheduler; Dask logs it with tracebacks, from several loggers.
    for logger in ("distributed", "distributed.client"):
        getLogger(logger).setLevel(CRITICAL)
    refuse_settings(address)
    try:
        return Client(address, timeout=timeout_s, set_as_default=False)
    except FatalCommClosedError as error:
        raise RefusedError(
            f"the process at {address} and this one cannot agree on TLS "
            f"({str(error) or 'it has no TLS'}). Both need certificates of one authority. See "
            "docs/howto/run-on-a-cluster.md."
        ) from None
    except OSError:
        return None


FILES = {
    "tls_ca_file": ("ca-file", True),
    "tls_client_cert": ("client.cert", True),
    "tls_client_key": ("client.key", False),
}
"""Files that a client reads for TLS: their names in Dask's settings, and which are required."""


class DaskAddress(NamedTuple):
    """The commands that start a scheduler and workers at an address, and remarks on it."""

    scheduler: str
    worker: str
    notices: tuple[str, ...]


def checked(address: str) -> str:
    """Return an address that can be one."""
    with suppress(ValueError):
        parts = urlsplit(address)
        if parts.scheme in ("tcp", "tls") and parts.hostname and parts.port:
            return address
    advice = "copy the address that the scheduler prints at its start"
    raise InputError("--dask", [Problem("address", address, "tcp://HOST:PORT", advice)])


def parsed_address(address: str) -> DaskAddress:
    """Return the commands for a scheduler and workers that listen only at this address."""
    parts = urlsplit(address)
    host, local = parts.hostname or "", _is_local(parts.hostname or "")
    tls = " --protocol tls" if parts.scheme == "tls" else ""
    where = f"--host {host} --dashboard-address {host}:0"
    open_to = f"{address} has no TLS: anyone who reaches it can run code on its workers"
    return DaskAddress(
        scheduler=f"dask scheduler{tls} {where} --port {parts.port}",
        worker=f"dask worker {address} {where if local else '--host ITS-HOST --no-dashboard'}",
        notices=() if local or tls else (f"{open_to} and read all traffic",),
    )


def refuse_settings(address: str) -> None:
    """Raise `InputError` if TLS is required but Dask's TLS settings are unusable."""
    if urlsplit(address).scheme != "tls":
        return
    from distributed import Security

    problems = []
    try:
        security = Security()
    except (TypeError, ValueError) as error:
        raise InputError(f"TLS for {address}", [_unusable(error)]) from None
    for field, (name, needed) in FILES.items():
        path = getattr(security, field)
        advice = f"set DASK_DISTRIBUTED__COMM__TLS__{name.upper().replace('.', '__')}"
        found = ABSENT if needed and path is None else _unreadable(path)
        if found is not None:
            place = f"distributed.comm.tls.{name}"
            problems.append(Problem(place, found, "a file in PEM", advice.replace("-", "_")))
    if not problems:
        try:
            security.get_connection_args("client")
        except (OSError, TypeError, ValueError) as error:
            problems.append(_unusable(error))
    raise_any(f"TLS for {address}", problems)


def _unusable(error: Exception) -> Problem:
    """Return the error of unusable TLS settings as a problem."""
    expected, advice = "a certificate and its key, in PEM", "see docs/howto/run-on-a-cluster.md"
    return Problem("distributed.comm.tls", Words(str(error)), expected, advice)


def _unreadable(path: object) -> Words | None:
    """Return the reason for an unreadable file. A PEM text itself need not be a file."""
    if not isinstance(path, str):
        return None if path is None else Words(str(path))
    if "\n" in path:
        return None
    try:
        contents(Path(path))
    except (OSError, ValueError) as error:
        return Words(f"{path}: {reason(error)}")
    return None


def _is_local(host: str) -> bool:
    """Return True if only this machine can reach a host."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


WANTED_GLANCE_S = 0.5
"""Time between two looks whether a run is still wanted."""

HERE = local()
"""Thread-local storage of the process kept for the next run."""


def do(task: Task) -> dict[str, Any]:
    """Return the columns and the files of a run, terminating it if it is cancelled."""
    if task["version"] != __version__:
        raise RefusedError(
            f"a Dask worker has ringyard {__version__} and this process {task['version']}. "
            "Install the same version on both."
        )
    kept = HERE.kept = getattr(HERE, "kept", None) or WorkerSlot()
    kept.begin(task)
    while _wanted():
        finished = kept.take() if wait([kept.line], WANTED_GLANCE_S) else None
        if finished is not None:
            files = ("columns", "schedule", "certificate", "point")
            return {name: getattr(finished, name) for name in files}
    HERE.kept = None
    kept.close()
    raise RefusedError("this run was cancelled")


def _wanted() -> bool:
    """Return True if this worker's scheduler still waits for the task of this thread."""
    from distributed import get_worker

    worker = get_worker()
    task = worker.state.tasks.get(worker.get_current_task())
    return task is not None and task.state == "executing" and worker.status.name != "closing"
