"""Rows as a data frame of pandas or Polars, which are imported only when used."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from .errors import InputError, MissingError

Backend = Literal["pandas", "polars"]
BACKENDS: tuple[Backend, ...] = ("pandas", "polars")
"""Default backends, by preference."""


def frame(
    rows: Iterable[Mapping[str, Any]], columns: Sequence[str], backend: Backend | None = None
) -> Any:
    """Return rows as a data frame with these columns, with None for missing values.

    Raises:
        MissingError: If the backend is not installed, or by default if neither is.
    """
    if backend not in (None, *BACKENDS):
        advice = "name one of them, or leave it out"
        raise InputError.of("to_frame", "backend", backend, " or ".join(BACKENDS), advice)
    from importlib.util import find_spec

    asked = BACKENDS if backend is None else (backend,)
    found = next((name for name in asked if find_spec(name) is not None), None)
    if found is None:
        raise MissingError(
            f"a data frame needs {' or '.join(asked)}, not installed here: "
            f"pip install {asked[0]}, or 'ringyard[frames]' for both"
        )
    held = list(rows)
    if found == "pandas":
        import pandas

        return pandas.DataFrame(held, columns=list(columns))
    import polars

    cells = {name: [row.get(name) for row in held] for name in columns}
    return polars.DataFrame(cells, strict=False)
