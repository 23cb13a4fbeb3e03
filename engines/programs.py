"""The programs of a benchmark: files, folders and lists of files, and programs of the corpus."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from fractions import Fraction
from math import inf
from pathlib import Path
from typing import Any

import numpy as np

from ..analysis.rows import PROGRAM
from ..formulations.conic import ConicProgram
from ..formulations.corpus.build import build_any, digest_of
from ..formulations.corpus.exact import priced, priced_in_cones
from ..formulations.corpus.index import Class, CorpusEntry, Tier, best_point, corpus
from ..formulations.files.read import READERS, is_program, read_program
from ..formulations.files.sol import exact_sol, read_sol
from ..formulations.files.solu import Stated, read_solu
from ..formulations.program import TOLERANCE, Floats, Matrix, Program
from ..formulations.solver_interface.solve import find_solver
from ..instances import RefusedError
from ..instances.errors import ABSENT, InputError, Problem, Words, raise_any, unknown
from ..instances.reading.decode import read_text

SOURCE = "ringyard bench"

ENDS = f"{', '.join(READERS)}, or one of these and .gz"


@dataclass(slots=True)
class Selection:
    """The programs of a benchmark by name, and what is known besides."""

    entries: dict[str, CorpusEntry] = field(default_factory=dict)
    files: dict[str, Path] = field(default_factory=dict)
    """The file of each program that has one."""
    stated: dict[str, tuple[str, tuple[Stated, ...]]] = field(default_factory=dict)
    """The statements of a .solu file on a program, after the file's name. No verdict uses them."""
    left_out: list[str] = field(default_factory=list)
    """Sentences on files that cannot be read."""

    def of_class(self, kind: str | None) -> "Selection":
        """Return the programs of one class."""
        chosen = {n: one for n, one in self.entries.items() if kind in (None, one.kind)}
        if not chosen:
            there = ", ".join(sorted({one.kind for one in self.entries.values()}))
            problem = Problem("--class", kind, f"a class of these programs: {there}", "change it")
            raise InputError(SOURCE, [problem])
        return Selection(chosen, self.files, self.stated, self.left_out)

    def program(self, name: str) -> Program | ConicProgram | None:
        """Return a program, or None if it is no longer the one of its entry."""
        entry, file = self.entries[name], self.files.get(name)
        try:
            program = read_program(file) if file else build_any(entry.recipe)
        except (InputError, RefusedError):
            return None
        return program if digest_of(program) == entry.digest else None

    def point(self, name: str, program: Program | ConicProgram) -> Floats | None:
        """Return the known point of a program: from the .sol file beside it, or of the corpus."""
        file = self.files.get(name)
        beside = None if file is None else point_file(file)
        if beside is not None and beside.is_file():
            return read_sol(read_text(beside), program.columns, str(beside))
        stored = None if file else best_point(name)
        if stored is None:
            return None
        point = np.zeros(len(program.columns))
        point[list(stored)] = list(stored.values())
        return point


def find_programs(what: Sequence[str], tier: Tier = "standard") -> Selection:
    """Return the named programs. A word that exists as a path is a path.

    Other words are names and patterns of a tier of the corpus.

    Raises:
        InputError: If a word names no program, a file that is named alone cannot be read, or two
            files have the same name.
    """
    found, files = Selection(), list[Path]()
    for word in what:
        path = Path(word)
        if path.exists():
            files += _files_of(path, found)
        else:
            found.entries |= _of_corpus(word, tier)
    _refuse_twins(files, found)
    alone = len(files) == 1
    for path in dict.fromkeys(files):
        try:
            found.entries[name_of(path)] = entry_of_file(path)
            found.files[name_of(path)] = path.absolute()
        except (InputError, RefusedError) as error:
            if alone:
                raise
            found.left_out.append(f"left out: {str(error).splitlines()[0]}")
    if not found.entries:
        raise InputError(SOURCE, [Problem("WHAT", Words("no program"), ENDS, "name others")])
    return found


def name_of(path: Path) -> str:
    """Return the name of a program: that of its file without its ends."""
    return Path(path.name.removesuffix(".gz")).stem


def point_file(path: Path) -> Path:
    """Return the place of the known point of a program in a file."""
    return path.with_name(f"{name_of(path)}.sol")


def _files_of(path: Path, found: Selection) -> list[Path]:
    """Return the program files that a path names, and read .solu files beside them."""
    if path.is_dir():
        for solu in sorted(path.glob("*.solu")):
            known = read_solu(solu).items()
            found.stated |= {name: (solu.name, stated) for name, stated in known}
        files = sorted(one for one in path.iterdir() if one.is_file() and is_program(one))
    elif path.suffix == ".txt":
        lines = (line.strip() for line in read_text(path).splitlines())
        files = [path.parent / line for line in lines if line and not line.startswith("#")]
        raise_any(str(path), _absent(files))
    else:
        files = [path]
    if not files:
        problem = Problem("files", Words("no program"), f"files that end in {ENDS}", "add some")
        raise InputError(str(path), [problem])
    return files


def _absent(files: Iterable[Path]) -> list[Problem]:
    return [
        Problem(str(one), ABSENT, "a file of a program, relative to the list", "correct its path")
        for one in files
        if not one.is_file()
    ]


def _of_corpus(word: str, tier: Tier) -> dict[str, CorpusEntry]:
    found = {name: one for name, one in corpus(tier).items() if fnmatchcase(name, word)}
    if not found:
        expected = "a file or folder of programs, or a name or pattern of the corpus"
        hint = "see `ringyard corpus`, and quote patterns"
        raise InputError(SOURCE, [unknown("WHAT", word, corpus(tier), hint, expected)])
    return found


def _refuse_twins(files: Iterable[Path], found: Selection) -> None:
    """Refuse two programs of one name, because rows go by name."""
    first: dict[str, Path] = {}
    problems = []
    for path in dict.fromkeys(files):
        name = name_of(path)
        other = first.setdefault(name, path)
        if other is not path or name in found.entries:
            place = str(other) if other is not path else "the corpus"
            expected = f"a name other than in {place}"
            problems.append(Problem(str(path), name, expected, "rename the file"))
    raise_any(SOURCE, problems)


def entry_of_file(path: Path) -> CorpusEntry:
    """Return the entry of a program in a file, with the point of a .sol file beside it.

    Raises:
        InputError: If it cannot be read.
        RefusedError: If a point of it has no exact value.
    """
    program = read_program(path)
    known = _known(program, point_file(path))
    return CorpusEntry(
        name=name_of(path),
        family=PROGRAM,
        kind=class_of(program),
        **sizes_of(program),
        digest=digest_of(program),
        **known,
    )


def _known(program: Program | ConicProgram, beside: Path) -> dict[str, Any]:
    """Return the value of the point in a file, if it holds."""
    if not beside.is_file():
        return {}
    values = exact_sol(read_text(beside), program.columns, str(beside))
    try:
        if isinstance(program, ConicProgram):
            found = priced_in_cones(program, values)
        else:
            found = priced(program, values)
    except ZeroDivisionError:  # The point is not in the domain of the program.
        return {}
    if not found.holds(Fraction(TOLERANCE)):
        return {}
    miss = float(found.worst.amount)
    return {"value": float(found.value), "miss": miss, "source": beside.name}


def class_of(program: Program | ConicProgram) -> Class:
    """Return the class of a program."""
    if isinstance(program, ConicProgram):
        return "conic"
    if not isinstance(program, Matrix):
        return "NL"
    if not program.integer.any():
        return "LP"
    return "MILP" if find_solver("cp-sat").refuses(program) else "ip"


def sizes_of(program: Program | ConicProgram) -> dict[str, Any]:
    """Return the numbers of columns, rows, nonzeros and integers, and the extreme coefficients."""
    if isinstance(program, Matrix | ConicProgram):
        sizes = np.abs(program.a.data[program.a.data != 0])
        return {
            "columns": len(program.columns),
            "rows": len(program.rows),
            "nonzeros": int(sizes.size),
            "integers": int(program.integer.sum()) if isinstance(program, Matrix) else 0,
            "smallest": float(sizes.min(initial=inf)) if sizes.size else 0.0,
            "largest": float(sizes.max(initial=0.0)),
        }
    words = [line.split("#")[0].split() for line in program.nl.decode("ascii").splitlines()[:10]]
    return {
        "columns": int(words[1][0]),
        "rows": int(words[1][1]),
        "nonzeros": int(words[7][0]),
        "integers": sum(map(int, words[6][:5])),
        "smallest": 0.0,
        "largest": 0.0,
    }


def stated_text(source: str, stated: Iterable[Stated]) -> str:
    """Return what a .solu file says about a program."""
    parts = (
        one.kind if one.value is None else f"{one.kind} {float(one.value):.10g}" for one in stated
    )
    return f"{', '.join(parts)}, stated by {source}"


def sentences(selection: Selection) -> Iterator[str]:
    """Yield sentences on statements of .solu files about programs of a selection."""
    for name, (source, stated) in selection.stated.items():
        if name in selection.entries:
            yield f"{name}: {stated_text(source, stated)}"
