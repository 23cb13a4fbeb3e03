"""Write how many lines of the checker a reader has to believe: part of ``docs/generate.py``."""

from collections.abc import Iterable
from pathlib import Path

from ringyard.campaigns.reproductions import filled

DOCS = Path(__file__).parent
PAGE = DOCS / "concepts/certificates.md"
CHECKER = DOCS.parent / "analysis/check/certificates"
PART = "lines of the checker"

COMMON = ("__init__", "checking", "kernel", "reading")

ROWS = {
    "`makespan`: `longest job`, `area`, `exclusion`, `loads`": (
        "makespan/__init__",
        "makespan/part",
    ),
    "`makespan`: `uplinks`": ("makespan/uplinks", "makespan/part"),
    "`makespan`: `servers`": ("makespan/servers", "makespan/part"),
    "`makespan`: `configurations`": ("makespan/configurations", "makespan/part"),
    "`makespan`: `every schedule`": ("makespan/every", "makespan/part"),
    "`makespan`: all rules": ("makespan",),
    "`online`": ("online",),
    "`reserved`": ("reserved",),
    "`trace`": ("trace",),
    "`rental`, `fleet`": ("rental",),
    "`coded`": ("coded",),
    "`shuffle`": ("shuffle",),
    "`transfers`": ("transfers",),
}
"""Files and folders behind the rules of a family, beside those that all families share."""


def files(names: Iterable[str]) -> set[Path]:
    """Return the files of some names: modules, or all modules of a folder."""
    found = set[Path]()
    for name in names:
        place = CHECKER / name
        found |= {*place.glob("*.py")} if place.is_dir() else {place.with_name(f"{place.name}.py")}
    return found


def lines_of(some: Iterable[Path]) -> int:
    """Return the lines of some files."""
    return sum(len(path.read_text(encoding="utf-8").splitlines()) for path in some)


def table() -> str:
    """Return the table, with the sentence above it."""
    common = files(COMMON)
    makespan = lines_of(files(ROWS["`makespan`: all rules"]) | common)
    lines = [
        f"To trust the checks of `makespan`, you read {makespan:,} lines, including comments. "
        "Some rows share files,",
        "and the last column includes the files of the first row:",
        "",
        "| to verify | files | lines | in total |",
        "|---|---|--:|--:|",
        f"| any certificate | {_named(COMMON)} | {lines_of(common)} | |",
    ]
    for what, names in ROWS.items():
        some = files(names)
        lines.append(f"| {what} | {_named(names)} | {lines_of(some)} | {lines_of(some | common)} |")
    every = files(name for names in ROWS.values() for name in names)
    lines.append(f"| all families | | {lines_of(every - common)} | {lines_of(every | common)} |")
    return "\n".join(lines)


def _named(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def renewed(page: str) -> str:
    """Return the page with its table made anew."""
    return filled(page, PART, f"{table()}\n")


def main() -> None:
    """Rewrite the page in place."""
    PAGE.write_text(renewed(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
