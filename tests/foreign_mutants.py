"""Small logs of every format, with the jobs that stand in them, and ways to break them.

A broken log tells which of its jobs stand in lines that were changed: all others must come out.
"""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from random import Random

FORMATS = (
    *("philly", "helios", "pai", "tiresias", "muri", "chronus"),
    *("gavel", "shockwave", "sacct", "csv"),
)
"""What `small_log` writes; shockwave's is read as gavel's."""

START = datetime(2024, 2, 28, 23, 0, tzinfo=UTC).timestamp()
RATE = 5
"""Steps a second, in what Gavel measured."""


@dataclass(frozen=True, kw_only=True)
class Log:
    """A log: its format, lines, and in which of them each job stands, with GPUs and seconds."""

    format: str
    lines: tuple[str, ...]
    jobs: dict[str, tuple[int, int]]
    places: dict[str, tuple[int, ...]]
    header: bool
    ends: str = "\n"
    encoding: str = "utf-8"
    done: tuple[str, ...] = ()
    """What was done to it."""
    sound: frozenset[int] | None = None
    """The lines that still say what they said; None if all may have been changed."""

    @property
    def data(self) -> bytes:
        """The bytes of the file."""
        text = self.ends.join(self.lines)
        try:
            return text.encode(self.encoding, "surrogateescape")
        except UnicodeEncodeError:
            return text.encode("utf-8", "surrogateescape")

    @property
    def expected(self) -> dict[str, tuple[int, int]]:
        """The jobs that must come out."""
        kept = self.sound or frozenset()
        return {name: job for name, job in self.jobs.items() if kept.issuperset(self.places[name])}


def when(seconds: float, mark: str = "T") -> str:
    return datetime.fromtimestamp(START + seconds, UTC).strftime(f"%Y-%m-%d{mark}%H:%M:%S")


def small_log(kind: str, rng: Random) -> Log:
    """Write a log of a few jobs."""
    header, line = HEADERS.get(kind, ""), LINES[kind]
    lines = [header] if header else []
    if kind == "philly":
        lines = ["["]
    jobs: dict[str, tuple[int, int]] = {}
    places: dict[str, tuple[int, ...]] = {}
    for i in range(rng.randint(5, 9)):
        name = str(i) if kind in ("gavel", "shockwave") else f"{1000 + i}"
        jobs[name] = gpus, seconds = rng.choice((1, 2, 4, 8)), rng.randint(1, 90) * 60
        parts = [seconds]
        if kind == "sacct" and seconds > 60 and rng.random() < 0.3:
            parts = [60, seconds - 60]
        text = [line(name, i * 300 + k, gpus, p, k + 1 == len(parts)) for k, p in enumerate(parts)]
        places[name] = tuple(range(len(lines), len(lines) + len(text)))
        lines += text
        if kind == "sacct" and rng.random() < 0.5:
            lines.append(line(f"{name}.batch", i * 300, gpus, seconds, True))
    if kind == "philly":
        lines[-1] = lines[-1].rstrip(",")
        lines.append("]")
    return Log(
        format="gavel" if kind == "shockwave" else kind,
        lines=tuple(lines),
        jobs=jobs,
        places=places,
        header=bool(header),
        sound=frozenset(range(len(lines))),
    )


HEADERS = {
    "helios": "job_id,user,vc,gpu_num,state,submit_time,duration,queue",
    "pai": "job_id,num_inst,user,submit_time,num_gpu,duration",
    "tiresias": "job_id,num_gpu,submit_time,iterations,model_name,duration,interval",
    "muri": "job_id,num_gpu,submit_time,model_name,duration,resource_time_0,priority",
    "chronus": "job_id,user,num_gpu,submit_time,model_name,duration,expect_time_list",
    "sacct": "JobID|JobName|Partition|Submit|Start|Elapsed|State|AllocTRES|ReqTRES",
    "csv": "job_id,arrival_s,gpus,duration_s,model,speeds,curve,skew",
}


def _philly(name: str, at: int, gpus: int, seconds: int, last: bool) -> str:
    names = [f"gpu{k}" for k in range(gpus)]
    run = {
        "start_time": when(at + 5, " "),
        "end_time": when(at + 5 + seconds, " "),
        "detail": [{"ip": "m1", "gpus": names}],
    }
    job = {"status": "Pass", "vc": "v", "jobid": name, "attempts": [run], "user": "u"}
    return json.dumps(job | {"submitted_time": when(at, " ")}) + ","


def _sacct(name: str, at: int, gpus: int, seconds: int, last: bool) -> str:
    elapsed = f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
    state = "COMPLETED" if last else "NODE_FAIL"
    tres = f"cpu=8,gres/gpu:a100={gpus},gres/gpu={gpus},node=1"
    cells = (name, "train", "gpu", when(at), when(at + 5), elapsed, state, tres, tres)
    return "|".join(cells)


def _gavel(name: str, at: int, gpus: int, seconds: int, last: bool) -> str:
    steps = str(seconds * RATE)
    cells = ("LM", "python3 main.py", "lm", "--steps", "1", steps, str(gpus), "1", "-1", str(at))
    return "\t".join(cells)


def _shockwave(name: str, at: int, gpus: int, seconds: int, last: bool) -> str:
    head = ("LM", "python3 main.py", "lm", "--steps", "1", "900", str(gpus), "static", "1", "-1")
    return "\t".join((*head, str(seconds), str(at)))


LINES: dict[str, Callable[[str, int, int, int, bool], str]] = {
    "philly": _philly,
    "helios": lambda n, at, g, s, _: f"{n},u,v,{g},COMPLETED,{when(at, ' ')},{s},0",
    "pai": lambda n, at, g, s, _: f"{n},1,u,{at},{g},{s}",
    "tiresias": lambda n, at, g, s, _: f"{n},{g},{at},{s},vgg19,{s},0",
    "muri": lambda n, at, g, s, _: f"{n},{g},{at}000,vgg19,{s}000,82,1",
    "chronus": lambda n, at, g, s, _: f"{n},v,{g},{at // 60},vgg19,{s // 60},14",
    "gavel": _gavel,
    "shockwave": _shockwave,
    "sacct": _sacct,
    "csv": lambda n, at, g, s, _: f'{n},{at},{g},{s},"VGG, 19",,,',
}
THROUGHPUTS = json.dumps({"v100": {f"('LM', {g})": {"null": RATE} for g in (1, 2, 4, 8)}})

SEPARATORS = {"gavel": "\t", "sacct": "|"}
VALUES = (
    *("", " ", "None", "Unknown", "INVALID", "nan", "inf", "-1", "0", "-0", "+1", "0.1", "2.5"),
    *("1e999", "9" * 40, "1e12", "1e-40", "0x10", "1_0", "²", "٣", "1,5", "1e999999999"),
    *("\0", "\x1b[31m", "é", "机", "\ufeff", "\u2028", "\x85", "\x1c", "\udcff", "a" * 300),
    *("true", "null", "{}", "[]", '"', '""', "'", "\\", 'say "x"', "a|b", "a||b", "a;b", "\t"),
    *("2024-13-45", "1970-01-01T00:00:00", "9999-12-31T23:59:59", "0001-01-01", "1709280000"),
    *("99999-00:00:00", "-01:00:00", "CANCELLED by 1", "RUNNING", "REQUEUED", "=1+1", "%s"),
    *("gres/gpu=", "gres/gpu=1e9", "gres/gpu=-1", "gres/gpu:a100_1g.10gb=3", "gres/gpu=999999999"),
    *("2=0;2=0", "1;;;", "8=", "header", "job_id", "JobID"),
)
"""What is put into cells."""


def cells_changed(log: Log, rng: Random) -> Log:
    """Empty, overwrite, swap, double or drop cells of a line."""
    i = rng.randrange(log.header, len(log.lines))
    mark = SEPARATORS.get(log.format, ": " if log.format == "philly" else ",")
    cells = log.lines[i].split(mark)
    for _ in range(rng.choice((1, 1, 2, 4))):
        k, other = rng.randrange(len(cells)), rng.randrange(len(cells))
        change = rng.choice(("set", "set", "set", "swap", "double", "drop"))
        if change == "set":
            cells[k] = rng.choice(VALUES)
        elif change == "swap":
            cells[k], cells[other] = cells[other], cells[k]
        elif change == "double":
            cells.insert(k, cells[other])
        elif len(cells) > 1:
            del cells[k]
    return _with(log, {i: mark.join(cells)})


def line_cut(log: Log, rng: Random) -> Log:
    """Cut a piece out of a line, or put one in."""
    i = rng.randrange(log.header, len(log.lines))
    text = log.lines[i]
    a, b = sorted(rng.randrange(len(text) + 1) for _ in range(2))
    piece = rng.choice(("", "", text[a:b] * 2, rng.choice(VALUES)))
    return _with(log, {i: rng.choice((text[:a] + piece + text[b:], text[:a]))})


def lines_moved(log: Log, rng: Random) -> Log:
    """Swap two lines, write one twice, or drop one."""
    lines = list(log.lines)
    i, k = rng.randrange(len(lines)), rng.randrange(len(lines))
    change = rng.choice(("swap", "twice", "drop"))
    if change == "swap":
        lines[i], lines[k] = lines[k], lines[i]
    elif change == "twice":
        lines.insert(k, lines[i])
    else:
        del lines[i]
    return replace(log, lines=tuple(lines), sound=None)


def lines_joined(log: Log, rng: Random) -> Log:
    """Put line ends where none belong, or none where one does."""
    i = rng.randrange(len(log.lines))
    text = log.lines[i]
    a = rng.randrange(len(text) + 1)
    end = rng.choice(("\n", "\r", "\r\n", "\0", "\x0b", "\x0c"))
    lines = (*log.lines[:i], text[:a] + end + text[a:], *log.lines[i + 1 :])
    if rng.random() < 0.3:
        lines = (*log.lines[:i], "".join(log.lines[i : i + 2]), *log.lines[i + 2 :])
    return replace(log, lines=lines, sound=None)


def header_changed(log: Log, rng: Random) -> Log:
    """Write the header again, in another order, with a cell changed, or not at all."""
    if not log.header:
        return blank_lines(log, rng)
    mark, again = SEPARATORS.get(log.format, ","), rng.randrange(1, len(log.lines) + 1)
    cells = log.lines[0].split(mark)
    change = rng.choice(("again", "again", "shuffle", "cell", "drop"))
    if change == "again":
        lines = (*log.lines[:again], log.lines[0], *log.lines[again:])
        kept = None if log.sound is None else frozenset(i + (i >= again) for i in log.sound)
        places = {
            name: tuple(i + (i >= again) for i in lines) for name, lines in log.places.items()
        }
        return replace(log, lines=lines, sound=kept, places=places)
    if change == "shuffle":
        rng.shuffle(cells)
        return replace(log, lines=(*log.lines, mark.join(cells), *log.lines[1:]), sound=None)
    cells[rng.randrange(len(cells))] = rng.choice((*VALUES, cells[0]))
    first = () if change == "drop" else (mark.join(cells),)
    return replace(log, lines=(*first, *log.lines[1:]), sound=None)


def blank_lines(log: Log, rng: Random) -> Log:
    """Add empty lines at the end."""
    return replace(log, lines=(*log.lines, *[""] * rng.randint(1, 3)))


def other_ends(log: Log, rng: Random) -> Log:
    """End lines as Windows or old Macintoshes do, or with several blanks."""
    return replace(log, ends=rng.choice(("\r\n", "\r", "\n\n", " \n")))


def other_encoding(log: Log, rng: Random) -> Log:
    """Write the text in another encoding, if that has all of its characters."""
    return replace(log, encoding=rng.choice(("utf-8-sig", "utf-16", "latin-1")))


def other_separator(log: Log, rng: Random) -> Log:
    """Separate cells by something else, all of them or in one line."""
    mark = SEPARATORS.get(log.format, ",")
    other = rng.choice((",", ";", "\t", "|", " ", ""))
    if rng.random() < 0.5:
        i = rng.randrange(log.header, len(log.lines))
        return _with(log, {i: log.lines[i].replace(mark, other)})
    lines = tuple(line.replace(mark, other) for line in log.lines)
    return replace(log, lines=lines, sound=None)


def cut_short(log: Log, rng: Random) -> Log:
    """Keep the beginning or the end of a file."""
    text = log.ends.join(log.lines)
    at = rng.randrange(len(text) + 1)
    kept = rng.choice((text[:at], text[:at], text[at:]))
    return replace(log, lines=(kept,), sound=None)


CHANGES = (
    *(cells_changed, cells_changed, cells_changed, line_cut, line_cut, lines_moved, lines_joined),
    *(header_changed, blank_lines, other_ends, other_encoding, other_separator, cut_short),
)


def broken(log: Log, rng: Random) -> Log:
    """Change a log in a few ways."""
    for _ in range(rng.choice((1, 1, 1, 2, 3, 6))):
        change = rng.choice(CHANGES)
        if len(log.lines) > log.header:
            log = replace(change(log, rng), done=(*log.done, change.__name__))
    return log


def _with(log: Log, texts: dict[int, str]) -> Log:
    """Put other lines where some stood; line ends, empty lines and headers concern the others."""
    lines = tuple(texts.get(i, line) for i, line in enumerate(log.lines))
    sound = None if log.sound is None else log.sound - texts.keys()
    heads = log.header and any(log.lines[i] == log.lines[0] for i in texts)
    if heads or any(re.search(r"[\r\n]", text) or not text.strip() for text in texts.values()):
        sound = None
    return replace(log, lines=lines, sound=sound)
