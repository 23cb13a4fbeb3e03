"""`ringyard import`: traces and profiles of other tools as instances, and plans as schedules."""

from cyclopts import App

from ..shared.options import SHOWN
from .plans import runs_command, sol_command
from .profiles import profiles_command
from .traces import trace_command

import_command = App(name="import", help_epilogue="", default_parameter=SHOWN)
"""One command for all traces, one for profiles, one for plans, and one for solvers' points."""

import_command.default(trace_command)
import_command.command(
    profiles_command,
    name="pollux",
    help="Import profiles as measured for Pollux or Sia, or a workload of jobs with them.",
)
import_command.command(
    runs_command,
    name="runs",
    help="Import the runs of a plan as a schedule, and check it against the instance.",
)
import_command.command(
    sol_command,
    name="sol",
    help="Import a solver's point as a schedule, and check it against the instance.",
)
