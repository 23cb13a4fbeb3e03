"""Any text, so that LaTeX prints it, and how wide it is in Computer Modern."""

from collections.abc import Iterable
from re import findall, split
from unicodedata import decomposition

from ...instances.errors import visible

MEANINGS = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "`": r"\`{}",
    '"': r"\textquotedblright{}",
} | {sign: "\\" + sign for sign in "#$%&_"}
"""Characters with a special meaning in LaTeX, or a different glyph in some font."""

SIGNS = {
    "\N{MULTIPLICATION SIGN}": r"$\times$",
    "±": r"$\pm$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "≈": r"$\approx$",
    "∞": r"$\infty$",
    "→": r"$\rightarrow$",
    "\N{MINUS SIGN}": "$-$",
    "·": r"$\cdot$",
    "°": r"$^\circ$",
    "µ": r"$\mu$",
    "\N{EN DASH}": r"\textendash{}",
    "—": r"\textemdash{}",
    "…": r"\ldots{}",
    "\N{LEFT SINGLE QUOTATION MARK}": r"\textquoteleft{}",
    "\N{RIGHT SINGLE QUOTATION MARK}": r"\textquoteright{}",
    "“": r"\textquotedblleft{}",
    "”": r"\textquotedblright{}",
    "ß": r"\ss{}",
    "ø": r"\o{}",
    "Ø": r"\O{}",
    "ł": r"\l{}",
    "Ł": r"\L{}",
    "æ": r"\ae{}",
    "Æ": r"\AE{}",
    "œ": r"\oe{}",
    "Œ": r"\OE{}",
}
"""Characters beyond ASCII that every LaTeX has a name for."""

GREEK_NAMES = """
alpha beta gamma delta varepsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau
upsilon varphi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega
"""

GREEK = dict(zip("αβγδεζηθικλμνξπρστυφχψωΓΔΘΛΞΠΣΦΨΩ", GREEK_NAMES.split(), strict=True))
"""Greek letters. A capital that is also a Latin letter has no name."""

ACCENTS = dict(
    zip(
        "\u0300\u0301\u0302\u0303\u0304\u0307\u0308\u030a\u030b\u030c\u0327",
        "`'^~=.\"rHvc",
        strict=True,
    )
)
"""Accents above or below a letter, and the commands that set them."""


def latex_text(text: str) -> str:
    """Return text as printable LaTeX, with characters by number if they have no name."""
    # Two hyphens are a dash to LaTeX.
    return "".join(map(_character, visible(text))).replace("--", "-{}-").replace("--", "-{}-")


SYMBOL = r"(?<![\w'=:/-])([prt](?![\w'=:/-])|p(?=-value))"
"""A letter that is a quantity in captions, notes and heads."""


def prose(text: str) -> str:
    """Return a text of sentences, where p, r and t are italic quantities."""
    parts = split(SYMBOL, text)
    return "".join(f"${part}$" if i % 2 else latex_text(part) for i, part in enumerate(parts))


def _character(c: str) -> str:
    if c.isascii():
        return MEANINGS.get(c, c)
    if c in SIGNS:
        return SIGNS[c]
    if c in GREEK:
        return rf"$\{GREEK[c]}$"
    if raised := _raised(c):
        return rf"\textsuperscript{{{raised}}}"
    letter, accent = _parts(c)
    return rf"\{accent}{{{letter}}}" if accent else f"U+{ord(c):04X}"


def _raised(c: str) -> str:
    """Return the letter or digit that a superscript raises, or an empty text."""
    kind, _, code = decomposition(c).partition(" ")
    raised = chr(int(code, 16)) if kind == "<super>" and " " not in code else ""
    return raised if raised.isascii() and raised.isalnum() else ""


def _parts(c: str) -> tuple[str, str]:
    """Split a letter from its accent if LaTeX has both."""
    letter, _, accent = decomposition(c).partition(" ")
    try:
        found = chr(int(letter, 16)), ACCENTS.get(chr(int(accent, 16)), "")
    except ValueError:
        return c, ""
    return found if found[0].isascii() and found[0].isalpha() else (c, "")


LETTERS = {
    2.8: "il.,:;!|'",
    3.4: "- []j",
    4.0: "frts()",
    4.5: "ce_z",
    5.0: 'ago0123456789/*?\\$`"{}^~',
    5.6: "bdhknpquvxySI",
    6.3: "LZ",
    6.9: "EFPJ",
    7.9: "ABCDGHKNOQRTUVXYw&@+=<>",
    8.4: "m%#",
    10.3: "MW",
}
"""Characters by width, in points at 10 points, rounded up."""

WIDTHS = {c: width for width, some in LETTERS.items() for c in some}

NUMBERED, NAMED, RAISED = 48.0, 13.4, 7.2
"""The width of a character beyond ASCII that is shown by its number, of any other, and of a
superscript."""

BOLD = 1.16
"""Width of bold digits relative to regular ones."""

WORD, PART = r"\s*\S+\s*|\s+", r"[^\-:=/_,;.]*[\-:=/_,;.]*\s*"
"""A word, and a part of a word after which a too long word may be broken."""


def text_width(text: str) -> float:
    """Return the width in points of a text of 10 points."""
    return sum(map(_width, visible(text)))


def widest(texts: Iterable[str]) -> float:
    """Return the width of the widest text."""
    return max(map(text_width, texts), default=0.0)


def pieces(text: str, width: float) -> list[str]:
    """Split a text where a line may break: after words, in wide words after signs, or anywhere."""
    found = []
    for word in findall(WORD, visible(text)):
        parts = [word] if _fits(word, width) else filter(None, findall(PART, word))
        found += [one for part in parts for one in ([part] if _fits(part, width) else part)]
    return found


def _fits(text: str, width: float) -> bool:
    return text_width(text.strip()) <= width


def least_width(text: str) -> float:
    """Return the width at which lines break after words and signs only."""
    return widest(part for word in visible(text).split() for part in findall(PART, word))


def in_lines(text: str, width: float) -> list[str]:
    """Split a text into lines of at most this width."""
    lines = [""]
    for part in pieces(text, width):
        if lines[-1] and text_width(lines[-1] + part.rstrip()) > width:
            lines.append("")
        lines[-1] += part
    return [line.rstrip() for line in lines]


def _width(c: str) -> float:
    if c.isascii():
        return WIDTHS[c]
    if _raised(c):
        return RAISED
    return NUMBERED if latex_text(c).startswith("U+") else NAMED
