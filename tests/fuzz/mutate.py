"""Break files: the same mutants for the same seed, from flipped bits to hostile values."""

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

SEEDS = {
    path.stem: path.read_bytes() for path in sorted(Path(__file__).parent.glob("seeds/*.json"))
}
"""Good files that name every field: instances and schedules of the families."""

VALUES = (
    *("null", "true", "false", "0", "-0", "-1", "1", "2.5", "1e3", "10e-1", "1E+5", "0.1e1"),
    *("1e400", "-1e400", "1e-400", "1e30", "1e31", "1e99999999999999999999", "0e999999"),
    *("9" * 30, "9" * 31, "9" * 5000, "0." + "1" * 30, "1." + "0" * 5000, "1e-30", "1e-31"),
    *("NaN", "Infinity", "-Infinity", "nan", "01", "1.", ".5", "+1", "0x10", "1_000", "'a'"),
    *('""', '" "', '"1"', '"x"', '"s0"', '"fluid"', '"floor"', r'"\ud800"', r'"\u0000"'),
    *('"\\u202e"', '"' + "x" * 101 + '"', '"' + "x" * 20_001 + '"', '"a\nb"', '"\x00"', '"'),
    *("[]", "{}", "[[]]", "[null]", "[1, 2]", '{"a": 1}', '{"a": 1, "a": 2}', '{"": {}}'),
    *('{"model": "fluid"}', '{"model": 1}', '{"model": []}', '["s0", "s0"]', '{"s0": 1e0}'),
    *("[" * 3000 + "]" * 3000, '{"a":' * 3000 + "1" + "}" * 3000, "[" * 3000, "/* */ 1", "// 1"),
)
"""Tokens to put where another value stood, many of them no JSON."""

MILD = (
    *("1", "2", "3", "4", "8", "0.5", "2.0", "10", "3e1", '"paper"', '"step"', '"floor"'),
    *('"continuous"', '"fractional"', '"bert"', '"s1"', '"a"', '"north"', '{"s0": 3}'),
)
"""Values that are right somewhere; they reach the checks across fields."""

KEYS = (
    "",
    "gpu",
    "Gpus",
    "format",
    "kind",
    "model",
    "name",
    "x" * 300,
    "\x00",
    "\ud800",
    "é",
    "a.b",
)
"""Names for keys, known ones in wrong places among them."""

TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|[-+.\w]+|[^\s\w]')


class Raw(str):
    """A value as it stands in the file, whatever it is."""


class Pairs(list[tuple[str, Any]]):
    """An object that can hold a key twice."""


def mutants(seeds: Sequence[bytes], count: int, seed: int) -> Iterator[bytes]:
    """Yield mutants of good files."""
    rng = Random(seed)
    for _ in range(count):
        data = rng.choice(seeds)
        for _ in range(rng.choice((1, 1, 1, 2, 3, 6))):
            data = rng.choice((broken, rearranged, restructured, restructured))(data, rng)
        yield data


def broken(data: bytes, rng: Random) -> bytes:
    """Change bytes: flip, cut, insert, double, end early."""
    if not data:
        return rng.randbytes(3)
    i = rng.randrange(len(data))
    j = min(len(data), i + rng.choice((1, 1, 2, 8, 100)))
    return rng.choice(
        (
            data[:i] + bytes([data[i] ^ 1 << rng.randrange(8)]) + data[i + 1 :],
            data[:i] + rng.randbytes(j - i) + data[j:],
            data[:i] + data[j:],
            data[:j] + data[i:],
            data[:i],
            data[:i]
            + rng.choice((b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"\xed\xa0\x80"))
            + data[i:],
        )
    )


def rearranged(data: bytes, rng: Random) -> bytes:
    """Swap, drop, double or replace whole tokens."""
    spans = [match.span() for match in TOKEN.finditer(data)]
    if len(spans) < 2:
        return data + rng.choice(VALUES).encode()
    (a, b), (c, d) = sorted(rng.sample(spans, 2))
    return rng.choice(
        (
            data[:a] + data[c:d] + data[b:c] + data[a:b] + data[d:],
            data[:a] + data[b:],
            data[:b] + b" " + data[a:],
            data[:a] + data[c:d] + data[b:],
            data[:a] + rng.choice(VALUES).encode() + data[b:],
        )
    )


def restructured(data: bytes, rng: Random) -> bytes:
    """Change one place of the tree: a hostile value, a key gone, renamed, twice or nested."""
    try:
        tree = json.loads(data, object_pairs_hook=Pairs, parse_float=Raw, parse_int=Raw)
        homes = list(containers(tree))
        if not homes:
            return rng.choice(VALUES).encode()
        change_one(rng.choice(homes), rng.choice(homes), rng)
        return written(tree).encode("utf-8", "surrogatepass")
    except (ValueError, RecursionError):
        return broken(data, rng)


def change_one(home: list[Any], other: list[Any], rng: Random) -> None:
    """Change one entry of a list or object, perhaps to one of another."""
    i, k = rng.randrange(len(home)), rng.randrange(len(other))
    key, value = home[i] if isinstance(home, Pairs) else ("", home[i])
    change = rng.choice(("value", "value", "delete", "rename", "double", "swap", "nest"))
    if change == "delete":
        del home[i]
    elif change == "rename" and isinstance(home, Pairs):
        home[i] = (rng.choice((*KEYS, key[:-1], key.upper())), value)
    elif change == "double":
        home.insert(rng.randrange(len(home) + 1), home[i])
    else:
        new: Any = Raw(rng.choice(rng.choice((VALUES, MILD, MILD))))
        if change == "swap":
            new = Raw(written(other[k][1] if isinstance(other, Pairs) else other[k]))
        if change == "nest":
            new = [value]
        home[i] = (key, new) if isinstance(home, Pairs) else new


def containers(tree: Any) -> Iterator[Any]:
    """Yield every list and object of a tree that holds something."""
    if isinstance(tree, list) and tree:
        yield tree
        for item in tree:
            yield from containers(item[1] if isinstance(tree, Pairs) else item)


def written(tree: Any) -> str:
    """Write a tree as text, raw values as they are."""
    if isinstance(tree, Raw):
        return tree
    if isinstance(tree, Pairs):
        return "{" + ", ".join(f"{written(k)}: {written(v)}" for k, v in tree) + "}"
    if isinstance(tree, list):
        return "[" + ", ".join(map(written, tree)) + "]"
    return json.dumps(tree)
