"""Only records list families: no other file counts up several, chooses between them or is one's.

What a file names is found by texts (`"trace"`, `".search.trace.bounds:slow_bounds"`), by
methods that one family has, and by what it imports from a family's folder. A file about a family
carries its name, in its own or in that of a folder, and may do with that family as it likes.
"""

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import is_dataclass
from functools import cache
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest
from house.test_rooms import imported_by, imports, nodes_of, package_files, room_of, tree_of

import ringyard
from ringyard import instances
from ringyard.families import FAMILIES, Family
from ringyard.formulations.solver_interface.solve import SOLVERS

HOMES = ("families/", "papers/")
"""Rooms with the records, and with what papers did in one family."""

COMMANDS = {"rent": {"rental", "fleet"}, "code": {"coded"}, "whatif": {"trace"}}
"""Commands about some families, whose names their files and folders have."""

ALLOWED = {
    "__init__.py": "public names are static text, which the tests below hold against the records",
    "instances/__init__.py": "the same",
    "simulation/__init__.py": "a public name, `evaluate`",
    "simulation/progress.py": "the engine of rings, which traces share",
    "simulation/model.py": "the same",
    "analysis/check/contention.py": "links of rings, which traces share",
    "instances/importers/": "a format of other tools says which family it holds",
    "analysis/timeline/slots.py": "reserved and online plan slot by slot, on one time line",
    "cli/show/": "what `show` prints: a function for each family, which its record names",
    "cli/imports": "`import` writes what the format holds",
    "cli/export": "`export jobs` is about schedules of traces",
    "cli/explain": "a command about rings",
    "cli/shrink": "a command about rings",
}
"""Files, or folders of them, that name families although they are about none or several."""

METHODS = Counter(method.name for family in FAMILIES.values() for method in family.methods)

TEXTS = {kind: kind for kind in FAMILIES}
TEXTS |= {f"{kind}-schedule": kind for kind in FAMILIES}
TEXTS |= {
    method.name: method.family
    for family in FAMILIES.values()
    for method in family.methods
    if METHODS[method.name] == 1 and "-" in method.name
    if method.name not in {solver.name for solver in SOLVERS}
}
"""Texts that mean a family; method names of a single word mean other things, too."""


def own(file: str) -> set[str]:
    """Return the families that a file is about, by the names of its folders and its own."""
    *folders, name = Path(file).with_suffix("").parts
    about = {word for part in (*folders, name) for word in part.split("_")} & set(FAMILIES)
    named = (*folders, name)
    return about | {kind for part in named for kind in COMMANDS.get(part, ())}


def entities() -> dict[str, str]:
    """Return the public names of the room of entities that are from a family's folder."""
    lines = imports("instances/__init__.py", tree_of("instances/__init__.py"))
    homes = {one.line: own(one.target) for one in lines}
    return {
        alias.name: kind
        for node in ast.walk(tree_of("instances/__init__.py"))
        if isinstance(node, ast.ImportFrom)
        for kind in homes[node.lineno]
        for alias in node.names
    }


ENTITIES = entities()


class Names:
    """What the names and texts of a file mean."""

    def __init__(self, file: str, tree: ast.Module) -> None:
        """Remember what it imports from folders of families."""
        self.mine = own(file)
        self.known: dict[str, set[str]] = {}
        self._below: dict[ast.AST, set[str]] = {}
        for node in nodes_of(tree):
            if isinstance(node, ast.ImportFrom) and node.level:
                for alias, one in zip(node.names, imported_by(file, node), strict=True):
                    kinds = own(one.target)
                    if one.target == "instances/__init__.py" and alias.name in ENTITIES:
                        kinds = {ENTITIES[alias.name]}
                    self.known[alias.asname or alias.name] = kinds

    @property
    def imported(self) -> set[str]:
        """Families of others that it imports from."""
        return {kind for kinds in self.known.values() for kind in kinds} - self.mine

    def kinds(self, *nodes: ast.AST | None) -> set[str]:
        """Return the families of others that expressions name."""
        found = [self._named_in(node) for node in nodes if node is not None]
        return set[str]().union(*found) - self.mine

    def _named_in(self, node: ast.AST) -> set[str]:
        """Return the families that a node and all nodes below it name, once for each node."""
        if node not in self._below:
            below = [self._named_in(child) for child in ast.iter_child_nodes(node)]
            self._below[node] = self._kinds(node).union(*below)
        return self._below[node]

    def _kinds(self, node: ast.AST) -> set[str]:
        if isinstance(node, ast.Name):
            return self.known.get(node.id, set())
        if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
            return set()
        if node.value in TEXTS:
            return {TEXTS[node.value]}
        module = node.value.partition(":")[0]
        dotted = module.startswith(".") and module.replace(".", "").isidentifier()
        return own(module.replace(".", "/") + ".py") if dotted else set()

    def direct(self, *nodes: ast.AST | None) -> set[str]:
        """Return the families of others that expressions are, or that their elements are."""
        found = set[str]()
        for node in nodes:
            if isinstance(node, ast.Tuple | ast.List | ast.Set):
                found |= self.direct(*node.elts)
            elif isinstance(node, ast.BinOp):
                found |= self.direct(node.left, node.right)
            elif isinstance(node, ast.Name | ast.Constant):
                found |= self._kinds(node) - self.mine
        return found


CHOICES = (
    *(ast.Compare, ast.Subscript, ast.MatchValue, ast.MatchClass, ast.Call),
    *(ast.Dict, ast.List, ast.Tuple, ast.Set, ast.BinOp, ast.ClassDef),
)
"""Nodes that `chosen_by` and `listed_in` look at."""


def faults(file: str, tree: ast.Module) -> Iterator[str]:
    """Yield where a file lists families, or branches on one, or is about one without its name."""
    names = Names(file, tree)
    for node in nodes_of(tree):
        if not isinstance(node, CHOICES):
            continue
        chosen, listed = chosen_by(node, names), listed_in(node, names)
        if chosen and not names.mine:
            yield f"{file}:{node.lineno}: branches on {chosen}"  # type: ignore[attr-defined]
        if len(listed) > 1:
            yield f"{file}:{node.lineno}: lists {listed}"  # type: ignore[attr-defined]
    if names.imported and not names.mine:
        yield f"{file}: imports files of {names.imported}"


def chosen_by(node: ast.AST, names: Names) -> set[str]:
    """Return the families that a comparison, a key, a pattern or a test of a class chooses."""
    match node:
        case ast.Compare(left=left, comparators=others):
            return names.direct(left, *others)
        case ast.Subscript(slice=ast.Constant() as key):
            return names.direct(key)
        case ast.MatchValue(value=value):
            return names.direct(value)
        case ast.MatchClass(cls=entity):
            return names.direct(entity)
        case ast.Call(func=ast.Name(id="isinstance" | "issubclass"), args=[_, entity]):
            return names.direct(entity)
    return set()


def listed_in(node: ast.AST, names: Names) -> set[str]:
    """Return the families in a collection, a union, words to be split, or names in a class."""
    match node:
        case ast.Dict(keys=keys, values=values):
            return names.kinds(*keys, *values)
        case ast.List(elts=parts) | ast.Tuple(elts=parts) | ast.Set(elts=parts):
            return names.kinds(*parts)
        case ast.BinOp(op=ast.BitOr()):
            return names.kinds(node)
        case ast.Call(func=ast.Name(id="dict"), keywords=given):
            return {one.arg for one in given if one.arg in FAMILIES} - names.mine
        case ast.Call(func=ast.Attribute(value=ast.Constant(value=str(text)), attr="split")):
            return {TEXTS[word] for word in text.split() if word in TEXTS} - names.mine
        case ast.ClassDef(body=body):
            fields = (target for part in body for target in ast.walk(part))
            found = {one.id for one in fields if isinstance(one, ast.Name)}
            return (found & set(FAMILIES)) - names.mine
    return set()


def reason(file: str) -> str | None:
    """Return why a file may name families, if it may."""
    return next((why for place, why in ALLOWED.items() if file.startswith(place)), None)


@cache
def all_faults() -> dict[str, list[str]]:
    """Return the faults of every file outside the records' room."""
    files = [file for file in package_files() if room_of(file) not in HOMES]
    found = {file: [*faults(file, tree_of(file))] for file in files}
    return {file: some for file, some in found.items() if some}


def test_no_file_lists_families_or_branches_on_one() -> None:
    found = [fault for file, some in all_faults().items() if not reason(file) for fault in some]
    assert not found, "ask the family's record:\n" + "\n".join(found)


def test_every_exception_is_one() -> None:
    for place in ALLOWED:
        assert any(file.startswith(place) for file in all_faults()), f"{place} names no family"


@pytest.mark.parametrize(
    "line",
    [
        'if instance.kind == "trace": pass',
        'if instance.kind in ("online", "reserved"): pass',
        'UNITS = {"trace": "s", "rental": "h"}',
        'UNITS = dict(trace="s", rental="h")',
        'KINDS = ["trace", "rental-schedule"]',
        'KINDS = "makespan trace".split()',
        'BOUNDS = (".search.trace.bounds:slow_bounds", ".search.online.dual_bound:slow_bounds")',
        'THEOREMS = {"sjf-bco": "theorem-5", "pd-ors": "competitive"}',
        'FAMILIES["makespan"].bounds',
        'match kind:\n    case "trace": pass',
        "from .instances import TraceInstance\nmatch one:\n    case TraceInstance(): pass",
        "from .instances import TraceInstance\nisinstance(one, TraceInstance)",
        "from .instances import TraceInstance\nfamily.instance is TraceInstance",
        "from .instances import Schedule, FleetLog\nlogs = (Schedule | FleetLog)",
        "from .search.trace import bounds",
        "class Drawn:\n    makespan = 1\n    trace = 2",
    ],
)
def test_a_fault_is_noticed(line: str) -> None:
    assert list(faults("run.py", ast.parse(line)))


@pytest.mark.parametrize(
    ("file", "line"),
    [
        ("policies/trace/baselines.py", 'if instance.kind == "trace": pass'),
        ("search/rental/bounds.py", "from ...instances import FleetInstance, RentalInstance"),
        ("campaigns/rent/long_run.py", 'KINDS = ("rental", "fleet")'),
        ("run.py", 'WORDS = {"first": 1, "optimal": 2}'),
        ("run.py", "FAMILIES[kind].bounds"),
    ],
)
def test_what_is_no_fault_passes(file: str, line: str) -> None:
    assert not list(faults(file, ast.parse(line)))


def entities_of(family: Family) -> set[type]:
    """Return the classes that instances and schedules of a family are made of."""
    found, waiting = set[type](), [family.instance, family.schedule]
    while waiting:
        entity = waiting.pop()
        if entity not in found and is_dataclass(entity):
            found.add(entity)
            waiting += [part for hint in get_type_hints(entity).values() for part in classes(hint)]
    return found


def classes(hint: Any) -> Iterator[Any]:
    """Yield the classes in an annotation."""
    yield from [hint] if isinstance(hint, type) else []
    for part in get_args(hint):
        yield from classes(part)


def test_entities_are_public_that_records_name() -> None:
    named = {
        entity.__name__: entity for family in FAMILIES.values() for entity in entities_of(family)
    }
    assert named.keys() <= set(dir(instances))
    public = {name: getattr(instances, name) for name in ENTITIES}
    assert {name for name, one in public.items() if isinstance(one, type)} <= named.keys()


def test_there_are_short_forms_of_the_families_that_have_a_record() -> None:
    built = {
        alias.name
        for node in ast.walk(tree_of("__init__.py"))
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("instances.")
        for alias in node.names
        if alias.name == str(node.module).rpartition(".")[2] != "generate"
    }
    assert built == set(FAMILIES) <= set(ringyard.__all__)


ROOMS = {
    "instances/": {"instance", "schedule", "presets", "extent", "rounding", "places", "drawn"},
    "analysis/check/": {"judge", "rules"},
    "analysis/check/certificates/": {"proofs"},
    "simulation/": {"refusal"},
    "search/": {"refusal", "small", "bounds", "slow_bounds", "all_bounds"},
    "analysis/": {"chart", "metrics", "theorems"},
    "campaigns/": {"premise", "roundings"},
    "running/": {"replanner"},
    "extensions/": {"extension"},
    "testing/": {"nasty"},
    "cli/": {"shown", "verdict_texts", "detailed"},
}
"""What a record names, by the room where it stands."""


@pytest.mark.parametrize("family", FAMILIES.values(), ids=lambda family: family.kind)
def test_what_a_record_names_is_there_and_in_its_room(family: Family) -> None:
    for field, name in vars(family).items():
        if isinstance(name, str) and name.startswith("."):
            module, field = name[1:].partition(":")[0].replace(".", "/"), field.removeprefix("_")
            assert field in ROOMS[room_of(f"{module}.py")]
            assert getattr(family, field) is not None
    for one in (*family.methods, *family.programs):
        assert one._load().__doc__
