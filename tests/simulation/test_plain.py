"""Schedules are the same whether kernels run as plain Python or compiled."""

import os
import subprocess
import sys

import pytest

INSTANCES = {
    "makespan": ("hand-spread", "hand-timing-floor", "small-06x3-fluid", "small-10x3"),
    "online": ("pdors-small-03x2x4", "pdors-small-08x3x6"),
    "reserved": ("gadget-small-03x3x4", "gadget-small-08x4x8"),
    "trace": ("tiny-trace-04x2", "tiny-trace-05x2-sharing", "tiresias-example"),
    "fleet": ("tiny-fleet-3", "boa-two-types-fleet"),
}

LONG = (
    *("nested", "local-search", "enumeration", "branch-and-bound", "portfolio"),
    *("order-search", "column-generation", "boa-online"),
)
"""Searches that plain Python takes long for; what they are made of is asked by others here."""

ASK = """
import sys
from ringyard import load, solve
from ringyard.families.registry import FAMILIES
from ringyard.instances import RefusedError
kind, long, *names = sys.argv[1:]
for name in names:
    for method in FAMILIES[kind].methods:
        if method.kind != "program" and method.name not in long.split(","):
            try:
                print(name, method.name, solve(load(name), method.name).schedule)
            except RefusedError:
                pass
for work in ("local-search:work=150",) if kind == "makespan" else ():
    print(work, solve(load(names[0]), work).schedule)
"""


def asked(kind: str, mode: str) -> list[str]:
    words = [sys.executable, "-P", "-c", ASK, kind, ",".join(LONG), *INSTANCES[kind]]
    environment = {**os.environ, "RINGYARD_KERNELS": mode}
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


@pytest.mark.parametrize(
    "kind",
    [
        pytest.param(kind, marks=[] if kind == "reserved" else [pytest.mark.slow])
        for kind in INSTANCES
    ],
)
def test_plain_and_compiled_kernels_give_the_same_schedules(kind: str) -> None:
    plain, compiled = asked(kind, "plain"), asked(kind, "compiled")
    assert len(plain) >= 2 * len(INSTANCES[kind])
    assert plain == compiled
