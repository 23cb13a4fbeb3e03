"""Broken files of every sort, which must be read to something sound or refused in clear words.

Of `torture.py`. Index by index: an instance of any family, a schedule, a campaign file, the journal
of a campaign, a foreign log.
"""

import json
from functools import cache
from pathlib import Path
from random import Random
from tempfile import mkdtemp
from typing import Any

from campaigns.runs_at_hand import Here, made_up, some_runs
from foreign_texts import TEXTS, THROUGHPUTS
from fuzz.mutate import SEEDS, mutants
from fuzz.test_fuzz import check_error, read

from ringyard.analysis.check import check
from ringyard.campaigns.drive import drive
from ringyard.campaigns.plan import read_plan
from ringyard.campaigns.store import existing, prepared, to_lines
from ringyard.families import FAMILIES
from ringyard.instances import Instance, RingyardError, load_instance, load_schedule
from ringyard.instances.errors import InputError
from ringyard.instances.importers import ImportChoices, read_trace
from ringyard.instances.reading.encode import FORMAT, dump, plain, to_text
from ringyard.methods import all_methods
from ringyard.run import solve

CAMPAIGN = """format = "ringyard-campaign/1"
name = "broken"
instances = ["hand-lpt", "small-06x3"]
methods = ["sjf-bco:kappa=4", "random", "bound"]
seeds = 2
time_limit = 5
"""

PARTS = """format = "ringyard-campaign/1"
name = "broken"
[[parts]]
methods = ["sjf-bco", "random"]
gap_limit = 0.5
[[parts.generate]]
family = "small"
set = ["jobs=3"]
seeds = 2
[[parts]]
instances = ["hand-lpt"]
methods = ["bound"]
"""

SEED_INDEX = 7
"""Number of the instance of each family that files are made of."""


def one(index: int) -> dict[str, Any]:
    """Read a broken file by its number; return what came of it as a row."""
    sort = ("instance", "schedule", "campaign", "journal", "log")[index % 5]
    rng = Random(f"mutant/{index}")
    try:
        sound = globals()[f"_{sort}"](rng, index)
    except InputError as error:
        check_error(error)
        sound = False
    except RingyardError:  # What is asked for in a sound file is missing, or contradicts itself.
        sound = False
    return {"what": f"{sort} {'sound' if sound else 'refused'}", "fault": None}


def _instance(rng: Random, index: int) -> bool:
    return read(load_instance, _file(_mutant(_instances(), rng, index), "mutant.json"))


def _schedule(rng: Random, index: int) -> bool:
    """Read a schedule; check it against an instance of its kind if it is sound."""
    kind, seeds = rng.choice(list(_schedules().items()))
    path = _file(_mutant(seeds, rng, index), "mutant.json")
    if not read(load_schedule, path):
        return False
    schedule = load_schedule(path)
    if schedule.kind == f"{kind}-schedule":
        check(_known(kind), schedule)
    return True


def _campaign(rng: Random, index: int) -> bool:
    texts = [text.encode() for text in (CAMPAIGN, PARTS)]
    return bool(read_plan(_file(_mutant(texts, rng, index), "mutant.toml")).runs)


def _journal(rng: Random, index: int) -> bool:
    """Read a journal of three rows, of which one is broken."""
    rows = list(_rows())
    at = rng.randrange(len(rows))
    rows[at] = _mutant(rows[at : at + 1], rng, index)
    path = _file(b"\n".join(rows) + b"\n", "journal/1-a.jsonl")
    return bool(to_lines(existing(path.parents[1]).rows()))


@cache
def _rows() -> tuple[bytes, ...]:
    """Return rows as a campaign writes them."""
    made = _folder() / "made"
    drive(prepared(made), some_runs(3), Here(made_up), lambda _: None)
    return tuple(next((made / "journal").glob("*.jsonl")).read_bytes().splitlines())


def _log(rng: Random, index: int) -> bool:
    form = rng.choice(list(TEXTS))
    path = _file(_mutant([TEXTS[form].encode()], rng, index), "mutant.log")
    beside = {"throughputs": _file(THROUGHPUTS.encode(), "t.json")} if form == "gavel" else {}
    made = read_trace(form, path, ImportChoices(name="log"), servers="4x8", **beside)
    return read(load_instance, _file(to_text(made.instance).encode(), "log.json"))


def _mutant(seeds: list[bytes], rng: Random, index: int) -> bytes:
    return next(mutants([rng.choice(seeds)], 1, index))


@cache
def _folder() -> Path:
    made = Path(mkdtemp(prefix="ringyard-mutants-"))
    (made / "journal").mkdir()
    return made


def _file(content: bytes, name: str) -> Path:
    path = _folder() / name
    path.write_bytes(content)
    return path


@cache
def _known(kind: str) -> Instance:
    return FAMILIES[kind].drawn(0, SEED_INDEX)


@cache
def _instances() -> list[bytes]:
    """Return a file of each family with every field in it, and those of the tests."""
    made = [dump({"format": FORMAT, **plain(_known(kind))}).encode() for kind in FAMILIES]
    return [*made, *(text for name, text in SEEDS.items() if "schedule" not in name)]


@cache
def _schedules() -> dict[str, list[bytes]]:
    """Return what a policy makes of an instance of each family, with every field in it."""
    made: dict[str, list[bytes]] = {}
    for method in all_methods():
        if method.family not in made and method.kind == "policy":
            found = solve(_known(method.family), method.name).schedule
            if found is not None:
                text = dump({"format": FORMAT, **plain(found)})
                made[method.family] = [text.encode(), to_text(found).encode()]
    for name, text in SEEDS.items():
        if "schedule" in name:
            made[json.loads(text)["kind"].removesuffix("-schedule")].append(text)
    return made
