"""`ringyard certify`: write and check the certificates of the catalogue."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from fnmatch import fnmatchcase
from fractions import Fraction
from pathlib import Path
from typing import Any

from ..analysis.tables import to_markdown
from ..campaigns.certifying import (
    CERTIFICATES,
    ROWS,
    CertifiedInstance,
    by_family,
    by_rule,
    keep,
    kept,
    lacking,
    sentences,
)
from ..campaigns.store import make_folders
from ..instances.arguments import time_limit_problems
from ..instances.catalogue import Entry, entries
from ..instances.errors import InputError, Problem, raise_any, unknown
from ..instances.reading.decode import read_text
from ..instances.reading.encode import fraction_text
from ..interrupts import keeping
from .shared.options import AsJson, write
from .shared.output import emit, note, say, table
from .shared.progress import counting

PAGE, PART = "studies/certificates.md", "certificates-of-the-catalogue"
"""Marker of the generated counts in the pages."""

TIME_LIMIT = 10.0


def certify_command(
    *instances: str,
    out: Path,
    time_limit: float = TIME_LIMIT,
    docs: Path | None = None,
    json: AsJson = False,
) -> int:
    """Write a certificate for each named instance, check it, and report the proved bound.

    Each result is saved as it is done: rerun the command to resume after Ctrl-C or a crash. The
    exit code is 1 if a certificate is refused.

    Parameters
    ----------
    instances
        Catalogue names, or patterns such as 'small-*' (default: the whole catalogue).
    out
        The folder for certificates and results. It is created if necessary.
    time_limit
        Seconds for the bounds of an instance. Checking has no limit.
    docs
        Write the counts into the page of the study in this documentation folder. Requires the whole
        catalogue.
    """
    problems = time_limit_problems(time_limit)
    if docs is not None and instances:
        advice = "leave out the names, or --docs"
        problems.append(Problem("--docs", str(docs), "the whole catalogue", advice))
    raise_any("ringyard certify", problems)
    chosen = _chosen(instances)
    page = None if docs is None else _page(docs)
    make_folders(out, (ROWS, CERTIFICATES))
    rows, before = list[CertifiedInstance](), 0
    code = 0
    try:
        with keeping(), counting("instances certified", len(chosen)) as progress:
            for row, known in _certified(chosen, time_limit, out):
                rows.append(row)
                before += known
                progress(len(rows))
    except KeyboardInterrupt:
        code = 130
        note(f"interrupted after {len(rows)} of {len(chosen)}. Rerun the command to resume.")
    if before:
        note(f"{before} of {len(rows)} were already certified")
    if page is not None and not code:
        _show(page, rows)
    _tell(rows, out, json)
    return code or int(any(row.refused for row in rows))


def _chosen(patterns: Sequence[str]) -> list[Entry]:
    """Return the named instances, except the intentionally broken ones."""
    whole = {name: entry for name, entry in entries().items() if entry.problem is None}
    for pattern in patterns:
        if not any(fnmatchcase(name, pattern) for name in whole):
            expected = "a catalogue name, or a pattern that matches some"
            advice = "see `ringyard list instances`, and quote patterns"
            problem = unknown("instance", pattern, whole, advice, expected)
            raise InputError("ringyard certify", [problem])
    asked = patterns or ["*"]
    return [one for name, one in whole.items() if any(fnmatchcase(name, p) for p in asked)]


def _certified(
    chosen: list[Entry], time_limit: float, out: Path
) -> Iterator[tuple[CertifiedInstance, bool]]:
    """Yield the result of each instance, and True if it was already known."""
    for entry in chosen:
        row = kept(out, entry, time_limit)
        if row is not None:
            yield row, True
            continue
        from ..campaigns.certifying import certify

        row = certify(entry, time_limit, out)
        keep(out, row)
        yield row, False


def _tell(rows: list[CertifiedInstance], out: Path, json: bool) -> None:
    if json:
        values = [{**asdict(row), "proves": row.reach.value} for row in rows]
        emit({"out": str(out), "instances": values})
        return
    if not rows:
        return
    heads = [
        "instance",
        "claim",
        "on record",
        "rule",
        "proves",
        "bytes",
        "made, s",
        "checked, s",
        "why",
    ]
    table(heads, [_cells(row) for row in rows])
    say()
    family = by_family(rows)
    kinds = [column.digits is not None for column in family.columns]
    table([column.name for column in family.columns], family.texts(), kinds)
    say()
    for sentence in sentences(rows):
        say(sentence)
    say(f"the certificates are in {out}")


def _cells(row: CertifiedInstance) -> list[Any]:
    values = [one and fraction_text(Fraction(one)) for one in (row.claim, row.record)]
    took = row.size, row.made_s, row.checked_s
    return [row.instance, *values, ", ".join(row.rules), row.reach.value, *took, row.why]


def _page(docs: Path) -> Path:
    """Return the page for the counts. Raise an error if it lacks their marker."""
    from ..campaigns.reproductions import filled, read_pages

    ((page, text),) = read_pages(docs, [PAGE]).items()
    filled(text, PART, "", str(page))
    return page


def _show(page: Path, rows: list[CertifiedInstance]) -> None:
    """Write the counts into the page."""
    from ..campaigns.reproductions import filled
    from ..campaigns.study_pages import is_study, note_repeated

    parts = [" ".join(sentences(rows)) + "\n"]
    parts += [to_markdown(part) for part in (by_family(rows), by_rule(rows), lacking(rows))]
    text = filled(read_text(page, regular=True), PART, "\n".join(parts), str(page))
    write(page, text.encode())
    docs = page.parents[1]
    if is_study(docs, PAGE):
        note_repeated(docs, page.stem)
