"""Commands of other packages: functions, or cyclopts apps with subcommands."""

from collections.abc import Callable, Collection, Sequence
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any, TextIO, cast

from cyclopts import App, CycloptsError

from ...extensions.calling import guarded
from ...extensions.entry_points import Brought, brought
from ...instances.errors import MethodError, RingyardError
from .output import Printed, note

GROUP = "ringyard.commands"
"""Entry point group of functions or apps. The help of a command is its docstring."""

PASSED = (CycloptsError, BrokenPipeError)
"""Errors of external commands that are handled as Ringyard's."""

Call = Callable[[App, Sequence[str]], Any]
"""A callable that runs an app on a command line and returns the command's result."""


def call_plugin(app: App, words: Sequence[str], own: Collection[str], call: Call) -> int | None:
    """Run the named command of another package. Return None if there is no such command."""
    theirs, _ = _by_name(own)
    if words[0] not in theirs:
        return None
    one = theirs[words[0]]
    folder = _add(app, one)
    try:
        with guarded(one.label, folder), redirect_stdout(cast(TextIO, Printed())):
            return _exit_code(one, lambda: call(app, words))
    except MethodError as error:
        if isinstance(error.__cause__, PASSED):
            raise error.__cause__ from None
        raise


def add_plugins(app: App, own: Collection[str]) -> App:
    """Add the commands of other packages to an app, and report the ones left out."""
    theirs, remarks = _by_name(own)
    for one in theirs.values():
        try:
            _add(app, one)
        except RingyardError as error:
            remarks.append(str(error).splitlines()[0])
    for remark in remarks:
        note(f"warning: {remark}")
    return app


def _by_name(own: Collection[str]) -> tuple[dict[str, Brought], list[str]]:
    """Return the commands of other packages without importing them, and invalid entry points."""
    theirs, remarks = dict[str, Brought](), list[str]()
    for one, made, reason in brought(GROUP, own, lambda one: one):
        if made is None:
            remarks.append(f"{one.label} is left out: {reason}")
        elif one.name[:1] == "-" or one.name.split() != [one.name]:
            remarks.append(f"{one.label} is left out: the name of a command must be a single word")
        else:
            theirs[one.name] = one
    return theirs, remarks


def _add(app: App, one: Brought) -> str:
    """Import a command, add it under the heading of its package, and return its folder."""
    thing: Any = one.load(Callable)
    group = f"Commands of {one.package}"
    with guarded(one.label):
        if isinstance(thing, App):
            # The end of each command's help is about Ringyard's commands.
            thing.group, thing.help_epilogue = group, thing.help_epilogue or ""
            app.command(thing, name=one.name)
        else:
            app.command(thing, name=one.name, group=group, help_epilogue="")
    code = getattr(thing, "__code__", None)
    return str(Path(code.co_filename).parent) if code else ""


def _exit_code(one: Brought, call: Callable[[], Any]) -> int:
    """Return the exit code of a command: its return value or exit code, 0 for None."""
    try:
        code = call()
    except SystemExit as error:
        code = error.code
        if isinstance(code, str):
            raise MethodError(code) from None
    if code is None:
        return 0
    if not isinstance(code, int) or isinstance(code, bool):
        raise MethodError(f"{one.label} returned {code!r}, expected an exit code, or None for 0")
    return code
