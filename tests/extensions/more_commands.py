"""Commands and reproductions that another package may bring, some of them broken."""

import sys

from cyclopts import App

from ringyard.campaigns.reproductions import Reproduction
from ringyard.instances.catalogue import load

nested = App(help="An app with a command.")


@nested.command
def inner(code: int) -> int:
    """Return a code."""
    return code


def greet(name: str = "you", /) -> None:
    """Greet somebody."""
    print("hello", name)  # noqa: T201


def divides() -> float:
    """Fail."""
    return 1 / 0


def leaves(code: int) -> None:
    """Leave."""
    sys.exit(code)


def tells() -> None:
    """Leave with words."""
    sys.exit("no luck")


def returns_text() -> str:
    """Return no exit code."""
    return "done"


def misses() -> None:
    """Load what is not there."""
    load("no-such-instance")


def hinted(one: "Nothing" = 1) -> None:  # type: ignore[name-defined]  # noqa: F821
    """Have a type that is not there."""


NUMBER = 3
MINE = Reproduction(name="mine", about="my own", module="more_commands")
OURS = Reproduction(name="closing", about="one that has a name of ours", module="more_commands")
TWO = (
    Reproduction(name="gone", about="its module is not there", module="no_such_module"),
    Reproduction(name="fails", about="its module has no runs", module="more_commands"),
)
