"""`ringyard list`: the objects of Ringyard and of other packages."""

from collections.abc import Callable, Iterable, Sequence
from fnmatch import fnmatchcase
from fractions import Fraction
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from ..extensions.entry_points import Brought, brought, named
from ..families.registry import FAMILIES
from ..instances.catalogue import edition, entries
from ..instances.errors import InputError, Problem, raise_any, unknown
from ..instances.reading.encode import as_number, dump, plain
from ..instances.reading.vocabulary import entity_fields
from ..methods import all_methods, extension_families, find_method
from .shared.options import AsJson
from .shared.output import emit, note, percent, table

Rows = tuple[list[str], list[list[Any]]]


def rows_of_all(
    heads: Sequence[str],
    own: Iterable[Any],
    group: str,
    make: Callable[[Brought], Any],
    row: Callable[[Any], list[Any]],
    keep: Callable[[Any], bool] = lambda _: True,
) -> Rows:
    """Return heads and rows of Ringyard's objects and external ones, which it imports.

    An object that cannot be used has a row with the reason, unless only some rows are kept.
    """
    own = list(own)
    rows = [row(one) for one in own if keep(one)]
    where = "source" if "source" in heads else "remark"
    wholly = all(map(keep, own))
    for one, made, reason in brought(group, {thing.name for thing in own}, make):
        if made is not None and keep(made):
            rows.append(row(made))
        elif made is None and wholly:
            refused = {"name": one.name, where: f"{one.source} ({reason})"}
            rows.append([refused.get(head) for head in heads])
    return list(heads), rows


def named_kinds(own: dict[str, str], group: str) -> Rows:
    """Return heads and rows of kinds by name, with a description. Nothing is imported."""
    rows = [[name, about, "Ringyard"] for name, about in own.items()]
    for name, one in sorted(named(group).items()):
        taken = " (Ringyard's own kind of this name is used)" if name in own else ""
        rows.append([name, one.about, one.source + taken])
    return ["name", "about", "source"], rows


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
    "suites",
    "formats",
    "tables",
    "figures",
    "bounds",
]


def list_command(
    what: What = "instances",
    name: str | None = None,
    /,
    *,
    kind: str | None = None,
    family: str | None = None,
    still_open: Annotated[bool, Parameter("--open", negative=())] = False,
    settings: Annotated[bool, Parameter("--settings", negative=())] = False,
    json: AsJson = False,
) -> int:
    """List named objects of one kind.

    Parameters
    ----------
    what
        Named instances, methods, options of methods, theorems about methods, families that
        `generate` knows, algebraic programs, solvers of such programs, the judge's rules,
        named campaigns, suites of `evaluate`, trace formats, kinds of tables, kinds of
        figures, or bounds that other packages add (`ringyard bound` prints Ringyard's own).
    name
        Only objects with this name or pattern, such as 'small-*'. For options, theorems and
        methods: the name of a method.
    kind
        Only this problem family (such as makespan, or broken for the invalid files). For solvers:
        a capability.
    family
        Only instances of this family (such as hand, mobihoc, tight). For other lists: as --kind.
    still_open
        Only instances without a proved optimum, the largest gap first.
    settings
        Only for solvers: their settings in a run without options, read from the solver if it can
        tell them.
    """
    if settings and what != "solvers":
        raise InputError("list", [Problem("--settings", what, "solvers", "leave it out")])
    _refuse_filters(what, kind, family)
    of_method = what in ("methods", "options", "guarantees") and name is not None
    if of_method:
        family = family or kind
    elif what not in ("instances", "families") and kind is None:
        kind, family = family, None
    headers, rows = {
        "instances": _instances,
        "methods": _methods,
        "options": _options,
        "guarantees": _guarantees,
        "families": _families,
        "formulations": _formulations,
        "solvers": _settings if settings else _solvers,
        "rules": _rules,
        "campaigns": _campaigns,
        "suites": _suites,
        "formats": _formats,
        "tables": _tables,
        "figures": _figures,
        "bounds": _bounds,
    }[what](name if of_method else kind, family)
    if name is not None and not of_method:
        rows = _named(name, what, rows)
    if not rows:
        _refuse_unknown(name if of_method else kind, family, "NAME" if of_method else "--kind")
    if still_open:
        rows = _open(what, rows)
    if json:
        found = {what: [dict(zip(headers, _plain(row), strict=True)) for row in rows]}
        emit(found | ({"edition": edition()[0]} if what == "instances" else {}))
    elif rows:
        table(headers, [_shown(headers, row) for row in rows])
    else:
        asked = {"--kind": kind, "--family": family}
        filters = " ".join(f"{option} {value}" for option, value in asked.items() if value)
        note(f"no {what} with {filters}" if filters else EMPTY)
    return 0


EMPTY = (
    "No package has added a bound. `ringyard bound INSTANCE` prints Ringyard's own bounds. "
    "To add one, see docs/howto/write-a-plugin.md."
)
"""The only list that can be empty without filters is that of bounds."""


def _refuse_filters(what: What, kind: str | None, family: str | None) -> None:
    """Raise an error if a list has no families to choose from."""
    given = {"--kind": kind, "--family": family}
    if what == "solvers":
        del given["--kind"]
    elif what not in ("campaigns", "formats", "tables", "figures", "bounds"):
        return
    raise_any(
        "list",
        [
            Problem(option, value, f"no {option}, because {what} have no family", "leave it out")
            for option, value in given.items()
            if value is not None
        ],
    )


def _named(name: str, what: What, rows: list[list[Any]]) -> list[list[Any]]:
    """Return the rows whose first cell is a name, or matches a pattern."""
    found = [row for row in rows if fnmatchcase(str(row[0]), name)]
    if rows and not found:
        names = [str(row[0]) for row in rows]
        expected = f"a name from `ringyard list {what}`"
        raise InputError(
            "list", [unknown("NAME", name, names, "leave it out to see all", expected)]
        )
    return found


def _refuse_unknown(kind: str | None, family: str | None, place: str) -> None:
    """Raise an error if no object has that kind."""
    kinds = [*FAMILIES, "broken", *dict.fromkeys(m.kind for m in all_methods())]
    if place == "NAME":
        kinds = [method.name for method in all_methods()]
    families = sorted({entry.family for entry in entries().values()})
    wrong = []
    if kind is not None and kind not in kinds:
        other = f"write --family {kind}" if kind in families else "leave it out to see all"
        wrong.append(unknown(place, kind, kinds, other))
    if family is not None and family not in families:
        other = f"write --kind {family}" if family in kinds else "leave it out to see all"
        wrong.append(unknown("--family", family, families, other))
    raise_any("list", wrong)


def _open(what: What, rows: list[list[Any]]) -> list[list[Any]]:
    """Return the rows of open instances, the largest gap first."""
    if what != "instances":
        advice = "leave it out, or list instances"
        raise InputError("list", [Problem("--open", what, "instances", advice)])
    known = [(entries()[row[0]], row) for row in rows]
    still = [(entry, row) for entry, row in known if not (entry.closed or entry.problem)]
    widest = sorted(still, key=lambda one: -1 if one[0].gap is None else -one[0].gap)
    return [row for _, row in widest]


def _shown(headers: list[str], row: list[Any]) -> list[Any]:
    """Return a row as text: gaps in per cent, a star for yes."""
    marks = {True: "*", False: ""}
    cells = [marks[v] if isinstance(v, bool) else v for v in row]
    gap = headers.index("gap") if "gap" in headers else -1
    return [percent(row[i]) if i == gap else shown for i, shown in enumerate(cells)]


def _plain(row: list[Any]) -> list[Any]:
    return [as_number(value) if isinstance(value, Fraction) else value for value in row]


def _instances(kind: str | None, family: str | None) -> Rows:
    headers = ["name", "jobs", "servers", "gpus", "best", "bound", "gap", "difficulty", "title"]
    rows: list[list[Any]] = []
    for entry in entries().values():
        if (entry.kind != (kind or entry.kind)) or (entry.family != (family or entry.family)):
            continue
        if entry.problem and kind != "broken" and family != "broken":
            continue
        best = entry.upper[0].value if entry.upper else None
        low = entry.lower[0].value if entry.lower else None
        size = [entry.jobs, entry.servers or None, entry.gpus or None]
        title = entry.problem or entry.title
        rows.append([entry.name, *size, best, low, entry.gap, entry.difficulty, title])
    return headers, rows


def _methods(kind: str | None, family: str | None) -> Rows:
    from ..analysis.guarantees import guarantees_of
    from ..extensions.method import GROUP, extension_method

    def row(m: Any) -> list[Any]:
        proved = (g.name for g in guarantees_of(m.name) if g.proved or m.formulation)
        default = FAMILIES[m.family].default == m.name
        guarantee = " ".join(proved) or m.guarantee
        return [m.name, m.family, m.kind, default, m.starts, guarantee, m.source, m.about]

    def keep(m: Any) -> bool:
        return kind in (None, m.family, m.kind, m.name) and family in (None, m.family)

    heads = ["name", "family", "kind", "default", "starts", "guarantee", "source", "about"]
    if found := _brought(kind):
        return heads, list(map(row, found))
    return rows_of_all(heads, all_methods(), GROUP, extension_method, row, keep)


def _brought(name: str | None) -> list[Any]:
    """Return the external methods that a name means, one for each family."""
    kinds = extension_families(name) if name and (":" in name or name.endswith(".py")) else None
    return [find_method(name, kinds[0])] if kinds else []


def _options(kind: str | None, family: str | None) -> Rows:
    """List the options after a method's name, as in sjf-bco:kappa=4."""
    rows = [
        [m.name, name, dump(plain(m.usual)[name]), field.shape.expectation(), field.about]
        for m in _brought(kind) or all_methods()
        if m.spelled or kind in (None, m.family, m.kind, m.name)
        if family in (None, m.family)
        for name, field in entity_fields(m.usual.__class__).items()
    ]
    return ["method", "option", "default", "values", "about"], rows


def _guarantees(kind: str | None, family: str | None) -> Rows:
    """List theorems. `kind` is a family, or a method that they are about."""
    from ..analysis.guarantees import GROUP, all_guarantees, extension_guarantee

    heads = ["name", "factor", "proved", "needs", "source", "methods"]

    def row(g: Any) -> list[Any]:
        needs, methods = "; ".join(h.name for h in g.hypotheses), " ".join(g.methods)
        return [g.name, g.statement, g.proved, needs, g.source, methods]

    known = all_methods()

    def keep(g: Any) -> bool:
        homes = {m.family for m in known if m.name in g.methods}
        return kind in (None, *g.methods, *homes) and family in (None, *homes)

    return rows_of_all(heads, all_guarantees(), GROUP, extension_guarantee, row, keep)


def _families(kind: str | None, family: str | None) -> Rows:
    rows = [
        [name, home, about]
        for home, one in FAMILIES.items()
        for name, (about, _) in (one.presets or {}).items()
        if name == (family or name) and home == (kind or home)
    ]
    return ["name", "kind", "about"], rows


def _formulations(kind: str | None, family: str | None) -> Rows:
    from ..formulations.catalogue import (
        GROUP,
        all_formulations,
        constraint_models,
        extension_formulation,
    )

    heads = ["name", "family", "form", "exact", "source", "about"]

    def row(f: Any) -> list[Any]:
        return [getattr(f, head) for head in heads]

    def keep(f: Any) -> bool:
        return kind in (None, f.family, f.form) and family in (None, f.family)

    known = (*all_formulations(), *constraint_models().values())
    return rows_of_all(heads, known, GROUP, extension_formulation, row, keep)


def _solvers(kind: str | None, _: str | None) -> Rows:
    """List the solvers. `kind` is a capability."""
    from ..formulations.solver_interface.solve import GROUP, SOLVERS, extension_solver

    heads = ["name", "version", "can", "missing", "remark"]

    def row(s: Any) -> list[Any]:
        return [s.name, s.version, " ".join(s.can), "" if s.installed else s.command, s.remark]

    def keep(s: Any) -> bool:
        return kind in (None, *s.can)

    return rows_of_all(heads, SOLVERS, GROUP, extension_solver, row, keep)


def _settings(kind: str | None, _: str | None) -> Rows:
    """List the settings of the solvers. `kind` is a capability."""
    from ..formulations.solver_interface.solve import GROUP, SOLVERS, extension_solver

    names = {solver.name for solver in SOLVERS}
    others = [made for _, made, _ in brought(GROUP, names, extension_solver) if made is not None]
    rows = [
        [solver.name, head, one.option, one.shown, "Ringyard" if one.ours else ""]
        for solver in (*SOLVERS, *others)
        if kind in (None, *solver.can)
        for head, one in solver.settings().items()
    ]
    return ["name", "setting", "option", "value", "set by"], rows


def _rules(kind: str | None, _: str | None) -> Rows:
    rows = [
        [home, rule, about]
        for home, one in FAMILIES.items()
        if kind in (None, home)
        for rule, about in one.rules.items()
    ]
    return ["kind", "rule", "its requirements"], rows


def _campaigns(_: str | None, __: str | None) -> Rows:
    from ..campaigns.plan import about, named_campaigns

    return ["campaign", "about"], [[name, about(path)] for name, path in named_campaigns().items()]


def _suites(kind: str | None, _: str | None) -> Rows:
    from ..evaluation.suites import all_suites

    heads = ["suite", "version", "kind", "instances", "time limit, s", "baselines", "about"]
    rows = [
        [s.name, s.version, s.kind, len(s.drawn), s.time_limit, " ".join(s.baselines), s.about]
        for s in all_suites()
        if kind in (None, s.kind)
    ]
    return heads, rows


def _formats(_: str | None, __: str | None) -> Rows:
    from ..instances.importers import FORMATS, GROUP

    return named_kinds({name: one.about for name, one in FORMATS.items()}, GROUP)


def _tables(_: str | None, __: str | None) -> Rows:
    from ..analysis.table_kinds import GROUP, KINDS

    return named_kinds({name: kind.about for name, kind in KINDS.items()}, GROUP)


def _figures(_: str | None, __: str | None) -> Rows:
    from ..analysis.figures.view import GROUP
    from .plot import KINDS

    return named_kinds(KINDS, GROUP)


def _bounds(_: str | None, __: str | None) -> Rows:
    from ..extensions.bounds import GROUP

    return named_kinds({}, GROUP)
