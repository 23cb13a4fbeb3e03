"""Ways to forge a certificate of a bound: another proof, or a claim beyond what is proved.

Of `forged.py`. A forgery takes a certificate line by line, may change it, and returns what comes
of it; where there is nothing of the sort to change, it raises NothingError.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor
from random import Random
from typing import Any

Lines = list[dict[str, Any]]
Place = tuple[Any, Any]
"""A list or an object, and where in it."""

ODD = (
    *(True, None, 0.5, 1e308, float("nan"), "NaN", "Infinity", "1e5", "0x10", " 1", "1_000"),
    *("\u0661", "1/0", "1/-2", "--1", "+1", "", "9" * 1001, 10**30, -(10**40), [], {}),
)
"""What stands where a number should."""

SCALARS = ("by", "from", "grain", "places", "worth", "unit", "price", "gpu_hour", "at_least")


class NothingError(Exception):
    """There is nothing in a certificate that could be forged so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Forger:
    """What a forger knows beside the proof."""

    rng: Random
    best: Fraction
    side: int
    """1 where claims are `at_least`, -1 where they are `at_most`."""
    names: tuple[str, ...]
    """Of jobs, resources and regions."""
    rules: tuple[str, ...]
    """Of the family."""
    own: list[Lines]
    """Proofs of this instance."""
    others: list[Lines]
    """Proofs of other instances."""

    def one_of(self, some: Any) -> Any:
        """Draw one of some things, of which there may be none."""
        some = list(some)
        if not some:
            raise NothingError
        return self.rng.choice(some)


Forgery = Callable[[Lines, Forger], Lines]


def _copied(lines: Lines) -> Lines:
    copy: Lines = json.loads(json.dumps(lines))
    return copy


def number_of(value: Any) -> Fraction | None:
    """Return the number that a value says."""
    if isinstance(value, bool) or not isinstance(value, int | str):
        return None
    try:
        return Fraction(value)
    except (ValueError, ZeroDivisionError):
        return None


def written(value: Fraction) -> int | str:
    """Write a number as certificates do."""
    return int(value) if value.denominator == 1 else str(value)


def inside(value: Any) -> Iterator[Place]:
    """Yield every place in a value, but for the name of its rule."""
    for key in list(value) if isinstance(value, dict) else range(len(value)):
        if key != "rule":
            yield value, key
            if isinstance(value[key], dict | list):
                yield from inside(value[key])


def numbers(lines: Lines) -> list[Place]:
    """Return all places of numbers in the steps."""
    places = (place for step in lines[1:] for place in inside(step))
    return [(own, key) for own, key in places if number_of(own[key]) is not None]


def lists(lines: Lines) -> list[list[Any]]:
    """Return all lists in the steps that have something in them."""
    found = (own[key] for step in lines[1:] for own, key in inside(step))
    return [value for value in found if isinstance(value, list) and value]


def put(place: Place, change: Callable[[Fraction], Fraction | int]) -> None:
    """Change a number; what is whole stays so."""
    own, key = place
    before = number_of(own[key])
    assert before is not None
    after = Fraction(change(before))
    own[key] = written(Fraction(round(after)) if before.denominator == 1 else after)


def _raised(lines: Lines, by: Forger) -> Lines:
    more = by.rng.choice([1, 1, 2, by.rng.randrange(1, 50)])
    times = by.rng.choice([1, 1, 2, 10, Fraction(1_000_001, 1_000_000)])
    put(by.one_of(numbers(lines)), lambda one: one * times + more * (times == 1))
    return lines


def _lowered(lines: Lines, by: Forger) -> Lines:
    part = by.rng.choice([0, Fraction(1, 2), Fraction(9, 10), 1, 1])
    put(by.one_of(numbers(lines)), lambda one: max(Fraction(0), one * part - (part == 1)))
    return lines


def _negative(lines: Lines, by: Forger) -> Lines:
    put(by.one_of(numbers(lines)), lambda one: -one or -1)
    return lines


def _exchanged(lines: Lines, by: Forger) -> Lines:
    places = numbers(lines)
    (own, key), (other, where) = by.one_of(places), by.one_of(places)
    own[key], other[where] = other[where], own[key]
    return lines


def _moved(lines: Lines, by: Forger) -> Lines:
    places = numbers(lines)
    (own, key), to = by.one_of(places), by.one_of(places)
    moved = number_of(own[key])
    assert moved is not None
    if not moved:
        raise NothingError
    put(to, lambda one: one + moved)
    own[key] = 0
    return lines


def _by_one(lines: Lines, by: Forger) -> Lines:
    places = [(own, key) for own, key in numbers(lines) if key in SCALARS]
    step = by.rng.choice([1, -1])
    put(by.one_of(places), lambda one: one + step)
    return lines


def _left_out(lines: Lines, by: Forger) -> Lines:
    some = by.one_of(lists(lines))
    some.pop(by.rng.randrange(len(some)))
    return lines


def _doubled(lines: Lines, by: Forger) -> Lines:
    some = by.one_of(lists(lines))
    some.insert(by.rng.randrange(len(some) + 1), json.loads(json.dumps(by.rng.choice(some))))
    return lines


def _reordered(lines: Lines, by: Forger) -> Lines:
    some = by.one_of(one for one in lists(lines) if len(one) > 1)
    by.rng.choice([some.reverse, lambda: by.rng.shuffle(some), lambda: some.append(some.pop(0))])()
    return lines


def _renamed(lines: Lines, by: Forger) -> Lines:
    places = [place for step in lines[1:] for place in inside(step)]
    own, key = by.one_of(
        (own, key)
        for own, key in places
        if own[key] in by.names or (isinstance(own, dict) and key in by.names)
    )
    name = by.one_of(by.names)
    if isinstance(own, dict) and key in by.names:
        own[name] = own.pop(key)
    else:
        own[key] = name
    return lines


def _without_key(lines: Lines, by: Forger) -> Lines:
    step = by.one_of(lines[1:])
    del step[by.one_of(key for key in step if key != "rule")]
    return lines


def _with_option(lines: Lines, by: Forger) -> Lines:
    key = by.rng.choice(["grain", "places", "from", "regions", "unit", "by"])
    some = [by.rng.choice(by.names) for _ in range(by.rng.randrange(3))] if by.names else []
    by.one_of(lines[1:])[key] = some if key == "regions" else by.rng.randrange(6)
    return lines


def _step_dropped(lines: Lines, by: Forger) -> Lines:
    lines.pop(by.rng.randrange(1, len(lines)))
    return lines


def _step_added(lines: Lines, by: Forger) -> Lines:
    more = _copied(by.one_of([*by.own, *by.others]))[1:]
    return [lines[0], *(more + lines[1:] if by.rng.random() < 0.5 else lines[1:] + more)]


def _other_rule(lines: Lines, by: Forger) -> Lines:
    by.one_of(lines[1:])["rule"] = by.one_of(by.rules)
    return lines


def _of_another(lines: Lines, by: Forger) -> Lines:
    other = _copied(by.one_of(by.others))
    return [{**other[0], "instance": lines[0]["instance"]}, *other[1:]]


def _other_digest(lines: Lines, by: Forger) -> Lines:
    return [{**lines[0], "instance": by.one_of(by.others)[0]["instance"]}, *lines[1:]]


def _claiming(lines: Lines, value: Fraction) -> Lines:
    side = next(iter(lines[0]["claim"]))
    return [{**lines[0], "claim": {side: str(value)}}, *lines[1:]]


def _claim_by_one(lines: Lines, by: Forger) -> Lines:
    value = Fraction(next(iter(lines[0]["claim"].values())))
    return _claiming(lines, by.rng.choice([value, by.best]) + by.side)


def _claim_by_little(lines: Lines, by: Forger) -> Lines:
    value = Fraction(next(iter(lines[0]["claim"].values())))
    start = by.rng.choice([value, by.best])
    # The maker may round by a millionth of a millionth part; more than that is beyond the proof.
    little = max(abs(start), Fraction(1)) / 10 ** by.rng.choice([1, 3, 6, 9])
    return _claiming(lines, start + by.side * little)


def _claim_rounded(lines: Lines, by: Forger) -> Lines:
    value = Fraction(next(iter(lines[0]["claim"].values())))
    unit = Fraction(1, 10 ** by.rng.choice([0, 0, 1, 3, 6]))
    return _claiming(lines, (floor if by.side < 0 else ceil)(value / unit) * unit)


def _other_side(lines: Lines, _: Forger) -> Lines:
    ((side, value),) = lines[0]["claim"].items()
    other = "at_most" if side == "at_least" else "at_least"
    return [{**lines[0], "claim": {other: value}}, *lines[1:]]


def _denominators(lines: Lines, by: Forger) -> Lines:
    if by.rng.random() < 0.4:
        times, some = by.rng.choice([2, 3, 7, Fraction(1, 2)]), by.one_of(lists(lines))
        for own, key in inside(some):
            if number_of(own[key]) is not None:
                put((own, key), lambda one: one * times)
        return lines
    own, key = by.one_of(numbers(lines))
    number = number_of(own[key])
    assert number is not None
    below = max(1, number.denominator + by.rng.choice([-1, 1, number.denominator]))
    own[key] = f"{number.numerator}/{below}"
    return lines


def _rounded(lines: Lines, by: Forger) -> Lines:
    unit, way = 10 ** by.rng.choice([0, 1, 3, 6]), by.rng.choice([floor, ceil])
    for own, key in numbers(lines):
        number = number_of(own[key])
        assert number is not None
        near = way(number * unit) if number.denominator > 1 else way(number / unit) * unit * unit
        own[key] = written(Fraction(near, unit))
    return lines


def _odd(lines: Lines, by: Forger) -> Lines:
    own, key = by.one_of(numbers(lines))
    own[key] = by.rng.choice(ODD)
    return lines


def _several(lines: Lines, by: Forger) -> Lines:
    for name in by.rng.sample(SINGLE, by.rng.choice([2, 2, 3, 4])):
        try:
            lines = FORGERIES[name](lines, by)
        except NothingError:
            continue
        if len(lines) == 1:
            break
    return lines


FORGERIES: dict[str, Forgery] = {
    "a number raised": _raised,
    "a number lowered": _lowered,
    "a number below 0": _negative,
    "two numbers exchanged": _exchanged,
    "a price moved to another place": _moved,
    "a parameter off by one": _by_one,
    "an entry left out": _left_out,
    "an entry doubled": _doubled,
    "entries in another order": _reordered,
    "another job or resource": _renamed,
    "a key left out": _without_key,
    "an option added": _with_option,
    "a step left out": _step_dropped,
    "a step added": _step_added,
    "another rule": _other_rule,
    "another instance's proof": _of_another,
    "another digest": _other_digest,
    "the claim raised by one": _claim_by_one,
    "the claim raised a little": _claim_by_little,
    "the claim rounded the wrong way": _claim_rounded,
    "the claim on the other side": _other_side,
    "other denominators": _denominators,
    "numbers rounded": _rounded,
    "no number": _odd,
    "several at once": _several,
}
"""By what is done."""

SINGLE = [name for name in FORGERIES if name != "several at once"]


HEADS = ("another digest", "the claim on the other side", "a step left out", "an option added")
"""Rules have nothing to do with these; there is one where there are four of the others."""


def forged(lines: Lines, by: Forger) -> tuple[str, Lines]:
    """Return a certificate forged in a way that is drawn, and which one that is."""
    names = [name for name in FORGERIES for _ in range(1 if name in HEADS else 4)]
    while True:
        name = by.rng.choice(names)
        try:
            made = FORGERIES[name](_copied(lines), by)
        except NothingError:
            continue
        if json.dumps(made) != json.dumps(lines):
            return name, made
