"""Figure 4 of the SJF-BCO paper (arXiv 2207.07817) under other models: what flips?"""

from collections.abc import Iterator
from itertools import groupby, product

from ...analysis.tables import Cell, Column, Table, cell_text
from ...campaigns.runs import Run
from ..study import (
    POLICIES,
    Answers,
    Known,
    Report,
    Settings,
    certificate_runs,
    certified,
    ours,
    sound,
)
from .conclusions import BEST, HOLDS, OPEN, REVERSED, Claim, Seen, claims
from .models import MODELS, Model
from .sensitivity_chart import draw


def chosen(settings: Settings) -> list[Model]:
    """Return the models that take part, of each kind of transfer."""
    kinds = (list(some) for _, some in groupby(MODELS, key=lambda model: model.transfer))
    return [model for some in kinds for model in settings.some(some)]


def runs(settings: Settings, _: Known | None = None) -> Iterator[Run]:
    """Yield every run that the report asks for, the quick ones first."""
    pairs = list(product(chosen(settings), range(settings.seeds)))
    for (model, seed), method in product(pairs, POLICIES.values()):
        yield _run(model, method, seed)
    for model, seed in pairs:
        yield from certificate_runs(model.instance(seed), seed, settings)


def _run(model: Model, method: str, seed: int) -> Run:
    return Run(instance=model.instance(seed), method=method, seed=seed)


def report(settings: Settings, answers: Answers) -> Report:
    """Make tables, a chart and sentences of the rows."""
    seen = [_seen(model, settings, sound(answers)) for model in chosen(settings)]
    return Report(
        tables={"makespans": _makespans(seen, settings), "conclusions": _conclusions(seen)},
        charts=draw(seen),
        statements=tuple(_statements(seen)),
    )


def _seen(model: Model, settings: Settings, answers: Answers) -> Seen:
    seeds = range(settings.seeds)
    rows = {
        name: [answers(_run(model, method, seed)) for seed in seeds]
        for name, method in POLICIES.items()
    }
    pairs = [certificate_runs(model.instance(seed), seed, settings) for seed in seeds]
    rows[BEST], bounds = ([answers(pair[i]) for pair in pairs] for i in (0, 1))
    of_a_seed = zip(*rows.values(), bounds, strict=True)
    return Seen(model=model, rows=rows, bounds=[certified(list(some)) for some in of_a_seed])


def _makespans(seen: list[Seen], settings: Settings) -> Table:
    names = [*POLICIES, BEST]
    heads = [Column(head=head, digits=None) for head in ("transfer", "model", "meaning")]
    rows: list[tuple[Cell, ...]] = [
        (
            one.model.transfer,
            one.model.name,
            one.model.about,
            *(one.over_bound(name) for name in names),
        )
        for one in seen
    ]
    return Table(
        caption="Makespan over the certified bound by model (SJF-BCO, arXiv 2207.07817)",
        columns=(*heads, *(Column(head=name, digits=2) for name in names)),
        rows=tuple(rows),
        shared=1,
        notes=(
            f"Means of makespan over bound, {settings.seeds} seeds, with 95 % intervals "
            f"(Student's t). Our best: {ours()}, at most {settings.time_limit:g} s an instance, "
            "so it depends on the machine.",
        ),
    )


def _conclusions(seen: list[Seen]) -> Table:
    columns = [Column(head=head, digits=None) for head in ("transfer", "model")]
    return Table(
        caption="Conclusions of Figure 4 by model (SJF-BCO, arXiv 2207.07817)",
        columns=(*columns, *(Column(head=str(claim), digits=None) for claim in claims())),
        rows=tuple(
            (one.model.transfer, one.model.name, *(_cell(one, claim) for claim in claims()))
            for one in seen
        ),
        shared=1,
        notes=(
            "Ratio of the two policies on the same seeds: geometric mean with its 95 % interval "
            "(Student's t on logarithms), not corrected for the number of cells.",
        ),
    )


def _cell(one: Seen, claim: Claim) -> str:
    return f"{one.verdict(claim)}: {cell_text(one.ratio(claim), 2)}"


def _statements(seen: list[Seen]) -> Iterator[str]:
    """Say of every conclusion where it holds, and which flip."""
    flipping = []
    for claim in claims():
        found = {one.model: one.verdict(claim) for one in seen}
        base = found[MODELS[0]]
        parts = [
            f"{word} in {_places([model for model in found if found[model] == word], list(found))}"
            for word in (HOLDS, OPEN, REVERSED)
            if word in found.values()
        ]
        yield f"{claim}: {'; '.join(parts)}"
        if {HOLDS, REVERSED} <= set(found.values()):
            flipping.append(f"{claim}, {base} in the paper's own model")
    some = f"{len(flipping)} of {len(claims())} conclusions"
    listed = f": {'; '.join(flipping)}" if flipping else ""
    yield f"{some} hold under one model and are reversed under another{listed}"


def _places(models: list[Model], among: list[Model]) -> str:
    """Name models by how much jobs communicate; all of a kind in one word."""
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
