"""The public names: which there are, that each is typed and documented, and has its page."""

import ast
import inspect
import re
from collections.abc import Iterator
from typing import Any

import pytest
from house.test_rooms import ROOT

import ringyard
from ringyard import plot

NAMES = [
    "Answer",
    "Bound",
    "Campaign",
    "InputError",
    "Instance",
    "Limits",
    "MissingError",
    "Outcome",
    "RefusedError",
    "RingyardError",
    "Schedule",
    "bound",
    "check",
    "coded",
    "collect",
    "evaluate",
    "fleet",
    "generate",
    "list_instances",
    "list_methods",
    "load",
    "load_campaign",
    "load_schedule",
    "makespan",
    "online",
    "plot",
    "policy",
    "rental",
    "reserved",
    "save",
    "shuffle",
    "solve",
    "trace",
    "transfers",
]
"""What is promised to stay: docs/project/stability.md says how a name goes."""

PLOTS = [
    "Figure",
    "convergence",
    "ecdf",
    "factors",
    "gantt",
    "groups",
    "profile",
    "profile_ratio",
    "ratios",
    "tradeoff",
]

HIDDEN = {"brief", "problems"}
"""Members of public classes that are for Ringyard's own use, and not on the page."""

SHOWN = re.compile(r"^ *\.\. (?:auto|py:)(?:function|class|exception|module):: ([\w.]+)", re.M)


def objects() -> Iterator[tuple[str, Any]]:
    """Yield all public functions, classes, and methods of classes, by name."""
    for name, one in [
        *((name, getattr(ringyard, name)) for name in NAMES if name != "plot"),
        *((f"plot.{name}", getattr(plot, name)) for name in PLOTS),
    ]:
        yield name, one
        if inspect.isclass(one) and not issubclass(one, Exception):
            for own, part in inspect.getmembers(one):
                if not own.startswith("_") and (inspect.isroutine(part) or _is_property(part)):
                    yield f"{name}.{own}", part


def _is_property(part: Any) -> bool:
    return isinstance(part, property)


def test_the_list_of_names() -> None:
    assert sorted(ringyard.__all__) == sorted(NAMES)
    assert sorted(plot.__all__) == sorted(PLOTS)
    assert dir(ringyard) == sorted([*NAMES, "__version__"])
    assert all(getattr(ringyard, name) is getattr(ringyard, name) for name in NAMES)


def test_what_is_no_name_is_an_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'sovle'"):
        _ = ringyard.sovle


def test_checkers_of_types_see_the_same_names() -> None:
    tree = ast.parse((ROOT / "__init__.py").read_text(encoding="utf-8"))
    (block,) = (one for one in tree.body if isinstance(one, ast.If))
    seen = {
        alias.asname or alias.name: (f".{node.module or ''}", alias.name)
        for node in block.body
        if isinstance(node, ast.ImportFrom) and node.level
        for alias in node.names
    }
    assert seen.pop("plot") == (".", "plot")
    assert seen == ringyard._NAMES


@pytest.mark.parametrize(("name", "one"), [pytest.param(*pair, id=pair[0]) for pair in objects()])
def test_every_name_is_typed_and_documented(name: str, one: Any) -> None:
    assert (inspect.getdoc(one) or "").strip(), name
    function = one.fget if _is_property(one) else one
    if inspect.isroutine(function):
        signature = inspect.signature(function)
        untyped = [
            parameter.name
            for parameter in signature.parameters.values()
            if parameter.annotation is parameter.empty and parameter.name not in ("self", "cls")
        ]
        assert not untyped
        assert signature.return_annotation is not signature.empty


def test_the_page_shows_every_name_once() -> None:
    page = (ROOT / "docs/reference/python.md").read_text(encoding="utf-8")
    own = [name.removeprefix("ringyard.") for name in SHOWN.findall(page)]
    assert len(own) == len(set(own))
    assert {name for name in own if "." not in name} == set(NAMES)
    listed = re.findall(r"^\| `([\w.]+)", page, re.M)
    assert len(listed) == len(set(listed))
    public = {name for name, _ in objects() if name.rpartition(".")[2] not in HIDDEN}
    assert {name for name in listed if not name.startswith("TableView")} == public
