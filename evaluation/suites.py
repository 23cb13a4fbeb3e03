"""Suites: frozen lists of recipes, and the public and hidden seeds of their instances.

A suite never changes. A changed suite has a new version or a new name.

A seed is an HMAC of the suite's name, its version and the instance's number (RFC 2104). The secret
reproduces the instances. Without it, they are unpredictable even from earlier instances.
"""

import hmac
import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ..families.family import Suite
from ..families.registry import FAMILIES
from ..instances.errors import ABSENT, InputError, Problem, Words, reason, unknown
from ..instances.reading.decode import read_bytes


def all_suites() -> tuple[Suite, ...]:
    """Return the suites of all families."""
    return tuple(suite for family in FAMILIES.values() for suite in family.suites)


def find_suite(name: str) -> Suite:
    """Return a suite by name."""
    known = {suite.name: suite for suite in all_suites()}
    if name not in known:
        expected = "one of " + ", ".join(known)
        hint = "see `ringyard list suites`"
        raise InputError("evaluate", [unknown("suite", name, known, hint, expected)])
    return known[name]


def baselines_of(suite: Suite, method: object, asked: Sequence[str] | None) -> list[str]:
    """Return the baselines of a method, without the method itself."""
    names = suite.baselines if asked is None else asked
    return [name for name in names if name != method]


def runs_of(name: str, method: str, asked: Sequence[str] | None) -> int:
    """Return the number of runs of an evaluation."""
    suite = find_suite(name)
    return len(suite.drawn) * (1 + len(baselines_of(suite, method, asked)))


VARIABLE = "RINGYARD_EVALUATION_SECRET"
"""The variable of the secret if no file is named."""

PUBLIC = b"the public seeds of ringyard, to train on"
"""The key of training seeds."""

LEAST, KINDS = 24, 8
"""Characters of a secret, and how many different ones."""

ADVICE = "Make one: openssl rand -hex 32"


@dataclass(frozen=True, slots=True)
class Key:
    """The key of the seeds, which is never shown."""

    value: bytes
    file: Path | None = None

    def __repr__(self) -> str:
        """Return a text without the value."""
        return "Key(..)"

    @property
    def hidden(self) -> bool:
        """True if only the evaluator knows it."""
        return self.value != PUBLIC

    @property
    def mark(self) -> str | None:
        """A text that identifies results of the same secret."""
        return self._of("mark")[:12] if self.hidden else None

    def seed(self, suite: Suite, index: int) -> int:
        """Return the seed of an instance of a suite."""
        return int(self._of(f"{suite.name}\0{suite.version}\0{index}")[:15], 16)

    def _of(self, text: str) -> str:
        message = f"ringyard-evaluation/1\0{text}".encode()
        return hmac.new(self.value, message, "sha256").hexdigest()


TRAINING = Key(PUBLIC)


def hidden_key(file: Path | None) -> Key | None:
    """Return the secret of a file, or else of the environment, or else None."""
    if file is not None:
        return Key(_sound(str(file), _read(file)), file.resolve())
    secret = os.environ.get(VARIABLE)
    return None if secret is None else Key(_sound(VARIABLE, secret.encode()))


def no_secret() -> InputError:
    """Return the error for hidden instances without a secret."""
    advice = f"name a file with --secret, or set {VARIABLE}. {ADVICE}"
    problem = Problem("--seeds hidden", ABSENT, "a secret", advice)
    return InputError("ringyard evaluate", [problem])


def _read(file: Path) -> bytes:
    try:
        mode, data = file.stat().st_mode, read_bytes(file)
    except (OSError, ValueError) as error:
        problem = Problem("--secret", reason(error), "a file with a secret", ADVICE)
        raise InputError(str(file), [problem]) from None
    if stat.S_ISREG(mode) and mode & (stat.S_IRWXG | stat.S_IRWXO):
        found = Words(f"a file that other users may access ({stat.filemode(mode)})")
        problem = Problem("--secret", found, "a private file", f"run chmod 600 {file}")
        raise InputError(str(file), [problem])
    return data


def _sound(where: str, data: bytes) -> bytes:
    """Return the secret in a text. Raise an error that does not quote an invalid one."""
    secret = data.strip()
    found = None
    if secret == PUBLIC:
        found = "the public text of the training seeds"
    elif len(secret) < LEAST:
        found = f"{len(secret)} characters"
    elif len(set(secret)) < KINDS:
        found = f"{len(set(secret))} different characters"
    if found is None:
        return secret
    expected = f"a random secret: at least {LEAST} characters, {KINDS} of them different"
    raise InputError(where, [Problem("secret", Words(found), expected, ADVICE)])
