"""What may be asked for in words: contention models, policies, and the error for other words."""

from collections.abc import Sequence
from decimal import Decimal
from itertools import product
from typing import Any

from ...instances import RackLinks, ServerUplink, TraceInstance
from ...instances.errors import InputError, Problem, nearest
from ...instances.options import read_words, with_options
from ...instances.trace.instance import TraceContention
from ...methods import all_methods, find_method

COMMAND = "ringyard whatif"


def parts(option: str, words: str) -> list[str]:
    """Return what stands between commas, each once."""
    found = [word.strip() for word in words.split(",")]
    if not all(found):
        raise wrong(option, words, "names with commas between", "write something in each place")
    return list(dict.fromkeys(found))


def unknown(option: str, word: str, known: Sequence[str]) -> InputError:
    """Return the error for a name that there is not."""
    like = nearest(word, list(known))
    advice = f"did you mean {like!r}?" if like else "choose one of them"
    return wrong(option, word, "one of " + ", ".join(known), advice)


def wrong(option: str, found: Any, expected: str, advice: str) -> InputError:
    """Return the error for an option."""
    return InputError(COMMAND, [Problem(option, found, expected, advice)])


NONE, OWN = "none", "own"
PRESETS: dict[str, TraceContention] = {
    "uplink": ServerUplink(),
    "racks": RackLinks(oversubscription=Decimal(2)),
}
"""Models with what they are if nothing is said behind the colon."""

Networks = dict[str, TraceContention | None]


def networks_of(words: str, trace: TraceInstance) -> Networks:
    """Return the contention models that an option names."""
    return {word: _network(word, trace) for word in parts("--contention", words)}


def _network(word: str, trace: TraceInstance) -> TraceContention | None:
    name, *options = word.split(":")
    if name in (NONE, OWN):
        if options:
            raise wrong("--contention", word, f"{name} alone", "leave out the colon")
        return trace.contention if name == OWN else None
    if name not in PRESETS:
        raise unknown("--contention", name, [NONE, OWN, *PRESETS])
    where = f"--contention {name}"
    example = "share=0.5" if name == "uplink" else "oversubscription=4"
    return with_options(PRESETS[name], read_words(options, where, example), where)


USUAL = "usual"
"""The placement of a policy where none is asked for."""


def methods_of(policies: str, placements: str | None) -> dict[tuple[str, str], str]:
    """Return the name of a method for each policy and placement."""
    known = [method.name for method in all_methods("trace")]
    names = parts("--policies", policies)
    for name in names:
        if name.partition(":")[0] not in known:
            raise unknown("--policies", name.partition(":")[0], known)
    if placements is None:
        return {(name, USUAL): find_method(name, "trace").name for name in names}
    pairs = product(names, parts("--placements", placements))
    return {
        (name, place): find_method(f"{name}:placement={place}", "trace").name
        for name, place in pairs
    }
