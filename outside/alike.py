"""Whether two functions of a user are the same: by their code, and the values that they hold."""

from functools import partial
from types import CodeType, FunctionType, MethodType
from typing import Any

from ..families import Method


def alike(one: Method, other: Method) -> bool:
    """Say whether two methods of one name do the same, as far as code and plain values tell."""
    if one.digest or other.digest:
        return one.digest == other.digest
    mine, theirs = (getattr(method.module, "thing", method.module) for method in (one, other))
    return _alike(mine, theirs, set())


def _alike(one: Any, other: Any, seen: set[tuple[int, int]]) -> bool:
    """Compare two things; a pair that is met again within itself adds nothing."""
    if one is other or (id(one), id(other)) in seen:
        return True
    seen.add((id(one), id(other)))
    if type(one) is not type(other) and not _alike(type(one), type(other), seen):
        return False
    if isinstance(one, CodeType):
        return _code(one) == _code(other)
    parts, others = _parts(one), _parts(other)
    if parts is None or others is None:
        return _equal(one, other)
    return len(parts) == len(others) and all(
        _alike(part, mate, seen) for part, mate in zip(parts, others, strict=True)
    )


def _code(code: CodeType) -> tuple[Any, ...]:
    """Return code without the lines where it stands: a cell of a notebook is run again."""
    held = [_code(one) if isinstance(one, CodeType) else repr(one) for one in code.co_consts]
    return code.co_code, code.co_names, code.co_varnames, code.co_freevars, *held


def _equal(one: Any, other: Any) -> bool:
    """Ask the values themselves; arrays answer for each of their numbers."""
    try:
        same = one == other
        return bool(same.all() if hasattr(same, "all") else same)
    except Exception:  # Whatever a class of a user's does there.
        return False


def _parts(thing: Any) -> list[Any] | None:
    """Return what a thing consists of, in an order; None if it says itself what it is equal to."""
    match thing:
        case FunctionType():
            cells = [_held(cell) for cell in thing.__closure__ or ()]
            return [thing.__code__, thing.__defaults__, thing.__kwdefaults__, *cells]
        case MethodType():
            return [thing.__func__, thing.__self__]
        case partial():
            return [thing.func, thing.args, thing.keywords]
        case tuple() | list():
            return list(thing)
        case dict():
            return [part for pair in thing.items() for part in pair]
    equals: Any = type(thing).__eq__
    if equals is not object.__eq__:
        return None
    return [*getattr(thing, "__dict__", {}).items()]


def _held(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # Nothing was given to the name yet.
        return None
