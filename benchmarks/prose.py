"""Count twenty faults of prose in pages, docstrings and messages: ``python benchmarks/prose.py``.

    python benchmarks/prose.py [FOLDER] [--show NUMBER] [--in docs|docstrings|messages] [--pages]

A fault is a pattern, and some of its hits are good English, so the counts are for comparison over
time. They are no test: nobody should write around a pattern. `--show 5` prints what fault 5 hits,
with its place; `--pages` prints the lines and sentences of more than 35 words of each page instead.
The baseline is the count at 39a146de by this same command.
"""

# ruff: noqa: T201

import argparse
import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

PLACES = ("docs", "docstrings", "messages")

FAULTS: dict[str, str] = {
    "semicolons": r";",
    'headless "what ..."': r"\bwhat\b(?! if\b)",
    "docstring opens with What/How/Whether/Which/Where": r"\A(?:What|How|Whether|Which|Where)\b",
    '"the others", "others", "the rest" without a noun': (
        r"\b(?:the )?others\b|\bthe rest\b(?! of)"
    ),
    'docstring opens with "Say"': r"\ASay\b",
    '"those that", "that of"': r"\bthose (?:that|of|who|which)\b|\bthat of\b",
    "private words": (
        r"\b(?:doors?|fillings?|dives?|cells?|nouns?|faults?|told|tells?|glimpses?)\b"
    ),
    '"again", "anew", "goes on"': r"\b(?:again|anew|go(?:es)? on)\b",
    '"asked", "asks" of code': r"\bask(?:s|ed|ing)?\b",
    '"where" for if': r"(?:^|[.;:]\s+)Where\b|\bwhere (?:it|there|they|one|no|all)\b",
    '"of ours", "of its own"': r"\bof (?:ours|yours|its own|their own|one's own)\b|\bours\b",
    '"counts" for is used': r"\bcounts?\b",
    '"way(s)"': r"\bways?\b",
    '"So ..." opens a sentence': r"(?:^|[.;:]\s+)So\b",
    '"beside"': r"\bbeside\b",
    '"none", "nothing", "nobody" as a noun': r"\bnone\b(?! of)|\b(?:nothing|nobody)\b",
    '"takes" for accepts': (
        r"\b(?:solver|method|function|command|that|which|who|and|program|it|policy)s? takes?\b"
        r"(?! (?:[\w.,{}]+ ){0,3}(?:s|seconds?|minutes?|hours?|times?|long|place|part)\b)"
    ),
    '"of which"': r"\bof which\b",
    '", as ..." for because': r", as (?:it|they|the|a|an|this|that|its|no|there)\b",
    "numbers and fractions in words": (
        r"\b(?:some|about) (?:ten|twenty|thirty|forty|fifty|hundred)\b|\b\w+teenths?\b"
        r"|\btwentieths?\b|\btenths?\b|\b(?:two|three|four|five) (?:thirds|quarters|fifths)\b"
    ),
}
"""The twenty faults of the house style, as patterns."""

DOCSTRINGS_ONLY = (3, 5)
"""Faults that only docstrings have."""

BASELINE: dict[str, tuple[int, ...]] = {
    "docs": (
        1298,
        973,
        0,
        212,
        0,
        197,
        228,
        199,
        135,
        203,
        121,
        177,
        112,
        156,
        86,
        356,
        86,
        36,
        32,
        45,
    ),
    "docstrings": (
        2218,
        2597,
        946,
        269,
        395,
        410,
        439,
        249,
        310,
        335,
        181,
        327,
        226,
        71,
        139,
        712,
        108,
        100,
        74,
        7,
    ),
    "messages": (591, 190, 0, 35, 0, 36, 39, 43, 37, 28, 54, 33, 28, 0, 19, 84, 24, 12, 14, 1),
}
"""The counts at 39a146de, by place."""


PART = re.compile(r"^<!-- (?!end -->)[^>]+ -->\n.*?^<!-- end -->\n", re.MULTILINE | re.DOTALL)
"""A part of a page that is generated or measured."""


class Text(NamedTuple):
    """A piece of prose and its place."""

    place: str
    file: str
    line: int
    prose: str


def main() -> None:
    """Print the counts, or the hits of one fault."""
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("folder", nargs="?", type=Path, default=Path(__file__).parents[1])
    words.add_argument("--show", type=int)
    words.add_argument("--in", dest="place", choices=PLACES)
    words.add_argument("--under", default="", help="only files whose path begins so")
    words.add_argument("--pages", action="store_true")
    given = words.parse_args()
    if given.pages:
        return show_pages(given.folder)
    texts = [
        one
        for one in all_texts(given.folder)
        if given.place in (None, one.place) and one.file.startswith(given.under)
    ]
    if given.show:
        return show_hits(texts, given.show)
    print(f"{'':4}{'fault':52}" + "".join(f"{place:>22}" for place in PLACES))
    for number, (name, pattern) in enumerate(FAULTS.items(), 1):
        cells = [cell(texts, number, pattern, place) for place in PLACES]
        print(f"{number:3} {name:52}" + "".join(f"{one:>22}" for one in cells))
    return None


def cell(texts: list[Text], number: int, pattern: str, place: str) -> str:
    """Return a count, with the baseline and its share of it if that is known."""
    if number in DOCSTRINGS_ONLY and place != "docstrings":
        return "-"
    found = sum(1 for one in texts if one.place == place for _ in hits(one, pattern))
    before = BASELINE.get(place, ())
    if len(before) < number or not before[number - 1]:
        return str(found)
    return f"{found} of {before[number - 1]} ({found / before[number - 1]:.0%})"


def hits(one: Text, pattern: str) -> Iterator[re.Match[str]]:
    """Yield the places of a pattern in a piece of prose."""
    flags = 0 if pattern.startswith(r"\A") else re.IGNORECASE | re.MULTILINE
    if any(word in pattern for word in ("So\\b", "Where\\b", "none\\b")):
        flags = re.MULTILINE
    return re.finditer(pattern, one.prose, flags)


def show_hits(texts: list[Text], number: int) -> None:
    """Print each hit of a fault with its sentence."""
    pattern = [*FAULTS.values()][number - 1]
    for one in texts:
        if number in DOCSTRINGS_ONLY and one.place != "docstrings":
            continue
        for found in hits(one, pattern):
            start, end = max(0, found.start() - 60), found.end() + 60
            shown = " ".join(one.prose[start:end].split())
            print(f"{one.file}:{one.line + one.prose.count(chr(10), 0, found.start())}: {shown}")


def show_pages(folder: Path) -> None:
    """Print lines and long sentences of each page that is written by hand."""
    total = 0
    for path in hand_written(folder):
        text = PART.sub("", path.read_text(encoding="utf-8"))
        lines = len(text.splitlines())
        long = sum(len(one.split()) > 35 for one in re.split(r"(?<=[.!?:])\s+", prose_of(text)))
        total += lines
        print(f"{lines:6} {long:4}  {path.relative_to(folder)}")
    print(f"{total:6}       lines in pages that are written by hand")


def hand_written(folder: Path) -> Iterator[Path]:
    """Yield the pages that people write: no generated page, but the texts of studies."""
    for path in sorted((folder / "docs").rglob("*.md")):
        text = path.read_text(encoding="utf-8")
        if "<!-- Generated" not in text[:400] and path.name != "records.md":
            yield path


def all_texts(folder: Path) -> Iterator[Text]:
    """Yield all prose: pages, docstrings, and texts of four words or more in code."""
    for path in hand_written(folder):
        name = path.relative_to(folder).as_posix()
        yield Text("docs", name, 1, prose_of(path.read_text(encoding="utf-8")))
    for path in sorted(folder.rglob("*.py")):
        name = path.relative_to(folder).as_posix()
        if not name.startswith((".", "build/", "out/", "tests/", "benchmarks/")):
            yield from texts_of_code(name, path.read_text(encoding="utf-8"))


def texts_of_code(name: str, code: str) -> Iterator[Text]:
    """Yield docstrings and other texts of a file, texts of an f-string as one."""
    tree, seen = ast.parse(code), set[int]()
    for node in ast.walk(tree):
        body = getattr(node, "body", ())
        for child in body if isinstance(body, list) else ():
            match child:
                case ast.Expr(value=ast.Constant(value=str(text)) as value):
                    seen.add(id(value))
                    yield Text("docstrings", name, value.lineno, text)
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            parts = [one.value for one in node.values if isinstance(one, ast.Constant)]
            seen |= {id(one) for one in node.values}
            yield from message(name, node.lineno, "{}".join(map(str, parts)))
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in seen:
            yield from message(name, node.lineno, node.value)


def message(name: str, line: int, text: str) -> Iterator[Text]:
    """Yield a text of four words or more."""
    if len(re.findall(r"[A-Za-z]{2,}", text)) >= 4 and " " in text.strip():
        yield Text("messages", name, line, text)


def prose_of(page: str) -> str:
    """Return a page with code, tables, comments and formulas made blank, line by line."""
    page = re.sub(r"^( *)(`{3,}|~{3,})[^\n]*\n.*?^\1\2 *$", blank, page, flags=re.M | re.S)
    page = re.sub(r"<!--.*?-->", blank, page, flags=re.S)
    page = re.sub(r"^\s*\|.*$", "", page, flags=re.M)
    page = re.sub(r"\$\$.*?\$\$|\$[^$\n]+\$", blank, page, flags=re.S)
    page = re.sub(r"`[^`\n]*`", "x", page)
    return re.sub(r"\]\([^)]*\)", "]", page)


def blank(found: re.Match[str]) -> str:
    """Return as many ends of lines as there were."""
    return "\n" * found[0].count("\n")


if __name__ == "__main__":
    main()
