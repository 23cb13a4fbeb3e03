"""Write the reference of commands, methods and rules from code."""

# ruff: noqa: E501

import re
from collections.abc import Iterator
from pathlib import Path

from ringyard.analysis.guarantees.theorems import guarantees_of
from ringyard.cli.app import own_app
from ringyard.families import FAMILIES
from ringyard.families.method import Method
from ringyard.instances.reading.encode import dump, plain
from ringyard.instances.reading.shape import noun_fields
from ringyard.methods import all_methods

FOLDER = Path(__file__).parent / "reference"
NOTICE = "<!-- Generated from code by `python docs/generate.py`. -->"

CLI = """# Commands

{notice}

`ringyard COMMAND --help` shows the same for one command. Options that all commands know stand before the command:
`ringyard --quiet COMMAND` prints no progress, and `ringyard --plugin FILE.py COMMAND` loads what your file registers.

Exit codes: 0 done · 1 a check failed · 2 bad input or usage · 3 nothing found within the limits · 130 interrupted
([details](../concepts/limits-and-exit-codes.md)).

{commands}
"""

METHODS = """# Methods

{notice}

`ringyard list methods` shows this list, and `ringyard list options METHOD` the options of one method, which you give as
`METHOD:option=value`. The first method of each family is its default.

{families}
"""

RULES = """# Rules of the judge

{notice}

The [judge](../concepts/judge.md) checks these rules, and reports each violation by the name of its rule.
`ringyard list rules` shows the same list.

{families}
"""


def main() -> None:
    """Write the three pages."""
    pages = {"cli": cli_page(), "methods": methods_page(), "rules": rules_page()}
    for name, text in pages.items():
        (FOLDER / f"{name}.md").write_text(text.rstrip("\n") + "\n", encoding="utf-8")


def cli_page() -> str:
    """Return the page of all commands and options."""
    text = own_app().generate_docs()
    commands = text[text.index("## ringyard ") :]
    commands = re.sub(r"^(#+) ringyard (.*)$", r"\1 \2", commands, flags=re.MULTILINE)
    commands = re.sub(r"\(#ringyard-", "(#", commands)
    commands = "\n".join(line.rstrip() for line in commands.splitlines())
    return CLI.format(
        notice=NOTICE, commands=commands.replace("```console\nringyard", "```text\nringyard")
    )


def methods_page() -> str:
    """Return the page of all methods, by family."""
    return METHODS.format(notice=NOTICE, families="\n".join(_families(_methods)))


def rules_page() -> str:
    """Return the page of the rules of each judge."""
    return RULES.format(notice=NOTICE, families="\n".join(_families(_rules)))


def _families(lines) -> Iterator[str]:  # type: ignore[no-untyped-def]
    for kind in FAMILIES:
        yield from (f"## `{kind}`", "", *lines(kind), "")


def _rules(kind: str) -> Iterator[str]:
    yield from ("| rule | what it demands |", "|---|---|")
    for name, demand in FAMILIES[kind].rules.items():
        yield f"| `{name}` | {demand} |"


def _methods(kind: str) -> Iterator[str]:
    methods = [method for method in all_methods() if method.family == kind]
    yield "| method | what it does | type | guarantees | source |"
    yield "|---|---|---|---|---|"
    for method in methods:
        proved = " ".join(f"`{one.name}`" for one in guarantees_of(method.name)) or "-"
        cells = (f"`{method.name}`", method.about, method.kind, proved, method.source)
        yield f"| {' | '.join(cells)} |"
    options = [line for method in methods for line in _options(method)]
    if options:
        yield from ("", "| method | option | default | values | meaning |", "|---|---|---|---|---|")
        yield from options


def _options(method: Method) -> Iterator[str]:
    for name, field in noun_fields(method.usual.__class__).items():
        values = field.shape.expectation().replace("|", "\\|")
        default = dump(plain(method.usual)[name])
        yield f"| `{method.name}` | `{name}` | `{default}` | {values} | {field.about} |"
