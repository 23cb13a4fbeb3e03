"""`ringyard reproduce sjf-bco-orders`: the orders of Figures 4-7 under the paper's conditions."""

from collections.abc import Iterator
from itertools import product

from ...campaigns.reproductions import Answers, Known, Results, Run, Settings
from ..study import sound
from .conditions import PRINTED, figure_orders
from .region import looked, ratios_of_orders


def runs(settings: Settings, _: Known | None = None) -> Iterator[Run]:
    """Yield every run once."""
    for method, seed in product(dict.fromkeys(PRINTED.methods.values()), range(settings.seeds)):
        yield PRINTED.conditions.run(method, seed)


def report(settings: Settings, answers: Answers) -> Results:
    """Compare neighbours in the paper's plots on the same draws."""
    found = looked(PRINTED, range(settings.seeds), sound(answers))
    about = "The paper's rankings under its conditions"
    return Results(tables={"rankings": ratios_of_orders(about, found, figure_orders(), settings)})
