"""Figures in Python: of answers, schedules and campaigns; shown, saved, refused."""

import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any, get_args

import pytest

import ringyard
from ringyard.analysis.figures.comparisons import KINDS, figure_of
from ringyard.analysis.figures.style import LOOKS
from ringyard.analysis.figures.view import ONE_SCHEDULE
from ringyard.campaigns.campaign import FigureKind
from ringyard.cli.plot import KINDS as COMMAND_KINDS


@cache
def runs() -> ringyard.Campaign:
    instances = [ringyard.load(name) for name in ("hand-contend", "hand-lpt")]
    return ringyard.collect(
        ringyard.solve(one, method) for one in instances for method in ("gang-lpt", "random")
    )


def test_python_draws_what_the_command_draws() -> None:
    functions = {name.replace("_", "-") for name in ringyard.plot.__all__} - {"Figure"}
    assert functions == set(COMMAND_KINDS) == {*ONE_SCHEDULE, *KINDS}
    assert {*get_args(FigureKind)} == {*COMMAND_KINDS}
    assert dir(ringyard.plot) == sorted(ringyard.plot.__all__)


@pytest.mark.parametrize(
    "kind",
    [
        "factors",
        "ratios",
        *(
            pytest.param(one, marks=pytest.mark.slow)
            for one in ("ecdf", "profile_ratio", "tradeoff")
        ),
    ],
)
def test_a_figure_shows_itself(kind: str, tmp_path: Path) -> None:
    figure = getattr(ringyard.plot, kind)(runs())
    assert figure.svg() == figure._repr_svg_()
    assert figure._repr_html_().startswith("<svg style=")
    assert repr(figure).startswith("Figure(")
    figure.save(tmp_path / "one.svg")
    assert (tmp_path / "one.svg").read_text(encoding="utf-8") == figure.svg()


@pytest.mark.parametrize("kind", ["profile-ratio", "ratios"])
def test_a_campaign_draws_as_it_makes_tables(kind: str) -> None:
    figure, table = runs().plot(kind), runs().table("ratios")
    assert figure.svg() == getattr(ringyard.plot, kind.replace("-", "_"))(runs()).svg()
    assert {"save", "_repr_html_"} <= {*dir(figure)} & {*dir(table)}
    assert "chance" in runs().plot(kind, rename={"random": "chance"}).svg()
    chart = runs().where(instance="hand-lpt", method="gang-lpt").plot("gantt")
    assert "hand-lpt" in repr(chart)


def test_a_figure_of_one_answer() -> None:
    answer = ringyard.solve(ringyard.load("small-03x2"), "branch-and-bound")
    assert "small-03x2" in repr(ringyard.plot.convergence(answer, log_time=True))


def test_a_schedule_is_drawn_however_it_is_given(tmp_path: Path) -> None:
    answer = ringyard.solve(ringyard.load("hand-lpt"), "gang-lpt")
    drawn = [
        ringyard.plot.gantt(answer),
        ringyard.plot.gantt(runs(), instance="hand-lpt", method="gang-lpt"),
    ]
    without_bound = [
        ringyard.plot.gantt(answer.instance, answer.schedule),
        ringyard.plot.gantt(answer.schedule),
    ]
    assert drawn[0].svg() == drawn[1].svg()
    assert without_bound[0].svg() == without_bound[1].svg() != drawn[0].svg()
    drawn[0].save(tmp_path / "plan.html")
    assert "<script>" in (tmp_path / "plan.html").read_text()


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (lambda: ringyard.plot.gantt(runs()), "instance: found 2 of them: hand-contend, hand-lpt"),
        (lambda: ringyard.plot.gantt(ringyard.load("hand-lpt")), "Write gantt.instance, schedule"),
        (lambda: ringyard.plot.groups(ringyard.load("hand-lpt")), "Write groups.instance"),
        (lambda: runs().plot("ratio"), "kind: found 'ratio'.*Did you mean 'ratios'"),
        (lambda: runs().plot("gantt", rename={"a": "b"}), "rename: found gantt"),
        (lambda: ringyard.plot.ratios([]), "method: found no run to draw"),
        (lambda: ringyard.plot.ecdf(runs(), method="none"), "method: found 'none', expected one"),
        (lambda: ringyard.plot.ratios(runs()).save("x.bmp"), "one of .svg, .pdf, .png"),
    ],
)
def test_what_cannot_be_drawn_says_why(draw: object, message: str) -> None:
    with pytest.raises(ringyard.InputError, match=message):
        draw()  # type: ignore[operator]


def test_the_svg_of_a_schedule_needs_no_matplotlib() -> None:
    program = (
        "import sys, ringyard; a = ringyard.solve(ringyard.load('hand-lpt'), 'gang-lpt');"
        "ringyard.plot.gantt(a).svg(); ringyard.plot.ratios; print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert not {b"matplotlib", b"pandas", b"polars"} & set(done.stdout.split())


def looks(figure: Any) -> dict[str, str]:
    """Return the colour of each method."""
    colours = [look["color"] for look in LOOKS]
    lines = [line for line in figure.axes[0].lines if line.get_color() in colours]
    return {line.get_label(): line.get_color() for line in lines if line.get_label()[0] != "_"}


def test_a_method_keeps_its_look_where_others_drop_out() -> None:
    instance = ringyard.load("hand-contend")
    methods = ("branch-and-bound", "gang-lpt", "random", "sjf-bco", "sjf-bco:kappa=2")
    whole = ringyard.collect(ringyard.solve(instance, method) for method in methods)
    some = whole.where(method=["random", "sjf-bco*"])
    drawn = {
        (one, kind): looks(figure_of(kind, campaign.rows, campaign.sources, lead=""))
        for one, campaign in (("all", whole), ("some", some))
        for kind in ("ratios", "profile-ratio", "convergence", "tradeoff")
    }
    usual = dict(zip(methods, (look["color"] for look in LOOKS), strict=False))
    assert drawn["all", "ratios"] == usual
    assert {*drawn["some", "ratios"]} == {*methods[2:]}
    assert {*drawn["some", "tradeoff"]} == {*methods[2:4]}
    for found in drawn.values():
        assert found.items() <= usual.items()


def test_a_figure_of_runs_can_be_changed_before_it_is_saved() -> None:
    figure = ringyard.plot.ratios(runs())
    figure.picture.axes[0].set_xlabel("another title")
    assert "another title" in figure.svg()


def test_names_of_the_legend_can_be_others() -> None:
    text = ringyard.plot.ratios(runs(), rename={"random": "chance"}).svg()
    assert "chance" in text
    assert "random" not in text
    with pytest.raises(ringyard.InputError, match=r"found 'randm'.*Did you mean 'random'"):
        ringyard.plot.ratios(runs(), rename={"randm": "chance"})
