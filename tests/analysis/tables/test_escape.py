"""Whatever a name holds, LaTeX prints it and takes no orders from it."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ringyard.analysis.tables.latex_text import latex_text

COMMAND = re.compile(r"\\[a-zA-Z]+(?:\{\})?|\\[#$%&_{}]|\\`\{\}|-\{\}(?=-)")
BACK = {
    r"\textbackslash{}": "\\",
    r"\textasciitilde{}": "~",
    r"\textasciicircum{}": "^",
    r"\textless{}": "<",
    r"\textgreater{}": ">",
    r"\textbar{}": "|",
    r"\textquotedblright{}": '"',
    r"\`{}": "`",
    "-{}": "-",
}


def read_latex(text: str) -> str:
    """Read back a text as LaTeX would print it, refusing what has a meaning of its own."""
    rest = COMMAND.sub("", text)
    assert not set(rest) & set('\\{}#$%&_~^`"'), text
    return COMMAND.sub(lambda found: BACK.get(found[0], found[0][-1]), text)


@given(st.text(st.characters(min_codepoint=32, max_codepoint=126)))
def test_latex_prints_what_stands_there(text: str) -> None:
    assert read_latex(latex_text(text)) == text


@given(st.text())
def test_latex_gets_printable_ascii_only(text: str) -> None:
    found = latex_text(text)
    assert found.isascii()
    assert found.isprintable()


@pytest.mark.parametrize(
    ("text", "latex"),
    [
        ("Gödel", r"G\"{o}del"),
        ("Łódź", r"\L{}\'{o}d\'{z}"),
        ("κ ≥ 4", r"$\kappa$ $\geq$ 4"),
        ("Ω", r"$\Omega$"),
        ("環", "U+74B0"),
        ("😀", "U+1F600"),
        ("a\u200fb", r"a\textbackslash{}u200fb"),
        ("a\nb", r"a\textbackslash{}nb"),
        ("---", "-{}-{}-"),
        ("½", "U+00BD"),
    ],
)
def test_what_latex_has_a_name_for_is_named(text: str, latex: str) -> None:
    assert latex_text(text) == latex
