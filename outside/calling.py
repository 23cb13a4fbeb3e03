"""Calls functions of users: what they are given, by name, and what comes of their errors."""

import inspect
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import field, make_dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal, get_type_hints

from ..instances.errors import InputError, MethodError, Problem, RingyardError, Words, nearest

PACKAGE = str(Path(__file__).parents[1])

FRAMES = 4
"""Lines of a user's code that are shown of an error, the innermost ones."""

NO_YES = Literal["no", "yes"]


class Call:
    """A function, what it asks for by the names of its parameters, and its options."""

    def __init__(
        self,
        function: Callable[..., Any],
        label: str,
        known: Iterable[str],
        first: str = "",
        beside: type | None = None,
    ) -> None:
        """Read the signature; with `first` the first parameter is that, however it is called.

        The options that are fields of the noun `beside` come before those of the function.
        """
        self.function, self.label = function, label
        self.asks: dict[str, str] = {}
        """What stands for each parameter, by its name."""
        options = []
        known = list(known)
        code = getattr(function, "__code__", None)
        self.folder = str(Path(code.co_filename).parent) if code else ""
        for i, one in enumerate(inspect.signature(function).parameters.values()):
            if one.kind in (one.VAR_POSITIONAL, one.VAR_KEYWORD):
                continue
            if one.name in known or (first and i == 0):
                self.asks[one.name] = first if first and i == 0 else one.name
            elif one.default is not one.empty:
                options.append(one)
            else:
                like = nearest(one.name, known)
                advice = f"did you mean {like!r}?" if like else "give it a default: then it is one"
                expected = f"one of {', '.join(known)}, or an option"
                raise InputError(label, [Problem("parameter", one.name, expected, advice)])
        self._given = {one.name: one.default for one in options}
        self.Options = _noun(function, options, beside)

    def __call__(self, seen: Mapping[str, Any], options: Any) -> Any:
        """Call it; whatever it raises is an error of the method."""
        named = {name: seen[what] for name, what in self.asks.items()}
        named |= {name: _back(getattr(options, name), usual) for name, usual in self._given.items()}
        with self.guarded():
            return self.function(**named)

    def guarded(self) -> AbstractContextManager[None]:
        """Turn what goes wrong in a user's code into an error that shows their own lines."""
        return guarded(self.label, self.folder)

    def pairs(self, given: Any, what: str) -> Iterator[tuple[Any, Any]]:
        """Yield pairs out of a mapping or an iterable of pairs, which a user's code may make."""
        with self.guarded():
            if given is None:
                return
            parts = given.items() if isinstance(given, Mapping) else given
            if isinstance(parts, str | bytes) or not isinstance(parts, Iterable):
                raise self.fault(given, what)
            steps = iter(parts)
        while True:
            with self.guarded():
                try:
                    pair = next(steps)
                except StopIteration:
                    return
            if not isinstance(pair, tuple | list) or len(pair) != 2:
                raise self.fault(pair, what)
            yield pair[0], pair[1]

    def fault(self, found: Any, expected: str) -> MethodError:
        """Return the error that says what it gave and what was expected."""
        text = repr(found)
        text = text if len(text) <= 60 else f"{text[:57]}..."
        kind = "" if found is None else f" ({type(found).__name__})"
        return MethodError(f"{self.label} gave {text}{kind}; expected {expected}")


@contextmanager
def guarded(label: str, folder: str = "") -> Iterator[None]:
    """Turn what goes wrong in a user's code into an error that shows their own lines."""
    try:
        yield
    except (RingyardError, MemoryError, KeyboardInterrupt):
        raise
    except BaseException as error:
        raise MethodError(f"{label} raised {told_of(error, folder)}") from error


def told_of(error: BaseException, folder: str) -> str:
    """Return an error with the lines of the user's own code that it went through."""
    said = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    lines = [f"\n  {line}" for line in _frames(error, folder)]
    return said + "".join(lines)


def _frames(error: BaseException, folder: str) -> Iterator[str]:
    if isinstance(error, SyntaxError) and error.filename:
        yield f"{Path(error.filename).name}, line {error.lineno}: {(error.text or '').strip()}"
    frames = traceback.extract_tb(error.__traceback__)
    own = [one for one in frames if folder and one.filename.startswith(folder)]
    own = own or [one for one in frames if not one.filename.startswith((PACKAGE, "<frozen"))]
    for frame in own[-FRAMES:]:
        yield f"{Path(frame.filename).name}, line {frame.lineno}, in {frame.name}: {frame.line}"


def _noun(
    function: Callable[..., Any], options: list[inspect.Parameter], beside: type | None
) -> Any:
    """Return a noun with the options of a function: parameters that have a default."""
    try:
        hints = get_type_hints(function, include_extras=True)
    except Exception:
        hints = {}
    parts = []
    for one in options:
        hint, usual = hints.get(one.name, type(one.default)), one.default
        kind, default = _field(hint, usual)
        parts.append((one.name, kind, field(default=default)))
    bases = (beside,) if beside else ()
    return make_dataclass("Options", parts, bases=bases, frozen=True, kw_only=True)


def _field(hint: Any, usual: Any) -> tuple[Any, Any]:
    """Return what a file or command line can say of a parameter: no floats, and words for bool."""
    if hint is bool or isinstance(usual, bool):
        return NO_YES, "yes" if usual else "no"
    if hint is float or isinstance(usual, float):
        return Decimal, Decimal(repr(usual))
    return hint, usual


def _back(value: Any, usual: Any) -> Any:
    """Return an option as the type that its default has."""
    if isinstance(usual, bool):
        return value == "yes"
    return float(value) if isinstance(usual, float) and value is not None else value


def words(given: Iterable[str]) -> Words:
    """Return a list in words."""
    return Words(", ".join(given))
