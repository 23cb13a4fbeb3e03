"""Handling of Ctrl-C, SIGTERM and SIGHUP, from the first line of the program to its last.

After `install` is called, a signal

- ends the process at once with exit code 130, if no result could be lost;
- raises `KeyboardInterrupt` within `raising` and `keeping`, where code keeps the best known;
- is only recorded within `waiting`, while an answer is printed, and within `seeking` after
  `found` is called.

A signal at least `ONE_S` after the first one always ends the process at once. Without `install`,
as in a library or in a worker, Python handles signals.

This module is imported before all others, so its import must be fast.
"""

import os
import signal
import sys
from _thread import allocate_lock, get_ident, start_new_thread
from time import monotonic, sleep

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType
    from typing import Any

CODE = 130
"""The exit code after an interrupt."""

ONE_S = 0.3
"""Signals within this many seconds are one. `timeout` and closing terminals send several."""

GLANCE_S = 0.05
"""Seconds between two checks of a pending signal."""

AGAIN_S = 1.0
"""Interrupts that are raised before the process is ended, because much code swallows exceptions."""

GRACE_S = 6.0
"""Seconds for code that handles an interrupt."""

NAMES = ("SIGINT", "SIGTERM", "SIGHUP")

ENDS, RAISES, WAITS = "ends", "raises", "waits"
"""Action for a signal."""


class _State:
    """The state of interrupts in this process."""

    mode = ENDS
    first: float | None = None
    """Time of the first signal."""
    due: float = 0.0
    """Time to raise the next interrupt."""
    seeking = False
    """True if no result has been found that could be kept."""
    json = False
    results = 1
    """The descriptor of standard output."""
    undo: "list[Callable[[], object]]"
    ender = 0
    """The thread that ends the process."""
    numbers: frozenset[int] = frozenset()
    """The handled signals. Empty before `install`."""


_STATE = _State()
_STATE.undo = []
_LAST = allocate_lock()


def install(*, json: bool = False) -> None:
    """Handle signals from now on, except signals that the process was started to ignore.

    With `json`, an early end is also reported on standard output.
    """
    if os.name != "posix" or _STATE.numbers:
        return
    found = [getattr(signal, name) for name in NAMES]
    _STATE.numbers = frozenset(n for n in found if signal.getsignal(n) != signal.SIG_IGN)
    _STATE.json = json
    for number in _STATE.numbers:
        signal.signal(number, _came)
    source, end = os.pipe()
    os.set_blocking(end, False)
    signal.set_wakeup_fd(end, warn_on_full_buffer=False)
    start_new_thread(_listen, (source, get_ident()))
    sys.unraisablehook = _unraisable
    signal.signal(signal.SIGURG, _again)


def report_to(descriptor: int) -> None:
    """Report an early end on this descriptor of standard output from now on."""
    _STATE.results = descriptor


def interrupted() -> bool:
    """Return True if a signal has come."""
    return _STATE.first is not None


def found() -> None:
    """Record that there is a result to keep from now on."""
    _STATE.seeking = False


def heard() -> None:
    """Record that a caught interrupt ends the current work. It is not raised soon after."""
    _STATE.due = monotonic() + GRACE_S


class _Within:
    """A context in which signals have another action."""

    mode = ENDS

    def __enter__(self) -> None:
        """Enter the context."""
        self._before = _STATE.mode
        if self.mode == RAISES and interrupted():
            raise KeyboardInterrupt
        _STATE.mode = self.mode

    def __exit__(self, *_: object) -> None:
        """Leave the context."""
        _STATE.mode = self._before


class raising(_Within):  # noqa: N801
    """Context in which a signal raises `KeyboardInterrupt`, at once if one is pending."""

    mode = RAISES


class keeping(raising):  # noqa: N801
    """The same for a command. Signals are only recorded while it prints its result afterwards."""

    def __exit__(self, *_: object) -> None:
        """Only record signals until the end."""
        _STATE.mode = WAITS


class waiting(_Within):  # noqa: N801
    """Context in which a signal is only recorded."""

    mode = WAITS


class seeking(keeping):  # noqa: N801
    """Context in which a signal ends the process until a result is `found`. Then it is recorded."""

    mode = WAITS

    def __enter__(self) -> None:
        """Enter the context."""
        _STATE.seeking = True
        super().__enter__()


class undoing:  # noqa: N801
    """Context in which the end of the process first calls a function."""

    def __init__(self, undo: "Callable[[], object]") -> None:
        """Store the function."""
        self._undo = undo

    def __enter__(self) -> None:
        """Register the function."""
        _STATE.undo.append(self._undo)

    def __exit__(self, *_: object) -> None:
        """Remove the function."""
        _STATE.undo.remove(self._undo)


def leave(code: int) -> None:
    """End the process with a code, or with 130 after an interrupt, up to the last moment.

    The interpreter would restore the signal handlers first, and spend time on cleaning up.
    """
    import atexit
    from contextlib import suppress

    with waiting():
        atexit._run_exitfuncs()
        for stream in (sys.stdout, sys.stderr):
            with suppress(Exception):  # Other code may have replaced them.
                stream.flush()
        if _STATE.numbers:
            signal.pthread_sigmask(signal.SIG_BLOCK, _STATE.numbers)
            code = CODE if _STATE.numbers.intersection(signal.sigpending()) else code
        os._exit(CODE if interrupted() else code)


def _came(number: int, frame: "FrameType | None") -> None:
    """Handle a signal."""
    now = monotonic()
    if _STATE.first is None:
        _STATE.first = now
        _act(frame)
    elif now - _STATE.first > ONE_S:
        _end()


def _again(number: int, frame: "FrameType | None") -> None:
    """Handle the signal by which the listener reports that an interrupt was lost."""
    if interrupted() and _STATE.due <= monotonic():
        _act(frame)


def _act(frame: "FrameType | None") -> None:
    if _ends():
        _end()
    if _STATE.mode == RAISES and not _delicate(frame):
        _STATE.due = monotonic() + AGAIN_S
        raise KeyboardInterrupt


def _delicate(frame: "FrameType | None") -> bool:
    """Return True if an exception must not be raised here.

    After an interrupted import, a module may be unimportable or print warnings. LLVM trusts its
    callbacks to fill in pointers, and crashes otherwise. Compiled code that calls Python for the
    type of a returned tuple crashes, too. The cleanup of an interrupt must not be interrupted.
    """
    error = sys.exception()
    while error is not None:
        if isinstance(error, KeyboardInterrupt):
            return True
        error = error.__context__
    while frame is not None:
        name = frame.f_code.co_filename
        if name == __file__ or name.startswith("<frozen importlib"):
            return True
        if "/llvmlite/" in name or name.endswith("/numba/core/serialize.py"):
            return True
        frame = frame.f_back
    return False


def _unraisable(args: "Any") -> None:
    """Record an interrupt that was raised where none can be, as in a callback of LLVM."""
    if not interrupted():
        sys.__unraisablehook__(args)
    elif issubclass(args.exc_type, KeyboardInterrupt):
        _STATE.due = 0.0


def _listen(source: int, main: int) -> None:
    """Watch pending signals in a thread, because the main thread may not respond."""
    while not _STATE.numbers.intersection(os.read(source, 1)):
        pass
    first = monotonic()
    os.set_blocking(source, False)
    while True:
        sleep(GLANCE_S)
        try:
            more = os.read(source, 100)
        except BlockingIOError:
            more = b""
        late = monotonic() - first > ONE_S
        deaf = not interrupted()  # The main thread has not received it yet.
        if late and (_STATE.numbers.intersection(more) or (deaf and _ends())):
            _end()
        if _STATE.mode == RAISES and interrupted() and _STATE.due <= monotonic():
            signal.pthread_kill(main, signal.SIGURG)


def _ends() -> bool:
    """Return True if no result could be lost."""
    return _STATE.mode == ENDS or _STATE.seeking


def _end() -> None:
    """End the process at once."""
    if not _LAST.acquire(blocking=False):
        while _STATE.ender != get_ident():  # The other thread is about to do it.
            sleep(1)
        return
    _STATE.ender = get_ident()
    for undo in reversed(_STATE.undo):
        try:
            undo()
        except Exception:
            continue
    if not _ends():
        _tell(2, b"interrupted again: ended at once\n")
    else:
        _tell(2, b"error: %s\n" % NOTHING)
        if _STATE.json:
            _tell(_STATE.results, b'{\n  "error": "%s",\n  "exit_code": %d\n}\n' % (NOTHING, CODE))
    os._exit(CODE)


def _tell(stream: int, text: bytes) -> None:
    """Write to a stream without Python's buffers, which may be locked. Ignore a closed stream."""
    try:
        os.write(stream, text)
    except OSError:
        return


NOTHING = b"interrupted before any result was found"
