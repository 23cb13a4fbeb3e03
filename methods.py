"""The index of methods: every method by name, with its family, kind, source and guarantee."""

import re
from collections.abc import Callable, Iterable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from .families import FAMILIES, Program
from .families import Method as Method
from .instances.errors import InputError, Problem, nearest, raise_any, unknown

Named = str | Method | Program | Callable[..., Any] | None
"""A name, a method, a program or function of the user's, or None for the default."""


def parts_of(name: str) -> list[str]:
    """Return a method's name and the text after it. Colons in braces belong to a value."""
    return re.split(r":(?![^{]*\})", name)


def all_methods(family: str | None = None) -> tuple[Method, ...]:
    """Return the methods of a family, or of all."""
    families = FAMILIES.values() if family is None else [FAMILIES[family]]
    return tuple(method for one in families for method in one.methods)


def list_methods(kind: str | None = None) -> list[str]:
    """Return the names of the methods of a problem family, such as makespan, or of all.

    The default of each family comes first.
    """
    if kind is not None and kind not in FAMILIES:
        hint = "leave it out to see all"
        raise InputError("list_methods", [unknown("kind", kind, FAMILIES, hint)])
    homes = FAMILIES.values() if kind is None else [FAMILIES[kind]]
    names = ([one.default, *(m.name for m in one.methods), *one.variants] for one in homes)
    return list(dict.fromkeys(name for some in names for name in some))


def all_names(family: str) -> list[str]:
    """Return the names of a family's methods: exact ones first, its default last."""
    home = FAMILIES[family]
    own = sorted(
        home.methods, key=lambda one: (one.name == home.default, one.guarantee != "optimal")
    )
    return [*home.variants, *(method.name for method in own)]


def is_own(method: Method) -> bool:
    """Return True if the record of the family has the method, so that its proofs are trusted."""
    return method.module in [one.module for one in all_methods(method.family)]


def find_method(name: Named, family: str) -> Method:
    """Return a method by name, or the family's default.

    The name may be followed by options, ``sjf-bco:kappa=4:mode=pack``, or by a program's solver
    and its options, ``linearised:highs:threads=2``. Colons in braces belong to a value.
    A method or program of another package is given by its file or module,
    ``path/to/file.py:function``, or as the object itself.
    """
    if isinstance(name, Method) and name.module:
        return name
    if name is not None and not isinstance(name, str):
        from .extensions.method import label_of, method_of

        return method_of(name, name.name if isinstance(name, Method) else label_of(name), family)
    own = all_methods(family)
    known = {method.name: method for method in own}
    plain, *words = parts_of(FAMILIES[family].default if name is None else name)
    if plain not in known:
        known = {method.name: method for method in (*all_methods(), *own)}
    if plain not in known:
        from .extensions.method import by_name

        if found := by_name([plain, *words], family):
            return _with(*found)
        listed = f"see `ringyard list methods --kind {family}`"
        if Path(f"{plain}.py").is_file():
            listed = f"your file is named as {plain}.py"
        names = [method.name for method in own]
        expected = f"one of {', '.join(names)}, or FILE.py:FUNCTION"
        like = [] if nearest(plain, names, 0.7) is None else names
        problem = unknown("method", plain, like, listed, expected)
        raise InputError(f"{family} instances", [problem])
    return _with(known[plain], words)


def _with(method: Method, words: list[str]) -> Method:
    """Return a method with its program's solver or its options set from the text after its name."""
    if not words:
        return method
    return _with_solver(method, words) if method.formulation else _with_options(method, words)


def _with_solver(method: Method, words: list[str]) -> Method:
    from .extensions.entry_points import FromFile, brought_as
    from .formulations.solver_interface.solve import GROUP, find_solver, read_settings

    if words[0].endswith(".py"):
        words = [":".join(words[:2]), *words[2:]]
    named, words = (method.solver, words) if "=" in words[0] else (words[0], words[1:])
    filed = brought_as(GROUP, named) if ":" in named else None
    solver = find_solver(named)
    settings = read_settings(solver, words) if words else ()
    name, *others = solver.name, *map("=".join, settings)
    made = replace(method, name=":".join([method.name, name, *others]), settings=settings)
    if isinstance(filed, FromFile):
        name = filed.spelled
        digest = "-".join(filter(None, [method.digest, filed.digest]))
        made = replace(made, digest=digest, spelled=method.asked)
    spelled = made.spelled and ":".join([made.spelled, name, *others])
    return replace(made, solver=name, spelled=spelled)


def _with_options(method: Method, words: list[str]) -> Method:
    from .instances.generate import read_words, with_options
    from .instances.reading.encode import dump, plain

    if not fields(method.usual):
        expected = f"{method.name!r} alone, because it has no options"
        named = ":".join([method.name, *words])
        advice = "leave out the colon and the text after it, and see `ringyard list options`"
        raise InputError("method", [Problem("method", named, expected, advice)])
    where = f"method {method.name}"
    options = with_options(method.usual, read_words(words, where, "seed=1"), where)
    raise_any(where, list(getattr(options, "problems", list)()))
    given = plain(options, defaults="none").items()
    words = [key + "=" + dump(value).strip('"') for key, value in given]
    spelled = ":".join([method.spelled, *words]) if method.spelled else ""
    return replace(method, name=":".join([method.name, *words]), options=options, spelled=spelled)


def extension_families(name: str) -> list[str] | None:
    """Return the families of an external method, or None if there is no such method."""
    from .extensions.method import families_of

    return families_of(parts_of(name))


def families_of(name: str) -> list[str]:
    """Return the families with a method of a name, including those of other packages."""
    plain = parts_of(name)[0]
    own = [method.family for method in all_methods() if method.name == plain]
    return own or extension_families(name) or []


def twins(where: str, called: Iterable[tuple[str, str]]) -> list[Problem]:
    """Return the problem of two methods of one name from two files: rows cannot distinguish them.

    Each is given by its name and by its location for other processes.
    """
    places: dict[str, str] = {}
    for name, asked in called:
        if places.setdefault(name, asked) != asked:
            expected = f"another name than in {places[name].rpartition(':')[0]}"
            return [Problem(where, asked, expected, "rename a file")]
    return []


def alike(one: Method, other: Method) -> bool:
    """Return True if two methods of one name are equal, by their code and plain values."""
    from .extensions.method import alike

    return one is other or alike(one, other)
