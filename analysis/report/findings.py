"""What a command has found out from the rows of a page, to stand before everything else."""

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape

from ...instances.errors import visible
from ..drawing.shapes import Picture
from ..drawing.svg import to_svg
from ..tables import Table, to_html


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """Sentences, then a picture, then tables."""

    title: str
    sentences: tuple[str, ...] = ()
    picture: Picture | None = None
    tables: tuple[Table, ...] = ()


def findings_html(found: Findings) -> str:
    """Write them as a part of the page."""
    return "\n".join(_parts(found))


def _parts(found: Findings) -> Iterator[str]:
    if found.sentences:
        items = "".join(f"<li>{escape(visible(text))}</li>" for text in found.sentences)
        yield f"<ul>{items}</ul>"
    if found.picture is not None:
        about = escape(visible(found.picture.about))
        drawn = f"{to_svg(found.picture)}<figcaption>{about}</figcaption>"
        yield f'<figure style="max-width: {found.picture.width:.0f}px">{drawn}</figure>'
    for table in found.tables:
        yield f'<div class="plain">{to_html(table)}</div>'
