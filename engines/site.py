"""The site of a benchmark: an index with filters, and a page for each program and each engine.

Each page is a file that loads nothing else. Names reach it as in the report of a campaign.
"""

from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from html import escape
from pathlib import Path
from re import sub
from typing import Any

from ..analysis.figures.canvas import svg_text
from ..analysis.report import (
    environment,
    facts_html,
    grid_html,
    head_html,
    notes_html,
    text_html,
    whole_page,
)
from ..analysis.report.grid import Grid, GridColumn, Heads, columns_of
from ..analysis.rows import Row, by_key
from ..analysis.tables import Table, table_of, texts, to_html
from ..campaigns.reproductions import Results
from ..formulations.corpus.history import HEADERS, history_of_entry, shown_line
from ..instances.writing import write_whole
from .compared import CLASSES, EngineRuns, by_engine
from .confirm import OUTCOMES, Confirmation
from .programs import Selection, stated_text
from .verdicts import KINDS, contradiction, phases

RUNS: Heads = {
    "program": ("program", "text", ""),
    "engine": ("solver", "text", "solver with its options"),
    "order": ("order", "count", "0: the order of the file. Others are permutations"),
    "outcome": ("outcome", "status", "as in the tables"),
    "value": ("value", "number", "objective of the point, in fractions"),
    "bound": ("bound", "number", "the bound that the solver states"),
    "gap": ("gap", "percent", "distance of value and bound, relative to the larger size"),
    "seconds": ("seconds", "seconds", "time of the solver, with the set-up"),
    "setup": ("set-up", "seconds", "time until the solver had the program"),
    "cpu": ("processor s", "seconds", "processor time of the solver alone"),
    "memory": ("MB", "number", "peak memory of the solver alone"),
    "primal": ("primal residual", "small", "largest miss of a row or bound"),
    "dual": ("dual residual", "small", "largest miss of the sign of a dual"),
    "integrality": ("integrality", "small", "largest distance of an integer from whole"),
    "nodes": ("nodes", "count", ""),
    "said": ("stated", "text", "the status that the solver states"),
    "note": ("remark", "text", ""),
    "version": ("version", "text", ""),
    "limit": ("limit", "seconds", ""),
    "started": ("started", "text", "UTC"),
}
PROGRAMS: Heads = {
    "program": ("program", "text", ""),
    "class": ("class", "text", ""),
    "family": ("family", "text", ""),
    "rows": ("rows", "count", ""),
    "columns": ("columns", "count", ""),
    "integers": ("integers", "count", ""),
    "nonzeros": ("nonzeros", "count", ""),
    "value": ("best value", "number", "of a feasible point, from a file or from a run"),
    "evidence": ("optimum", "text", "who states that the value is optimal"),
    "solved": ("solved by", "count", "solvers that solved it in every order"),
    "contradicted": ("contradicted", "count", "contradicted answers"),
    "stated": ("stated", "text", "by a .solu file. No verdict uses it"),
}
ENGINES: Heads = {
    "engine": ("solver", "text", ""),
    "version": ("version", "text", ""),
    "threads": ("threads", "count", ""),
    "runs": ("runs", "count", ""),
    **{kind: (kind, "count", "") for kind in KINDS},
}
STEPS: Heads = {
    "engine": ("solver", "text", ""),
    "order": ("order", "count", ""),
    "seconds": ("seconds", "seconds", ""),
    "value": ("value", "number", "of the best point so far"),
    "bound": ("bound", "number", "stated at that time"),
}

WORDS = {
    "solved": "The solver states an optimum with a feasible point, or that the program is "
    "infeasible. The answer is not contradicted and not late.",
    "point": "A feasible point without a proof.",
    "imprecise": "A point that is stated as optimal violates the program by more than 1e-6.",
    "contradicted": "The answer cannot be right beside a known feasible point. Points are "
    "evaluated in fractions.",
    "seconds": "Time of the solver in a process of its own, with the set-up, without the import "
    "of its libraries.",
    "processor s, MB": "Of the solver alone: what the process used before it began is subtracted.",
    "PAR10": "Mean time, with failures at ten times the limit.",
}


def write_site(
    found: EngineRuns,
    chosen: Selection,
    report: Results,
    folder: Path,
    past: Sequence[Row] = (),
    again: Sequence[Confirmation] = (),
) -> Path:
    """Write all pages, and return the index.

    `past` has all rows of the folder, for histories. `again` has the contradicted answers that
    were asked for again.
    """
    site = _Site(found, chosen, folder, again)
    for name, rows in site.by_program.items():
        site.write(_address("programs", name), site.program_page(name, rows, past))
    for name, rows in by_engine(found.rows).items():
        site.write(_address("solvers", name), site.engine_page(name, rows))
    return site.write("index.html", site.index(report))


def _address(folder: str, name: str) -> str:
    """Return the file of a page. Names that are no file names are changed, and get a digest."""
    plain = sub(r"[^A-Za-z0-9_.+-]+", "-", name)[:100]
    if plain != name or not plain.strip("."):
        plain = f"{plain}-{sha256(name.encode()).hexdigest()[:8]}"
    return f"{folder}/{plain}.html"


class _Site:
    """The pages of a benchmark."""

    def __init__(
        self,
        found: EngineRuns,
        chosen: Selection,
        folder: Path,
        again: Sequence[Confirmation],
    ) -> None:
        self._found, self._chosen, self._folder = found, chosen, folder
        self._again = {one.key: f"asked again: {one.outcome}" for one in again}
        self.by_program = by_key(found.rows, lambda row: str(row["instance"]))

    def write(self, place: str, page: str) -> Path:
        """Write a page."""
        path = self._folder / place
        write_whole(path, page.encode())
        return path

    def index(self, report: Results) -> str:
        """Return the first page."""
        found = self._found
        tables = [report.tables[k.lower()] for k in CLASSES if k.lower() in report.tables]
        programs, engines, runs = self._programs(), self._engines(), self._runs(found.rows, "")
        against = self._count("contradicted", found.rows)
        sections = {
            "Results": _statements(report.statements) + "".join(map(_table, tables)),
            "Solvers": grid_html(engines),
            "Programs": grid_html(programs),
            "Runs": grid_html(runs),
            **({"Contradicted answers": _table(report.tables["contradicted"])} if against else {}),
            "Profiles": "".join(_charts(report)),
            "Environment": facts_html(tuple(environment(found.rows))),
            "Definitions": facts_html(self._words()),
        }
        counts = {
            "runs": len(found.rows),
            "programs": len(self.by_program),
            "solvers": len(by_engine(found.rows)),
            "contradicted answers": against,
        }
        head = head_html("Benchmark of solvers", "", counts, list(sections))
        return whole_page("Benchmark of solvers", head, sections, (programs, engines, runs))

    def program_page(self, name: str, rows: Sequence[Row], past: Sequence[Row]) -> str:
        """Return the page of a program."""
        runs, steps = self._runs(rows, "../"), _steps(rows)
        history = _history(rows, [row for row in past if row["digest"] == rows[0]["digest"]])
        sections = {
            "Program": facts_html(tuple(self._about(name))),
            "Answers": grid_html(runs),
            "History of the best value": _list(history) or notes_html(("no point is known",)),
            **self._of_corpus(name),
            "Points and bounds over time": grid_html(steps),
        }
        against = self._count("contradicted", rows)
        counts = {"runs": len(rows), "contradicted answers": against}
        head = head_html(name, UP, counts, list(sections))
        return whole_page(name, head, sections, (runs, steps))

    def _of_corpus(self, name: str) -> dict[str, str]:
        """Return a section with what the corpus knows of a program, and since when."""
        if name in self._chosen.files:
            return {}
        lines = history_of_entry(name, self._chosen.entries[name].digest)
        shown = table_of("", texts(*HEADERS), tuple(tuple(shown_line(one)) for one in lines))
        return {"History in the corpus": _table(shown)} if lines else {}

    def engine_page(self, name: str, rows: Sequence[Row]) -> str:
        """Return the page of an engine."""
        runs = self._runs(rows, "../")
        facts = {
            "version": str(rows[0]["solver_version"] or "not known"),
            "options": rows[0]["options"] or "none",
            "threads": str(rows[0]["threads"]),
            "digest of its file": rows[0]["source"] or "none",
        }
        sections = {"Solver": facts_html(tuple(facts.items())), "Runs": grid_html(runs)}
        counts = {
            "runs": len(rows),
            "solved": self._count("solved", rows),
            "contradicted answers": self._count("contradicted", rows),
        }
        head = head_html(name, UP, counts, list(sections))
        return whole_page(name, head, sections, (runs,))

    def _words(self) -> tuple[tuple[str, str], ...]:
        """Return the words of the pages with their meanings."""
        again = OUTCOMES if self._again else {}
        return (*WORDS.items(), *((f"asked again: {name}", text) for name, text in again.items()))

    def _count(self, outcome: str, rows: Sequence[Row]) -> int:
        return sum(self._found.kind(row) == outcome for row in rows)

    def _about(self, name: str) -> Iterator[tuple[str, str]]:
        """Yield what is known of a program."""
        entry, known = self._chosen.entries[name], self._found.known[name]
        yield "class", CLASSES[entry.kind]
        sizes = ("rows", "columns", "integers", "nonzeros")
        yield "size", ", ".join(f"{getattr(entry, size):,} {size}" for size in sizes)
        yield "coefficients", f"{entry.smallest:g} to {entry.largest:g} in size"
        file = self._chosen.files.get(name)
        yield "from", str(file) if file else f"the corpus: ringyard corpus export {name}"
        yield "digest", entry.digest
        before = "no point" if entry.value is None else f"{entry.value:.12g} by {entry.source}"
        yield "known before the runs", before
        yield "best value", "no point" if known.value is None else f"{known.value:.12g}"
        yield "stated to be optimal by", self._evidence(name)
        if name in self._chosen.stated:
            yield "stated", stated_text(*self._chosen.stated[name])

    def _evidence(self, name: str) -> str:
        known = self._found.known[name]
        names = ", ".join(sorted(known.provers)) or "nobody"
        return f"{names}, and certified" if known.certified else names

    def _programs(self) -> Grid:
        lines = []
        for name, rows in self.by_program.items():
            entry = self._chosen.entries[name]
            own = by_engine(rows).values()
            kinds = [[self._found.kind(row) for row in some] for some in own]
            stated = self._chosen.stated.get(name)
            lines.append(
                {
                    "program": name,
                    "class": entry.kind,
                    "family": entry.family,
                    "rows": entry.rows,
                    "columns": entry.columns,
                    "integers": entry.integers,
                    "nonzeros": entry.nonzeros,
                    "value": self._found.known[name].value,
                    "evidence": self._evidence(name),
                    "solved": sum({*some} == {"solved"} for some in kinds),
                    "contradicted": sum(some.count("contradicted") for some in kinds),
                    "stated": stated_text(*stated) if stated else None,
                }
            )
        facets = ("class", "family", "solved")
        return _linked("programs", "all programs", PROGRAMS, lines, facets)

    def _engines(self) -> Grid:
        lines = []
        for name, rows in by_engine(self._found.rows).items():
            kinds = [self._found.kind(row) for row in rows]
            line = {"engine": name, "version": rows[0]["solver_version"], "runs": len(rows)}
            counts = {kind: kinds.count(kind) for kind in KINDS}
            lines.append({**line, "threads": rows[0]["threads"], **counts})
        return _linked("solvers", "all solvers", ENGINES, lines, ())

    def _runs(self, rows: Sequence[Row], up: str) -> Grid:
        lines = [self._line(row) for row in rows]
        return _linked("runs", "all runs", RUNS, lines, ("outcome", "engine", "order"), up)

    def _line(self, row: Row) -> dict[str, Any]:
        measured = "base_mb" in phases(row)
        reason = contradiction(row, self._found.known[row["instance"]])
        again = self._again.get(row["key"])
        return {
            "program": row["instance"],
            "engine": row["method"],
            "order": row["seed"],
            "outcome": self._found.kind(row),
            "value": row["objective"],
            "bound": row["bound"],
            "gap": row["gap"],
            "seconds": row["seconds"],
            "setup": phases(row).get("setup"),
            "cpu": row["cpu_seconds"] if measured else None,
            "memory": row["memory_mb"] if measured else None,
            "primal": row["primal_residual"],
            "dual": row["dual_residual"],
            "integrality": row["integrality"],
            "nodes": row["nodes"],
            "said": row["solution_status"],
            "note": "; ".join(filter(None, [reason, again, row["note"]])) or None,
            "version": row["solver_version"],
            "limit": row["time_limit"],
            "started": str(row["started"])[:19].replace("T", " "),
        }


UP = '<p><a href="../index.html">all programs and solvers</a></p>'


def _linked(
    name: str,
    about: str,
    heads: Heads,
    lines: Sequence[Mapping[str, Any]],
    facets: tuple[str, ...],
    up: str = "",
) -> Grid:
    """Return a table whose programs and solvers link to their pages."""
    folders = {"program": "programs", "engine": "solvers"}
    columns = (
        GridColumn(
            **{field: getattr(one, field) for field in ("name", "head", "form", "about", "values")},
            key=one.name in (*folders, "outcome", "seconds"),
            links=[up + _address(folders[one.name], value) for value in one.values]
            if one.name in folders
            else (),
        )
        for one in columns_of(heads, [dict(line) for line in lines], ())
    )
    return Grid(name=name, about=about, columns=tuple(columns), facets=facets)


def _steps(rows: Sequence[Row]) -> Grid:
    """Return the points and bounds of all runs over time."""
    lines = [
        {
            "engine": row["method"],
            "order": row["seed"],
            "seconds": seconds,
            "value": value,
            "bound": bound,
        }
        for row in rows
        for seconds, value, bound in [
            *(row["trajectory"] or ()),
            *([(row["seconds"], row["objective"], row["bound"])] if row["valid"] else ()),
        ]
    ]
    return Grid(name="steps", about="points and bounds", columns=columns_of(STEPS, lines, ()))


def _history(rows: Sequence[Row], past: Sequence[Row]) -> list[str]:
    """Return each improvement of the best value in the runs of a folder."""
    ordered = {row["key"]: row for row in [*past, *rows] if row["valid"]}.values()
    best, found = float("inf"), []
    for row in sorted(ordered, key=lambda row: str(row["finished"])):
        value = row["objective"]
        if value < best - 1e-9 * max(1.0, abs(value)):
            best, version = value, row["solver_version"] or ""
            found.append(f"{str(row['finished'])[:10]}: {value:.12g}, {row['method']} {version}")
    return found


def _statements(sentences: Sequence[str]) -> str:
    return _list(sentences)


def _list(sentences: Sequence[str]) -> str:
    items = "".join(f"<li>{text_html(text)}</li>" for text in sentences)
    return f"<ul>{items}</ul>" if items else ""


def _table(table: Table) -> str:
    return f'<div class="plain">{to_html(table)}</div>'


def _charts(report: Results) -> Iterator[str]:
    for chart in report.charts.values():
        if callable(chart):
            figure = chart()
            about = escape(figure.get_label())
            yield f"<figure>{svg_text(figure)}<figcaption>{about}</figcaption></figure>"
