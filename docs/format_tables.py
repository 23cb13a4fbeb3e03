"""Write tables of pages anew, from types and columns: ``python docs/format_tables.py``."""

import inspect
import re
import textwrap
from collections.abc import Iterator
from dataclasses import MISSING, is_dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ringyard.analysis.rows import COLUMNS
from ringyard.analysis.table_kinds import KINDS
from ringyard.campaigns import plan
from ringyard.families import FAMILIES
from ringyard.instances.catalogue import DATA, Entry, entries, load
from ringyard.instances.generate import presets
from ringyard.instances.reading.encode import FORMAT, dump, plain
from ringyard.instances.reading.files import INSTANCES, SCHEDULES, load_schedule
from ringyard.instances.reading.vocabulary import FieldShape, Shape, entity_fields

DOCS = Path(__file__).parent
EXAMPLES = {
    "makespan": "hand-spread",
    "online": "hand-online-across",
    "reserved": "hand-gadget-links",
    "trace": "tiny-trace-05x2-racks",
    "rental": "boa-two-types",
    "fleet": "tiny-fleet-4-nodes",
    "coded": "coded-10",
    "shuffle": "hand-shuffle-pair",
    "transfers": "tiny-transfers-s3",
}
"""The instance of the catalogue that the page of a family shows, with its stored schedule."""

PAGES = [
    *(DOCS / f"reference/format-{kind}.md" for kind in EXAMPLES),
    DOCS / "reference/campaign-file.md",
    DOCS / "reference/columns.md",
    DOCS / "reference/catalogue.md",
    DOCS / "reference/format.md",
    DOCS / "reference/trace-rules.md",
    DOCS / "project/add-a-family.md",
]
TABLE = re.compile(r"(<!-- fields of (\w+) -->\n).*?(?=<!-- end -->)", re.DOTALL)
ROWS = re.compile(r"(<!-- columns -->\n).*?(?=<!-- end -->)", re.DOTALL)
TABLES = re.compile(r"(<!-- kinds of tables -->\n).*?(?=<!-- end -->)", re.DOTALL)
RULES = re.compile(r"(<!-- rules of (\w+) from ([\w ]+) -->\n).*?(?=<!-- end -->)", re.DOTALL)
FILE = re.compile(r"(<!-- file ([\w./]+) -->\n).*?(?=<!-- end -->)", re.DOTALL)
EXAMPLE = re.compile(r"(<!-- example of (\w+) -->\n).*?(?=<!-- end -->)", re.DOTALL)
CATALOGUE = re.compile(r"(<!-- families of the catalogue -->\n).*?(?=<!-- end -->)", re.DOTALL)
NOTICE = "<!-- Generated from code by `python docs/generate.py`. -->"
HIDDEN = ("notes", "source", "licence")
"""Long texts of instances, which examples leave out."""


def nested(entity: Any) -> Iterator[Any]:
    """Yield an object of a file and, in the order of fields, the objects in it."""
    yield entity
    for field in entity_fields(entity).values():
        shapes = [field.shape]
        while shapes:
            shape = shapes.pop(0)
            shapes += shape.inner
            if shape.entity:
                yield from nested(shape.entity)


def both(kind: str) -> tuple[Any, Any]:
    """Return the instances and the schedules of a family, as types."""
    return INSTANCES[kind], SCHEDULES[f"{kind}-schedule"]


HOMES: dict[str, Path] = {"Drawn": DOCS / "reference/campaign-file.md"}
"""The page on which an entity has its table: the page of the first family that uses it."""
for _kind, _page in zip(EXAMPLES, PAGES, strict=False):
    for _entity in both(_kind):
        for _one in nested(_entity):
            HOMES.setdefault(_one.__name__, _page)


def main() -> None:
    """Rewrite the pages in place."""
    for page in PAGES:
        page.write_text(renewed(page), encoding="utf-8")


def renewed(path: Path) -> str:
    """Return the page with every table made anew."""
    if path.name.startswith("format-"):
        return family(path.stem.removeprefix("format-"), path)
    page = path.read_text(encoding="utf-8")
    page = TABLE.sub(lambda found: f"{found[1]}\n{table(getattr(plan, found[2]), path)}\n", page)
    if "fields of CampaignFile" in page:  # TOML has no null: what is null is left out.
        page = page.replace(" or null", "").replace("| `null` |", "| |")
    page = ROWS.sub(lambda found: f"{found[1]}\n{columns()}\n", page)
    page = RULES.sub(lambda found: f"{found[1]}\n{rules(found[2], found[3])}\n\n", page)
    page = EXAMPLE.sub(lambda found: f"{found[1]}\n{chr(10).join(examples(found[2]))}\n", page)
    page = FILE.sub(lambda found: f"{found[1]}\n{whole_file(found[2])}\n", page)
    page = CATALOGUE.sub(lambda found: f"{found[1]}\n{catalogue()}\n", page)
    return TABLES.sub(lambda found: f"{found[1]}\n{kinds_of_tables()}\n", page)


def examples(kind: str) -> list[str]:
    """Return an instance and its schedule as in files, without long texts."""
    name = EXAMPLES[kind]
    files = load(name), load_schedule(DATA / f"schedules/{name}.json")
    shown = (plain(file, without=HIDDEN, defaults="none") for file in files)
    return [f"```json\n{dump({'format': FORMAT, **one})}\n```\n" for one in shown]


def family(kind: str, page: Path) -> str:
    """Return the page of a family: an example of each kind of file, and each object's fields."""
    models = DOCS.glob("families/*.md")
    named = [one.name for one in models if kind in re.split(r"\W", one.stem)[:3:2]]
    model = min(named, key=len)
    text = FAMILIES[kind].about
    text = f"{text[0].upper()}{text[1:]}. See [the model](../families/{model}) and [the rules for "
    text = textwrap.fill(text + "all files](format.md).", 120)
    lines = [f"# Files of the family `{kind}`", "", NOTICE, "", text, ""]
    for name, entity, example in zip(
        (f"Instances of kind `{kind}`", f"Schedules of kind `{kind}-schedule`"),
        both(kind),
        examples(kind),
        strict=True,
    ):
        lines += [f"## {name}", "", example]
        for one in dict.fromkeys(nested(entity)):
            if HOMES[one.__name__] == page:
                lines += [f"### {one.__name__}", "", about(one.__doc__), "", table(one, page)]
    return "\n".join(lines).rstrip() + "\n"


def whole_file(path: str) -> str:
    """Return a file of Python as a block."""
    return f"```python no-run\n{(DOCS.parent / path).read_text(encoding='utf-8')}```\n"


def rules(policy: str, start: str) -> str:
    """Return the docstring of a policy of traces from some words on, as Markdown."""
    modules = (f"ringyard.{room}.trace.{policy}" for room in ("policies", "search"))
    text = import_module(next(filter(find_spec, modules))).__doc__ or ""
    return about(text[text.index(start) :])


def about(docstring: str) -> str:
    """Return a docstring as Markdown."""
    text = re.sub(r"``([^`]+)``", r"`\1`", inspect.cleandoc(docstring))
    parts = [" ".join(part.split()) for part in re.split(r"\n(?=[*-] )|\n\n", text)]
    rows = [
        textwrap.fill(one, 120, subsequent_indent="  " * one.startswith(("* ", "- ")))
        for one in parts
    ]
    return re.sub(r"(\n[*-] [^\n]*(?:\n  .*)*)\n(?=\n[*-] )", r"\1", "\n\n".join(rows))


def columns() -> str:
    """Return the Markdown table of the columns of a row."""
    rows = [f"| `{name}` | {kind} | {about} |" for name, (kind, about) in COLUMNS.items()]
    return "\n".join(["| column | type | meaning |", "|---|---|---|", *rows, ""])


def catalogue() -> str:
    """Return the Markdown table of the families of named instances, with the smallest of each."""
    lines = ["| family | kind | instances | smallest | content of the smallest |"]
    lines += ["|---|---|--:|---|---|"]
    families = dict[str, list[Entry]]()
    for entry in entries().values():
        families.setdefault(entry.family, []).append(entry)
    for name, known in families.items():
        first = min(known, key=lambda entry: entry.jobs)
        kinds = ", ".join(dict.fromkeys(f"`{entry.kind}`" for entry in known))
        title = first.title or f"an invalid file: {first.fault}"
        if name in presets():
            title = f"{title.partition(': ')[0]}: {presets()[name][0]}"
        lines += [f"| `{name}` | {kinds} | {len(known)} | `{first.name}` | {title} |"]
    return "\n".join([*lines, ""])


def kinds_of_tables() -> str:
    """Return a section for each kind of table, with its columns."""
    lines = list[str]()
    for name, kind in KINDS.items():
        about = kind.about[0].upper() + kind.about[1:]
        lines += [f"### `{name}`", "", f"{about}. Each line is {kind.line}.", ""]
        lines += ["| column | content |", "|---|---|"]
        lines += [f"| `{column.name}` | {column.about} |" for column in kind.columns] + [""]
    return "\n".join(lines)


def table(entity: Any, page: Path) -> str:
    """Return the Markdown table of an entity's fields, for a page."""
    rows = [
        f"| `{f.name}` | {words(f.shape, page)} | {default(f)} | {f.about} |"
        for f in fields(entity)
    ]
    return "\n".join(["| key | value | default | meaning |", "|---|---|---|---|", *rows, ""])


def fields(entity: Any) -> list[FieldShape]:
    """Return the fields of an entity in their order."""
    return list(entity_fields(entity).values())


def words(shape: Shape, page: Path) -> str:
    """Describe what a field takes, with a link where it is an object of its own."""
    match shape.kind:
        case "object" if shape.entity is plan.RunGroup:
            return "a run group"
        case "object":
            name = shape.entity.__name__
            where = HOMES[name].name if HOMES[name] != page else ""
            return f"[{name}]({where}#{name.lower()})" + null(shape)
        case "union":
            return " or ".join(words(one, page) for one in shape.inner) + null(shape)
        case "list":
            return f"{shape.expectation()}, each {words(shape.inner[0], page)}"
        case _:
            return re.sub(r"'(\w+[-\w]*)'", r'`"\1"`', shape.expectation())


def null(shape: Shape) -> str:
    """Report that a field may be null as the expectation of plain values does."""
    return " or null" if shape.optional else ""


def default(field: FieldShape) -> str:
    """Show the default of a field, as in a file."""
    if field.default is MISSING or len(field.shape.choices) == 1:
        return "required"
    value = field.default
    return f"`{dump(plain(value, defaults='none') if is_dataclass(value) else value)}`"


if __name__ == "__main__":
    main()
