"""Construction of a method from a name or object: a function, a policy, or an object with `run`."""

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from functools import partial
from inspect import signature
from pathlib import Path
from types import CodeType, FunctionType, MethodType
from typing import TYPE_CHECKING, Any

from ..analysis.check.judge import check
from ..families.method import Method, Program
from ..families.registry import FAMILIES
from ..instances import (
    AnySchedule,
    Incumbent,
    Instance,
    Limits,
    Outcome,
    SolutionStatus,
    TerminationReason,
)
from ..instances.errors import InputError, Words, unknown
from . import DECLARED, declared
from .calling import Call, is_class
from .entry_points import Brought, FromFile, named, shown_type
from .loading import digest_of, load_file, load_thing, own_names, source_of
from .programs import held_program, program_method, program_point

if TYPE_CHECKING:
    from ..policies.request import Request


GROUP = "ringyard.methods"
"""Entry point group of other packages' methods."""

SEEN = {
    "instance": "the instance",
    "rng": "a generator of random numbers, from the seed",
    "limits": "the limits: `limits.left_s()`, `limits.over()`, `limits.threads`",
    "start": "the schedule of --start, or None. With this parameter, a method supports a start",
    "tell": "a function for better plans during the run: the last one is kept on Ctrl-C",
}
"""The permitted parameter names of any function."""


def is_extension(words: list[str]) -> bool:
    """Return True if a method's name, split at its colons, can only be a file or a module."""
    if words[0].endswith(".py"):
        return True
    parts = words[0].split(".")
    return len(words) > 1 and words[1].isidentifier() and all(map(str.isidentifier, parts))


def by_name(words: list[str], family: str) -> tuple[Method, list[str]] | None:
    """Return the external method with this name, and the words of its options."""
    points = named(GROUP)
    if words[0] in points:
        method = method_of(points[words[0]].load(), words[0], family)
        return replace(method, source=points[words[0]].source), words[1:]
    if point := program_point(words[0]):
        return program_method(point, words[0][len(point.name) + 1 :]), words[1:]
    if not is_extension(words):
        return None
    place, whole, *rest = _named(words)
    name, _, change = whole.partition("-")
    file = source_of(place)
    if file is None and "." in place:
        load_thing(place, name)  # Raises the error of a failed import.
        found, advice = Words("no source code"), "name a file: path/to/file.py:function"
        raise InputError.of("method", place, found, "a module in Python", advice)
    if file is None:
        return None
    before, source, thing = None, digest_of(file, name), None
    while before != source:  # It may have just been edited.
        before, thing = source, load_thing(place, name)
        source = digest_of(file, name)
    if isinstance(thing, Program):
        return program_method(FromFile(place, name), change), rest
    path = str(file) if place.endswith(".py") else place
    label = f"{Path(place).name}:{name}"
    method = method_of(thing, label, family)
    home = f"{'file' if place.endswith('.py') else 'package'}: {place}"
    return replace(method, source=home, spelled=f"{path}:{name}", digest=source), rest


def extension_method(one: Brought) -> Method:
    """Return the method of another package."""
    thing = one.load()
    return replace(method_of(thing, one.name, _kinds(thing)[0]), source=one.source)


def families_of(words: list[str]) -> list[str] | None:
    """Return the families of an external method, or None if there is no such method."""
    points = named(GROUP)
    if words[0] in points:
        thing = points[words[0]].load()
    elif point := program_point(words[0]):
        thing = point.load()
    elif is_extension(words) and source_of(words[0]) is not None:
        place, name, *_ = _named(words)
        thing = load_thing(place, name.partition("-")[0])
    else:
        return None
    return _kinds(thing)


def _kinds(thing: Any) -> list[str]:
    """Return the declared families of a method, by default all."""
    if isinstance(thing, Method | Program) and thing.family:
        return [thing.family]
    declaration = declared(thing)
    return [declaration.family] if declaration else list(FAMILIES)


def label_of(thing: Any) -> str:
    """Return the name of an object. A partial application includes its values as options."""
    if not isinstance(thing, partial):
        return getattr(thing, "__name__", type(thing).__name__)
    try:
        given = signature(thing.func).bind_partial(*thing.args, **thing.keywords).arguments
    except (TypeError, ValueError):  # It has no such parameters, and its call reports this.
        given = thing.keywords
    return ":".join(
        [label_of(thing.func), *(f"{name}={_option_text(given[name])}" for name in given)]
    )


def _option_text(value: Any) -> str:
    """Format a value as an option."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value) if isinstance(value, int | float | Decimal | str | None) else label_of(value)


def method_of(thing: Any, label: str, family: str) -> Method:
    """Return the method of an object for instances of a family."""
    whole = thing
    while isinstance(whole, partial):
        whole = whole.func
    about = ((getattr(whole, "__doc__", None) or "").strip().splitlines() or [""])[0]
    if isinstance(thing, Program):
        return program_method(held_program(thing))
    if isinstance(thing, Method):
        return _with_module(thing.of(thing.family or family), label)
    asked: Any
    if hasattr(thing, "run") and not isinstance(thing, type):
        asked, random = thing, bool(getattr(thing, "random", False))
    elif callable(thing):
        asked = FunctionMethod(thing, label, family)
        random = asked.random
    else:
        expected = "a function, a class of policies, or an object with run(instance, request)"
        found = Words(shown_type(thing))
        raise InputError.of("method", label, found, expected, "name another")
    return Method(
        name=label,
        about=about.rstrip("."),
        source="outside",
        kind="outside",
        random=random,
        starts=getattr(asked, "starts", False),
        module=asked,
        family=family,
    )


def _with_module(method: Method, label: str) -> Method:
    """Return a method unless its module, which may be the default, cannot be found."""
    try:
        method.usual  # noqa: B018
    except ModuleNotFoundError as error:
        found, wanted = Words("a Method without a module"), "one with its module"
        advice = "write module=__name__ next to its function run"
        raise InputError.of("method", label, found, wanted, advice) from error
    return method


def _named(words: list[str]) -> list[str]:
    """Return words with an object's name in the second place, even if it was omitted."""
    return words if len(words) > 1 else [*words, _only(words[0])]


def _only(place: str) -> str:
    """Return the name of the only object in a file that can be a method."""
    module = load_file(Path(place).absolute())
    own = own_names(module)
    names = [key for key, thing in vars(module).items() if isinstance(thing, Program)]
    names = names or [key for key in own if hasattr(getattr(module, key), DECLARED)] or own
    if len(names) == 1:
        return names[0]
    expected = f"{place}:NAME with one of {', '.join(names)}" if names else "a function in it"
    raise InputError.of("method", "method", place, expected, "name one")


class FunctionMethod:
    """A function, or a class of policies as the module of a method."""

    def __init__(self, thing: Callable[..., Any], label: str, family: str) -> None:
        """Read its signature."""
        self._label, self.thing = label, thing
        home, declaration = FAMILIES[family], declared(thing)
        if declaration and declaration.family not in list(FAMILIES):
            hint = "see `ringyard list families`"
            raise InputError(label, [unknown("policy", declaration.family, list(FAMILIES), hint)])
        if declaration and declaration.family != family:
            expected = f"a method for {family!r} instances"
            found = Words(f"a policy for {declaration.family!r} instances")
            raise InputError.of("method", label, found, expected, "name another")
        self._extension = home.extension
        self._policy = declaration is not None or is_class(thing)
        traits = declaration.traits if declaration else {}
        if is_class(thing) and not hasattr(self._extension, "CLASSES"):
            expected = "a function, or an object"
            advice = f"make it an object: NAME = {label_of(thing)}()"
            raise InputError.of(label, "method", Words("a class"), expected, advice)
        if self._policy:
            if self._extension is None or not hasattr(self._extension, "POLICY"):
                expected = f"a function that returns a schedule, because {family!r} has no policies"
                found = Words("a policy")
                raise InputError.of("method", label, found, expected, "write one")
            _refuse_traits(label, traits, {} if is_class(thing) else self._extension.TRAITS)
            known, first = ([] if is_class(thing) else [*self._extension.POLICY, *SEEN]), ""
        else:
            known, first = list(SEEN), "instance"
        beside = None if first else getattr(self._extension, "OPTIONS", None)
        policy = getattr(self._extension, "POLICY", ()) if first else ()
        self._call = Call(thing, label, known, first, beside, policy, traits)
        self.Options = self._call.Options
        self.random = "rng" in self._call.asks.values()
        self.starts = "start" in self._call.asks.values()

    def refuses(self, instance: Instance, options: Any) -> str | None:
        """Return why it does not support an instance, from the function's `refuses`."""
        del options
        asked = getattr(self.thing, "refuses", None)
        if asked is None or is_class(self.thing):
            return None
        with self._call.guarded():
            return asked(instance) or None

    def run(self, instance: Instance, request: "Request[Any]") -> Outcome:
        """Return the outcome of the function's result. Raise an error for an invalid one."""
        limits = request.limits
        seen = {
            "instance": instance,
            "rng": request.rng,
            "limits": limits,
            "start": request.start,
            "tell": lambda plan: self._tell(instance, limits, plan),
        }
        if self._policy:
            found: Outcome = self._extension.run_policy(instance, request, self._call, seen)
            return found
        return self._understood(instance, self._call(seen, request.options))

    def _tell(self, instance: Instance, limits: Limits, plan: Any) -> None:
        schedule = self._schedule(instance, plan)
        verdict = check(instance, schedule)
        if verdict.valid:
            limits.report(Incumbent(schedule=schedule, value=float(verdict.objective)))

    def _understood(self, instance: Instance, given: Any) -> Outcome:
        if isinstance(given, Outcome):
            return given
        schedule = None if given is None else self._schedule(instance, given)
        return Outcome(
            schedule=schedule,
            termination=TerminationReason.DONE,
            status=SolutionStatus.NOTHING if schedule is None else SolutionStatus.FEASIBLE,
            note=f"{self._label} gave no plan" if schedule is None else "",
        )

    def _schedule(self, instance: Instance, given: Any) -> AnySchedule:
        kind = FAMILIES[instance.kind].schedule
        if isinstance(given, AnySchedule) and isinstance(given, kind):
            return replace(given, method=self._label)
        if self._extension is None or not hasattr(self._extension, "PLAN"):
            raise self._call.error(given, f"a {kind.__name__}")
        plan: AnySchedule = self._extension.schedule(instance, given, self._call)
        return plan


def _refuse_traits(label: str, traits: dict[str, Any], known: dict[str, Any]) -> None:
    for name in traits.keys() - known.keys():
        expected = (
            ""
            if known
            else ("no options, because the family has no options and a class has attributes")
        )
        raise InputError(label, [unknown("policy", name, known, "leave it out", expected)])


def alike(one: Method, other: Method) -> bool:
    """Return True if two methods of one name are equal, by their code and plain values."""
    if one.digest or other.digest:
        return one.digest == other.digest
    mine, theirs = (getattr(method.module, "thing", method.module) for method in (one, other))
    return _alike(mine, theirs, set())


def _alike(one: Any, other: Any, seen: set[tuple[int, int]]) -> bool:
    """Compare two objects. Pairs that recur within themselves are equal."""
    if one is other or (id(one), id(other)) in seen:
        return True
    seen.add((id(one), id(other)))
    if type(one) is not type(other) and not _alike(type(one), type(other), seen):
        return False
    if isinstance(one, CodeType):
        return _code(one) == _code(other)
    parts, others = _parts(one), _parts(other)
    if parts is None or others is None:
        return _equal(one, other)
    return len(parts) == len(others) and all(
        _alike(part, mate, seen) for part, mate in zip(parts, others, strict=True)
    )


def _code(code: CodeType) -> tuple[Any, ...]:
    """Return code without line numbers, because a cell of a notebook may be rerun."""
    held = [_code(one) if isinstance(one, CodeType) else repr(one) for one in code.co_consts]
    return code.co_code, code.co_names, code.co_varnames, code.co_freevars, *held


def _equal(one: Any, other: Any) -> bool:
    """Compare by the values' own equality. Arrays compare each of their numbers."""
    try:
        same = one == other
        return bool(same.all() if hasattr(same, "all") else same)
    except Exception:  # A user's class may do anything there.
        return False


def _parts(thing: Any) -> list[Any] | None:
    """Return the parts of an object in order, or None if its class defines equality."""
    match thing:
        case FunctionType():
            cells = [_held(cell) for cell in thing.__closure__ or ()]
            return [thing.__code__, thing.__defaults__, thing.__kwdefaults__, *cells]
        case MethodType():
            return [thing.__func__, thing.__self__]
        case partial():
            return [thing.func, thing.args, thing.keywords]
        case tuple() | list():
            return list(thing)
        case dict():
            return [part for pair in thing.items() for part in pair]
    equals: Any = type(thing).__eq__
    if equals is not object.__eq__:
        return None
    return [*getattr(thing, "__dict__", {}).items()]


def _held(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # The name has no value yet.
        return None
