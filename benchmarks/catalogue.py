"""Build the catalogue, and improve the best-known values in it.

    python benchmarks/catalogue.py build
    python benchmarks/catalogue.py certify [NAME ..]
    python benchmarks/catalogue.py improve [NAME ..] [--methods A,B] [--seed N] [--time-limit S]
    python benchmarks/catalogue.py take NAME SCHEDULE.json

`build` writes instance files and index.json; `improve` runs methods and keeps what is better;
`take` keeps a schedule from elsewhere if the judge finds it valid and it is better than the best
known; `certify` computes the bounds on utilities anew. Then `python docs/records.py` writes the
page of what is open.

`build` keeps what is on record for instances whose digest is unchanged. `improve` records a
value only for a schedule that the judge finds valid, and a bound only with its certificate.
"""

import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from decimal import Decimal
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

from ringyard.analysis.check import check
from ringyard.families import FAMILIES
from ringyard.instances import (
    AnySchedule,
    BoundKind,
    InputError,
    Instance,
    Limits,
    digest,
    load_instance,
    load_schedule,
    save,
)
from ringyard.instances.catalogue import (
    DATA,
    Entry,
    Known,
    entries,
    load,
    meet,
    on_record,
)
from ringyard.instances.errors import Problem
from ringyard.instances.generate import generate
from ringyard.instances.reading.encode import dump
from ringyard.instances.size import extent
from ringyard.methods import all_methods
from ringyard.run import solve

TODAY = datetime.now(UTC).date().isoformat()

EDITION = 4
"""Goes up when a name of the catalogue is added or comes to mean another problem."""

STORE_BELOW = 1000
"""Instances of more jobs, or types, are stored as recipes, and their schedules compressed."""

SMALL = "3x2 4x2 4x3 5x2 5x3 6x2 6x3 6x4 7x3 7x4 8x3 8x4 8x5 10x3 10x4 10x5 12x4 12x5 14x5 16x6"
SIBLINGS: dict[str, dict[str, Any]] = {
    "floor": {"progress": "floor"},
    "continuous": {"progress": "continuous"},
    "step": {"overhead": "step"},
    "max-workers": {"overhead": "max_workers_per_server"},
    "half": {"share": Decimal("0.5")},
    "degrade": {"degradation": Decimal("0.5")},
    "fluid": {"contention": "fluid", "rack_servers": 2},
    "release": {"release_slots": Decimal(6)},
}
CROSSINGS: dict[str, dict[str, Any]] = {
    "full": {},
    "half": {"share": Decimal("0.5")},
    "cheap": {"communication": Decimal("0.1")},
}
ONLINE_SMALL = "3x2x4 4x2x5 5x3x5 6x3x6 8x3x6 10x4x8"
GADGET_SMALL = "3x3x4 4x3x5 5x4x6 8x4x8 12x6x10"
SEEDS = {("pdors-small", "5x3x5"): 1}
"""With seed 0 no job completes."""

TINY_TRACE = "3x1 4x2 5x2 6x2 6x3 8x3"
TRACE_SIBLINGS: dict[str, dict[str, Any]] = {
    "no-restart": {"restart_s": Decimal(0)},
    "uplinks": {"contention": "server_uplink"},
    "racks": {"contention": "racks", "rack_servers": 1},
    "sharing": {"packed_speed": Decimal("0.7")},
    "widths": {"most_width": 4},
    "groups": {"groups": 2, "quota": Decimal(1), "priorities": 2, "overestimate": Decimal(1)},
}
FLEET_SIBLINGS: dict[str, dict[str, Any]] = {
    "fractions": {"widths": "any"},
    "nodes": {"node_gpus": 2, "billing_s": Decimal(600)},
    "delays": {"provision_s": Decimal(120), "rescale_s": Decimal(60), "epochs": 2},
}
FLEET_COSTS: dict[str, Any] = {
    "rescale_s": Decimal(30),
    "provision_s": Decimal(120),
    "node_gpus": 4,
    "billing_s": Decimal(60),
}
ARGUED = {
    "hand-timing-continuous": "2.9848",
    "hand-online-packing": "8",
    "hand-online-servers": "5",
    "hand-online-trap": "100",
    "hand-gadget-links": "5",
    "tiresias-example": "26/3",
    "boa-two-types": "1/3",
    "hand-transfers-group": "1.75",
    "hand-transfers-replica": "7/3",
}
"""Optima that no bound here proves: their notes do."""


@dataclass(frozen=True)
class Recipe:
    """A generated instance of the catalogue."""

    name: str
    family: str
    seed: int
    options: dict[str, Any] = field(default_factory=dict)
    title: str = ""


def recipes() -> Iterator[Recipe]:
    """Yield every generated instance of the catalogue."""
    yield from sized("small", SMALL, ("jobs", "servers"), {"6x3": SIBLINGS})
    for servers in (10, 15, 20):
        for seed in range(10):
            yield Recipe(f"mobihoc-{servers}-s{seed}", "mobihoc", seed, {"servers": servers})
    for family, (setting, options) in product(("tight", "knot"), CROSSINGS.items()):
        for seed in range(5):
            yield Recipe(f"{family}-{setting}-s{seed}", family, seed, options)
    for jobs, servers in ((2000, 200), (20000, 2000)):
        for seed in range(2):
            options = {"jobs": jobs, "servers": servers}
            yield Recipe(f"large-{jobs}-s{seed}", "large", seed, options)
    yield from sized("pdors-small", ONLINE_SMALL, ("jobs", "machines", "slots"))
    for seed in range(10):
        yield Recipe(f"pdors-s{seed}", "pdors", seed)
    yield Recipe("pdors-roomy-s0", "pdors-roomy", 0)
    yield Recipe("pdors-large-s0", "pdors-large", 0)
    yield from sized("gadget-small", GADGET_SMALL, ("jobs", "machines", "slots"))
    for seed in range(3):
        yield Recipe(f"gadget-s{seed}", "gadget", seed)
    yield from traces()
    yield from rentals()
    yield from fleets()
    yield from neighbours()
    yield from regionals()


def sized(
    family: str,
    sizes: str,
    fields: tuple[str, ...],
    siblings: Mapping[str, dict[str, dict[str, Any]]] | None = None,
) -> Iterator[Recipe]:
    """Yield an instance of each size, and the siblings that some of them have."""
    for size in sizes.split():
        first, *more = (int(number) for number in size.split("x"))
        options = dict(zip(fields, (first, *more), strict=True))
        name = "x".join([f"{family}-{first:02}", *map(str, more)])
        yield Recipe(name, family, SEEDS.get((family, size), 0), options)
        for sibling, change in (siblings or {}).get(size, {}).items():
            title = f"{name} with {sibling.replace('-', ' ')}"
            yield Recipe(f"{name}-{sibling}", family, 0, options | change, title)


def traces() -> Iterator[Recipe]:
    """Yield every generated instance of the family `trace`."""
    yield Recipe("tiresias-testbed", "tiresias", 0)
    for family in ("philly", "helios", "pai"):
        options = {"most_s": Decimal(2 * 86_400), "load": Decimal("1.3")}
        yield Recipe(f"{family}-500-s0", family, 0, options)
    options = {"groups": 4, "quota": Decimal(1), "most": Decimal(2), "priorities": 3}
    more = {"overestimate": Decimal(2), "most_s": Decimal(2 * 86_400), "load": Decimal("1.1")}
    yield Recipe("philly-groups-s0", "philly", 0, options | more)
    yield Recipe("elastic-100-s0", "elastic", 0)
    yield from sized("tiny-trace", TINY_TRACE, ("jobs", "servers"), {"5x2": TRACE_SIBLINGS})


def rentals() -> Iterator[Recipe]:
    """Yield every generated instance of the family `rental`."""
    for seed in range(5):
        options = {"types": 4, "most_weight": Decimal(3)}
        yield Recipe(f"rental-small-s{seed}", "rental-mixed", seed, options)
    for seed in range(3):
        options = {"types": 5, "widths": "whole"}
        yield Recipe(f"rental-whole-s{seed}", "rental-mixed", seed, options)
    yield Recipe("rental-stepped", "rental-stepped", 0)
    yield Recipe("rental-pollux", "rental-pollux", 0)
    title = "rental-pollux, where a job stands still for 5 minutes when its GPUs change"
    yield Recipe("rental-epochs-rescale", "rental-pollux", 0, {"rescale_s": Decimal(300)}, title)
    yield Recipe("rental-large", "rental-large", 0)


def fleets() -> Iterator[Recipe]:
    """Yield every generated instance of the family `fleet`."""
    for jobs in (3, 4, 5):
        yield Recipe(f"tiny-fleet-{jobs}", "tiny-fleet", 1, {"jobs": jobs})
    for sibling, change in FLEET_SIBLINGS.items():
        title = f"tiny-fleet-4 with {sibling}"
        yield Recipe(f"tiny-fleet-4-{sibling}", "tiny-fleet", 1, {"jobs": 4} | change, title)
    yield Recipe("boa-two-types-fleet", "fleet-two-types", 0, {"budget_gpus": Decimal(2)})
    yield Recipe("fleet-pollux", "fleet-pollux", 0, FLEET_COSTS)


def neighbours() -> Iterator[Recipe]:
    """Yield every generated instance of the families `coded`, `shuffle` and `transfers`."""
    for workers in (10, 100):
        yield Recipe(f"coded-{workers}", "coded", 0, {"workers": workers})
    yield Recipe("coded-rows", "coded", 0, {"workers": 100, "rows": 1000})
    for law, workers in (("pareto", 50), ("bimodal", 50), ("measured", 24)):
        yield Recipe(f"coded-{law}", f"coded-{law}", 0, {"workers": workers})
    yield Recipe("shuffle-120x5", "shuffle", 0)
    yield Recipe("shuffle-120x5-dear", "shuffle", 0, {"multicast": Decimal(2)})
    yield Recipe("tiny-shuffle-12x5", "tiny-shuffle", 0, {"rows": 12, "workers": 5})
    yield Recipe("shuffle-large", "shuffle-large", 0)
    for seed in range(5):
        yield Recipe(f"tiny-transfers-s{seed}", "tiny-transfers", seed)
    for family in ("transfers", "transfers-racks", "transfers-stale", "transfers-replica"):
        yield Recipe(f"{family}-s0", family, 0)


def regionals() -> Iterator[Recipe]:
    """Yield every generated instance whose jobs are bound to regions."""
    for family, seed, local, size in (
        ("small", 0, "0.5", {"jobs": 8, "servers": 4}),
        ("pdors-small", 1, "0.6", {"jobs": 8, "machines": 4, "slots": 6}),
        ("tiny-trace", 1, "0.5", {"jobs": 6, "servers": 3}),
    ):
        options = size | {"regions": 3, "local": Decimal(local)}
        title = f"{size['jobs']} jobs, some of which are bound to one of 3 regions"
        yield Recipe(f"regional-{family}", family, seed, options, title)
    for seed in range(2):
        yield Recipe(f"federated-s{seed}", "federated", seed)


def build() -> None:
    """Write all instance files and the index."""
    old = entries() if (DATA / "index.json").exists() else {}
    rows = [_row(load_instance(path), path) for path in sorted((DATA / "hand").glob("*.json"))]
    for recipe in recipes():
        instance = generate(recipe.family, seed=recipe.seed, name=recipe.name, **recipe.options)
        if recipe.title:
            instance = replace(instance, title=recipe.title)
        path = DATA / recipe.family / f"{recipe.name}.json"
        stored = extent(instance).jobs < STORE_BELOW
        if stored:
            path.parent.mkdir(exist_ok=True)
            save(instance, path)
        rows.append(_row(instance, path if stored else None, recipe))
    rows += [_broken(path) for path in sorted((DATA / "broken").iterdir())]
    for row in rows:
        before = old.get(row["name"])
        if before and before.digest == row["digest"]:
            row |= _records(before)
        elif row["family"] == "hand":
            _record_by_hand(row)
        if row["name"] in ARGUED:
            argued = Fraction(ARGUED[row["name"]])
            _keep(row, "lower", argued, "argument in its notes", "argued", TODAY, None)
            row["difficulty"] = "toy"
    _write(rows)


def _row(instance: Instance, path: Path | None, recipe: Recipe | None = None) -> dict[str, Any]:
    size = extent(instance)
    row: dict[str, Any] = {
        "name": instance.name,
        "kind": instance.kind,
        "family": recipe.family if recipe else "hand",
        "title": instance.title,
        "jobs": size.jobs,
        "servers": size.servers or 0,
        "gpus": size.gpus,
        "digest": digest(instance),
        "source": instance.source,
        "licence": instance.licence,
        "difficulty": "open",
    }
    if path is not None:
        row["file"] = str(path.relative_to(DATA))
    elif recipe is not None:
        row["recipe"] = {"family": recipe.family, "seed": recipe.seed, "options": recipe.options}
    return row


def _record_by_hand(row: dict[str, Any]) -> None:
    """Record the schedule stored beside a hand-made instance, if the judge agrees with it."""
    schedule = load_schedule(DATA / "schedules" / f"{row['name']}.json")
    verdict = check(load_instance(DATA / row["file"]), schedule)
    if verdict.violations or verdict.objective is None:
        raise SystemExit(f"{row['name']}: {verdict.violations}")
    _keep(row, "upper", verdict.objective, schedule.method, "judge", TODAY, None)


def _broken(path: Path) -> dict[str, Any]:
    try:
        load_instance(path)
        raise SystemExit(f"{path.name} reads without a problem; it is no broken file")
    except InputError as error:
        problem = str(error.problems[0])
    name = path.name.split(".")[0]
    return {
        "name": name,
        "kind": "broken",
        "family": "broken",
        "title": name.removeprefix("broken-").replace("-", " "),
        "jobs": 0,
        "servers": 0,
        "gpus": 0,
        "digest": "",
        "source": "written for Ringyard's tests",
        "licence": "CC0-1.0",
        "difficulty": "none",
        "file": str(path.relative_to(DATA)),
        "problem": problem,
    }


def improve(options: Namespace) -> None:
    """Run methods on the named instances (all if none), and record what is better.

    Programs are left out unless they are named: nothing certifies their solvers' bounds, which
    are not recorded. So is what is closed.
    """
    for entry in list(entries().values()):
        if entry.kind == "broken" or (options.names and entry.name not in options.names):
            continue
        row = _full(entry)
        _improve_one(row, load(entry.name), options)
        entries.cache_clear()  # Another call may have written meanwhile.
        now = [_full(known) for known in entries().values()]
        _write([row if known["name"] == entry.name else known for known in now])
        best, low = (row[side][0]["value"] if row.get(side) else "-" for side in ("upper", "lower"))
        print(f"{row['name']:24} {best:>8} {low:>8}  {row['difficulty']}")  # noqa: T201


def take(name: str, path: Path) -> int:
    """Record a schedule from elsewhere if it is valid and better; return the exit code."""
    entry, schedule = entries().get(name), load_schedule(path)
    if entry is None or entry.kind == "broken":
        raise InputError(name, [Problem("NAME", name, "an instance of the catalogue")])
    instance = load(name)
    verdict = check(instance, schedule)
    if verdict.violations or verdict.objective is None:
        print(f"not taken: {len(verdict.violations):,} violations, first of them")  # noqa: T201
        for one in verdict.violations[:5]:
            print(f"  {one.rule} at {one.where} by {float(one.amount):g}")  # noqa: T201
        return 1
    row = _full(entry)
    if not _keep(row, "upper", verdict.objective, schedule.method, "judge", TODAY, None):
        best = float(entry.upper[0].value)
        print(f"not taken: {float(verdict.objective):.12g}, known is {best:.12g}")  # noqa: T201
        return 1
    _store(instance, schedule)
    _write([row if known.name == name else _full(known) for known in entries().values()])
    print(f"taken: {name} {float(verdict.objective):.12g}")  # noqa: T201
    return 0


def _store(instance: Instance, schedule: AnySchedule) -> None:
    suffix = ".json" if extent(instance).jobs < STORE_BELOW else ".json.gz"
    save(schedule, DATA / "schedules" / f"{instance.name}{suffix}")


def _improve_one(row: dict[str, Any], instance: Instance, options: Namespace) -> None:
    longest = 0.0
    for method in all_methods():
        if _closed(row):
            break
        wanted = not options.methods or method.name in options.methods.split(",")
        by_solver = method.kind == "program" and not options.methods
        if by_solver or not wanted or method.family != row["kind"] or method.refuses(instance):
            continue
        answer = solve(
            instance,
            method.name,
            seed=options.seed,
            time_limit=options.time_limit,
            threads=options.threads,
        )
        bound, longest = answer.bound, max(longest, answer.seconds)
        if bound.kind is not BoundKind.SOLVER:
            _keep(row, "lower", bound.value, bound.name, str(bound.kind), TODAY, None)
        if answer.valid and answer.objective is not None:
            value, seed = answer.objective, options.seed
            new = _keep(row, "upper", value, method.name, "judge", TODAY, seed)
            if new:
                _store(instance, answer.schedule)
    if row["kind"] != "makespan" and extent(instance).jobs < STORE_BELOW:
        bound = FAMILIES[row["kind"]].strong(instance, Limits(), None)
        _keep(row, "lower", bound.value, bound.name, str(bound.kind), TODAY, None)
    if _closed(row) and row["difficulty"] == "open":
        row["difficulty"] = "toy" if longest <= 60 else "easy"


def certify(names: list[str]) -> int:
    """Compute the best bounds on utilities on record anew; return how many are not confirmed."""
    wrong = 0
    for entry in entries().values():
        if entry.kind != "online" or (names and entry.name not in names):
            continue
        best, instance = entry.lower[0], load(entry.name)
        bounds = FAMILIES[entry.kind].bounds(instance)
        if best.certificate == "dual":
            bounds.append(FAMILIES[entry.kind].strong(instance, Limits(), None))
        good = best.certificate == "argued" or best.value in [bound.value for bound in bounds]
        wrong += not good
        print(f"{entry.name:24} {'confirmed' if good else 'NOT CONFIRMED'}")  # noqa: T201
    return wrong


def _closed(row: dict[str, Any]) -> bool:
    """Return True if the best value and the best bound on record meet."""
    sides = [row.get(side) for side in ("upper", "lower")]
    return all(sides) and meet(*(Fraction(known[0]["value"]) for known in sides if known))


def _keep(
    row: dict[str, Any],
    side: str,
    value: Fraction,
    method: str,
    certificate: str,
    date: str,
    seed: int | None,
) -> bool:
    """Put a record in front if it is better than the best so far."""
    known = row.setdefault(side, [])
    value = on_record(value, up=(side == "upper") != FAMILIES[row["kind"]].maximize)
    if known:
        family, best = FAMILIES[row["kind"]], Fraction(known[0]["value"])
        if not family.better(*((best, value) if side == "lower" else (value, best))):
            return False
    record = {"value": str(value), "method": method, "certificate": certificate, "date": date}
    known.insert(0, record if seed is None else record | {"seed": seed})
    return True


def _full(entry: Entry) -> dict[str, Any]:
    plain = {k: getattr(entry, k) for k in Entry.__slots__ if k not in ("upper", "lower")}
    return {k: v for k, v in plain.items() if v is not None} | _records(entry)


def _records(entry: Entry) -> dict[str, Any]:
    def record(known: Known) -> dict[str, Any]:
        row = {k: getattr(known, k) for k in Known.__slots__}
        row["value"] = str(row["value"])
        return {k: v for k, v in row.items() if v is not None}

    kept = {"upper": [record(k) for k in entry.upper], "lower": [record(k) for k in entry.lower]}
    return kept | {"difficulty": entry.difficulty}


def _write(rows: list[dict[str, Any]]) -> None:
    lines = ",\n".join(dump(row, width=10**6) for row in rows)
    text = f'{{"edition": {EDITION}, "instances": [\n{lines}\n]}}\n'
    (DATA / "schedules").mkdir(exist_ok=True)
    (DATA / "index.json").write_text(text, encoding="utf-8")
    entries.cache_clear()


def main() -> int:
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("build")
    better = commands.add_parser("improve")
    better.add_argument("names", nargs="*")
    better.add_argument("--methods", default="")
    better.add_argument("--time-limit", type=float, default=300.0, help="seconds for each method")
    better.add_argument("--threads", type=int, default=1)
    better.add_argument("--seed", type=int, default=0)
    taken = commands.add_parser("take")
    taken.add_argument("name")
    taken.add_argument("schedule", type=Path)
    again = commands.add_parser("certify")
    again.add_argument("names", nargs="*")
    options = parser.parse_args()
    if options.command == "build":
        build()
    elif options.command == "certify":
        return min(1, certify(options.names))
    elif options.command == "take":
        try:
            return take(options.name, options.schedule)
        except InputError as error:
            print(f"error: {error}", file=sys.stderr)  # noqa: T201
            return 2
    elif options.command == "improve":
        improve(options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
