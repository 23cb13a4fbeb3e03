"""Outages in words of options: none, own, or random ones such as mtbf=30d,repair=4h,draws=5."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from ...analysis.intervals import FEWEST
from ...instances import TraceInstance
from ...instances.arguments import seed_problems
from ...instances.errors import ABSENT, plural, raise_any
from ...instances.lengths import length_of
from ...instances.trace import MOST_TICKS, Outage
from ...instances.trace.outages import MOST_OUTAGES, expected_outages, with_outages
from ...methods import find_method
from .clusters import COMMAND, OWN, ClusterSize, not_known, words_of, wrong

OPTION, CHECKPOINT = "--outages", "--checkpoint"
NONE = "none"
REPAIR_S = Decimal(14_400)
"""The usual mean time of a repair, as in generated traces."""
MOST_DRAWS = 100
RANDOM = ("mtbf", "repair", "announced", "seed", "draws")
"""The parts of a description of random outages."""
EXAMPLE = "mtbf=30d,repair=4h"


@dataclass(frozen=True, slots=True, kw_only=True)
class Failures:
    """Random outages: times in service and in repair are exponential, for each server on its own.

    Draw k has the seed `seed + k`.
    """

    mtbf_s: Decimal
    repair_s: Decimal = REPAIR_S
    announced: bool = False
    seed: int = 0
    draws: int = 1

    def draw(self, name: str, instance: TraceInstance, k: int) -> TraceInstance:
        """Return the instance with the outages of a draw. Raise `InputError` for too many."""
        means = float(self.mtbf_s), float(self.repair_s)
        count = self.draws * expected_outages(instance, *means)
        if count > MOST_OUTAGES:
            expected = f"at most {MOST_OUTAGES:,} outages, but about {count:,.0f} would happen"
            raise wrong(OPTION, name, expected, "lengthen mtbf, or take fewer draws or jobs")
        return with_outages(instance, self.seed + k, *means, 1.0 if self.announced else 0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class OutageCase:
    """A value of the axis `outages`: no outages, the outages of the trace, or random outages."""

    name: str
    failures: Failures | None = None
    checkpoint_s: Decimal | None = None

    def happens(self, trace: TraceInstance) -> bool:
        """Return True if there may be outages."""
        return self.failures is not None or (self.name == OWN and bool(trace.outages))

    def drawn(self, instance: TraceInstance) -> Iterator[tuple[str, TraceInstance]]:
        """Yield the instance with the outages of each draw, and the draw in words."""
        if self.name == NONE:
            yield NONE, replace(instance, outages=())
            return
        if self.checkpoint_s is not None:
            instance = replace(instance, checkpoint_s=self.checkpoint_s)
        if self.failures is None:
            yield self.name if instance.outages else "", instance
            return
        for k in range(self.failures.draws):
            more = f" ({k + 1} of {self.failures.draws} draws)" * (self.failures.draws > 1)
            yield self.name + more, self.failures.draw(self.name, instance, k)


def compared(words: str | None) -> str | None:
    """Return the option with `none` first if it names only one value, so that there is a before."""
    if words is None or len(found := _split(words)) > 1 or found[0] == [NONE]:
        return words
    return f"{NONE},{words}"


def outages_of(words: str | None, checkpoint: str | None, trace: TraceInstance) -> list[OutageCase]:
    """Return the values that the options name. Without any, it is that of the trace."""
    described = [[OWN]] if words is None else _split(words)
    found: dict[str, OutageCase] = {}
    for one in described:
        name = ",".join(one)
        if one == [OWN] and words is not None and not trace.outages:
            expected = "none or random outages, because the trace has none of its own"
            raise wrong(OPTION, OWN, expected, f"write {EXAMPLE}, for example")
        failures = None if one in ([NONE], [OWN]) else _failures(one, trace)
        found[name] = OutageCase(name=name, failures=failures)
    if checkpoint is None:
        return list(found.values())
    if not trace.outages and not any(one.failures for one in found.values()):
        expected = "outages as well, because only they cost work since a checkpoint"
        raise wrong(CHECKPOINT, checkpoint, expected, f"add {OPTION} {EXAMPLE}")
    saved = _time(CHECKPOINT, checkpoint, trace)
    if saved % trace.tick_s:
        expected = f"a multiple of the tick, {trace.tick_s} s"
        raise wrong(CHECKPOINT, checkpoint, expected, "round it")
    return [replace(one, checkpoint_s=saved) for one in found.values()]


def _split(words: str) -> list[list[str]]:
    """Return the words of each value: a part of random outages that comes again begins another."""
    found: list[dict[str, str]] = []
    for word in words_of(OPTION, words):
        key = word.partition("=")[0]
        if key not in (NONE, OWN, *RANDOM):
            raise not_known(OPTION, key, [NONE, OWN, *RANDOM])
        alone = not found or key not in RANDOM or next(iter(found[-1])) not in RANDOM
        if alone or key in found[-1]:
            found.append({})
        found[-1][key] = word
    return [list(one.values()) for one in found]


def _failures(words: list[str], trace: TraceInstance) -> Failures:
    """Return random outages from their description."""
    given = dict(word.partition("=")[::2] for word in words)
    if "mtbf" not in given:
        raise wrong(f"{OPTION} mtbf", ABSENT, "the mean time between failures", "add mtbf=30d")
    found: dict[str, Any] = {}
    for key in ("mtbf", "repair"):
        if key in given:
            found[f"{key}_s"] = _time(f"{OPTION} {key}", given[key], trace)
    if "announced" in words:
        found["announced"] = True
    elif "announced" in given:
        text = f"announced={given['announced']}"
        raise wrong(OPTION, text, "announced alone", "drop the value, or the word")
    if "seed" in given:
        place = f"{OPTION} seed"
        found["seed"] = _whole(place, given["seed"])
        raise_any(COMMAND, seed_problems(found["seed"] + MOST_DRAWS, place))
    if "draws" in given:
        found["draws"] = _whole(f"{OPTION} draws", given["draws"], 1, MOST_DRAWS)
    made = Failures(**found)
    if made.mtbf_s < made.repair_s:
        expected = f"at least the mean time of a repair, {given.get('repair', '4h')}"
        advice = "lengthen mtbf or shorten repair"
        raise wrong(f"{OPTION} mtbf", given["mtbf"], expected, advice)
    return made


def _time(place: str, text: str, trace: TraceInstance) -> Decimal:
    """Return a time of at least a tick in seconds."""
    found, most = length_of(text), MOST_TICKS * trace.tick_s
    if found is None:
        raise wrong(place, text, "a time such as 30d, 12h or 90min", "write it so")
    if not trace.tick_s <= found.seconds <= most:
        expected = f"a time from a tick, {trace.tick_s} s, to {most:,f} s"
        advice = "shorten it" if found.seconds > most else "lengthen it"
        raise wrong(place, text, expected, advice)
    return found.seconds


def _whole(place: str, text: str, least: int = 0, most: int | None = None) -> int:
    """Return a whole number within limits."""
    number = int(text) if text.isdecimal() and len(text) < 20 else -1
    if number < least or (most is not None and number > most):
        expected = "a whole number" if most is None else f"a whole number from {least} to {most}"
        raise wrong(place, text, expected, "write one, as in seed=1 or draws=5")
    return number


def refuse_clusters(
    cases: list[OutageCase], clusters: list[ClusterSize], trace: TraceInstance
) -> None:
    """Raise an error for clusters of other servers than those that the trace's outages name."""
    for cluster in clusters if trace.outages and any(case.name == OWN for case in cases) else ():
        if not cluster.own:
            expected = (
                f"{OWN}, with more or fewer servers, because the outages of the trace are those "
                "of its servers"
            )
            advice = f"give {OPTION} {EXAMPLE} or {OPTION} {NONE} for other clusters"
            raise wrong("--clusters", cluster.name, expected, advice)


def refuse_methods(
    cases: list[OutageCase], methods: dict[tuple[str, str], str], trace: TraceInstance
) -> None:
    """Raise an error for a policy that serves the trace only without outages."""
    if not any(case.happens(trace) for case in cases):
        return
    soon = Outage(server=trace.servers[0].name, from_s=Decimal(0), until_s=trace.tick_s)
    example, without = (replace(trace, outages=some) for some in ((soon,), ()))
    for (policy, _), name in methods.items():
        method = find_method(name, trace.kind)
        if method.refuses(example) and not method.refuses(without):
            expected = f"policies that follow outages, for {OPTION}: srsf, las or backfill do"
            advice = f"choose one of them, or give {OPTION} {NONE}"
            raise wrong("--policies", policy, expected, advice)


def remarks_on(
    cases: list[OutageCase], clusters: list[ClusterSize], trace: TraceInstance
) -> Iterator[str]:
    """Yield what users should know about the outages."""
    out = [case for case in cases if case.happens(trace)]
    if out and trace.checkpoint_s is None and out[0].checkpoint_s is None:
        yield (
            "the trace has no checkpoint_s, so an outage stops jobs, but they lose no work. Add "
            f"{CHECKPOINT} 30m, for example."
        )
    few = [case for case in out if case.failures and case.failures.draws < FEWEST]
    if few:
        draws = plural(min(case.failures.draws for case in few if case.failures), "draw")
        yield f"{draws} of random outages may be chance. Add draws=5 for means with intervals."
    names = {server.name for server in trace.servers}
    more = any(server.name not in names for one in clusters for server in one.servers)
    if more and any(case.name == OWN for case in out):
        yield ADDED


ADDED = f"added servers never fail, because {OPTION} {OWN} has only those of the trace's servers."
