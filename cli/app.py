"""The command `ringyard`: its commands, and its error handling.

Exit codes: 0 done; 1 a check failed; 2 bad input or usage; 3 no result within the limits;
130 interrupted.
"""

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cyclopts import App, CycloptsError, MissingArgumentError

from ..instances.errors import ABSENT, InputError, MethodError, Problem, RingyardError
from ..interrupts import interrupted
from ..version import __version__
from .shared.options import SHOWN, begin, keep, lost, streams_named
from .shared.output import divert, emit, finish, printed, report_error
from .shared.progress import QUIET, results, shown

COMMANDS = {
    "list": "List instances, methods, formulations, solvers, families or rules.",
    "show": "Show an instance: cluster, jobs, bounds and best known value.",
    "solve": "Solve an instance and check the schedule.",
    "check": "Check a schedule or certificate against its instance.",
    "replan": "Repair a plan after servers are lost or jobs are late.",
    "bound": "Compute proved bounds on the objective.",
    "certify": "Write and check certificates for the whole catalogue. Resumes if interrupted.",
    "compare": "Run several methods on the same instances and compare the results.",
    "shuffle": "Compute the messages of coded shuffling: predicted, simulated and decoded.",
    "rent": "Plan GPU rental for a budget.",
    "code": "Choose a code for a matrix product on workers that may straggle.",
    "whatif": "Replay a trace under other policies, clusters, loads and networks, and compare.",
    "calibrate": "Fit the contention model to measured all-reduces and report its error.",
    "locality": "Measure the cost of regional restrictions.",
    "evaluate": "Score a method on hidden instances, relative to baselines.",
    "run": "Run or resume a campaign.",
    "journal": "Export the rows of a campaign as Parquet, CSV or JSON lines.",
    "reproduce": "Rerun a study and regenerate its tables and figures.",
    "table": "Make a table of a campaign: LaTeX, Markdown, CSV or HTML.",
    "plot": "Draw a figure of a campaign: schedules, profiles, completion times, trade-offs.",
    "report": "Write a campaign report as a single HTML file.",
    "verify": "Check runs against proved or published guarantees.",
    "explain": "Explain why no schedule meets a deadline.",
    "shrink": "Reduce a disagreement or a wrong solver answer to a minimal example.",
    "export": "Export a program (MPS, LP, NL), a solution, or a trace (CSV).",
    "bench": "Compare solvers on program files, and audit every answer.",
    "corpus": "List, export and check the programs of the solver corpus.",
    "import": "Import a cluster log as an instance, or a solver's solution as a checked schedule.",
    "generate": "Generate an instance of a family.",
    "new": "Create a template for your own method, with a test.",
    "warm": "Compile kernels ahead of time.",
    "completion": "Print the completion script of a shell.",
}
"""Ringyard's commands by name. Each file is imported when its command is called."""


def own_app() -> App:
    """Return the program with Ringyard's commands."""
    app = App(
        name="ringyard",
        help=(
            "Schedule deep-learning training jobs on GPU clusters. Give it a named instance "
            "or a file. It returns a checked schedule and a proved bound."
        ),
        version=f"ringyard {__version__}",
        help_epilogue=(
            "Start with `ringyard list instances`, then `ringyard show hand-theorem5` and "
            "`ringyard solve hand-theorem5`.\n\n"
            "`ringyard COMMAND --help` lists the options of a command. Two options stand before "
            "the command: `ringyard --plugin FILE.py COMMAND` loads what your file registers, and "
            "`ringyard --quiet COMMAND` prints no progress."
        ),
        suppress_keyboard_interrupt=False,
        default_parameter=SHOWN,
    )
    for name, about in COMMANDS.items():
        file = "imports" if name == "import" else name  # A module cannot be called `import`.
        # The help of a command ends with its own text; some commands have subcommands.
        own = {} if name in ("corpus", "import") else {"help_epilogue": ""}
        app.command(f"{__package__}.{file}:{name}_command", name=name, help=about, **own)
    return app


def whole_app() -> App:
    """Return the program with Ringyard's commands and imported commands of other packages."""
    from .shared.plugin_commands import add_plugins

    return add_plugins(own_app(), COMMANDS)


class _Page:
    """The console for help. `rich` is imported when the help is printed."""

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of a console on the results stream."""
        from rich.console import Console

        return getattr(Console(file=results()), name)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code."""
    words = streams_named(sys.argv[1:] if arguments is None else arguments)
    begin()
    try:
        return _run(words)
    except BrokenPipeError:
        _silence()
        return 0
    except OSError as error:
        _silence()
        report_error(RingyardError(f"cannot write the output: {error.strerror}"))
        if text := printed():
            divert()
            keep(Path("ringyard-output.txt"), text.encode())
        return 2
    except BaseException:  # Treat any later exception as part of the interrupt.
        if not interrupted():
            raise
        return 130


def _silence() -> None:
    """Redirect standard output so that the interpreter's last flush cannot fail."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), results().fileno())


def _run(words: list[str]) -> int:
    try:
        words = _with_options(words)
        with shown(next(iter(words), "")):
            code = _command(words)
        finish()
        return int(code or 0) or (2 if lost() else 0)
    except CycloptsError as error:
        name = f"ringyard {' '.join(error.command_chain or ())}".rstrip()
        return _fail(words, RingyardError(f"{_usage_error(error)} See `{name} --help`."), 2)
    except InputError as error:
        return _fail(words, error, 2)
    except RingyardError as error:
        from ..run import ContradictionError

        wrong = isinstance(error, ContradictionError | MethodError)
        return _fail(words, error, 1 if wrong else 2)
    except KeyboardInterrupt:
        return _fail(words, RingyardError("interrupted before any result was found"), 130)


def _usage_error(error: CycloptsError) -> str:
    """Return the reason why a command line is refused. A missing option comes with its choices."""
    one = error.argument
    if not isinstance(error, MissingArgumentError) or one is None or one.tokens:
        return str(error).strip()
    choices = ", ".join(one.get_choices() or ())
    return f"`{one.name}` is required{f': one of {choices}' if choices else ''}."


def _command(words: list[str]) -> Any:
    """Run the named command, of Ringyard or of another package, or show the help."""
    name = next(iter(words), "")
    if name in COMMANDS or name == "--version":
        return _called(own_app(), words)
    if name and not name.startswith("-"):
        from .shared.plugin_commands import call_plugin

        code = call_plugin(own_app(), words, COMMANDS, _called)
        if code is not None:
            return code
    return _called(whole_app(), words)


def _called(app: App, words: Sequence[str]) -> Any:
    return app(
        words,
        console=_Page(),  # type: ignore[arg-type]
        exit_on_error=False,
        print_error=False,
        result_action="return_value",
    )


def _with_options(words: list[str]) -> list[str]:
    """Apply the options before the command and return the remaining words."""
    while words[:1] in (["--plugin"], ["--quiet"]):
        if words[0] == "--quiet":
            os.environ[QUIET] = "yes"
            words = words[1:]
            continue
        from ..extensions.entry_points import PLUGINS
        from ..families import FAMILIES

        if len(words) < 2:
            advice = "write ringyard --plugin FILE.py COMMAND .."
            raise InputError("ringyard", [Problem("--plugin", ABSENT, "a module or file", advice)])
        name = os.path.abspath(words[1]) if words[1].endswith(".py") else words[1]
        known = os.environ.get(PLUGINS, "").split(",")
        os.environ[PLUGINS] = ",".join(filter(None, dict.fromkeys([*known, name])))
        len(FAMILIES)  # Report errors of a plugin before the command starts.
        words = words[2:]
    return words


def _fail(words: list[str], error: RingyardError, code: int) -> int:
    if "--json" in words:
        emit({"error": str(error), "exit_code": code})
        finish()
    report_error(error)
    return code
