"""`ringyard list`: what there is."""

from fractions import Fraction
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from ..families import FAMILIES
from ..instances.catalogue import entries
from ..instances.reading.encode import as_number, dump, plain
from ..instances.reading.shape import noun_fields
from ..methods import all_methods
from .shared.output import emit, percent, say, table

What = Literal[
    "instances",
    "methods",
    "options",
    "guarantees",
    "families",
    "formulations",
    "solvers",
    "rules",
    "campaigns",
    "formats",
]


def list_command(
    what: What = "instances",
    /,
    *,
    kind: str | None = None,
    family: str | None = None,
    json: Annotated[bool, Parameter(negative=())] = False,
) -> int:
    """Show what there is.

    Parameters
    ----------
    what
        Named instances, methods, options of methods, theorems about methods, families that
        `generate` knows, programs in algebra, solvers of such programs, the judge's rules,
        named campaigns, or formats of foreign traces.
    kind
        Only this problem family (such as makespan; broken for the faulty files).
    family
        Only instances of this family (such as hand, mobihoc, tight).
    json
        Print one JSON object.
    """
    headers, rows = {
        "instances": _instances,
        "methods": _methods,
        "options": _options,
        "guarantees": _guarantees,
        "families": _families,
        "formulations": _formulations,
        "solvers": _solvers,
        "rules": _rules,
        "campaigns": _campaigns,
        "formats": _formats,
    }[what](kind, family)
    if json:
        emit({what: [dict(zip(headers, _plain(row), strict=True)) for row in rows]})
    elif rows:
        table(headers, [_shown(headers, row) for row in rows])
    else:
        say("nothing of that kind")
    return 0


def _shown(headers: list[str], row: list[Any]) -> list[Any]:
    """Return a row for the eye: gaps in per cent, a star for yes."""
    marks = {True: "*", False: ""}
    cells = [marks[v] if isinstance(v, bool) else v for v in row]
    gap = headers.index("gap") if "gap" in headers else -1
    return [percent(row[i]) if i == gap else shown for i, shown in enumerate(cells)]


def _plain(row: list[Any]) -> list[Any]:
    return [as_number(value) if isinstance(value, Fraction) else value for value in row]


def _instances(kind: str | None, family: str | None) -> tuple[list[str], list[list[Any]]]:
    headers = ["name", "jobs", "servers", "gpus", "best", "bound", "gap", "difficulty", "title"]
    rows: list[list[Any]] = []
    for entry in entries().values():
        if (entry.kind != (kind or entry.kind)) or (entry.family != (family or entry.family)):
            continue
        if entry.fault and kind != "broken" and family != "broken":
            continue
        best = entry.upper[0].value if entry.upper else None
        low = entry.lower[0].value if entry.lower else None
        gap = abs(best - low) / max(best, low) if best and low else None
        size = [entry.jobs, entry.servers, entry.gpus]
        title = entry.fault or entry.title
        rows.append([entry.name, *size, best, low, gap, entry.difficulty, title])
    return headers, rows


def _methods(kind: str | None, family: str | None) -> tuple[list[str], list[list[Any]]]:
    from ..analysis.guarantees import guarantees_of

    headers = ["name", "family", "kind", "default", "guarantee", "source", "about"]
    rows = [
        [
            m.name,
            m.family,
            m.kind,
            FAMILIES[m.family].default == m.name,
            " ".join(g.name for g in guarantees_of(m.name) if g.proved or m.formulation)
            or m.guarantee,
            m.source,
            m.about,
        ]
        for m in all_methods()
        if kind in (None, m.family, m.kind) and family in (None, m.family)
    ]
    return headers, rows + [row for row in _outside() if kind in (None, "outside")]


def _outside() -> list[list[Any]]:
    """List methods of other packages, which are imported only if they are named."""
    from ..outside.entry_points import named
    from ..outside.method import GROUP

    found = sorted(named(GROUP).values(), key=lambda one: one.name)
    return [
        [one.name, "", "outside", False, "none", f"package {one.package}", one.about]
        for one in found
    ]


def _options(kind: str | None, family: str | None) -> tuple[list[str], list[list[Any]]]:
    """List the options that stand behind a method's name, as in sjf-bco:kappa=4."""
    rows = [
        [m.name, name, dump(plain(m.usual)[name]), field.shape.expectation(), field.about]
        for m in all_methods()
        if kind in (None, m.family, m.kind, m.name) and family in (None, m.family)
        for name, field in noun_fields(m.usual.__class__).items()
    ]
    return ["method", "option", "default", "values", "about"], rows


def _guarantees(kind: str | None, family: str | None) -> tuple[list[str], list[list[Any]]]:
    """List theorems; `kind` is a method that they speak of."""
    from ..analysis.guarantees import GUARANTEES, methods_with

    del family
    rows = [
        [g.name, g.statement, g.proved, "; ".join(h.name for h in g.hypotheses), g.source, methods]
        for g in GUARANTEES
        for methods in [" ".join(methods_with(g))]
        if kind in (None, *methods.split())
    ]
    return ["name", "factor", "proved", "needs", "source", "methods"], rows


def _families(kind: str | None, family: str | None) -> tuple[list[str], list[list[Any]]]:
    from ..instances.generate import presets

    rows = [[name, about] for name, (about, _) in presets().items() if name == (family or name)]
    return ["name", "about"], rows


def _formulations(kind: str | None, family: str | None) -> tuple[list[str], list[list[Any]]]:
    from ..formulations.catalogue import all_formulations

    headers = ["name", "family", "form", "exact", "source", "about"]
    rows = [
        [f.name, f.family, f.form, f.exact, f.source, f.about]
        for f in all_formulations()
        if kind in (None, f.family, f.form) and family in (None, f.family)
    ]
    return headers, rows


def _solvers(kind: str | None, family: str | None) -> tuple[list[str], list[list[Any]]]:
    """List the solvers; `kind` is something that they can do."""
    from ..formulations.door.solve import SOLVERS

    del family
    rows = [
        [s.name, s.version, " ".join(s.can), "" if s.installed else s.command, s.remark]
        for s in SOLVERS
        if kind in (None, *s.can)
    ]
    return ["name", "version", "can", "missing", "remark"], rows


def _rules(kind: str | None, family: str | None) -> tuple[list[str], list[list[Any]]]:
    del family
    rows = [
        [home, rule, about]
        for home, one in FAMILIES.items()
        if kind in (None, home)
        for rule, about in one.rules.items()
    ]
    return ["kind", "rule", "what it demands"], rows


def _campaigns(_: str | None, __: str | None) -> tuple[list[str], list[list[Any]]]:
    from ..campaigns.plan import about, named_campaigns

    return ["campaign", "about"], [[name, about(path)] for name, path in named_campaigns().items()]


def _formats(kind: str | None, family: str | None) -> tuple[list[str], list[list[Any]]]:
    from ..instances.importers import FORMATS

    del kind, family
    return ["name", "about"], [[name, one.about] for name, one in FORMATS.items()]
