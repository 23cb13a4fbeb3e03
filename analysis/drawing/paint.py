"""From a picture to the bytes of a file, and which files can be made."""

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from ...instances.errors import InputError, MissingError, Problem, shorten
from .shapes import Picture
from .svg import to_svg


def painted(picture: Picture, form: str) -> bytes:
    """Return the bytes of an SVG, by our own writer, or of a PDF or PNG, by matplotlib."""
    if form == "svg":
        return to_svg(picture).encode()
    from .plot import to_plot

    return to_plot(picture, form)


def form_of(path: Path, forms: Sequence[str], what: str, own: Sequence[str]) -> str:
    """Return the format that the suffix of a file names, or say why it cannot be drawn.

    Our `own` formats are written without matplotlib.
    """
    form = path.suffix.lower().removeprefix(".")
    if form not in forms:
        expected = f"one of .{', .'.join(forms)}"
        problem = Problem("suffix", path.suffix, expected, f"name the file {what}.svg")
        raise InputError(str(path), [problem])
    if form not in own and find_spec("matplotlib") is None:
        raise MissingError(
            f"{shorten(str(path))}: a {form.upper()} {what} needs matplotlib, which is not "
            f"installed: pip install 'ringyard[plot]'; or draw an .{' or .'.join(own)} file"
        )
    return form
