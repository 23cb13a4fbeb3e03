"""What Ctrl-C does, and SIGTERM and SIGHUP like it, from the first line of the program to its last.

Once `install` was called, a signal

- ends the process at once with exit code 130: so it is where nothing is found that could be lost;
- raises `KeyboardInterrupt` within `raising`, where somebody keeps the best that is known;
- is only noted within `waiting`, where an answer is on its way out.

Another signal, `ONE_S` later or more, always ends the process at once. Where `install` was not
called, as in a library or in a worker, signals do what Python makes of them.

Imported before everything else: nothing here may take time.
"""

import os
import signal
import sys
from _thread import allocate_lock, get_ident, start_new_thread
from collections.abc import Callable
from contextlib import suppress
from time import monotonic, sleep
from types import FrameType, TracebackType
from typing import Any, Literal, NoReturn

CODE = 130
"""The exit code after an interrupt."""

ONE_S = 0.3
"""Signals within so many seconds are one: `timeout` and terminals that close send several."""

GLANCE_S = 0.05
"""Seconds between two looks at what became of a signal."""

AGAIN_S = 1.0
"""An interrupt that nobody heeds is raised again: much code swallows whatever is raised in it."""

GRACE_S = 6.0
"""Whoever heeds an interrupt has so many seconds."""

NAMES = ("SIGINT", "SIGTERM", "SIGHUP")

Mode = Literal["ends", "raises", "waits"]


class _State:
    """What is known of interrupts in this process."""

    mode: Mode = "ends"
    first: float | None = None
    """When the first signal came."""
    due: float = 0.0
    """When to raise again."""
    seeking = False
    """Nothing has been found that could be kept."""
    json = False
    undo: list[Callable[[], object]]
    numbers: frozenset[int] = frozenset()
    """The signals that are handled; none before `install`."""


_STATE = _State()
_STATE.undo = []
_LAST = allocate_lock()


def install(*, json: bool = False) -> None:
    """Handle signals from now on, all but those that the process was started to ignore.

    With `json` an early end is also told on standard output.
    """
    if os.name != "posix" or _STATE.numbers:
        return
    found = [getattr(signal, name) for name in NAMES]
    _STATE.numbers = frozenset(n for n in found if signal.getsignal(n) != signal.SIG_IGN)
    _STATE.json = json
    source, end = os.pipe()
    os.set_blocking(end, False)
    signal.set_wakeup_fd(end, warn_on_full_buffer=False)
    start_new_thread(_listen, (source, get_ident()))
    sys.unraisablehook = _unraisable
    signal.signal(signal.SIGURG, _again)
    for number in _STATE.numbers:
        signal.signal(number, _came)


def interrupted() -> bool:
    """Say whether a signal has come."""
    return _STATE.first is not None


def found() -> None:
    """Say that there is something to keep from now on."""
    _STATE.seeking = False


def heard() -> None:
    """Say that an interrupt which was caught ends what is going on; it is not raised again soon."""
    _STATE.due = monotonic() + GRACE_S


class _Within:
    """A stretch of the program in which signals do something else."""

    mode: Mode

    def __enter__(self) -> None:
        """Begin."""
        self._before = _STATE.mode
        if self.mode == "raises" and interrupted():
            raise KeyboardInterrupt
        _STATE.mode = self.mode

    def __exit__(self, kind: Any, error: BaseException | None, trace: TracebackType | None) -> None:
        """End."""
        _STATE.mode = self._before


class raising(_Within):  # noqa: N801
    """Within this a signal raises `KeyboardInterrupt`, at once if one has come before."""

    mode = "raises"


class keeping(raising):  # noqa: N801
    """The same for a command, which shows afterwards what it has: signals are only noted then."""

    def __exit__(self, kind: Any, error: BaseException | None, trace: TracebackType | None) -> None:
        """Wait until the end."""
        _STATE.mode = "waits"


class waiting(_Within):  # noqa: N801
    """Within this a signal is noted and nothing else."""

    mode = "waits"


class seeking(waiting):  # noqa: N801
    """Within this nothing is kept until something is `found`: a signal ends the process."""

    def __enter__(self) -> None:
        """Begin."""
        _STATE.seeking = True
        super().__enter__()


class undoing:  # noqa: N801
    """Within this an end of the process calls a function before."""

    def __init__(self, undo: Callable[[], object]) -> None:
        """Take the function."""
        self._undo = undo

    def __enter__(self) -> None:
        """Remember it."""
        _STATE.undo.append(self._undo)

    def __exit__(self, kind: Any, error: BaseException | None, trace: TracebackType | None) -> None:
        """Forget it."""
        _STATE.undo.remove(self._undo)


def leave(code: int) -> NoReturn:
    """End the process with a code, or with 130 after an interrupt, up to the last moment.

    The interpreter would hand signals back to the system first, and take its time to clean up.
    """
    import atexit

    with waiting():
        atexit._run_exitfuncs()
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError):
                stream.flush()
        os._exit(CODE if interrupted() else code)


def _came(number: int, frame: FrameType | None) -> None:
    """Handle a signal."""
    now = monotonic()
    if _STATE.first is None:
        _STATE.first = now
        _act(frame)
    elif now - _STATE.first > ONE_S:
        _end()


def _again(number: int, frame: FrameType | None) -> None:
    """Handle the signal by which the listener says that an interrupt was lost."""
    if interrupted() and _STATE.due <= monotonic():
        _act(frame)


def _act(frame: FrameType | None) -> None:
    if _ends():
        _end()
    if _STATE.mode == "raises" and not _delicate(frame):
        _STATE.due = monotonic() + AGAIN_S
        raise KeyboardInterrupt


def _delicate(frame: FrameType | None) -> bool:
    """Say whether this is no place to raise anything.

    A module whose import is broken off may never be importable again, or print what it thinks of
    that; what an interrupt already cleans up must not be broken off.
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
        frame = frame.f_back
    return False


def _unraisable(args: Any) -> None:
    """Note an interrupt that was raised where nothing can be, as in a callback of LLVM."""
    if not interrupted():
        sys.__unraisablehook__(args)
    elif issubclass(args.exc_type, KeyboardInterrupt):
        _STATE.due = 0.0


def _listen(source: int, main: int) -> None:
    """Watch what becomes of signals while the main thread may be deaf: a thread of its own."""
    while not _STATE.numbers.intersection(os.read(source, 1)):
        pass
    first = monotonic()
    os.set_blocking(source, False)
    while True:
        sleep(GLANCE_S)
        more = b""
        with suppress(BlockingIOError):
            more = os.read(source, 100)
        late = monotonic() - first > ONE_S
        deaf = not interrupted()  # The main thread has not heard of it yet.
        if late and (_STATE.numbers.intersection(more) or (deaf and _ends())):
            _end()
        if _STATE.mode == "raises" and interrupted() and _STATE.due <= monotonic():
            signal.pthread_kill(main, signal.SIGURG)


def _ends() -> bool:
    """Say whether nothing is there that could be lost."""
    return _STATE.mode == "ends" or _STATE.seeking


def _end() -> NoReturn:
    """End the process at once."""
    if not _LAST.acquire(blocking=False):
        while True:  # The other thread is about to do it.
            sleep(1)
    for undo in reversed(_STATE.undo):
        with suppress(Exception):
            undo()
    with suppress(OSError):
        if not _ends():
            os.write(2, b"interrupted again: ended at once\n")
        else:
            if _STATE.json:
                os.write(1, b'{\n  "error": "%s",\n  "exit_code": %d\n}\n' % (NOTHING, CODE))
            os.write(2, b"error: %s\n" % NOTHING)
    os._exit(CODE)


NOTHING = b"interrupted before anything was found"
