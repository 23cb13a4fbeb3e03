"""Put tables, sentences and pictures of a campaign into the pages of docs/ that show them.

A part stands between `<!-- NAME -->` and `<!-- end -->`; the picture of chart NAME is
`pictures/CAMPAIGN-NAME.svg`.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path

from ..instances.errors import ABSENT, InputError, Problem
from ..instances.reading.parse import read_text
from ..instances.writing import write_whole

END = "<!-- end -->"


def show(name: str, written: Iterable[Path], docs: Path, pages: Sequence[str]) -> list[Path]:
    """Put each .md among the files of a report into its page, each .svg into the pictures.

    Nothing is changed if a part has no place. Returns what was written.
    """
    texts = read_pages(docs, pages)
    pictures: dict[Path, bytes] = {}
    for path in written:
        if path.suffix == ".md":
            mark = f"<!-- {path.stem} -->"
            page = next((page for page, text in texts.items() if mark in text), None)
            if page is None:
                names, advice = ", ".join(pages), "put these marks where the part belongs"
                problem = Problem(names, ABSENT, f"{mark} .. {END}", advice)
                raise InputError(str(docs), [problem])
            part = path.read_text(encoding="utf-8")
            texts[page] = filled(texts[page], path.stem, part, str(page))
        elif path.suffix == ".svg":
            place = docs / "pictures" / f"{name}-{path.name}"
            pictures[place] = path.read_bytes()
    for page, text in texts.items():
        write_whole(page, text.encode())
    for place, picture in pictures.items():
        write_whole(place, picture)
    return [*texts, *pictures]


def filled(text: str, name: str, part: str, source: str = "page") -> str:
    """Return the text of a page with `part` between the marks of that name."""
    before, mark, rest = text.partition(f"<!-- {name} -->\n")
    last, end, after = rest.partition(END)
    if not end or "<!--" in last:
        problem = Problem(f"<!-- {name} -->", ABSENT, f"a line of its own, later {END}", "add them")
        raise InputError(source, [problem])
    return f"{before}{mark}\n{part}\n{end}{after}"


def read_pages(docs: Path, pages: Sequence[str]) -> dict[Path, str]:
    """Return the text of each page by its file."""
    try:
        return {docs / page: read_text(docs / page, regular=True) for page in pages}
    except InputError as error:
        found = error.problems[0].value
        problem = Problem("--docs", found, "the folder of the pages", "name it")
        raise InputError(error.source, [problem]) from None
