"""Calls of user-defined functions: their arguments, by name, and their errors."""

import inspect
import traceback
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import field, make_dataclass
from decimal import Decimal
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, get_args, get_type_hints

from ..instances.errors import InputError, MethodError, RingyardError, Words, unknown
from ..instances.outcome import StopSearch

PACKAGE = str(Path(__file__).parents[1])

FRAMES = 4
"""Most lines of a user's code that an error shows, the innermost ones."""

NO_YES = Literal["no", "yes"]


class Call:
    """A function, the values that its parameters name, and its options."""

    def __init__(
        self,
        function: Callable[..., Any],
        label: str,
        known: Iterable[str],
        first: str = "",
        beside: type | None = None,
        policy: Collection[str] = (),
        traits: Mapping[str, Any] = MappingProxyType({}),
    ) -> None:
        """Read the signature. With `first`, the first parameter has this role, whatever its name.

        Options from the fields of the dataclass `beside` come before the function's. The error for
        a
        name that only a `policy` may use explains this. `traits` are the ones that the declaration
        of a
        policy sets.
        """
        self.function, self.label, self.is_class = function, label, is_class(function)
        self.traits = traits
        self.asks: dict[str, str] = {}
        """The name of the value that is passed to each parameter."""
        options = []
        known = list(known)
        code = getattr(function, "__code__", None)
        self.folder = str(Path(code.co_filename).parent) if code else ""
        for i, one in enumerate(_parameters(function, label)):
            if one.name in known or (first and i == 0):
                self.asks[one.name] = first if first and i == 0 else one.name
            elif one.default is not one.empty:
                options.append(one)
            else:
                hint = "give it a default, which makes it an option"
                if one.name in policy:
                    hint = "it is for policies: write @ringyard.policy(FAMILY) above the function"
                expected = f"{'one of ' + ', '.join(known) + ', or ' if known else ''}an option"
                raise InputError(label, [unknown("parameter", one.name, known, hint, expected)])
        if first and first not in self.asks.values():
            raise InputError.of(label, "parameters", Words("none"), first, "use the parameter")
        self.Options, self._back = _options(function, label, options, beside)

    def __call__(self, seen: Mapping[str, Any], options: Any) -> Any:
        """Call the function. Any exception is an error of the method."""
        named = {name: seen[what] for name, what in self.asks.items()}
        named |= {name: back(getattr(options, name)) for name, back in self._back.items()}
        with self.guarded():
            return self.function(**named)

    def guarded(self) -> AbstractContextManager[None]:
        """Turn exceptions of a user's code into an error that shows their own lines."""
        return guarded(self.label, self.folder)

    def pairs(self, given: Any, what: str) -> Iterator[tuple[Any, Any]]:
        """Yield pairs from a mapping or an iterable of pairs, which a user's code may generate."""
        with self.guarded():
            if given is None:
                return
            if isinstance(given, tuple) and len(given) == 2 and isinstance(given[1], Mapping):
                given = [given]  # One pair, returned as it is.
            parts = given.items() if isinstance(given, Mapping) else given
            if isinstance(parts, str | bytes) or not isinstance(parts, Iterable):
                raise self.error(given, what)
            steps = iter(parts)
        while True:
            with self.guarded():
                try:
                    pair = next(steps)
                except StopIteration:
                    return
            if not isinstance(pair, tuple | list) or len(pair) != 2:
                raise self.error(pair, what)
            yield pair[0], pair[1]

    def error(self, found: Any, expected: str) -> MethodError:
        """Return the error with the actual and the expected value."""
        text = repr(found)
        text = text if len(text) <= 60 else f"{text[:57]}..."
        kind = "" if found is None else f" ({type(found).__name__})"
        return MethodError(f"{self.label} gave {text}{kind}, expected {expected}")


def is_class(thing: Any) -> bool:
    """Return True for a class, and for a partial application of one that sets some options."""
    while isinstance(thing, partial):
        thing = thing.func
    return isinstance(thing, type)


@contextmanager
def guarded(label: str, folder: str = "") -> Iterator[None]:
    """Turn exceptions of a user's code into an error that shows their own lines."""
    try:
        yield
    except (RingyardError, StopSearch, MemoryError, KeyboardInterrupt):
        raise
    except BaseException as error:
        raise MethodError(f"{label} raised {error_text(error, folder)}") from error


def error_text(error: BaseException, folder: str) -> str:
    """Return an error with the traceback lines of the user's own code."""
    try:
        words = str(error)
    except Exception:  # Converting a user's exception to text may fail.
        words = ""
    text = f"{type(error).__name__}: {words}" if words else type(error).__name__
    if isinstance(error, AttributeError) and type(error.obj).__name__ == "JobView":
        text += ", because lengths are known only to policies with information='full'"
    lines = [f"\n  {line}" for line in _frames(error, folder)]
    return text + "".join(lines)


def _frames(error: BaseException, folder: str) -> Iterator[str]:
    if isinstance(error, SyntaxError) and error.filename:
        yield f"{Path(error.filename).name}, line {error.lineno}: {(error.text or '').strip()}"
    frames = traceback.extract_tb(error.__traceback__)
    own = [one for one in frames if folder and one.filename.startswith(folder)]
    own = own or [one for one in frames if not one.filename.startswith((PACKAGE, "<frozen"))]
    for frame in own[-FRAMES:]:
        yield f"{Path(frame.filename).name}, line {frame.lineno}, in {frame.name}: {frame.line}"


def _parameters(function: Callable[..., Any], label: str) -> Iterator[inspect.Parameter]:
    """Yield the parameters of a function, all passed by name."""
    try:
        asked = inspect.signature(function).parameters.values()
    except (TypeError, ValueError) as error:
        expected, advice = "a function with a signature", "wrap it in one that is written with def"
        raise InputError.of(label, "function", Words(str(error)), expected, advice) from error
    for one in asked:
        if one.kind in (one.VAR_POSITIONAL, one.VAR_KEYWORD, one.POSITIONAL_ONLY):
            expected = "parameters that can be passed by name"
            advice = "leave out stars and slashes"
            raise InputError.of(label, "parameter", Words(str(one)), expected, advice)
        yield one


def _options(
    function: Callable[..., Any], label: str, options: list[inspect.Parameter], beside: type | None
) -> tuple[Any, dict[str, Callable[[Any], Any]]]:
    """Return a dataclass with the options of a function, and the conversion of each option."""
    try:
        hints = get_type_hints(function, include_extras=True)
    except Exception:
        hints = {}
    parts, back = [], {}
    for one in options:
        hint, usual = hints.get(one.name, type(one.default)), one.default
        if usual is None and hint is type(None):
            found, expected = Words(str(one)), f"its type, as in {one.name}: float | None = None"
            raise InputError.of(label, "parameter", found, expected, "add it")
        if not isinstance(usual, bool | int | float | Decimal | str | None):
            expected = "a default that is a number, a text, a boolean, or None"
            raise InputError.of(label, "parameter", Words(str(one)), expected, "choose another")
        kind, default, back[one.name] = _field(hint, usual)
        parts.append((one.name, kind, field(default=default)))
    bases = (beside,) if beside else ()
    return make_dataclass("Options", parts, bases=bases, frozen=True, kw_only=True), back


def _field(hint: Any, usual: Any) -> tuple[Any, Any, Callable[[Any], Any]]:
    """Return the type of a command-line option for a parameter, its default, and the conversion."""
    if hint is bool or isinstance(usual, bool):
        return NO_YES, "yes" if usual else "no", lambda value: value == "yes"
    if hint is float or isinstance(usual, float):
        return Decimal, Decimal(repr(usual)), float
    if float in get_args(hint):
        return Decimal | None, usual, lambda value: None if value is None else float(value)
    return hint, usual, lambda value: value
