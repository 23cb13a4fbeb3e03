"""SMD's method step by step: what is true of its claims, and the exact optimum beside it."""

from dataclasses import replace
from decimal import Decimal
from itertools import product
from math import ceil, floor, inf, log, sqrt
from random import Random

import numpy as np
import pytest
from smd_ratio_program import ratio_program

from ringyard.formulations.online.smd import (
    SmdJob,
    SmdProblem,
    admission_program,
    draw_job,
    draw_problem,
    has_room,
)
from ringyard.formulations.online.sum_of_ratios import (
    level_row,
    needed,
    polygon,
    quickest,
    ratios,
)
from ringyard.formulations.program import Floats
from ringyard.formulations.solver_interface.solve import NO_CAPS, solve
from ringyard.instances import Deadline, InputError, Limits, SolutionStatus
from ringyard.search.online.smd import (
    Allocation,
    approximate,
    bounds,
    corners,
    exact,
    most_utility,
    pack,
    round_down,
    round_shrunk,
    search_grid,
    shrink_factor,
)

ROUNDING = 1 + 1e-9


def drawn(seed: int, most: int = 9) -> SmdJob:
    return draw_job(Random(seed), "drawn", most)


def plain(reserved: float, worker: float = 1.0, server: float = 1.0) -> SmdJob:
    """A job with one resource, whose time is workers / servers, as good as."""
    return SmdJob(
        name="plain",
        synchronous=True,
        epochs=1,
        samples=1e-9,
        forward_ms=1e-9,
        backward_ms=0,
        size_mb=1,
        bandwidth_mb_ms=2,
        worker_ms=0,
        server_ms=0,
        worker=(worker,),
        server=(server,),
        reserved=(reserved,),
        utility=Deadline(value=Decimal(1), slots=9),
    )


def least_ms(job: SmdJob) -> float:
    """The least time, not whole, up to the width of the steps: never below the true one."""
    rooms = list(zip(job.worker, job.server, job.reserved, strict=True))
    workers = np.geomspace(1, min((v - b) / a for a, b, v in rooms if a), 20_001)
    most = np.min([(v - a * workers) / b for a, b, v in rooms if b], axis=0)
    weights = {part.name: part.weight for part in ratios(job)[1]}
    gain = weights.get("workers/servers", 0) * workers + weights.get("1/servers", 0)
    loss = weights.get("servers/1", 0) + weights.get("servers/workers", 0) / workers
    return float(job.time_ms(workers, np.clip(np.sqrt(gain / loss), 1, most)).min())


@pytest.mark.parametrize("seed", range(12))
def test_corners_give_what_highs_gives(seed: int) -> None:
    job, rng = drawn(seed), Random(seed)
    free, *others = ratios(job)[1]
    for _ in range(6):
        ranges = [bounds(job, part) for part in others]
        levels = [low * (high / low) ** rng.random() for low, high in ranges]
        pairs = list(zip(others, levels, strict=True))
        found = corners(np.vstack([polygon(job), *(level_row(*pair) for pair in pairs)]))
        inside = found[np.isfinite(found[:, 0])]
        by_highs = solve(ratio_program(job, free, pairs))
        assert (by_highs.status is SolutionStatus.OPTIMAL) == bool(len(inside))
        if len(inside):
            least = (inside[:, free.above] / inside[:, free.below]).min()
            assert by_highs.value == pytest.approx(least, rel=1e-6)


@pytest.mark.parametrize("seed", range(12))
def test_bounds_of_ratios_are_those_of_highs(seed: int) -> None:
    job = drawn(seed)
    for part in ratios(job)[1]:
        low, high = bounds(job, part)
        assert solve(ratio_program(job, part)).value == pytest.approx(low, rel=1e-6)
        assert solve(ratio_program(job, part, largest=True)).value == pytest.approx(-high, rel=1e-6)


@pytest.mark.parametrize("epsilon", [0.15, 0.5])
@pytest.mark.parametrize("seed", range(12))
def test_the_grid_keeps_its_promise(seed: int, epsilon: float) -> None:
    job = drawn(seed)
    for one in (job, replace(job, forward_ms=1e6), replace(job, size_mb=1e6, worker_ms=0)):
        found, least = search_grid(one, epsilon, Limits()), least_ms(one)
        assert found.lower_ms <= least <= found.time_ms * (1 + 1e-6)
        assert found.time_ms <= (1 + epsilon) * least * ROUNDING
        assert found.lower_ms >= found.time_ms / (1 + epsilon) / ROUNDING
        assert found.lower_ms <= quickest(one).time_ms
        assert one.fits(found.workers, found.servers)


def test_the_grid_grows_as_fast_as_is_said() -> None:
    job = replace(plain(8.0), worker_ms=1.0, server_ms=1.0)
    steps = ceil(log(7) / log(1.5))
    assert search_grid(job, 0.5, Limits()).programs == steps**3


def test_room_for_one_worker_and_one_server_leaves_nothing_to_choose() -> None:
    job = plain(2.0)
    found = search_grid(job, 0.5, Limits())
    assert (found.workers, found.servers) == pytest.approx((1, 1))
    assert job.time_ms(1, 1) / 1.5 <= found.lower_ms <= job.time_ms(1, 1) * ROUNDING


def test_time_that_is_up_leaves_a_point_without_a_bound() -> None:
    found = search_grid(drawn(0), 0.2, Limits(time_s=0))
    assert (found.workers, found.servers, found.lower_ms) == (1, 1, -inf)


def random_point(job: SmdJob, rng: Random) -> Floats:
    """A point of the polygon's edges, or near them."""
    found = corners(polygon(job))
    found = found[np.isfinite(found[:, 0])]
    shares = np.array([rng.random() ** 3 for _ in found])
    point: Floats = (shares / shares.sum()) @ found[:, :2]
    return np.maximum(point, 1)


def outcomes(point: Floats, factor: float) -> list[tuple[int, int]]:
    """All that a rounding of the shrunk point can give."""
    sides = [{max(1, floor(factor * x)), max(1, ceil(factor * x))} for x in point]
    return list(product(*sides))


def test_the_factor_is_a_root() -> None:
    for seed, delta in product(range(10), (0.01, 0.3, 0.99)):
        job = drawn(seed, 60)
        factor = shrink_factor(job, delta)
        rows = needed(job)
        width = min(job.reserved[r] / max(job.worker[r], job.server[r]) for r in rows)
        assert 0 < factor < 1
        assert (1 - factor) ** 2 * width == pytest.approx(3 * log(2 * len(rows) / delta) * factor)


def test_rounding_always_fits_and_costs_no_more_than_is_proved() -> None:
    rng = Random(1)
    shrunk = set()
    for seed in range(300):
        most = (4, 30, 400)[seed % 3]
        job = drawn(seed, most)
        factor = shrink_factor(job, (0.01, 0.5, 0.99)[seed // 3 % 3])
        shrunk.add(factor > 0.5)
        for _ in range(10):
            point = random_point(job, rng)
            before = job.time_ms(*point)
            for pair in outcomes(point, factor):
                assert job.fits(*pair)
                assert job.time_ms(*pair) <= max(4, 2 / factor) * before * ROUNDING
            down = round_down(point)
            assert job.fits(*down)
            assert job.time_ms(*down) <= 2 * before * ROUNDING
    assert shrunk == {True, False}


def test_one_resource_and_large_delta_is_the_tightest_case() -> None:
    rng = Random(2)
    for _ in range(2000):
        worker, server = 1 + 9 * rng.random(), 1 + 9 * rng.random()
        job = plain((worker + server) * (1 + 30 * rng.random() ** 2), worker, server)
        factor = shrink_factor(job, 0.999)
        edge = (job.reserved[0] - worker - server) * rng.random()
        point = np.array([1 + edge / worker, 0.0])
        point[1] = (job.reserved[0] - worker * point[0]) / server
        assert all(job.fits(*pair) for pair in outcomes(point, factor))


@pytest.mark.parametrize(("factor", "most"), [(0.2, 10), (0.8, 4), (1.0, 4)])
def test_the_proved_factor_is_tight(factor: float, most: float) -> None:
    workers = 1 if factor < 0.5 else 1 / factor + 1e-9
    point = np.array([workers, 2 / factor - 1e-9])
    job = plain(100)
    worst = max(job.time_ms(*pair) for pair in outcomes(point, factor))
    assert worst / job.time_ms(*point) == pytest.approx(most, rel=1e-6)


def test_rounding_has_the_mean_of_the_shrunk_point() -> None:
    point, count = np.array([7.3, 4.1]), 40_000
    drawings = round_shrunk(point, 0.9, count, np.random.default_rng(3))
    scaled = 0.9 * point
    went_down = (drawings == np.floor(scaled)).mean(axis=0)
    assert set(map(tuple, drawings.tolist())) == set(outcomes(point, 0.9))
    assert np.abs(went_down - (np.ceil(scaled) - scaled)).max() < 5 * sqrt(0.25 / count)
    assert np.abs(drawings.mean(axis=0) - scaled).max() < 5 * sqrt(0.25 / count)
    printed = np.ceil(scaled) - (scaled - np.floor(scaled))
    assert np.abs(printed - scaled).min() > 0.1, "the printed probability has another mean"


def test_few_workers_stay_at_least_one() -> None:
    drawings = round_shrunk(np.array([1.5, 1.0]), 0.3, 100, np.random.default_rng(0))
    assert (drawings == 1).all()


def test_rounding_down_forgives_noise() -> None:
    assert round_down(np.array([21 * (1 - 1e-12), 2.9])).tolist() == [21, 2]


def utilities_of(problem: SmdProblem) -> list[float]:
    return [job.worth(quickest(job).time_ms, problem.slot_ms) for job in problem.jobs]


@pytest.mark.parametrize("seed", range(6))
def test_sets_of_jobs_reach_their_factor(seed: int) -> None:
    problem = draw_problem(seed, jobs=9, most=12)
    worth = utilities_of(problem)
    best = solve(admission_program(problem, worth))
    assert best.value is not None
    for size in (0, 1, 2):
        found = pack(problem, worth, size, Limits())
        assert found.factor == size / (size + 4)
        assert found.factor * -best.value <= found.utility * ROUNDING <= -best.value * (1 + 1e-8)
        assert found.utility == pytest.approx(np.dot(worth, found.admitted))
        assert has_room(problem, np.array(found.admitted, dtype=float))
    assert most_utility(problem, worth) >= -best.value / ROUNDING


def test_one_large_job_beside_a_small_one_by_hand() -> None:
    """The small one is worth more for its room, so rounding down alone leaves the large one out."""
    problem = SmdProblem(jobs=(plain(20), plain(2)), capacity=(20.0,), slot_ms=1)
    found = [pack(problem, [10, 2], size, Limits()) for size in (0, 1)]
    assert [one.utility for one in found] == [2, 10]
    assert [one.programs for one in found] == [1, 3]
    assert most_utility(problem, [10, 2]) == pytest.approx(11)


def test_the_factor_of_sets_is_tight() -> None:
    """The small job is worth more for its room, so only half of the second large one has any."""
    problem = SmdProblem(jobs=(plain(200), plain(200), plain(2)), capacity=(400.0,), slot_ms=1)
    found, best = (pack(problem, [100, 100, 2], size, Limits()) for size in (1, 2))
    assert (found.factor, found.utility, best.utility) == (1 / 2, 102, 200)


def test_sets_as_large_as_the_problem_are_exact() -> None:
    problem = draw_problem(5, jobs=6, most=12)
    best = solve(admission_program(problem, utilities_of(problem)))
    assert best.value is not None
    assert pack(problem, utilities_of(problem), 6, Limits()).utility == pytest.approx(-best.value)


@pytest.mark.parametrize("seed", range(10))
def test_the_relaxation_has_few_fractions(seed: int) -> None:
    problem = draw_problem(seed, jobs=30)
    matrix = admission_program(problem, utilities_of(problem))
    point = solve(replace(matrix, integer=np.zeros_like(matrix.integer))).point
    assert point is not None
    assert np.count_nonzero((point > 1e-6) & (point < 1 - 1e-6)) <= len(problem.capacity)


def brute_force(problem: SmdProblem) -> float:
    """The most utility of jobs that there is room for, all sets tried."""
    worth = utilities_of(problem)
    choices = product((0.0, 1.0), repeat=len(worth))
    return max(float(np.dot(worth, one)) for one in choices if has_room(problem, np.array(one)))


def assert_valid(problem: SmdProblem, allocation: Allocation) -> None:
    total = 0.0
    for job, grant, admitted in zip(
        problem.jobs, allocation.grants, allocation.admitted, strict=True
    ):
        assert job.fits(grant.workers, grant.servers)
        assert grant.time_ms == job.time_ms(grant.workers, grant.servers)
        total += admitted * job.worth(grant.time_ms, problem.slot_ms)
    assert has_room(problem, np.array(allocation.admitted, dtype=float))
    assert allocation.utility == pytest.approx(total)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("rounding", ["shrunk", "down"])
def test_bound_optimum_and_approximation_are_in_order(seed: int, rounding: str) -> None:
    problem = draw_problem(seed, jobs=7, most=12)
    best = exact(problem, NO_CAPS)
    near = approximate(
        problem, np.random.default_rng(seed), Limits(), epsilon=0.4, rounding=rounding
    )
    assert best.utility == pytest.approx(brute_force(problem))
    assert near.utility <= best.utility * ROUNDING <= near.upper * (1 + 2e-9)
    for job, one, other in zip(problem.jobs, near.grants, best.grants, strict=True):
        assert one.lower_ms <= other.time_ms <= one.time_ms * ROUNDING
        most = 2 if rounding == "down" else max(4, 2 / shrink_factor(job, 0.1))
        assert one.time_ms <= most * 1.4 * other.time_ms
    for allocation in (best, near):
        assert_valid(problem, allocation)


def test_the_same_seed_gives_the_same_allocation() -> None:
    problem = draw_problem(1, jobs=3, most=8)
    one, other = (approximate(problem, np.random.default_rng(4), Limits()) for _ in range(2))
    assert one == other


def test_time_that_is_up_leaves_a_valid_allocation() -> None:
    problem = draw_problem(1, jobs=3, most=8)
    found = approximate(problem, np.random.default_rng(0), Limits(time_s=0))
    assert_valid(problem, found)
    assert found.utility == 0
    assert found.upper >= exact(problem, NO_CAPS).utility


@pytest.mark.parametrize("options", [{"epsilon": 0.0}, {"delta": 1.0}, {"rounding": "up"}], ids=str)
def test_options_that_cannot_be_are_refused(options: dict[str, object]) -> None:
    problem = draw_problem(1, jobs=1, most=4)
    with pytest.raises(InputError):
        approximate(problem, np.random.default_rng(0), Limits(), **options)  # type: ignore[arg-type]
