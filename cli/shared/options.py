"""Options shared by several commands, and their output files."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter, Token

from ...instances.errors import Problem
from ...instances.writing import UnwrittenError, keep_elsewhere, place_problem, write_whole
from . import output
from .output import divert, json_visible, note, report_error, say

if TYPE_CHECKING:
    from ...analysis.figures.canvas import Figure
    from ...analysis.tables.model import Table


def _whole(_: Any, tokens: Sequence[Token]) -> int:
    text = tokens[0].value
    try:
        return int(text)
    except ValueError:
        raise ValueError(f"{text!r} is not an integer.") from None


def _default_text(value: Any) -> str | None:
    """Return a default as the help shows it, or None for a flag or an empty value."""
    if isinstance(value, tuple | list):
        return ", ".join(map(str, value)) or None
    return None if value is None or value is False or value == "" else str(value)


SHOWN = Parameter(negative_iterable=(), show_default=_default_text)
"""How the help shows options, for an app and for each app within it."""

Flag = Annotated[bool, Parameter(negative=())]
"""A boolean flag."""

AsJson = Annotated[bool, Parameter(negative=(), help="Print one JSON object.")]
"""The option for JSON output."""

Whole = Annotated[int, Parameter(converter=_whole)]
"""An integer option. Without this converter, 1.5 would become 2."""


def _decimal(text: str, what: str) -> Decimal:
    try:
        value = Decimal(text)
    except InvalidOperation:
        value = Decimal("NaN")
    if not value.is_finite():
        raise ValueError(f"{text!r} is not a {what}.")
    return value


def _number(_: Any, tokens: Sequence[Token]) -> Decimal:
    return _decimal(tokens[0].value, "number")


Number = Annotated[Decimal, Parameter(converter=_number)]
"""A decimal option, exactly as written."""


def _seconds(_: Any, tokens: Sequence[Token]) -> Decimal:
    return _decimal(tokens[0].value, "number of seconds")


Seconds = Annotated[Decimal, Parameter(converter=_seconds)]
"""An option in seconds, exactly as written."""


STANDARD = ("-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1")
"""Names of standard output."""

WRITTEN = (
    "out",
    "instance-out",
    "certificate",
    "gantt",
    "picture",
    "plot",
    "csv",
    "latex",
    "html",
    "log",
    "save-instance",
)
"""Options that name output files."""


def streams_named(words: Sequence[str]) -> list[str]:
    """Return the words of a command line, with `-` replaced by the name of its stream."""
    before = ["", *words]
    outputs = [f"--{option}" for option in (*WRITTEN, "save-fleet")]
    return [
        ("/dev/stdout" if last in outputs else "/dev/stdin") if word == "-" else word
        for last, word in zip(before, words, strict=False)
    ]


class _Lost:
    """True if an output file could not be written at its place."""

    some = False


def begin() -> None:
    """Reset the record of output files."""
    _Lost.some = False
    output.begin()


def lost() -> bool:
    """Return True if an output file could not be written at its place."""
    return _Lost.some


def out_problems(instance: str, out: Path | None, option: str = "--out") -> list[Problem]:
    """Return invalid names for the file of a schedule or an instance."""
    if out is not None and not is_standard(out) and not out.name.endswith((".json", ".json.gz")):
        expected, advice = "a name that ends in .json or .json.gz", "name the file plan.json"
        return [Problem(option, str(out), expected, advice)]
    return place_problems(option, instance, out)


def place_problems(option: str, instance: str, path: Path | None) -> list[Problem]:
    """Return the reasons why a file may not be written, such as that it is the instance's file."""
    if path is None or is_standard(path):
        return []
    try:
        same = path.resolve() == Path(instance).resolve()
    except (OSError, ValueError, RuntimeError):
        same = False
    if same:
        expected = "another file than the instance"
        return [Problem(option, str(path), expected, "choose another name")]
    problem = place_problem(option, path)
    return [] if problem is None else [problem]


def write(path: Path, data: bytes, *, announce: bool = True) -> None:
    """Write an output file, and report it."""
    if not is_standard(path):
        with written(path, announce=announce):
            write_whole(path, data)
        return
    say(data.decode().removesuffix("\n"))
    divert()


def write_entity(entity: Any, path: Path) -> None:
    """Write an instance or a schedule to an output file."""
    from ...instances.reading.files import to_bytes

    data = to_bytes(entity, path)
    write(path, json_visible(data.decode()).encode() if is_standard(path) else data)


@contextmanager
def written(path: Path, what: str = "", *, announce: bool = True) -> Iterator[None]:
    """Report files written in the context. If that fails, save the contents elsewhere."""
    try:
        yield
    except UnwrittenError as error:
        rescue(error)
    else:
        if announce:
            note(f"wrote {what}{path}")


@contextmanager
def remade() -> Iterator[None]:
    """Report files that cannot be written in the context: rerun the command to remake them."""
    try:
        yield
    except UnwrittenError as error:
        report_error(error)
        note("  Free some space, then rerun the command to write it without repeating a run.")
        _Lost.some = True


def rescue(error: UnwrittenError) -> None:
    """Report contents that could not be written, and save them elsewhere."""
    report_error(error)
    _Lost.some = True
    if error.data:
        keep(error.target, error.data)


def keep(target: Path, data: bytes) -> None:
    """Save contents next to the file, in another folder, or on the screen. Report the place."""
    from tempfile import gettempdir

    kept = keep_elsewhere(target, data, [target.parent, Path(), Path(gettempdir())])
    if kept is not None:
        note(f"  it is saved in {kept.absolute()}")
        return
    try:
        say(data.decode().rstrip())
    except UnicodeDecodeError:
        note("  no other folder is writable either")


def is_standard(path: Path) -> bool:
    """Return True if a file is standard output."""
    return str(path) in STANDARD


def write_table(table: "Table", label: str, latex: Path | None, csv: Path | None) -> None:
    """Write a table as LaTeX and as CSV, if a file is named."""
    from ...analysis.tables import to_csv, to_latex

    if latex is not None:
        write(latex, to_latex(table, label).encode())
    if csv is not None:
        write(csv, to_csv(table).encode())


def draw_to(path: Path, draw: "Callable[..., Figure]", *given: Any) -> None:
    """Draw a figure and write it in the format that its file's suffix names."""
    from ...analysis.figures.canvas import write_figure

    with written(path):
        write_figure(draw(*given), path)
