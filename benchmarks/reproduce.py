"""Regenerate what the pages on papers' experiments show, two processes side by side.

    python benchmarks/reproduce.py [NAME ..] [--seeds N] [--time-limit S] [--short S]

Runs `ringyard reproduce mobihoc` with S seconds for our schedule, and for the bound, of an
instance, and `ringyard reproduce sensitivity` and `pd-ors`, which have many more instances, with
the shorter time; then puts tables, sentences and pictures into docs/. Rows are kept in out/: run
again, it goes on where it was; delete them to measure anew.
"""

import shutil
import subprocess
import sys
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Iterable, Iterator
from pathlib import Path

DOCS = Path(__file__).parent.parent / "docs"
OUT = Path("out")
PAGES = {
    "mobihoc": "reproduce-mobihoc.md",
    "sensitivity": "sensitivity.md",
    "pd-ors": "reproduce-pd-ors.md",
}
PROGRAM = "import sys; from ringyard.cli import main; sys.exit(main())"


def start(what: str, seeds: int, time_limit: float) -> subprocess.Popen[bytes]:
    words = ["--out", OUT / what, "--seeds", seeds, "--time-limit", time_limit]
    command = [sys.executable, "-c", PROGRAM, "reproduce", what, *words]
    return subprocess.Popen(list(map(str, command)), stdout=subprocess.DEVNULL)


def batched(work: Iterable[tuple[str, float]]) -> Iterator[list[tuple[str, float]]]:
    """Yield the work in pairs, as many as run side by side."""
    rest = list(work)
    while rest:
        yield rest[:2]
        rest = rest[2:]


def write(what: str) -> None:
    """Put every .md of a folder between its marks on the page, and copy the pictures."""
    page = DOCS / PAGES[what]
    text = page.read_text(encoding="utf-8")
    for part in sorted((OUT / what).glob("*.md")):
        before, begin, rest = text.partition(f"<!-- {part.stem} -->\n")
        _, end, after = rest.partition("<!-- end -->")
        if not end:
            raise SystemExit(f"{page}: no place for {part.stem}")
        text = f"{before}{begin}\n{part.read_text(encoding='utf-8')}\n{end}{after}"
    page.write_text(text, encoding="utf-8")
    for picture in (OUT / what).glob("*.svg"):
        shutil.copy(picture, DOCS / "pictures" / f"{what}-{picture.name}")


def main() -> int:
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help=", ".join(PAGES))
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--time-limit", type=float, default=10.0)
    parser.add_argument("--short", type=float, default=1.0)
    options = parser.parse_args()
    names = options.names or list(PAGES)
    if not set(names) <= PAGES.keys():
        parser.error(f"names are {', '.join(PAGES)}")
    limits = [options.time_limit if what == "mobihoc" else options.short for what in names]
    codes = []
    for pair in batched(zip(names, limits, strict=True)):
        running = [start(what, options.seeds, limit) for what, limit in pair]
        codes += [process.wait() for process in running]
    if any(codes):
        return max(codes)
    for what in names:
        write(what)
    return 0


if __name__ == "__main__":
    sys.exit(main())
