"""What stands between the commas of an option, and the error if it cannot be meant."""

from collections.abc import Sequence
from typing import Any

from ...instances.errors import InputError, Problem, nearest

COMMAND = "ringyard whatif"


def parts(option: str, words: str) -> list[str]:
    """Return what stands between commas, each once."""
    found = [word.strip() for word in words.split(",")]
    if not all(found):
        raise wrong(option, words, "names with commas between", "write something in each place")
    return list(dict.fromkeys(found))


def unknown(option: str, word: str, known: Sequence[str]) -> InputError:
    """Return the error for a name that there is not."""
    like = nearest(word, list(known))
    advice = f"did you mean {like!r}?" if like else "choose one of them"
    return wrong(option, word, "one of " + ", ".join(known), advice)


def wrong(option: str, found: Any, expected: str, advice: str) -> InputError:
    """Return the error for an option."""
    return InputError(COMMAND, [Problem(option, found, expected, advice)])
