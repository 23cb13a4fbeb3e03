"""Files of nouns: load a path, parse a text, validate an object, save a noun."""

import gzip
import os
from contextlib import suppress
from pathlib import Path
from secrets import token_hex
from typing import Any

from .coded import CodedInstance
from .coded_schedule import CodedPlan
from .decode import FAULTY, Decoder, TooManyError
from .encode import FORMAT, plain, to_text
from .errors import ABSENT, InputError, Problem, nearest, reason
from .fleet import FleetInstance
from .fleet_schedule import FleetLog
from .makespan import MakespanInstance
from .mend import beside, mended
from .online import OnlineInstance
from .online_schedule import OnlineSchedule
from .parse import parse_json, read_text
from .rental import RentalInstance
from .rental_schedule import RentalPlan
from .reserved import ReservedInstance
from .reserved_schedule import ReservedSchedule
from .schedule import Schedule
from .shape import Shape, one_of
from .shuffle import ShuffleInstance
from .shuffle_schedule import ShufflePlan
from .trace import TraceInstance
from .trace_schedule import TraceSchedule
from .transfers import TransfersInstance
from .transfers_schedule import TransferPlan

Instance = (
    MakespanInstance
    | OnlineInstance
    | ReservedInstance
    | TraceInstance
    | RentalInstance
    | FleetInstance
    | CodedInstance
    | ShuffleInstance
    | TransfersInstance
)
AnySchedule = (
    Schedule
    | OnlineSchedule
    | ReservedSchedule
    | TraceSchedule
    | RentalPlan
    | FleetLog
    | CodedPlan
    | ShufflePlan
    | TransferPlan
)

INSTANCES: dict[str, Any] = {
    "makespan": MakespanInstance,
    "online": OnlineInstance,
    "reserved": ReservedInstance,
    "trace": TraceInstance,
    "rental": RentalInstance,
    "fleet": FleetInstance,
    "coded": CodedInstance,
    "shuffle": ShuffleInstance,
    "transfers": TransfersInstance,
}
"""Instance nouns by the `kind` their files carry: one for each problem family."""

SCHEDULES: dict[str, Any] = {
    "makespan-schedule": Schedule,
    "online-schedule": OnlineSchedule,
    "reserved-schedule": ReservedSchedule,
    "trace-schedule": TraceSchedule,
    "rental-schedule": RentalPlan,
    "fleet-schedule": FleetLog,
    "coded-schedule": CodedPlan,
    "shuffle-schedule": ShufflePlan,
    "transfers-schedule": TransferPlan,
}
"""Schedule nouns by the `kind` their files carry."""


def load_instance(path: str | Path) -> Instance:
    """Read an instance file; raise `InputError` with all its problems."""
    noun: Instance = parse(read_text(Path(path)), INSTANCES, str(path))
    return noun


def load_schedule(path: str | Path) -> AnySchedule:
    """Read a schedule file; raise `InputError` with all its problems."""
    noun: AnySchedule = parse(read_text(Path(path)), SCHEDULES, str(path))
    return noun


def parse(text: str, kinds: dict[str, Any], source: str = "text") -> Any:
    """Turn the text of a file into a noun of one of `kinds`."""
    return decode(parse_json(text, source), kinds, source)


def decode(value: Any, kinds: dict[str, Any], source: str) -> Any:
    """Turn plain values into a noun of one of `kinds`."""
    if not isinstance(value, dict):
        expected = 'an object with "format" and "kind"'
        problem = Problem("file", value, expected, "put the fields in { }")
        raise InputError(source, [problem])
    decoder = Decoder()
    noun: Any = FAULTY
    with suppress(TooManyError):
        noun = _whole(value, kinds, decoder)
    if decoder.problems:
        raise InputError(source, decoder.problems, decoder.more)
    return noun


def _whole(value: dict[str, Any], kinds: dict[str, Any], decoder: Decoder) -> Any:
    """Decode the object of a file, head and body."""
    decoder.repeats(value, "")
    _check_format(value.get("format", ABSENT), decoder)
    kind = _kind(value.get("kind", ABSENT), kinds, decoder)
    if kind is None:
        return FAULTY
    body = {**value, "kind": kind}
    body.pop("format", None)
    noun = decoder.value(Shape("object", noun=kinds[kind]), body, "")
    _check_across(noun, kinds[kind], body, decoder)
    return noun


def _check_format(found: Any, decoder: Decoder) -> None:
    if found == FORMAT:
        return
    advice = f'write "format": "{FORMAT}"'
    if isinstance(found, str) and found.startswith("ringyard/"):
        advice = "use the version of Ringyard that wrote it"
    decoder.fault("format", found, repr(FORMAT), advice)


def _kind(found: Any, kinds: dict[str, Any], decoder: Decoder) -> str | None:
    """Return the kind of a file or, after noting the fault, the kind that seems meant."""
    if isinstance(found, str) and found in kinds:
        return found
    other = "a schedule" if found in list(SCHEDULES) else "an instance"
    if found in [*INSTANCES, *SCHEDULES]:
        decoder.fault("kind", found, one_of(tuple(kinds)), f"this is {other}: name another file")
        return None
    like = nearest(found, list(kinds)) if isinstance(found, str) else None
    meant = like or (next(iter(kinds)) if len(kinds) == 1 else None)
    advice = f'write "kind": "{meant}"' if meant else "write one of them"
    decoder.fault(
        "kind", found, one_of(tuple(kinds)), f"did you mean {like!r}?" if like else advice
    )
    return meant


def _check_across(noun: Any, home: Any, body: dict[str, Any], decoder: Decoder) -> None:
    """Note what shows only when fields are seen together, as far as they can be seen."""
    if not hasattr(home, "problems"):
        return
    known = list(decoder.problems)
    if noun is FAULTY:
        noun = Decoder().value(Shape("object", noun=home), mended(body, home.ABOUT, known), "")
    if noun is not FAULTY:
        for problem in beside(noun.problems(), known):
            decoder.note(problem)


def validate(noun: Any) -> None:
    """Hold a noun made in Python against the rules of files; raise `InputError` if it fails."""
    kinds = {**INSTANCES, **SCHEDULES}
    decode({"format": FORMAT, **plain(noun)}, kinds, type(noun).__name__)


def save(noun: Any, path: str | Path, *, sync: bool = False) -> None:
    """Write a noun to a file, compressed if its name ends in .gz; all of it or nothing."""
    validate(noun)
    target = Path(path)
    data = to_text(noun).encode()
    if target.suffix == ".gz":
        data = gzip.compress(data, mtime=0)
    write_whole(target, data, sync=sync)


def write_whole(target: Path, data: bytes, *, sync: bool = False) -> None:
    """Write a file so that a reader sees the old content or the new one, never a part.

    With `sync` it also survives a loss of power.
    """
    try:
        draft = target.with_name(f".{target.name}.{token_hex(4)}.draft")
        try:
            draft.write_bytes(data)
            if sync:
                with draft.open("rb") as file:
                    os.fsync(file.fileno())
            draft.replace(target)
            if sync:
                sync_folder(target.parent)
        except OSError:
            with suppress(OSError):
                draft.unlink()
            raise
    except (OSError, ValueError) as error:
        problem = Problem("file", reason(error), "a writable place", "choose another path")
        raise InputError(str(target), [problem]) from None


def sync_folder(folder: Path) -> None:
    """Make the names of new files safe too."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
