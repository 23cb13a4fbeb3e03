"""Contention models to ask about, by short names with options behind a colon."""

from decimal import Decimal

from ...instances import RackLinks, ServerUplink, TraceInstance
from ...instances.options import read_words, with_options
from ...instances.trace.instance import TraceContention
from .asked import parts, unknown, wrong

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
