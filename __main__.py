"""The program `ringyard`, also as ``python -m ringyard``: signals are in hand before all else."""

import os
import sys

from . import interrupts


def main() -> None:
    """Run the command line and end the process with its exit code."""
    _open_streams()
    interrupts.install(json="--json" in sys.argv)
    from .cli import main as run
    from .cli.shared.progress import set_apart

    set_apart()
    interrupts.leave(run())


def _open_streams() -> None:
    """Redirect standard streams that were closed before the start to the null device.

    Otherwise, the next file that is opened would take their place, and output would go into it.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115


if __name__ == "__main__":
    main()
