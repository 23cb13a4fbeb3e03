"""The cluster of a trace: as text, or from cluster files."""

import re
from dataclasses import replace
from pathlib import Path

from ..errors import InputError, Words
from ..reading.decode import parse_json, read_text
from ..trace import RackServer
from .lines import EMPTY, LineLayout, table
from .reading import Cells, Reading, Record, collecting

WORDS = re.compile(
    r"([1-9]\d{0,5})x([1-9]\d{0,5})(?::([\w.-]{1,100}))?(?:@([\w.-]{1,100}))?", re.ASCII
)
SWITCHES = LineLayout(needed=("num_switch", "num_node_p_switch", "num_gpu_p_node"), headless=False)
MACHINES = LineLayout(needed=("machineId", "number of GPUs"), headless=False)
GAVEL_KINDS = ("v100", "p100", "k80")
"""Types of GPUs in Gavel's cluster files, in their order."""

MANY = 100_000
"""Most servers of a cluster given as text."""


def in_words(words: str) -> tuple[RackServer, ...]:
    """Return the servers of a text such as 15x4 or 10x8,2x4: servers times GPUs.

    The kind of the GPUs may follow, and then the region of the servers: 10x8:v100@east,2x4:k80.
    """
    found = [WORDS.fullmatch(word.strip()) for word in words.split(",")]
    parts = [(int(part[1]), int(part[2]), part[3], part[4]) for part in found if part]
    if all(found) and sum(count for count, *_ in parts) <= MANY:
        each = ((g, gpu, region) for count, g, gpu, region in parts for _ in range(count))
        return tuple(
            RackServer(name=f"s{i}", gpus=gpus, gpu=gpu, region=region)
            for i, (gpus, gpu, region) in enumerate(each)
        )
    expected = (
        f"servers times GPUs, such as 15x4, 10x8,2x4 or 10x8:v100,2x4:k80, at most {MANY:,} servers"
    )
    raise InputError.of("ringyard import", "--servers", words, expected, "write it in this form")


def in_racks(servers: tuple[RackServer, ...], racks: int) -> tuple[RackServer, ...]:
    """Distribute servers, in order, evenly over racks."""
    if not 1 <= racks <= len(servers):
        expected = f"from 1 to {len(servers)}, the number of servers"
        raise InputError.of("ringyard import", "--racks", racks, expected, "give another number")
    rack = [i * racks // len(servers) for i in range(len(servers))]
    return tuple(replace(s, rack=f"r{r}") for s, r in zip(servers, rack, strict=True))


def from_file(path: Path) -> tuple[RackServer, ...]:
    """Read a cluster file of Tiresias (CSV), Philly (CSV) or Gavel (JSON)."""
    text, name = read_text(path), str(path)
    with collecting(name) as reading:
        if text.lstrip()[:1] in ("{", "["):
            servers = _gavel(parse_json(text, name), reading)
        elif MACHINES.needed[0] in text.lstrip().partition("\n")[0]:
            servers = tuple(reading.each(table(text, MACHINES, reading), _machine))
        else:
            servers = _switches(text, reading)
        if not servers and not reading.problems:
            reading.reject("file", EMPTY, "at least one server", "complete it")
    return servers


def _switches(text: str, reading: Reading) -> tuple[RackServer, ...]:
    """Read the nodes per switch and the GPUs per node. Each switch becomes a rack."""
    servers: list[RackServer] = []
    racks = 0
    for switches, nodes, gpus in reading.each(table(text, SWITCHES, reading), _sizes):
        servers += [
            RackServer(name=f"s{len(servers) + i}", gpus=gpus, rack=f"r{racks + i // nodes}")
            for i in range(switches * nodes)
        ]
        racks += switches
    return tuple(servers)


def _sizes(_: Record, cells: Cells) -> tuple[int, int, int]:
    """Return the number of switches, of nodes per switch, and of GPUs per node."""
    switches, nodes, gpus = (_size(cells, column) for column in SWITCHES.needed)
    if switches * nodes > MANY:
        found = Words(f"{switches * nodes:,} servers")
        cells.reading.reject("", found, f"at most {MANY:,}", "lower them")
    return switches, nodes, gpus


def _machine(_: Record, cells: Cells) -> RackServer:
    """Return a machine and its GPUs."""
    name, gpus = MACHINES.needed
    return RackServer(name=cells.needed(name), gpus=_size(cells, gpus))


def _size(cells: Cells, column: str) -> int:
    """Return a number of at least 1, or 0 after reporting a problem."""
    value = cells.whole(column)
    if not value and cells.cells[column]:
        cells.reject(column, "an integer of at least 1", "raise it")
    elif value is None:
        cells.reject(column, "an integer of at least 1", "write one", Words("an empty cell"))
    return value or 0


def _gavel(value: object, reading: Reading) -> tuple[RackServer, ...]:
    """Read {"name": ["V100s:P100s:K80s"]}. The kind is left out if there is only one."""
    sizes: list[int] = []
    lists = list(value.values()) if isinstance(value, dict) else []
    if len(lists) == 1 and isinstance(lists[0], list) and len(lists[0]) == 1:
        words = str(lists[0][0]).split(":")
        if all(re.fullmatch(r"\d{1,6}", word, re.ASCII) for word in words):
            sizes = [int(word) for word in words]
    one = sum(map(bool, sizes)) == 1
    if not 0 < sum(sizes) <= MANY or not (one or len(sizes) == len(GAVEL_KINDS)):
        expected = 'one cluster by type of GPU, such as {"philly": ["500:0:0"]}'
        reading.reject("file", value, expected, "give --servers instead")
        return ()
    kinds = [None] * len(sizes) if one else GAVEL_KINDS
    each = [kind for kind, size in zip(kinds, sizes, strict=True) for _ in range(size)]
    return tuple(RackServer(name=f"s{i}", gpus=1, gpu=kind) for i, kind in enumerate(each))
