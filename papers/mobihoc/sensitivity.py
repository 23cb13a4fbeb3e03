"""Figure 4 of the SJF-BCO paper (arXiv 2207.07817) under other contention and overhead models."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache, partial
from itertools import groupby, product
from typing import Any

from ...analysis.figures.canvas import Figure, finished
from ...analysis.figures.categories import by_name, category_figure
from ...analysis.intervals import mean_above
from ...analysis.tables import Cell, Table, cell_text, texts
from ...campaigns.reproductions import Answers, Known, Results, Run, Settings
from ...instances import MakespanInstance
from ...instances.generate import generate
from ..study import (
    BEST,
    HOLDS,
    OPEN,
    POLICIES,
    REVERSED,
    Compared,
    about_best,
    beside_best,
    certificate_runs,
    sound,
    table_of,
)
from .figures import Conclusion, claims

LIGHT, HEAVY, PACKED = "at most 15 %", "as long as computation", "as long, 4 GPUs a server"
"""Transfer times of rings: as in the paper, equal to computing, and equal on small servers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperModel:
    """A model with its difference to the paper's, as options of the generator."""

    transfer: str
    name: str
    about: str
    options: tuple[tuple[str, Any], ...] = ()

    def instance(self, seed: int) -> MakespanInstance:
        """Draw the instance of a seed: the same jobs and servers under every model."""
        return _draw(self, seed)


CHANGES: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("paper", "server uplinks, all rings collide", {}),
    ("fluid", "max-min fair links, 4 servers a rack, 2:1", {"contention": "fluid"}),
    ("alpha 1", "each competitor costs the same amount", {"degradation": Decimal(1)}),
    ("share 1/2", "half of the rings collide", {"share": Decimal("0.5")}),
    ("x 10", "ten times the overhead, for each server", {"overhead_s": Decimal("0.0002")}),
    ("step", "ten times the overhead, once", {"overhead_s": Decimal("0.0002"), "overhead": "step"}),
    (
        "workers",
        "ten times the overhead, for each worker of the fullest server",
        {"overhead_s": Decimal("0.0002"), "overhead": "max_workers_per_server"},
    ),
    ("floor", "whole iterations per slot", {"progress": "floor"}),
)
"""Name, meaning, and options of every change."""

MODELS = (
    *(
        PaperModel(transfer=transfer, name=name, about=about, options=(*more, *options.items()))
        for transfer, more in ((LIGHT, ()), (HEAVY, (("communication", Decimal(1)),)))
        for name, about, options in CHANGES
    ),
    PaperModel(transfer=PACKED, name="paper", about="the family tight: 40 servers"),
)


@cache
def _draw(model: PaperModel, seed: int) -> MakespanInstance:
    if model.transfer == PACKED:
        family, name = "tight", f"tight-s{seed}"
    else:
        family, name = "mobihoc", f"mobihoc-20-s{seed}"
    instance: MakespanInstance = generate(family, seed=seed, name=name, **dict(model.options))
    return instance


SHOWN = ("SJF-BCO", "LS", "FF", BEST)
"""Random, several times farther off, would press the other lines together. It is in the table."""


CHARTS = {"short-transfers": LIGHT, "long-transfers": HEAVY}
"""The scales of the two charts differ."""


def draw(found: Mapping[PaperModel, Compared], kind: str) -> Figure:
    """Draw the models with one kind of transfers."""
    there = {model.name: one for model, one in found.items() if model.transfer == kind}
    values = {
        name: [mean_above(one.over_bound(name), 1.0) for one in there.values()] for name in SHOWN
    }
    about = "Makespan / certified bound, by contention and overhead model"
    up = f"makespan / bound, transfer {kind}"
    figure, [axes] = category_figure(about, ("model", there, up))
    by_name(axes, values, "points")
    return finished(figure)


def chosen(settings: Settings) -> list[PaperModel]:
    """Return the models that take part, of each kind of transfer."""
    kinds = (list(some) for _, some in groupby(MODELS, key=lambda model: model.transfer))
    return [model for some in kinds for model in settings.some(some)]


def runs(settings: Settings, _: Known | None = None) -> Iterator[Run]:
    """Yield every run that the report needs, the quick ones first."""
    pairs = list(product(chosen(settings), range(settings.seeds)))
    for (model, seed), method in product(pairs, POLICIES.values()):
        yield Run(instance=model.instance(seed), method=method, seed=seed)
    for model, seed in pairs:
        yield from certificate_runs(model.instance(seed), seed, settings)


def report(settings: Settings, answers: Answers) -> Results:
    """Make tables, a chart and sentences of the rows."""
    answers = sound(answers)
    found = {
        model: beside_best(POLICIES, model.instance, settings, answers)
        for model in chosen(settings)
    }
    return Results(
        tables={
            "makespans": _makespans(found, settings),
            "conclusions": _conclusions(found, settings),
        },
        charts={name: partial(draw, found, kind) for name, kind in CHARTS.items()},
        statements=tuple(_statements(found)),
    )


def _makespans(found: Mapping[PaperModel, Compared], settings: Settings) -> Table:
    names = [*POLICIES, BEST]
    rows: list[tuple[Cell, ...]] = [
        (
            model.transfer,
            model.name,
            model.about,
            *(mean_above(one.over_bound(name), 1.0) for name in names),
        )
        for model, one in found.items()
    ]
    return table_of(
        "Makespan / certified bound, by model (SJF-BCO, arXiv 2207.07817)",
        {"transfer": None, "model": None, "meaning": None, **dict.fromkeys(names, 2)},
        rows,
        f"Means of makespan / bound, {settings.seeds} seeds, with 95 % intervals "
        f"(Student's t on logarithms). {about_best(settings)}",
        shared=1,
    )


def _conclusions(found: Mapping[PaperModel, Compared], settings: Settings) -> Table:
    return table_of(
        "Conclusions of Figure 4 by model (SJF-BCO, arXiv 2207.07817)",
        texts("transfer", "model", *map(str, claims())),
        (
            (model.transfer, model.name, *(_cell(one, claim) for claim in claims()))
            for model, one in found.items()
        ),
        f"Ratio of the two policies on the same jobs: geometric means over {settings.seeds} seeds "
        "with 95 % intervals (Student's t on logarithms), not corrected for the number of "
        "comparisons.",
        shared=1,
    )


def _cell(one: Compared, claim: Conclusion) -> str:
    return f"{claim.verdict(one)}: {cell_text(claim.ratio(one), 2)}"


def _statements(found: Mapping[PaperModel, Compared]) -> Iterator[str]:
    """Yield where every conclusion holds, and which are reversed."""
    flipping = []
    for claim in claims():
        verdicts = {model: claim.verdict(one) for model, one in found.items()}
        parts = [
            f"{word} in {_places([m for m in found if verdicts[m] == word], list(found))}"
            for word in (HOLDS, OPEN, REVERSED)
            if word in verdicts.values()
        ]
        yield f"{claim}: {'; '.join(parts)}"
        if {HOLDS, REVERSED} <= set(verdicts.values()):
            flipping.append(f"{claim}, {verdicts[MODELS[0]]} in the paper's own model")
    some = f"{len(flipping)} of {len(claims())} conclusions"
    listed = f": {'; '.join(flipping)}" if flipping else ""
    yield f"{some} hold under one model and are reversed under another{listed}"


def _places(models: list[PaperModel], among: list[PaperModel]) -> str:
    """Name models by the jobs' communication, and all of a kind by one word."""
    if len(models) == len(among):
        return "all models"
    parts = []
    for kind in dict.fromkeys(model.transfer for model in among):
        there = [model.name for model in among if model.transfer == kind]
        named = [model.name for model in models if model.transfer == kind]
        if named:
            shown = "all" if named == there and len(there) > 1 else ", ".join(named)
            parts.append(kind if len(there) == 1 else f"{kind}: {shown}")
    return " | ".join(parts)
