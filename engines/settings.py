"""The settings of engines."""

from ..analysis.rows import Row
from ..analysis.tables import Cell, Table, table_of, texts
from ..formulations.solver_interface.cones import FINE
from ..formulations.solver_interface.solve import find_solver
from ..formulations.stated import HEADS, ours
from .compared import EngineRuns, by_engine


def settings_table(runs: EngineRuns) -> Table:
    """Return the settings of every engine in its runs."""
    cones = [
        f"{name} {', '.join(f'{option} {value:g}' for option, value in fine.items())}"
        for name, fine in FINE.items()
    ]
    return table_of(
        "Settings of the engines",
        texts("engine", *HEADS),
        [(engine, *_cells(own[0])) for engine, own in by_engine(runs.rows).items()],
        "*: Ringyard sets it. Other values are defaults of the solver or, if it has no such "
        "option, its properties. Seeds are those of the first order. For programs in cones: "
        f"{'; '.join(cones)}.",
    )


def _cells(row: Row) -> list[Cell]:
    """Return the settings of an engine, by one of its runs."""
    stated = dict(find_solver(row["solver"]).stated)
    if row["threads"] > 1:
        stated["threads"] = ours(stated["threads"].option, row["threads"])
    return [f"{one.shown}{'*' * one.ours}" if (one := stated.get(h)) else "" for h in HEADS]
