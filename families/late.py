"""Things by name, which are imported when they are used."""

from importlib import import_module
from typing import Any, Generic, TypeVar

T = TypeVar("T")

PACKAGE = __name__.partition(".families")[0]

_REQUIRED: Any = object()


def load(module: str) -> Any:
    """Import a module; one that begins with a dot is of this package."""
    return import_module(module, PACKAGE)


def find(name: str) -> Any:
    """Return what ``module:name`` names, or the module itself."""
    module, _, own = name.partition(":")
    return getattr(load(module), own) if own else load(module)


class Late(Generic[T]):
    """A field of a record that has a thing, or its name as ``module:name`` until it is read."""

    def __init__(self, usual: T | str = _REQUIRED) -> None:
        """Remember what the field has where nothing is given; without that, it must be given."""
        self._usual = usual

    def __set_name__(self, owner: type, name: str) -> None:
        """Keep what is given under another name."""
        self._name = f"_{name}"

    def __get__(self, record: Any, owner: type) -> T:
        """Return the thing; of the class, what the field has where nothing is given."""
        if record is None and self._usual is _REQUIRED:
            raise AttributeError(self._name)
        held = self._usual if record is None else vars(record)[self._name]
        found: Any = find(held) if isinstance(held, str) and record is not None else held
        return found  # type: ignore[no-any-return]

    def __set__(self, record: Any, value: T | str) -> None:
        """Keep a thing, or its name."""
        vars(record)[self._name] = value


def held(record: Any, field: str) -> Any:
    """Return what a late field of a record has: a thing, or its name if that was given."""
    return vars(record)[f"_{field}"]
