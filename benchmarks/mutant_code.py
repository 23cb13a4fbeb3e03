"""Code with one thing changed, put in the place of what is loaded. Of `mutants.py`."""

import ast
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

PACKAGE = "ringyard.analysis.check.certificates"

Change = Callable[[Any], None]

NEAR = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt}
"""What differs from a comparison in one case."""

OPPOSITE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    **{ast.Lt: ast.GtE, ast.LtE: ast.Gt, ast.Gt: ast.LtE, ast.GtE: ast.Lt},
    **{ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In},
    **{ast.Is: ast.IsNot, ast.IsNot: ast.Is},
}
OTHER: dict[type[ast.operator], type[ast.operator]] = {
    **{ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.FloorDiv, ast.FloorDiv: ast.Mult},
    **{ast.Div: ast.Mult, ast.Pow: ast.Mult, ast.LShift: ast.RShift, ast.RShift: ast.LShift},
    **{ast.BitOr: ast.BitAnd, ast.BitAnd: ast.BitOr, ast.Mod: ast.Mult, ast.BitXor: ast.BitOr},
}
LIMITS = {"FEW", "LONG", "TOGETHER", "MARGIN", "UP", "DOWN", "FINE", "PART"}
"""Numbers, as those that begin with MOST, at which no verdict turns false: how much is tried, from
where on something coarser is taken, by how much is rounded outward, how finely is
compared first and counted.
What each does is tested."""
NAMES = {"min": "max", "max": "min", "floor": "ceil", "ceil": "floor", "any": "all", "all": "any"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """A file with one thing changed."""

    path: Path
    module: str
    name: str
    """The file, the line, what is changed, and the line as it was."""
    number: int
    lines: range
    """None if it is code that runs when the file is loaded."""


def mutants(path: Path, root: Path) -> Iterator[Mutant]:
    """Yield all mutants of a file below a folder that is the package."""
    text = path.read_text(encoding="utf-8")
    inner = path.relative_to(root).with_suffix("").parts
    module = ".".join([PACKAGE, *(part for part in inner if part != "__init__")])
    for number, (node, name, _, outer) in enumerate(_places(ast.parse(text))):
        at = node.iter if isinstance(node, ast.comprehension) else node
        line = text.splitlines()[at.lineno - 1].strip()
        yield Mutant(
            path=path,
            module=module,
            name=f"{path.relative_to(root)}:{at.lineno}:{at.col_offset}: {name}: {line}",
            number=number,
            lines=range(outer.lineno, outer.end_lineno + 1) if outer else range(0),
        )


def _changed(mutant: Mutant) -> ast.Module:
    """Return the file of a mutant as it is changed."""
    tree = ast.parse(mutant.path.read_text(encoding="utf-8"))
    node, _, change, _ = list(_places(tree))[mutant.number]
    change(node)
    return ast.fix_missing_locations(tree)


def _places(tree: ast.Module) -> Iterator[tuple[Any, str, Change, Any]]:
    """Yield what can be changed, what is done, how, and the statement within a function."""

    def walk(node: ast.AST, outer: Any, within: Any) -> Iterator[tuple[Any, str, Change, Any]]:
        if isinstance(node, ast.Raise | ast.JoinedStr | ast.ImportFrom) or _annotates(node):
            return  # What an error says is no part of the verdict.
        if isinstance(node, ast.keyword) and node.arg == "strict":
            return
        if within is None and isinstance(node, ast.Assign) and _limits(node):
            return
        if isinstance(node, ast.FunctionDef | ast.Lambda):
            within, outer = node, node
        elif isinstance(node, ast.stmt) and within is not None:
            outer = node
        for name, change in _changes(node, within):
            yield node, name, change, outer
        for field, value in ast.iter_fields(node):
            if field in ("annotation", "returns", "decorator_list"):
                continue
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    yield from walk(child, outer, within)

    yield from walk(tree, None, None)


def _annotates(node: ast.AST) -> bool:
    """Return True if a node is a docstring, or a name of a type or what stands for one."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return True
    return (
        isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Subscript | ast.BinOp)
        and (isinstance(node.value, ast.Subscript) and node.col_offset == 0)
    )


def _limits(node: ast.Assign) -> bool:
    """Return True if a number of a file is one of those that only say how much work is allowed."""
    names = [one.id for one in node.targets if isinstance(one, ast.Name)]
    return any(name in LIMITS or name.startswith("MOST") for name in names)


def _changes(node: Any, within: Any) -> Iterator[tuple[str, Change]]:
    """Yield what can be changed in a node itself."""
    if isinstance(node, ast.Compare):
        for i, op in enumerate(node.ops):
            for table in (NEAR, OPPOSITE):
                if type(op) in table:
                    new = table[type(op)]  # type: ignore[index]
                    yield f"{_said(op)} -> {new.__name__}", _set_op(i, new)
    elif isinstance(node, ast.BinOp | ast.AugAssign) and type(node.op) in OTHER:
        new_op = OTHER[type(node.op)]
        yield f"{_said(node.op)} -> {new_op.__name__}", _set("op", new_op)
    elif isinstance(node, ast.BoolOp):
        other = ast.And if isinstance(node.op, ast.Or) else ast.Or
        yield f"{_said(node.op)} -> {other.__name__}", _set("op", other)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.Not):
        yield f"without {_said(node.op)}", _plain
    elif isinstance(node, ast.Constant) and type(node.value) is int:
        yield f"{node.value} -> {node.value + 1}", lambda one: setattr(one, "value", one.value + 1)
    elif isinstance(node, ast.Constant) and type(node.value) is bool:
        yield f"not {node.value}", lambda one: setattr(one, "value", not one.value)
    elif isinstance(node, ast.Name) and node.id in NAMES:
        yield f"{node.id} -> {NAMES[node.id]}", lambda one: setattr(one, "id", NAMES[one.id])
    elif isinstance(node, ast.If | ast.IfExp):
        yield "if False", lambda one: setattr(one, "test", ast.Constant(value=False))
    elif isinstance(node, ast.comprehension):
        for i, test in enumerate(node.ifs):
            yield f"without if {ast.unparse(test)}", lambda one, i=i: one.ifs.pop(i)
    elif isinstance(node, ast.Return) and node.value and _counts(within):
        yield "returns 1 more", _one_more


def _counts(within: Any) -> bool:
    """Return True if a function returns a number."""
    said = within.returns if isinstance(within, ast.FunctionDef) else None
    return said is not None and ast.unparse(said) in ("int", "Fraction")


def _said(op: ast.AST) -> str:
    return type(op).__name__


def _set(field: str, new: type[ast.AST]) -> Change:
    return lambda node: setattr(node, field, new())


def _set_op(place: int, new: type[ast.AST]) -> Change:
    return lambda node: node.ops.__setitem__(place, new())


def _plain(node: ast.UnaryOp) -> None:
    twice = ast.UnaryOp(op=ast.Not(), operand=node.operand)
    node.op, node.operand = (
        (ast.UAdd(), node.operand) if isinstance(node.op, ast.USub) else (ast.Not(), twice)
    )


def _one_more(node: ast.Return) -> None:
    assert node.value is not None
    node.value = ast.BinOp(left=node.value, op=ast.Add(), right=ast.Constant(value=1))


def put(mutant: Mutant) -> None:
    """Give the functions of a loaded module the code of a mutant."""
    known = sys.modules[mutant.module]
    new = ModuleType(mutant.module)
    new.__dict__.update(__package__=known.__package__, __file__=known.__file__)
    exec(compile(_changed(mutant), str(mutant.path), "exec"), new.__dict__)
    modules = [one for name, one in sys.modules.items() if name.startswith(PACKAGE)]
    for name, value in vars(new).items():
        before = vars(known).get(name)
        if (
            isinstance(value, int | str | Fraction)
            and not name.startswith("__")
            and value != before
        ):
            for one in modules:
                if vars(one).get(name) is before:
                    setattr(one, name, value)
        else:
            _graft(before, value, mutant.module)
    forget()


def forget() -> None:
    """Empty the caches of the checker."""
    for name, module in list(sys.modules.items()):
        for value in vars(module).values() if name.startswith(PACKAGE) else ():
            if hasattr(value, "cache_clear"):
                value.cache_clear()


def _graft(before: Any, after: Any, module: str) -> None:
    """Put the code of functions, also of those of a class or a table, into those loaded."""
    if hasattr(after, "__wrapped__"):
        _graft(before.__wrapped__, after.__wrapped__, module)
    elif isinstance(after, property):
        _graft(before.fget, after.fget, module)
    elif isinstance(after, FunctionType):
        if after.__module__ != module or before is after:
            return
        before.__code__, before.__defaults__ = after.__code__, after.__defaults__
        before.__kwdefaults__ = after.__kwdefaults__
        for one, other in zip(before.__closure__ or (), after.__closure__ or (), strict=True):
            if isinstance(other.cell_contents, FunctionType):
                _graft(one.cell_contents, other.cell_contents, module)
    elif isinstance(after, type) and after.__module__ == module:
        for name, value in vars(after).items():
            if isinstance(value, FunctionType | property):
                _graft(vars(before).get(name), value, module)
    elif isinstance(after, dict):
        for key, value in after.items():
            if isinstance(value, FunctionType):
                _graft(before[key], value, module)
