"""`ringyard verify`: check runs of methods against proved or published guarantees."""

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ...analysis.guarantees import Guarantee, all_guarantees, find_guarantee, guarantees_of
from ...families.family import Family
from ...families.method import Method
from ...families.registry import FAMILIES
from ...instances.arguments import at_least_one, seed_problems, time_limit_problems
from ...instances.catalogue import load
from ...instances.errors import InputError, Problem, Words, raise_any
from ...interrupts import keeping
from ...methods import extension_families, find_method
from ..shared.options import AsJson
from ..shared.output import emit, note
from ..shared.progress import counting, progress
from .results import (
    plain,
    plain_rounding,
    rounding_sentence,
    sentence,
    show_findings,
    show_roundings,
    show_rows,
    show_theorems,
    summary,
)

if TYPE_CHECKING:
    from ...campaigns.verifying.roundings import RoundingRow
    from ...campaigns.verifying.theorems import VerifiedRun, VerifiedRuns
    from ...instances import Instance


def verify_command(
    *instances: str,
    method: tuple[str, ...] = (),
    theorem: tuple[str, ...] = (),
    runs: int | None = None,
    seed: int = 0,
    time_limit: float = 10.0,
    json: AsJson = False,
) -> int:
    """Check runs of methods against proved or published guarantees.

    A verdict is `holds` (the value is within the factor of a proved bound), `violated` (it is not
    within the factor of a checked schedule) or `inconclusive`. The exit code is 1 if a guarantee
    that Ringyard proves is violated. A published theorem that fails is only reported.

    For PD-ORS, the statements about its random rounding are tested as well. Their failures in
    10,000 samples give a 99 % upper limit (Clopper and Pearson), which is compared with the stated
    probability. Unmet hypotheses are named instead.

    Parameters
    ----------
    instances
        Catalogue names, or files. Without instances and --runs, a few small instances.
    method
        A method with its options. May be repeated. By default, all schedulers with a theorem.
    theorem
        Check only this theorem, by default with the methods that it is about. May be repeated. A
        theorem of another package is checked only if it is named.
    runs
        Run this many random instances, and print the combined result.
    seed
        Seed of the random instances and of the random steps.
    time_limit
        Seconds for each run, and for each slow bound that is needed.
    """
    problems = seed_problems(seed) + time_limit_problems(time_limit) + at_least_one("--runs", runs)
    method = tuple(dict.fromkeys(method))
    theorems = tuple(map(find_guarantee, dict.fromkeys(theorem))) or all_guarantees()
    outside = [one for one in theorems if one not in all_guarantees()]
    if theorem:
        problems += _unspoken(method, theorems)
        theorems += _claimed(method, theorems)
    problems += _unclaimed(method, theorems)
    raise_any("ringyard verify", problems)
    from ...campaigns.verifying.theorems import VerifiedRuns, claimed_policies

    given = {name: load(name) for name in instances}
    method = method or (_spoken_of(given, theorems) if theorem else ())
    family = _family(given, method)
    home = FAMILIES[family]
    named = dict.fromkeys(find_method(name, family).asked for name in method)
    chosen = list(named) or claimed_policies(family)
    asked = chosen if method else [*chosen, *home.searches]
    loaded = [*given.values()]
    if not loaded and not runs:
        loaded = [load(name) for name in home.examples]
    rows: list[VerifiedRun] = []
    rounded: list[RoundingRow] = []
    found, code = VerifiedRuns(), 0
    try:
        with keeping():
            for more in _named(loaded, asked, seed, time_limit, theorems):
                rows += more
            if any(name.partition(":")[0] in home.rounded for name in chosen):
                rounded = _rounded(home, loaded, seed)
            if runs:
                for part in _random(runs, chosen, family, seed, time_limit, theorems):
                    found.join(part)
    except KeyboardInterrupt:
        code = 130
        note("interrupted: finished runs are shown")
    if json:
        output = {"rows": [plain(row) for row in rows]}
        output |= {"roundings": [plain_rounding(row) for row in rounded]} if rounded else {}
        emit(output | (summary(found) if runs else {}))
    else:
        show_rows(rows)
        show_roundings(rounded)
        show_findings(found)
        show_theorems(rows, rounded, found)
    for name in (one.name for one in outside):
        note(f"{name}: no page of Ringyard proves it, so a violation is only reported")
    broken = [row for row in rows if row.broken] + found.broken
    for row in broken:
        note(f"error: {sentence(row)}, although it is proved. Please report it.")
    false = [row for row in rounded if row.broken]
    for one in false:
        note(f"error: {rounding_sentence(one)}, although it is proved. Please report it.")
    return 1 if broken or false else code


def _family(instances: "dict[str, Instance]", methods: tuple[str, ...]) -> str:
    """Return the common problem family of the named objects, or the first family."""
    of_instances = {name: instance.kind for name, instance in instances.items()}
    usual = next(iter(of_instances.values()), next(iter(FAMILIES)))
    kinds = {name: _method(name, usual).family for name in methods} | of_instances
    found = dict.fromkeys(kinds.values())
    if len(found) > 1:
        first, *others = found
        name = next(name for name, kind in kinds.items() if kind == others[0])
        expected, advice = (
            f"one of the family {first!r}, like the other instances",
            "verify them separately",
        )
        raise InputError("ringyard verify", [Problem("family", name, expected, advice)])
    return next(iter(found), usual)


def _spoken_of(
    instances: "dict[str, Instance]", theorems: tuple[Guarantee, ...]
) -> tuple[str, ...]:
    """Return the methods that have theorems, of one family."""
    usual = next((one.kind for one in instances.values()), "")
    names = dict.fromkeys(name for one in theorems for name in one.methods)
    kinds = {name: find_method(name, usual or next(iter(FAMILIES))).family for name in names}
    home = usual or next(iter(kinds.values()), "")
    found = tuple(name for name, kind in kinds.items() if kind == home)
    if not found:
        expected = (
            f"one about methods of the family {home!r}" if home else "a theorem about some method"
        )
        chosen = ", ".join(one.name for one in theorems)
        problem = Problem("--theorem", chosen, expected, "see `ringyard list guarantees`")
        raise InputError("ringyard verify", [problem])
    return found


def _method(name: str, usual: str) -> Method:
    """Return a method of any family. The name of an external one includes its package."""
    kinds = extension_families(name)
    return find_method(name, kinds[0] if kinds and usual not in kinds else usual)


def _claimed(methods: tuple[str, ...], theorems: tuple[Guarantee, ...]) -> tuple[Guarantee, ...]:
    """Return theorems as claims about external methods that they do not name."""
    found = (_method(name, next(iter(FAMILIES))) for name in methods)
    outside = dict.fromkeys(one.name for one in found if one.spelled)
    claims = {one: tuple(n for n in outside if not guarantees_of(n, (one,))) for one in theorems}
    return tuple(
        replace(one, name=f"{one.name}, claimed", proved=False, methods=own)
        for one, own in claims.items()
        if own
    )


def _unspoken(methods: tuple[str, ...], theorems: tuple[Guarantee, ...]) -> list[Problem]:
    """Return the theorems that name no method, if no method is given either."""
    wanted = "the methods that it is about"
    advice = "name one in its field methods, or with --method"
    silent = [one.name for one in theorems if not one.methods and not methods]
    return [Problem(name, Words("no methods"), wanted, advice) for name in silent]


def _unclaimed(methods: tuple[str, ...], theorems: tuple[Guarantee, ...]) -> list[Problem]:
    """Return the methods without a claim."""
    wanted = "a method with a theorem"
    advice = "see `ringyard list guarantees`, or claim one for your method with --theorem NAME"
    names = [_method(name, next(iter(FAMILIES))).name for name in methods]
    return [Problem("--method", n, wanted, advice) for n in names if not guarantees_of(n, theorems)]


def _named(
    loaded: "list[Instance]",
    methods: list[str],
    seed: int,
    time_limit: float,
    theorems: tuple[Guarantee, ...],
) -> "Iterator[list[VerifiedRun]]":
    from ...campaigns.verifying.theorems import verify

    for one in loaded:
        with progress(one.name):
            rows = verify(one, methods, seed=seed, time_limit=time_limit, theorems=theorems)
        yield rows


def _rounded(family: Family, loaded: list[Any], seed: int) -> "list[RoundingRow]":
    found: list[RoundingRow] = []
    check = family.roundings
    if check is None:
        return found
    for one in loaded:
        with progress(f"rounding on {one.name}"):
            found += check(one, seed=seed)
    return found


def _random(
    runs: int,
    methods: list[str],
    family: str,
    seed: int,
    time_limit: float,
    theorems: tuple[Guarantee, ...],
) -> "Iterator[VerifiedRuns]":
    """Yield the result of each random instance. Show progress on standard error."""
    from ...campaigns.verifying.theorems import instances_for, random_runs

    count = instances_for(runs, methods)
    each = range(count)
    parts = random_runs(each, methods, family, seed=seed, time_limit=time_limit, theorems=theorems)
    with counting("random instances", count) as done_so_far:
        for done, part in enumerate(parts, 1):
            yield part
            done_so_far(done)
