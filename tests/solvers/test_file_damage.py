"""A damaged file of a program is read, or refused by its line: no other error comes."""

from itertools import chain
from pathlib import Path
from random import Random

import pyomo.environ as pyo
import pytest
from fuzz.mutate import broken, rearranged
from solvers.program_texts import ALIKE, CONDITIONS, FIXED, LATER, drawn_lp, drawn_text

from ringyard.formulations.files.cbf import cbf_lines
from ringyard.formulations.files.read import READERS, read_program
from ringyard.formulations.files.sol import exact_sol
from ringyard.formulations.files.solu import parse_solu
from ringyard.formulations.files.write import write_nl
from ringyard.formulations.rental.cones import cones
from ringyard.instances import InputError
from ringyard.instances.catalogue import load

CBF = "\n".join(cbf_lines(cones(load("rental-small-s0"))))
TEXTS = [
    *((".mps", text) for text in chain(ALIKE.values(), LATER.values(), CONDITIONS.values())),
    *((".mps", drawn_text(seed, fixed=True)) for seed in range(4)),
    *((".lp", drawn_lp(seed)) for seed in range(8)),
    (".cbf", CBF),
    (".cbf", CBF.replace("Q ", "QR ").replace("MIN", "MAX")),
]
DAMAGES = 8


def nl_text(folder: Path) -> str:
    model = pyo.ConcreteModel()
    model.x, model.y = pyo.Var(bounds=(0, 4)), pyo.Var(domain=pyo.Integers, bounds=(-2, 3))
    model.both = pyo.Expression(expr=model.x * model.y)
    model.row = pyo.Constraint(expr=pyo.exp(model.x) + model.both <= 5)
    model.line = pyo.Constraint(expr=(1, model.x + 2 * model.y, 3))
    model.cost = pyo.Objective(expr=model.both**2 + 3 * model.x)
    write_nl(folder / "a.nl", model)
    return (folder / "a.nl").read_text()


def refused(file: Path, data: bytes) -> bool:
    """Return True if the data is refused. Any other error goes on."""
    file.write_bytes(data)
    found: InputError | None = None
    try:
        read_program(file)
    except InputError as error:
        found = error
    if found is None:
        return False
    assert {problem.path.split()[0] for problem in found.problems} <= {"line", "byte"}, str(found)
    return True


def damaged(text: str, count: int) -> list[bytes]:
    rng, data = Random(len(text)), text.encode()
    return [(broken if k % 2 else rearranged)(data, rng) for k in range(count)]


def test_damage_is_told_by_line(tmp_path: Path) -> None:
    counts = dict.fromkeys(READERS, 0)
    for suffix, text in [*TEXTS, (".nl", nl_text(tmp_path))]:
        for data in damaged(text, DAMAGES * (1 if suffix in (".mps", ".lp") else 12)):
            counts[suffix] += refused(tmp_path / f"b{suffix}", data)
    # Some damage hits comments, numbers or names, and leaves a program.
    assert min(counts.values()) > 20


@pytest.mark.parametrize("text", [text for _, text in TEXTS[:4]] + [FIXED])
def test_a_file_that_is_cut_off_is_refused(text: str, tmp_path: Path) -> None:
    lines = text.split("\n")
    end = next(n for n, line in enumerate(lines) if line.startswith("ENDATA"))
    for count in range(end):
        assert refused(tmp_path / "a.mps", "\n".join(lines[:count]).encode())


def test_damaged_cones_and_nl_that_are_cut_off_are_refused(tmp_path: Path) -> None:
    nl = nl_text(tmp_path).splitlines(keepends=True)
    # The k segment and after it may be missing: it repeats what the J segments say.
    for count in range(next(n for n, line in enumerate(nl) if line.startswith("k"))):
        assert refused(tmp_path / "b.nl", "".join(nl[:count]).encode())
    lines = CBF.split("\n")
    for count in range(lines.index("VAR") + 1):
        assert refused(tmp_path / "b.cbf", "\n".join(lines[:count]).encode())


@pytest.mark.parametrize("suffix", READERS)
def test_damaged_gzip_data_is_told(suffix: str, tmp_path: Path) -> None:
    file = tmp_path / f"a{suffix}.gz"
    file.write_bytes(b"\x1f\x8b not packed")
    with pytest.raises(InputError, match="damaged gzip data"):
        read_program(file)


def test_damaged_solutions_and_statements_are_told() -> None:
    solu = "=opt= a 3\n=best= b -1.5e3\n=inf= c\n=unkn= d\n"
    sol = "=obj= 3\nx 1\ny 2.5\n"
    count = 0
    for data in damaged(solu, 60) + damaged(sol, 60):
        text = data.decode(errors="replace")
        for read in (lambda text: parse_solu(text, "a"), lambda text: exact_sol(text, ("x",), "a")):
            try:
                read(text)
            except InputError:
                count += 1
    assert count > 60
