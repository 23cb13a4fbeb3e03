"""Any text, so that LaTeX prints it, whatever its fonts and shorthands are."""

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
"""Characters that mean something to LaTeX, or are others in some font."""

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
"""Greek letters; a capital that is also a Latin letter has no name."""

ACCENTS = dict(
    zip(
        "\u0300\u0301\u0302\u0303\u0304\u0307\u0308\u030a\u030b\u030c\u0327",
        "`'^~=.\"rHvc",
        strict=True,
    )
)
"""Accents above or below a letter, and the commands that set them."""


def latex_text(text: str) -> str:
    """Write any text so that LaTeX prints it; what it has no name for, by its number."""
    # Two hyphens are a dash to LaTeX.
    return "".join(map(_character, visible(text))).replace("--", "-{}-").replace("--", "-{}-")


def _character(c: str) -> str:
    if c.isascii():
        return MEANINGS.get(c, c)
    if c in SIGNS:
        return SIGNS[c]
    if c in GREEK:
        return rf"$\{GREEK[c]}$"
    letter, accent = _parts(c)
    return rf"\{accent}{{{letter}}}" if accent else f"U+{ord(c):04X}"


def _parts(c: str) -> tuple[str, str]:
    """Split a letter from its accent, where LaTeX has both."""
    letter, _, accent = decomposition(c).partition(" ")
    try:
        found = chr(int(letter, 16)), ACCENTS.get(chr(int(accent, 16)), "")
    except ValueError:
        return c, ""
    return found if found[0].isascii() and found[0].isalpha() else (c, "")
