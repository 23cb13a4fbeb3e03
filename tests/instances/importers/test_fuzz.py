"""Whatever a foreign file holds, it is read or refused with reasons."""

import tempfile
from pathlib import Path

import pytest
from foreign_texts import TEXTS, THROUGHPUTS
from hypothesis import given
from hypothesis import strategies as st

from ringyard.instances import InputError, validate
from ringyard.instances.importers import ImportChoices, read_trace

NUMBERS = ("-1", "0", "1e999", "nan", "inf", "1_0", "²", "1" * 40)
TIMES = ("2020-13-01", "0001-01-01T00:00:00+23:59", "99999-00:00:00")
WORDS = ("", "null", "{}", "[", "]", "gres/gpu=0", "gres/gpu:=9", "job_id", "a;b=c;=", "9=;1")
PIECES = st.sampled_from([*",\t|\n\r\"'\0\ud800", *NUMBERS, *TIMES, *WORDS])


@st.composite
def mangled(draw: st.DrawFn, text: str) -> str:
    """Cut, repeat and overwrite parts of a good text."""
    for _ in range(draw(st.integers(1, 4))):
        a, b = sorted((draw(st.integers(0, len(text))), draw(st.integers(0, len(text)))))
        b = draw(st.sampled_from([a, min(a + 1, len(text)), min(a + 5, len(text)), b]))
        text = text[:a] + draw(PIECES | st.just(text[a:b] * 2)) + text[b:]
    return text


@pytest.mark.parametrize("format", TEXTS)
@given(data=st.data())
def test_only_the_errors_meant_come_out(format: str, data: st.DataObject) -> None:
    text = data.draw(mangled(TEXTS[format]))
    with tempfile.TemporaryDirectory() as folder:
        file, speeds = Path(folder, "trace"), Path(folder, "speeds")
        file.write_bytes(text.encode(errors="surrogatepass"))
        speeds.write_text(data.draw(st.just(THROUGHPUTS) | mangled(THROUGHPUTS)), errors="replace")
        try:
            made = read_trace(
                format,
                file,
                ImportChoices(name="x"),
                servers="2x8",
                throughputs=speeds if format == "gavel" else None,
            )
        except InputError:
            return
    validate(made.instance)
    assert made.read == len(made.instance.jobs) + made.further + sum(made.dropped.values())
