"""Hold methods and commands to their time limits: by how much does each go beyond?

    python benchmarks/limits.py methods|commands [SECONDS ...] [SUBJECT ...] [--page]
    python benchmarks/limits.py columns

`methods` gives every method two instances of its family, one large and one that programs are let
in for; `commands` gives them to those that hand a limit on: solve with a picture, bound, compare,
whatif, rent, and a campaign with its report and figure. A line has the limit, the seconds, those
of the processor, how many of these came after the limit (others may use the machine), and how it
ended. Left out are of a method the judge's seconds, and of a command those that a process takes to
read the instance and to import what is needed. Limits are 1, 3 and 10 seconds unless others are
given, and instances all of SUBJECTS unless some are named. What is more than a second and a fifth
of the limit beyond is marked, and the exit code is 1.
`methods 1 --page` writes a table into docs/studies/speed.md. `columns` says how fast programs are
written.
"""

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from on_page import show

from ringyard.formulations.named import build_named
from ringyard.formulations.solver_interface.solve import program_of
from ringyard.instances.catalogue import load
from ringyard.instances.errors import RingyardError
from ringyard.instances.generate import generate
from ringyard.instances.outcome import now
from ringyard.instances.reading.files import save
from ringyard.methods import all_names
from ringyard.run import solve

PROGRAM = "import sys; from ringyard.cli import main; sys.exit(main())"

READ = "import sys; from ringyard import run; from ringyard.formulations import matrix; "
READ += "from ringyard.instances.catalogue import load; load(sys.argv[1])"

SUBJECTS: dict[str, tuple[str, dict[str, Any]]] = {
    "makespan": ("large", {"jobs": 10_000, "servers": 1_000}),
    "makespan-small": ("small", {"jobs": 60, "servers": 12}),
    "online": ("pdors-large", {}),
    "online-small": ("pdors", {"jobs": 20, "machines": 10}),
    "reserved": ("gadget", {"jobs": 1_000, "machines": 200, "slots": 500}),
    "reserved-small": ("gadget", {}),
    "trace": ("helios", {"jobs": 10_000, "servers": 100}),
    "trace-small": ("helios", {"jobs": 300}),
    "rental": ("rental-large", {"types": 10_000}),
    "rental-small": ("rental-large", {"types": 500, "epochs": 10, "rescale_s": 30}),
    "fleet": ("fleet-large", {"jobs": 20_000}),
    "fleet-small": ("fleet-pollux", {"jobs": 2_000}),
    "coded": ("coded-measured", {"workers": 10_000}),
    "coded-small": ("coded", {"workers": 1_000}),
    "shuffle": ("shuffle-large", {"rows": 100_000}),
    "shuffle-small": ("shuffle-large", {"rows": 2_000}),
    "transfers": ("transfers", {"workers": 1_000}),
    "transfers-small": ("transfers-replica", {}),
}
"""Family of `ringyard generate` and its options; names begin with the kind of the instance."""

TINY = {
    "makespan": "hand-theorem5",
    "online": "hand-online-trap",
    "reserved": "hand-gadget-links",
    "trace": "tiny-trace-05x2-uplinks",
    "rental": "rental-small-s0",
    "fleet": "tiny-fleet-4",
    "coded": "coded-10",
    "shuffle": "hand-shuffle-pair",
    "transfers": "tiny-transfers-s0",
}
"""Instances that every method is done with soon, for its imports and kernels."""

ONCE = {"makespan": "local-search", "trace": "las", "fleet": "pollux", "transfers": "fifo"}
"""The method that `compare` and the campaign run; else the last of the family, its default."""


def made(name: str) -> Any:
    """Return an instance."""
    family, options = SUBJECTS[name]
    return generate(family, seed=1, name=name, **options)


def tell(what: str, limit: float | None, wall: float, cpu: float, left: float, end: Any) -> float:
    """Print a line; return the processor seconds after the limit."""
    beyond = cpu - left - (limit or 0) * min(1, cpu / wall)
    asked, mark = "-" if limit is None else f"{limit:g}", "*" if is_late(beyond, limit) else " "
    sys.stdout.write(f"{what:84} {asked:>4} {wall:7.2f} {cpu:7.2f} {beyond:+7.2f}{mark} {end}\n")
    sys.stdout.flush()
    return beyond


def is_late(beyond: float, limit: float | None) -> bool:
    """Return True if a run took too much."""
    return limit is not None and beyond > 1 + limit / 5


def cpu_s() -> float:
    """Return the processor seconds of this process and of those that it has waited for."""
    used = [getrusage(who) for who in (RUSAGE_SELF, RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def methods(limits: Sequence[float], subjects: Sequence[str], page: bool) -> bool:
    """Give every method its instances; return whether one took too much."""
    late, beyond = False, dict[str, dict[str, float]]()
    compile_all()
    for name in subjects:
        instance = made(name)
        for method in all_names(instance.kind):
            for limit in limits:
                began, used = now(), cpu_s()
                end, judge = ended(instance, method, limit)
                took = now() - began, cpu_s() - used
                left = judge * took[1] / took[0]
                spent = tell(f"{name} {method}", limit, *took, left, end)
                late |= is_late(spent, limit)
                if end == "refused":
                    break
                beyond.setdefault(name, {})[method] = spent
    show(summary(beyond), "speed", "limits", page=page)
    return late


def summary(beyond: Mapping[str, Mapping[str, float]]) -> Iterator[str]:
    """Yield the lines of a table: processor seconds after the last limit, by instance."""
    yield "| instance | methods | median, s late | over 0.9 s late |"
    yield "|---|--:|--:|---|"
    for name, by_method in beyond.items():
        over = sorted((spent, method) for method, spent in by_method.items() if spent > 0.9)
        named = ", ".join(f"`{method}` {spent:.1f}" for spent, method in reversed(over)) or "-"
        middle = max(0.0, median(by_method.values()))
        yield f"| `{name}` | {len(by_method)} | {middle:.1f} | {named} |"


def ended(instance: Any, method: str, limit: float) -> tuple[str, float]:
    """Return the status of an answer, why the method stopped, and the judge's seconds."""
    try:
        answer = solve(instance, method, time_limit=limit)
    except RingyardError:
        return "refused", 0.0
    judge = dict(answer.phases)["check"]
    return f"{answer.status}, {answer.outcome.termination}, judge {judge:.2f}", judge


def compile_all() -> None:
    """Let every method do a tiny instance."""
    for kind, name in TINY.items():
        for method in all_names(kind):
            ended(load(name), method, 10)


def commands(limits: Sequence[float], subjects: Sequence[str]) -> bool:
    """Give other commands theirs; return whether one took too much."""
    late = False
    with TemporaryDirectory() as folder:
        for name in subjects:
            file = f"{folder}/{name}.json"
            save(made(name), Path(file))
            read = [sys.executable, "-c", READ, file]
            left = min(timed(read)[1] for _ in range(2))
            for limit in limits:
                for words, held in asked(file, name, limit):
                    took = timed([sys.executable, "-c", PROGRAM, *words])
                    told = " ".join(word.rpartition("/")[2] for word in words)
                    given = limit if held else None
                    late |= is_late(tell(told, given, *took[:2], left, took[2]), given)
    return late


def timed(words: Sequence[str]) -> tuple[float, float, int]:
    """Return the seconds that a process took, those of the processor, and its exit code."""
    began, used = time.perf_counter(), cpu_s()
    quiet = subprocess.DEVNULL
    done = subprocess.run(words, check=False, stdout=quiet, stderr=quiet)
    return time.perf_counter() - began, cpu_s() - used, done.returncode


def asked(file: str, name: str, limit: float) -> Iterator[tuple[list[str], bool]]:
    """Yield commands about an instance, and whether they have a limit."""
    family, seconds = name.partition("-")[0], ["--time-limit", f"{limit:g}"]
    once, out = ONCE.get(family, all_names(family)[-1]), f"{file}-{limit:g}"
    yield ["solve", file, *seconds, "--gantt", f"{out}-gantt.svg"], True
    yield ["bound", file, *seconds], True
    yield ["compare", file, "--methods", once, *seconds], True
    if family == "trace":
        replay = ["--policies", "tiresias-l", "--contention", "none", "--workers", "1"]
        yield ["whatif", file, *replay, *seconds, "--out", f"{out}-whatif"], True
    if family in {"rental", "fleet"}:
        for more in (["--curve"], ["--simulate"], ["--plot", f"{out}-curve.svg"]):
            yield ["rent", file, *seconds, *more], True
        yield ["rent", file, *seconds, "--simulate", "--policy", "pollux"], True
        yield ["rent", file, *seconds, "--target-jct", "1"], True
    Path(f"{out}.toml").write_text(
        f'format = "ringyard-campaign/1"\nname = "limits"\ninstances = ["{file}"]\n'
        f'methods = ["{once}"]\ntime_limit = {limit:g}\n',
        encoding="utf-8",
    )
    yield ["run", f"{out}.toml", "--out", out, "--workers", "1"], True
    yield ["report", out, "--out", f"{out}.html"], False
    yield ["plot", out, "--kind", "gantt", "--out", f"{out}-plot.svg"], False


def columns() -> None:
    """Report how fast a program is written in Python."""
    instance = generate("small", seed=1, jobs=20, servers=6)
    for name in ("occupancy", "linearised", "nonconvex", "disjunctive-hull"):
        began = time.process_time()
        program = program_of(build_named(name, instance, 30))
        took, count = time.process_time() - began, len(program.columns)
        sys.stdout.write(f"{name}: {count:,} columns, {count / took:,.0f} a processor second\n")


def main() -> int:
    os.environ.setdefault("RINGYARD_KERNELS", "compiled")
    what, *rest = [word for word in sys.argv[1:] if word != "--page"] or ["methods"]
    subjects = [word for word in rest if word in SUBJECTS] or [*SUBJECTS]
    limits = [float(word) for word in rest if word not in SUBJECTS] or [1.0, 3.0, 10.0]
    if what == "methods":
        return int(methods(limits, subjects, "--page" in sys.argv))
    if what == "commands":
        return int(commands(limits, subjects))
    columns()
    return 0


if __name__ == "__main__":
    sys.exit(main())
