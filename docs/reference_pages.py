"""Write the reference of commands, methods, rules, solvers and Python names from code."""

# ruff: noqa: E501

import inspect
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields, is_dataclass
from decimal import Decimal
from importlib.util import module_from_spec, spec_from_file_location
from operator import attrgetter
from pathlib import Path
from types import ModuleType
from typing import Any

import ringyard.analysis.tables.view
from ringyard.analysis.guarantees import guarantees_of
from ringyard.campaigns.reproductions import filled
from ringyard.cli.app import own_app
from ringyard.families import FAMILIES
from ringyard.families.method import Method
from ringyard.formulations.solver_interface.solve import SOLVERS
from ringyard.instances.reading.encode import dump, plain
from ringyard.instances.reading.vocabulary import entity_fields
from ringyard.methods import all_methods

FOLDER = Path(__file__).parent / "reference"
NOTICE = "<!-- Generated from code by `python docs/generate.py`. -->"

CLI = """# Commands

{notice}

`ringyard COMMAND --help` shows the same for one command. Two options stand before the command:
`ringyard --quiet COMMAND` prints no progress, and `ringyard --plugin FILE.py COMMAND` loads your file.

Exit codes: 0 done · 1 a check failed · 2 bad input or usage · 3 no schedule found within the limits · 130 interrupted
([details](../concepts/limits-and-exit-codes.md)).

{commands}
"""

METHODS = """# Methods

{notice}

`ringyard list methods` shows this list, and `ringyard list options METHOD` the options of one method, which you give as
`METHOD:option=value`. The default method of each family is marked.

{families}
"""

RULES = """# Rules of the judge

{notice}

The [judge](../concepts/judge.md) checks these rules. A violation has the name of its rule, a place and an amount.
`ringyard list rules` shows the same list. Numbers in brackets are equations of [the model](../families/makespan.md).

{families}
"""

AMOUNTS = {
    "makespan": "Amounts: GPUs for `pieces`, `gang`, `regions` and `capacity` (the most above "
    "the limit in a stretch of time), slots for `release`, `whole_slots`, "
    "`completion` and `makespan`, iterations never done for `completes`, and 1 "
    "per name, job or entry otherwise. All other rules round a start inside a "
    "slot up to the next whole slot.",
    "trace": "Amounts: seconds for `ticks`, `order`, `arrival`, `completes` and claims, GPUs "
    'for `pieces`, `gang`, `capacity` and `most`, and 1 otherwise. A run with share "half" '
    "holds half a GPU per worker. Only the first entry of a job is used, and only "
    "its runs that name known servers, hold a GPU and end after their start. A time "
    "between two ticks is rounded up to the later tick.",
    "rental": "Amounts: GPUs for `widths`, `budget` and a claimed number of GPUs, hours for a "
    "claimed mean, parts of 1 for `shares` and `parts`, epochs for `order`, and 1 "
    "otherwise. Power laws are evaluated to 50 digits, everything else is exact.",
    "fleet": "Amounts: seconds for `ticks`, `order`, `arrival`, `completes` and a claimed "
    "end, hours for a claimed mean, GPUs for `widths`, `nodes` and `capacity`, money "
    "for `budget` and a claimed cost, and 1 otherwise. A run that holds part of a "
    "thousandth of a GPU occupies all of it.",
    "coded": "Amounts: seconds for a claim, the number of parts or points too many or too "
    "few, and 1 for a repeated point. The expected time is an exact fraction for "
    "every law.",
    "shuffle": "Amounts: rows for `worked_out`, cost for a claim, and 1 per name too many. "
    "Decoding is decided by elimination modulo 2 from a worker's cache and the "
    "messages that name it.",
    "transfers": "Amounts: updates for `staleness` and `one_way`, seconds for `due` and a "
    "claim, norm for `divergence`, and 1 otherwise. The plan is replayed from "
    "one end of a transfer to the next in exact fractions. Late and stale "
    "updates are still applied.",
}
"""What the amount of a violation measures, by family, and which entries the judge uses."""


NAMES = re.compile(r"(<!-- names: ([\w., ]+) -->\n).*?(?=<!-- end -->)", re.DOTALL)
"""A table in the page of Python names, whose marker lists its names."""

DIRECTIVES = re.compile(r"(<!-- directives of the names -->\n).*?(?=<!-- end -->)", re.DOTALL)
"""The same names for the HTML documentation, with arguments, types and exceptions."""

OPTIONS = {
    "Instance": (
        ":no-undoc-members:",
        ":exclude-members: ABOUT, brief, kind, name, title, notes, source, licence",
        ":inherited-members:",
    ),
    "Outcome": (":exclude-members: brief",),
    "Bound": (":exclude-members: brief",),
    "Campaign": (":exclude-members: sources",),
    "plot": (":exclude-members: picture, write",),
}
"""Options of the directives of some names."""

HIDDEN = {"brief", "problems", "sources", "write"}
"""Members of public classes that are for Ringyard's own use."""


def main() -> None:
    """Write the pages."""
    for name, text in written().items():
        (FOLDER / f"{name}.md").write_text(text, encoding="utf-8")


def written() -> dict[str, str]:
    """Return the text of each page."""
    pages = {
        "cli": cli_page(),
        "methods": methods_page(),
        "rules": rules_page(),
        "python": python_page(),
        "solvers": solvers_page(),
    }
    return {name: f"{text.rstrip()}\n" for name, text in pages.items()}


def cli_page() -> str:
    """Return the page of all commands and options."""
    text = own_app().generate_docs()
    commands = text[text.index("## ringyard ") :]
    commands = re.sub(r"^(#+) ringyard (.*)$", r"\1 \2", commands, flags=re.MULTILINE)
    commands = re.sub(r"\(#ringyard-", "(#", commands)
    commands = re.sub(r" -m pytest(?= --)", "", commands)  # Cyclopts names how it was started.
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


def python_page() -> str:
    """Return the page of Python names with its tables made anew."""
    page = (FOLDER / "python.md").read_text(encoding="utf-8")
    names = [name for found in NAMES.finditer(page) for name in found[2].split(", ")]
    shown = ["", "```{eval-rst}", *_directives(names), "```", ""]
    page = DIRECTIVES.sub(lambda found: "\n".join([found[1].rstrip(), *shown, ""]), page)
    return NAMES.sub(lambda found: "\n".join([found[1], *_names(found[2].split(", ")), ""]), page)


def _directives(names: list[str]) -> Iterator[str]:
    """Yield the directives by which Sphinx documents names; the last ones cover `plot`."""
    for name in dict.fromkeys(name.partition("plot.")[0] or "plot" for name in names):
        one = attrgetter(name)(ringyard)
        if inspect.ismodule(one):
            yield f".. automodule:: ringyard.{name}"
        elif inspect.isroutine(one):
            yield f".. autofunction:: ringyard.{name}"
        elif issubclass(one, Exception):
            yield from (f".. autoexception:: ringyard.{name}()", "   :no-members:")
        elif one.__name__ != name.rpartition(".")[2]:  # An alias has no page by autoclass.
            yield from (f".. py:class:: ringyard.{name}", "", f"   {_first_line(one)}", "")
            yield from (f"   .. automethod:: ringyard.{name}.{own}" for own, _ in _members(one))
        else:
            yield f".. autoclass:: ringyard.{name}" + "()" * (name != "Limits")
        yield from (f"   {option}" for option in OPTIONS.get(name, ()))


def _names(names: list[str]) -> Iterator[str]:
    """Yield the table of names: each function with its parameters, each class with its members."""
    yield from ("| name | description |", "|---|---|")
    for name in names:
        one = attrgetter(name)(ringyard)
        own = name.removeprefix("analysis.tables.view.")
        yield f"| `{_called(own, one)}` | {_first_line(one)} |"
        if inspect.isclass(one) and not issubclass(one, Exception):
            if is_dataclass(one) and (held := [f.name for f in fields(one) if _open(f.name)]):
                yield f"| | fields: {', '.join(f'`{each}`' for each in held)} |"
            for member, part in _members(one):
                yield f"| `{_called(f'{own}.{member}', part)}` | {_first_line(part)} |"


def _members(one: type) -> Iterator[tuple[str, Any]]:
    for name, part in inspect.getmembers(one):
        if _open(name) and (inspect.isroutine(part) or isinstance(part, property)):
            yield name, part


def _open(name: str) -> bool:
    return not name.startswith("_") and name not in HIDDEN


def _called(name: str, one: Any) -> str:
    """Return a name with the parameters of a function, and with defaults that are short."""
    if not inspect.isroutine(one):
        return name
    parameters = [
        parameter.replace(annotation=inspect.Parameter.empty, default=_default(parameter.default))
        for parameter in inspect.signature(one).parameters.values()
        if parameter.name not in ("self", "cls")
    ]
    return f"{name}{inspect.Signature(parameters)}".replace("=Ellipsis", "=...")


def _default(value: Any) -> Any:
    if isinstance(value, Decimal):
        return float(value)
    short = value is inspect.Parameter.empty or value is None or value == ()
    return value if short or isinstance(value, bool | int | float | str) else ...


def _first_line(one: Any) -> str:
    text = (inspect.getdoc(one) or "").partition("\n\n")[0]
    return re.sub(r"``([^`]+)``", r"`\1`", " ".join(text.split())).replace("|", "\\|")


def solvers_page() -> str:
    """Return the page of solvers with its two tables renewed; the rest is written by hand."""
    page = (FOLDER / "solvers.md").read_text(encoding="utf-8")
    for name, lines in (("solvers", _solvers()), ("situations", _situations())):
        page = filled(page, name, "\n".join([*lines, ""]))
    return page


def _solvers() -> Iterator[str]:
    """Yield what is the same on every machine: no versions, and nothing of what is installed."""
    yield from ("| solver | can | how to install | remark |", "|---|---|---|---|")
    for solver in SOLVERS:
        command = f"`{solver.command}`" if solver.package else solver.command
        cells = (f"`{solver.name}`", " ".join(solver.can), command, solver.remark or "-")
        yield _line(cells)


def _situations() -> Iterator[str]:
    """Yield the status matrix, and the reasons of its numbers."""
    tested = _status_matrix()
    yield _line(("solver", *tested.SITUATIONS))
    yield "|---" * (1 + len(tested.SITUATIONS)) + "|"
    yield from (_line((f"`{name}`", *cells)) for name, cells in tested.CELLS.items())
    yield ""
    *reasons, last = (f"{number} {reason}." for number, reason in tested.REASONS.items())
    yield from (*(f"{reason}\\" for reason in reasons), last)


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _status_matrix() -> ModuleType:
    """Return the file of the tests that says how each solver answers."""
    path = Path(__file__).parents[1] / "tests/solvers/cells.py"
    spec = spec_from_file_location("status_matrix", path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _families(lines: Callable[[str], Iterator[str]]) -> Iterator[str]:
    for kind in FAMILIES:
        yield from (f"## `{kind}`", "", *lines(kind), "")


def _rules(kind: str) -> Iterator[str]:
    if kind in AMOUNTS:
        yield from (AMOUNTS[kind], "")
    yield from ("| rule | demand |", "|---|---|")
    for name, demand in FAMILIES[kind].rules.items():
        yield f"| `{name}` | {demand} |"


def _methods(kind: str) -> Iterator[str]:
    methods = [method for method in all_methods() if method.family == kind]
    yield "| method | description | type | guarantees | source |"
    yield "|---|---|---|---|---|"
    for method in methods:
        proved = " ".join(f"`{one.name}`" for one in guarantees_of(method.name)) or "-"
        mark = " (default)" if method.name == FAMILIES[kind].default else ""
        cells = (f"`{method.name}`{mark}", method.about, method.kind, proved, method.source)
        yield f"| {' | '.join(cells)} |"
    options = [line for method in methods for line in _options(method)]
    if options:
        yield from ("", "| method | option | default | values | meaning |", "|---|---|---|---|---|")
        yield from options


def _options(method: Method) -> Iterator[str]:
    for name, field in entity_fields(method.usual.__class__).items():
        values = field.shape.expectation().replace("|", "\\|")
        default = dump(plain(method.usual)[name])
        yield f"| `{method.name}` | `{name}` | `{default}` | {values} | {field.about} |"
