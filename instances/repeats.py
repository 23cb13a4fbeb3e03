"""Names that stand twice."""

from collections.abc import Iterator

from .errors import Problem


def repeats(path: str, names: list[str]) -> Iterator[Problem]:
    """Yield a fault for every name in a list of nouns that stood there before."""
    first: dict[str, int] = {}
    for i, name in enumerate(names):
        if name in first:
            yield Problem(
                f"{path}[{i}].name",
                name,
                f"a name other than that of {path}[{first[name]}]",
                "rename one",
            )
        else:
            first[name] = i
