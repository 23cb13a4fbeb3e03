"""Pictures as SVG text, written without a library and byte-identical for equal pictures."""

from html import escape

from .shapes import Boxes, Group, Line, Picture, Shape, TextLine

FONT = "Helvetica, Arial, 'DejaVu Sans', sans-serif"


def to_svg(picture: Picture, *, embedded: bool = False) -> str:
    """Return a picture as SVG. `embedded` in HTML, it has no headline and scales to the page."""
    width, height = _short(picture.width), _short(picture.height)
    if embedded:
        size = f'viewBox="0 {_short(picture.head)} {width} {_short(picture.height - picture.head)}"'
    else:
        size = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
        size = f'xmlns="http://www.w3.org/2000/svg" {size}'
    lines = [f'<svg {size} role="img" aria-label="{escape(picture.about)}" font-family="{FONT}">']
    for item in picture.shapes:
        lines.append(_group(item) if isinstance(item, Group) else _shape(item))
    lines.append("</svg>")
    return "\n".join(lines) + "\n"


def _group(group: Group) -> str:
    title = f"<title>{escape(group.tooltip)}</title>" if group.tooltip else ""
    inner = "".join(map(_shape, group.shapes))
    return f'<g class="{group.role}" data-job="{group.job}">{title}{inner}</g>'


def _shape(shape: Shape) -> str:
    match shape:
        case Boxes():
            return _boxes(shape)
        case Line():
            return _line(shape)
        case TextLine():
            return _text(shape)


def _boxes(boxes: Boxes) -> str:
    """Write one box as a rectangle, several of the same look as one path."""
    look = _role(boxes.role) + f' fill="{boxes.fill}"'
    if boxes.opacity != 1:
        look += f' fill-opacity="{_short(boxes.opacity)}"'
    if boxes.edge is not None:
        look += f' stroke="{boxes.edge}" stroke-width="{_short(boxes.edge_width)}"'
    if len(boxes.at) == 1:
        x, y, width, height = map(_short, boxes.at[0])
        return f'<rect{look} x="{x}" y="{y}" width="{width}" height="{height}"/>'
    path = "".join(
        f"M{_short(x)} {_short(y)}h{_short(w)}v{_short(h)}h{_short(-w)}z" for x, y, w, h in boxes.at
    )
    return f'<path{look} d="{path}"/>'


def _line(line: Line) -> str:
    (x1, y1), (x2, y2) = [map(_short, point) for point in (line.start, line.end)]
    look = f' stroke="{line.colour}" stroke-width="{_short(line.width)}"'
    if line.opacity != 1:
        look += f' stroke-opacity="{_short(line.opacity)}"'
    if line.dash:
        look += f' stroke-dasharray="{" ".join(map(_short, line.dash))}"'
    return f'<line{_role(line.role)} x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}"{look}/>'


def _text(text: TextLine) -> str:
    x, y = map(_short, text.at)
    look = f' font-size="{_short(text.size)}" fill="{text.colour}"'
    if text.anchor != "start":
        look += f' text-anchor="{text.anchor}"'
    if text.bold:
        look += ' font-weight="bold"'
    return f'<text{_role(text.role)} x="{x}" y="{y}"{look}>{escape(text.text)}</text>'


def _role(role: str) -> str:
    return f' class="{role}"' if role else ""


def _short(value: float) -> str:
    """Write a length with at most two decimals."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text
