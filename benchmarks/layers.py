"""Modelling layers: how long from an instance to a loaded solver, and how much memory?

    python benchmarks/layers.py run [--smoke] [--repeat N] [--layer NAME ...]
        [--program NAME ...] [--out FILE]
    python benchmarks/layers.py page [--rows FILE]

`run` states three programs at three sizes in every layer that is installed, nothing is solved.
Each try has a process of its own, in which the smallest size is stated once before the clock
begins, so that what is imported late is there. Rows go to FILE, out/layers.jsonl if not said, a
line for each try. `page` fills the tables and the figure of docs/studies/modelling-layers.md from
them. The layers come with `pip install --group layers`. Peak memory is asked of Linux.
"""

# ruff: noqa: T201

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

ROWS = HERE.parent / "out/layers.jsonl"

PROGRAMS = ("occupancy", "load-limit", "tickwise")
SIZES = ("small", "middle", "large")

LONGEST_S = 600
"""A try that takes longer is given up."""


class Layer(NamedTuple):
    """A way to state a program: its file, what it needs, and where the program ends up."""

    title: str
    module: str
    package: str
    ways: str = "WAYS"
    end: str = "HiGHS"
    whole: bool = False
    """True if it takes an instance itself rather than its numbers."""


LAYERS = {
    "arrays": Layer("arrays", "layers_arrays", "highspy"),
    "package": Layer("Ringyard's own way", "layers_package", "ringyard", whole=True),
    "cvxpy": Layer("CVXPY", "layers_cvxpy", "cvxpy-base"),
    "linopy": Layer("linopy", "layers_linopy", "linopy"),
    "model-builder": Layer(
        "OR-Tools model builder", "layers_ortools", "ortools", end="its own model"
    ),
    "mathopt": Layer("OR-Tools MathOpt", "layers_mathopt", "ortools"),
    "pyoptinterface": Layer("PyOptInterface", "layers_pyoptinterface", "pyoptinterface"),
    "pyomo-templates": Layer("Pyomo, templates", "layers_pyomo", "pyomo", "WAYS_TEMPLATES"),
    "pyomo": Layer("Pyomo", "layers_pyomo", "pyomo"),
    "pyomo-interface": Layer("Pyomo, own interface", "layers_pyomo", "pyomo", "WAYS_INTERFACE"),
}


def installed(layer: Layer) -> str | None:
    """Return the version of what a layer needs, or None if it is not there."""
    try:
        return version(layer.package)
    except PackageNotFoundError:
        return None


def loaded(name: str, program: str, size: str) -> tuple[Any, Any]:
    """Return the module of a layer, and the solver that has a program."""
    layer = LAYERS[name]
    module = import_module(layer.module)
    data = import_module("layers_data")
    one = data.subject(program, size)
    return module, _state(module, layer, program, one)


def _state(module: Any, layer: Layer, program: str, one: Any) -> Any:
    numbers = import_module("layers_data").numbers
    return getattr(module, layer.ways)[program](one if layer.whole else numbers(program, one))


def measure(name: str, program: str, size: str) -> dict[str, Any]:
    """State a program once, and say what it cost."""
    layer, began = LAYERS[name], time.process_time()
    module = import_module(layer.module)
    imported = time.process_time() - began
    one = import_module("layers_data").subject(program, size)
    loaded(name, program, "small")
    Path("/proc/self/clear_refs").write_text("5")  # Linux: the peak begins anew
    before = _resident("VmHWM")
    began, wall = time.process_time(), time.perf_counter()
    found = _state(module, layer, program, one)
    spent, waited = time.process_time() - began, time.perf_counter() - wall
    return {
        **{"layer": name, "version": installed(layer), "program": program, "size": size},
        **{"import_s": imported, "processor_s": spent, "wall_s": waited},
        **{"before_mb": before, "peak_mb": _resident("VmHWM")},
        "shape": module.shape_of(found),
        "nonzeros": found.getNumNz() if name == "arrays" else None,
    }


def write(name: str, folder: Path) -> None:
    """Write the smallest size of every program, as it was loaded, to MPS files."""
    from ringyard.formulations.files.write import write_matrix

    for program in PROGRAMS:
        module, found = loaded(name, program, "small")
        write_matrix(folder / f"{program}.mps", module.matrix_of(found))


def _resident(key: str) -> float:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith(key))


def apart(*words: str) -> dict[str, Any]:
    """Do something in a process of its own, and return what it says last."""
    command = [sys.executable, str(HERE / "layers.py"), *words]
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=LONGEST_S)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def rows(
    names: list[str], programs: list[str], sizes: tuple[str, ...], repeat: int
) -> Iterator[dict[str, Any]]:
    """Yield a row for each try; whole rounds one after another, so that a busy hour hits all."""
    gone: set[tuple[str, str]] = set()
    for _ in range(repeat):
        for program in programs:
            for size in sizes:
                for name in names:
                    if (program, name) in gone:
                        continue
                    try:
                        yield apart("one", name, program, size)
                    except subprocess.TimeoutExpired:
                        print(f"{name}: {program} {size} takes over {LONGEST_S} s", flush=True)
                        gone.add((program, name))


def run(args: argparse.Namespace) -> None:
    """Measure, and write rows as they come."""
    names = args.layer or [name for name, layer in LAYERS.items() if installed(layer)]
    missing = LAYERS.keys() - names
    if missing and not args.layer:
        print(f"not installed: {', '.join(sorted(missing))}")
    sizes, repeat = (SIZES[:1], 1) if args.smoke else (SIZES, args.repeat)
    args.out.parent.mkdir(parents=True, exist_ok=True)
    with args.out.open("w", encoding="utf-8") as file:
        for row in rows(names, args.program or list(PROGRAMS), sizes, repeat):
            print(json.dumps(row), file=file, flush=True)
            what = f"{row['program']:10} {row['size']:6} {row['layer']:15}"
            print(f"{what} {row['processor_s']:8.3f} s {row['peak_mb']:6.0f} MB", flush=True)


def main() -> None:
    """Do what the command line asks for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    commands = parser.add_subparsers(required=True)
    runs = commands.add_parser("run")
    runs.add_argument("--smoke", action="store_true", help="the smallest size only, once")
    runs.add_argument("--repeat", type=int, default=3)
    runs.add_argument("--layer", action="append", choices=LAYERS)
    runs.add_argument("--program", action="append", choices=PROGRAMS)
    runs.add_argument("--out", type=Path, default=ROWS)
    runs.set_defaults(do=run)
    one = commands.add_parser("one")
    for word, choices in (("layer", LAYERS), ("program", PROGRAMS), ("size", SIZES)):
        one.add_argument(word, choices=choices)
    one.set_defaults(do=lambda a: print(json.dumps(measure(a.layer, a.program, a.size))))
    held = commands.add_parser("write")
    held.add_argument("layer", choices=LAYERS)
    held.add_argument("folder", type=Path)
    held.set_defaults(do=lambda a: write(a.layer, a.folder))
    page = commands.add_parser("page")
    page.add_argument("--rows", type=Path, default=ROWS)
    page.set_defaults(do=lambda a: import_module("layers_page").fill(a.rows))
    args = parser.parse_args()
    args.do(args)


if __name__ == "__main__":
    main()
