"""No file but a family's own lists families, or branches on one."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from house.test_rooms import package_files, room_of, tree_of

from ringyard.families import FAMILIES, Family

KINDS = {name for kind in FAMILIES for name in (kind, f"{kind}-schedule")}

NOUNS = {
    noun.__name__: family.kind
    for family in FAMILIES.values()
    for noun in (family.instance, family.schedule)
}

COMMANDS = {"rent": {"rental", "fleet"}, "code": {"coded"}}
"""Commands about some families only, which have names of their own."""

HOMES = {"families/", "papers/"}
"""Rooms with the records, and with what papers did in one family."""


def own(file: str) -> set[str]:
    """Return the families that a file is about, by the names of its folders and its own."""
    words = {word for part in Path(file).with_suffix("").parts for word in part.split("_")}
    return (words & set(FAMILIES)) | {kind for word in words for kind in COMMANDS.get(word, ())}


def named(node: ast.AST) -> Iterator[str]:
    """Yield the families that a part of a program chooses between, or counts up."""
    for part in ast.walk(node):
        match part:
            case ast.Compare(left=left, comparators=others):
                yield from filter(None, map(kind_of, flat([left, *others])))
            case ast.Dict(keys=keys):
                found = [kind for key in keys if key and (kind := kind_of(key))]
                yield from found if len(found) > 1 else []
            case ast.Subscript(slice=key):
                yield from filter(None, [kind_of(key)])
            case ast.MatchValue(value=value):
                yield from filter(None, [kind_of(value)])
            case ast.MatchClass(cls=noun):
                yield from nouns(noun)
            case ast.Call(func=ast.Name(id="isinstance"), args=[_, noun]):
                yield from nouns(noun)


def flat(nodes: list[ast.expr]) -> Iterator[ast.expr]:
    """Yield expressions, those of tuples and the like one by one."""
    for node in nodes:
        yield from flat(node.elts) if isinstance(node, ast.Tuple | ast.List | ast.Set) else [node]


def kind_of(node: ast.expr) -> str | None:
    """Return the family that a text names."""
    known = isinstance(node, ast.Constant) and node.value in KINDS
    return node.value.removesuffix("-schedule") if known else None  # type: ignore[attr-defined]


def nouns(node: ast.AST) -> Iterator[str]:
    """Yield the families of nouns in an expression."""
    for part in ast.walk(node):
        if isinstance(part, ast.Name) and part.id in NOUNS:
            yield NOUNS[part.id]


def test_no_file_branches_on_the_family_of_another() -> None:
    found = {
        file: set(named(tree_of(file)))
        for file in package_files()
        if room_of(file) not in HOMES and not own(file)
    }
    assert not {file: kinds for file, kinds in found.items() if kinds}, "ask the family's record"


@pytest.mark.parametrize(
    "line",
    [
        'if instance.kind == "trace": pass',
        'if instance.kind in ("online", "reserved"): pass',
        'UNITS = {"trace": "s", "rental": "h"}',
        'FAMILIES["makespan"].bounds',
        'match kind:\n    case "trace": pass',
        "match one:\n    case TraceInstance(): pass",
        "isinstance(one, MakespanInstance | TraceInstance)",
        "isinstance(one, (Schedule, FleetLog))",
    ],
)
def test_a_branch_is_noticed(line: str) -> None:
    assert list(named(ast.parse(line)))


ROOMS = {
    "instances/": {"instance", "schedule", "presets", "extent", "rounding", "places"},
    "analysis/check/": {"judge", "rules"},
    "analysis/check/certificates/": {"proofs"},
    "simulation/": {"refusal"},
    "search/": {"refusal", "small", "bounds", "slow_bounds", "all_bounds"},
    "analysis/": {"chart", "metrics"},
    "campaigns/": {"drawn"},
    "outside/": {"outside"},
    "cli/": {"shown", "said"},
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
