"""Generated pages of studies: a text, measured parts, and a line with time and machine.

A study has a text in `docs/studies/text/`. In it, a line `<!-- NAME -->` marks the place of a table
or of the sentences of a reproduction. The page of the same name in `docs/studies/` is the text with
these parts and a header from `docs/studies/measured.json`. A part that has its own record there,
`PAGE#PART`, has its own header. Pages are never edited by hand.
"""

import json
import os
import platform
import re
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from time import process_time

from ..analysis.rows import Row
from ..instances.reading.decode import read_text
from ..instances.writing import write_whole
from .code_digest import ROOT, digest_of_paths
from .reproductions import END, filled, find_reproductions

FOLDER = "studies"
TEXTS = Path(FOLDER, "text")
RECORDS = Path(FOLDER, "measured.json")

MARK = re.compile(r"^<!-- (?!end -->)(\S+) -->$", re.MULTILINE)
CLOSE = re.compile(r"(?<=\S)\n(?=<!-- (?!end -->)\S+ -->$)", re.MULTILINE)
"""The place where a page has an empty line before a part. Its text need not."""
PART = re.compile(r"^<!-- (?!end -->)(\S+) -->\n\n(.*?)\n<!-- end -->$", re.MULTILINE | re.DOTALL)
NOTICE = "<!-- Generated: edit text/{name}, then run `python docs/generate.py`. -->"
LIBRARIES = {"highspy": "HiGHS", "numpy": "NumPy", "ortools": "OR-Tools"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """Time, machine and method of the measurements of a page."""

    command: str
    date: str
    commit: str
    machine: str = ""
    versions: str = ""
    setup: str = ""
    """Seeds and limits."""
    processor_s: float | None = None
    """Processor seconds of all runs."""
    speed_index_s: float | None = None
    """Seconds for ten million additions in a Python loop: how fast the machine is."""
    code: tuple[str, ...] = ()
    """Folders and files whose code the numbers rest on."""
    code_digest: str = ""

    @property
    def is_current(self) -> bool:
        """Return True if the code has not changed since it was measured."""
        return not self.code or self.code_digest == digest_of_paths(self.code)

    def header(self) -> str:
        """Return the line of the header."""
        first = f"Measured {self.date} at commit {self.commit}"
        first += "" if self.is_current else " (**older code**)"
        facts = [first, self.machine or "machine not recorded", self.versions, self.setup]
        if self.processor_s is not None:
            facts.append(f"{self.processor_s:,.0f} processor seconds")
        if self.speed_index_s is not None:
            facts.append(f"[speed index](index.md#speed-index) {self.speed_index_s:.2f} s")
        return " · ".join([*filter(None, facts), f"`{self.command}`"])


def measured_now(command: str, setup: str, code: Sequence[str], rows: Iterable[Row]) -> Measured:
    """Return the record of a measurement whose runs are these rows."""
    rows = list(rows)
    days = sorted(str(row["finished"])[:10] for row in rows if row.get("finished"))
    used = [row["cpu_seconds"] for row in rows if row.get("cpu_seconds") is not None]
    return Measured(
        command=command,
        date=days[-1] if days else _today(),
        commit=_commit(),
        machine=_machine(),
        versions=", ".join(_versions()),
        setup=setup,
        processor_s=round(sum(used)) if used else None,
        speed_index_s=round(speed_index(), 3),
        code=tuple(code),
        code_digest=digest_of_paths(code),
    )


def speed_index() -> float:
    """Return the processor seconds of ten million additions, the best of three times."""
    times = []
    for _ in range(3):
        start, total = process_time(), 0
        for number in range(10_000_000):
            total += number
        times.append(process_time() - start)
    return min(times)


def read_records(docs: Path) -> dict[str, Measured]:
    """Return the records of each measurement, by the name of its reproduction or page."""
    raw = json.loads(read_text(docs / RECORDS, regular=True))
    return {name: Measured(**one | {"code": tuple(one["code"])}) for name, one in raw.items()}


def records_text(records: Mapping[str, Measured]) -> str:
    """Return the text of the file of records."""
    ordered = {name: asdict(one) for name, one in sorted(records.items())}
    return json.dumps(ordered, indent=1, ensure_ascii=False) + "\n"


def is_study(docs: Path, page: str) -> bool:
    """Return True if a page is written whole, from a text."""
    return Path(page).parent == Path(FOLDER) and (docs / TEXTS / Path(page).name).is_file()


def parts_of(page: str) -> dict[str, str]:
    """Return the current parts of a page by name."""
    return {name: part.strip("\n") for name, part in PART.findall(page)}


def page_text(
    name: str,
    text: str,
    parts: Mapping[str, str],
    records: Sequence[Measured],
    dated: Mapping[str, Measured] | None = None,
) -> str:
    """Return a page: its text with the header below the title and the parts in their places.

    `dated` holds the records of parts with their own header.
    """
    title, _, rest = CLOSE.sub("\n\n", text).partition("\n")
    headers = "\n".join(f"> {one.header()}\n>" for one in records).removesuffix("\n>")
    own = dated or {}
    body = MARK.sub(lambda mark: _part(mark[1], parts.get(mark[1], ""), own.get(mark[1])), rest)
    head = [title, "", NOTICE.format(name=name), ""]
    return "\n".join([*head, headers, ""] if headers else head) + body.rstrip("\n") + "\n"


def _part(name: str, part: str, measured: Measured | None) -> str:
    head = f"> {measured.header()}\n\n" if measured else ""
    return f"{head}<!-- {name} -->\n\n{part.strip(chr(10))}\n\n{END}"


def fill_page(docs: Path, page: str, parts: Mapping[str, str], record: str | None = None) -> None:
    """Write measured parts into the page of a study, and record that they were measured now.

    `record` names the record, by default that of the page.
    """
    path = docs / FOLDER / f"{page}.md"
    text = read_text(path, regular=True)
    for name, part in parts.items():
        text = filled(text, name, part.strip("\n") + "\n", path.name)
    write_whole(path, text.encode())
    note_repeated(docs, record or page)


def note_measured(docs: Path, name: str, measured: Measured) -> None:
    """Record a measurement, and rewrite the header of its pages."""
    records = read_records(docs) | {name: measured}
    write_whole(docs / RECORDS, records_text(records).encode())
    renew(docs, pages_of_reproductions())


def note_repeated(docs: Path, name: str) -> None:
    """Record that the command of a measurement was repeated now."""
    old = read_records(docs)[name]
    note_measured(docs, name, measured_now(old.command, old.setup, old.code, ()))


def pages_of_reproductions() -> dict[str, tuple[str, ...]]:
    """Return the pages of each reproduction by its name."""
    return {name: found.one.pages for name, found in find_reproductions()[0].items()}


def renew(docs: Path, studies: Mapping[str, Sequence[str]]) -> list[Path]:
    """Write all pages of studies from their texts, and return the changed files.

    `studies` names the pages of each reproduction. A page keeps its parts.
    """
    records, changed = read_records(docs), list[Path]()
    for text in sorted((docs / TEXTS).glob("*.md")):
        page = docs / FOLDER / text.name
        before = page.read_text(encoding="utf-8") if page.is_file() else ""
        parts = parts_of(before)
        if text.stem == "index":
            parts = {"studies": index_table(docs, records, studies)}
        known, dated = _records_of(text.stem, records, studies), _dated(text.stem, records)
        after = page_text(text.name, text.read_text(encoding="utf-8"), parts, known, dated)
        if after != before:
            write_whole(page, after.encode())
            changed.append(page)
    return changed


def index_table(
    docs: Path, records: Mapping[str, Measured], studies: Mapping[str, Sequence[str]]
) -> str:
    """Return the table of studies: title, command, date, commit and whether the code is older."""
    lines = ["| study | command | measured | commit | code |", "|---|---|---|---|---|"]
    for text in sorted((docs / TEXTS).glob("*.md")):
        title = text.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")
        own = _dated(text.stem, records).values()
        for one in (*_records_of(text.stem, records, studies), *own):
            state = ("same" if one.is_current else "older") if one.code else "-"
            facts = (f"`{one.command}`", one.date, one.commit, state)
            lines.append(f"| [{title}]({text.name}) | {' | '.join(facts)} |")
    return "\n".join(lines)


def _records_of(
    stem: str, records: Mapping[str, Measured], studies: Mapping[str, Sequence[str]]
) -> list[Measured]:
    """Return the records of a page: those of its reproductions, and the one with its name."""
    made = [name for name, pages in studies.items() if f"{FOLDER}/{stem}.md" in pages]
    return [records[name] for name in dict.fromkeys([*made, stem]) if name in records]


def _dated(stem: str, records: Mapping[str, Measured]) -> dict[str, Measured]:
    """Return the records of a page's parts by the name of the part."""
    named = {name.partition("#")[::2]: one for name, one in records.items()}
    return {part: one for (page, part), one in named.items() if page == stem and part}


def _today() -> str:
    return datetime.now(UTC).date().isoformat()


def _commit() -> str:
    """Return the commit of the checkout, with a plus if code was changed since."""
    try:
        known = _git("rev-parse", "--short=8", "HEAD")
        changed = _git("status", "--porcelain", "-uno", "--", "*.py")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return known + ("+" if changed else "")


def _git(*words: str) -> str:
    return subprocess.check_output(["git", "-C", str(ROOT), *words], text=True).strip()


def _machine() -> str:
    cores = len(os.sched_getaffinity(0))
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return f"{cores} cores, {memory:.0f} GiB, {platform.system()} {platform.machine()}"


def _versions() -> Iterable[str]:
    yield f"Python {'.'.join(map(str, sys.version_info[:3]))}"
    for package, name in LIBRARIES.items():
        try:
            yield f"{name} {version(package)}"
        except PackageNotFoundError:
            continue
