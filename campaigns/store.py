"""The folder of a campaign as a reader sees it: rows, their files, and rows for other programs."""

import csv
import gzip
import json
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from importlib.util import find_spec
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any

from ..analysis.rows import COLUMNS, Row, answered
from ..analysis.tables.notations import harmless
from ..instances import AnySchedule, Instance, digest, save
from ..instances.errors import InputError, MissingError, Problem, Words, plural, reason
from ..instances.reading.decode import read_bytes, read_text
from ..instances.reading.files import INSTANCES, SCHEDULES, parse
from ..instances.writing import reserve, write_whole
from .code_digest import Code
from .journal import CHANGED, LeftOutLines, Reader, contents, seal
from .runs import Run

PLAN, KEYS = "campaign.toml", "runs.json"
FOLDERS = ("journal", "instances", "schedules", "certificates", "code", "status")

ADVICE = (
    "restore it from a backup. Or delete the lines in journal/ that name it, and rerun the campaign"
)


class Store:
    """The rows of a folder by the key of their run."""

    def __init__(self, folder: Path) -> None:
        """Read the folder. A missing folder has no rows."""
        self.folder = folder
        self._rows: dict[str, Row] = {}
        self._reader = Reader(folder / "journal")
        self._kept = set[str]()
        """Digests of the instances that this process knows to be there."""
        self._kept_code = set[Path]()
        self.refresh()

    def refresh(self) -> list[Row]:
        """Read the rows added since the last call, and return them."""
        new = dict[str, Row]()
        for row in self._reader.new():
            if row["key"] in self._rows or row["key"] in new:
                self._reader.left_out.doubled += 1
            else:
                new[row["key"]] = row
        self._rows |= new
        return list(new.values())

    def left_out(self) -> LeftOutLines:
        """Return the lines of journals, and the files, that could not be read."""
        self._reader.look_for_torn_ends()
        return self._reader.left_out

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self._rows)

    def rows(self) -> list[Row]:
        """Return all rows, in an order that does not depend on who wrote them when."""
        order = ("instance", "method", "seed", "repetition", "key")
        return sorted(self._rows.values(), key=lambda row: [row[name] for name in order])

    def wanted(self) -> list[Row]:
        """Return the rows of the campaign's current runs.

        Rows of an older limit, method or version are left out. Without a list of runs, all rows are
        returned.
        """
        keys = self._asked()
        return self.rows() if keys is None else [row for row in self.rows() if row["key"] in keys]

    def missing(self) -> int:
        """Return the number of the campaign's current runs without a row."""
        return len((self._asked() or set()) - self._rows.keys())

    def remarks(self, *, done: bool = True) -> Iterator[str]:
        """Yield remarks on omitted lines and, if all runs must be done, on missing runs."""
        yield from self.left_out().sentences()
        if done and (missing := self.missing()):
            yield f"without a row: {plural(missing, 'run')} of the campaign"

    def _asked(self) -> set[str] | None:
        """Return the keys of the requested runs, if known."""
        try:
            keys = json.loads(contents(self.folder / KEYS))
            if not isinstance(keys, list):
                raise ValueError(keys)
            return {key for key in keys if isinstance(key, str)}
        except FileNotFoundError:
            return None
        except OSError as error:
            self._reader.left_out.add_unread(KEYS, error)
        except (ValueError, RecursionError):
            self._reader.left_out.add(KEYS, 0, "with no list of keys")
        return None

    def has(self, run: Run) -> bool:
        """Return True if the row of a run is there."""
        return run.key in self._rows

    def rows_of(self, keys: Iterable[str]) -> list[Row]:
        """Return the rows of these runs, as far as they are there."""
        return [self._rows[key] for key in keys if key in self._rows]

    def row(self, run: Run) -> Row:
        """Return the row of a run."""
        return self._rows[run.key]

    def instance(self, name: str) -> Instance:
        """Return an instance by its digest. Raise `InputError` if the stored one does not match."""
        path = self.instance_file(name)
        found: Instance = parse(kept_text(path), INSTANCES, str(path))
        if digest(found) != name:
            raise _changed(path)
        return found

    def keep(self, instance: Instance) -> None:
        """Store an instance, replacing any other content in its place."""
        name = digest(instance)
        if name in self._kept:
            return
        try:
            self.instance(name)
        except InputError:
            save(instance, self.instance_file(name), own=True)
        self._kept.add(name)

    def keep_code(self, code: Code) -> None:
        """Store the modules of a code digest."""
        path = self.code_file(code.digest)
        if code.modules and path not in self._kept_code and not path.exists():
            write_whole(path, json.dumps(dict(code.modules), indent=0).encode(), own=True)
        self._kept_code.add(path)

    def schedule(self, row: Row) -> AnySchedule | None:
        """Return the schedule of a row, if it has one. Raise `InputError` if it was changed.

        Rows of versions up to 0.1.0 have the digest of the packed file.
        """
        if not row["schedule"]:
            return None
        path = self.folder / row["schedule"]
        text, sealed = kept_text(path), row["schedule_digest"]
        if sealed not in (None, seal(text.encode())) and sealed != seal(read_bytes(path)):
            raise _changed(path)
        found: AnySchedule = parse(text, SCHEDULES, str(path))
        return found

    def instance_file(self, digest: str) -> Path:
        """Return the path of an instance."""
        return self.folder / "instances" / f"{digest}.json.gz"

    def code_file(self, digest: str) -> Path:
        """Return the path of the modules of a code digest."""
        return self.folder / "code" / f"{Path(digest).name}.json"

    def certificate_file(self, key: str) -> Path:
        """Return the path of a run's certificate, if it has one."""
        return self.folder / "certificates" / f"{key}.jsonl.gz"

    def point_file(self, key: str) -> Path:
        """Return the path of a solver's point, if it was the best of its program so far."""
        return self.folder / "points" / f"{key}.sol.gz"

    def best_point(self, digest: str) -> Row | None:
        """Return the row of the best stored point of a program, given the digest of its rows."""
        own = (row for row in self._rows.values() if row["digest"] == digest and answered(row))
        kept = [row for row in own if self.point_file(row["key"]).is_file()]
        return min(kept, key=lambda row: (row["objective"], row["key"]), default=None)

    def keep_point(self, key: str, digest: str, value: float, text: str) -> None:
        """Store the point of a run unless the folder has one as good of the same program."""
        best, path = self.best_point(digest), self.point_file(key)
        if best is None or value < best["objective"]:
            path.parent.mkdir(exist_ok=True)
            write_whole(path, gzip.compress(text.encode(), mtime=0), own=True)


def existing(folder: Path) -> Store:
    """Return the store of a folder with rows, or raise an error with advice."""
    store = Store(folder)
    if not store:
        found = "no rows" if folder.is_dir() else "a file" if folder.is_file() else "nothing"
        advice = _advice(folder)
        remarks = "; ".join([found, *store.left_out().sentences()])
        problem = Problem("folder", Words(remarks), "the folder of a campaign", advice)
        raise InputError(str(folder), [problem])
    return store


def _advice(folder: Path) -> str:
    """Return advice on the intended folder: a campaign file's folder, or the one below `out`."""
    name = _name(folder)
    meant = Path("out") / name
    if meant.is_dir() and meant.resolve() != folder.resolve():
        return f"give its folder {meant} instead"
    if folder.is_file():
        return f"run it first (ringyard run {folder}), then give its folder {meant}"
    return f"create it: `ringyard run CAMPAIGN.toml --out {folder}`"


def _name(path: Path) -> str:
    """Return the name of a campaign file's campaign, or the name of a path."""
    if path.is_file():
        with suppress(InputError, ValueError, RecursionError):
            return str(tomllib.loads(read_text(path)).get("name", path.stem))
    return path.stem if path.suffix == ".toml" else path.name


def counted_rows(store: Store) -> tuple[list[Row], list[str]]:
    """Return the rows of a campaign's current runs, and remarks on omitted rows."""
    rows, remarks = store.wanted(), [*store.remarks()]
    if left_out := len(store) - len(rows):
        are = "are" if left_out > 1 else "is"
        remarks.append(f"{plural(left_out, 'row')} {are} left out: the campaign now has other runs")
    if not rows:
        expected = "rows of the campaign's current runs"
        problem = Problem("folder", Words("none"), expected, "rerun the campaign")
        raise InputError(str(store.folder), [problem])
    return rows, remarks


def kept_text(path: Path) -> str:
    """Return the text of a file stored with rows. Raise `InputError` if it is damaged."""
    try:
        return read_text(path, regular=True)
    except InputError as error:
        problems = [replace(problem, advice=ADVICE) for problem in error.problems]
        raise InputError(str(path), problems) from None


def _changed(path: Path) -> InputError:
    """Return the error of a file that is not as it was written."""
    return InputError(str(path), [Problem("file", Words(CHANGED), "what was written", ADVICE)])


def keep_plan(store: Store, text: str, runs: Iterable[Run]) -> None:
    """Store the campaign file and its list of runs with its rows."""
    write_whole(store.folder / PLAN, text.encode())
    write_whole(store.folder / KEYS, json.dumps([run.key for run in runs]).encode())


def make_folders(folder: Path, names: Iterable[str]) -> None:
    """Make a folder with these folders in it, if need be."""
    try:
        for name in names:
            (folder / name).mkdir(parents=True, exist_ok=True)
        reserve(folder)
    except (OSError, ValueError) as error:
        problem = Problem("--out", reason(error), "a writable folder", "choose another place")
        raise InputError(str(folder), [problem]) from None


def prepared(folder: Path) -> Store:
    """Make the folder of a campaign if need be, and return its store."""
    make_folders(folder, FOLDERS)
    return Store(folder)


FORMATS = (".parquet", ".csv", ".jsonl")


def form_of(path: Path) -> str:
    """Return the format that a file's suffix names, or raise an error."""
    form = path.suffix.lower()
    if form not in FORMATS:
        expected, advice = f"one of {', '.join(FORMATS)}", "name the file rows.parquet"
        raise InputError(str(path), [Problem("suffix", path.suffix, expected, advice)])
    if form == ".parquet" and find_spec("polars") is None:
        raise MissingError("a Parquet file needs Polars: pip install 'ringyard[parquet]'")
    return form


def hand_over(rows: Sequence[Row], path: Path) -> None:
    """Write rows to a file, in the format that its suffix names."""
    writers = {".parquet": _parquet, ".csv": _csv, ".jsonl": to_lines}
    write_whole(path, writers[form_of(path)](rows))


def to_lines(rows: Sequence[Row]) -> bytes:
    """Return a line of JSON for each row, as in the journal."""
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def _csv(rows: Sequence[Row]) -> bytes:
    out = StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in rows:
        cells = [row[name] for name in COLUMNS]
        cells = [json.dumps(c) if isinstance(c, list | bool) else c for c in cells]
        writer.writerow(map(harmless, cells))
    return out.getvalue().encode()


def _parquet(rows: Sequence[Row]) -> bytes:
    import polars

    types: dict[str, Any] = {
        "text": polars.String,
        "integer": polars.Int64,
        "number": polars.Float64,
        "boolean": polars.Boolean,
        "list": polars.List(polars.List(polars.Float64)),
    }
    schema = {name: types[kind] for name, (kind, _) in COLUMNS.items()}
    out = BytesIO()
    polars.DataFrame(list(rows), schema=schema).write_parquet(out)
    return out.getvalue()
