"""Control groups: in plain files as the system shows them, and in its own tree if it lets us."""

import shutil
from functools import partial
from pathlib import Path

import pytest
from solvers import faults

from ringyard.formulations.program import Caps
from ringyard.formulations.solver_interface import call as cgroups
from ringyard.formulations.solver_interface.call import control_group
from ringyard.formulations.solver_interface.solve import solve
from ringyard.instances import SolutionStatus, TerminationReason
from ringyard.testing.programs import TINY

CAP = Caps(memory_mb=4000.0)


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the group above our own: files can be removed with their folder, as in the system."""
    above, own = tmp_path / "root/user", tmp_path / "root/user/scope"
    own.mkdir(parents=True)
    (tmp_path / "root/cgroup.subtree_control").write_text("cpu memory\n")
    (above / "cgroup.subtree_control").write_text("cpu memory\n")
    (own / "cgroup.subtree_control").write_text("\n")
    (tmp_path / "own").write_text("3:memory:/elsewhere\n0::/user/scope\n")
    monkeypatch.setattr(cgroups, "ROOT", tmp_path / "root")
    monkeypatch.setattr(cgroups, "OWN", tmp_path / "own")
    monkeypatch.setattr(Path, "rmdir", shutil.rmtree)
    return above


def groups(tree: Path) -> list[Path]:
    return sorted(tree.glob("**/ringyard-*"))


def test_a_group_is_made_beside_our_own_and_removed(tree: Path) -> None:
    group = control_group(1.5)
    assert group is not None
    assert group.folder.parent == tree
    assert (group.folder / "memory.max").read_text() == f"{3 * 2**19}\n"
    assert group.take(7)
    assert (group.folder / "cgroup.procs").read_text() == "7\n"
    group.remove()
    assert groups(tree) == []


def test_the_system_says_whether_a_group_was_full(tree: Path) -> None:
    group = control_group(1.0)
    assert group is not None
    assert not group.full
    (group.folder / "memory.events").write_text("max 9\noom_kill 0\noom_group_kill 0\n")
    assert not group.full
    (group.folder / "memory.events").write_text("max 9\noom_kill 1\n")
    assert group.full


def test_without_a_place_for_a_group_there_is_none(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in (tree, tree.parent):
        (folder / "cgroup.subtree_control").write_text("cpu\n")
    assert control_group(1.0) is None
    (tree / "cgroup.subtree_control").write_text("cpu memory\n")
    cgroups.OWN.write_text("9:memory:/user/scope\n")
    assert control_group(1.0) is None
    monkeypatch.setattr(cgroups, "OWN", tree / "nowhere")
    assert control_group(1.0) is None
    assert groups(tree) == []


def test_a_group_that_cannot_be_capped_is_removed_again(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = Path.write_text

    def refused(self: Path, *given: str, **named: str) -> int:
        if self.name == "memory.max":
            raise PermissionError(self)
        return write(self, *given, **named)

    monkeypatch.setattr(Path, "write_text", refused)
    assert control_group(1.0) is None
    assert groups(tree.parent) == []


def test_a_solve_says_what_kept_its_cap(tree: Path) -> None:
    found = solve(TINY, "highs", CAP)
    assert (found.status, found.memory_by) == (SolutionStatus.OPTIMAL, "control group")
    assert groups(tree) == []
    cgroups.OWN.unlink()
    assert solve(TINY, "highs", CAP).memory_by == "looks"
    assert solve(TINY, "highs", Caps(own_process=True)).memory_by == ""


def test_the_end_of_a_full_group_is_a_memory_limit(tree: Path) -> None:
    found = solve(TINY, faults.solver(partial(faults.overflow, str(tree))), CAP)
    assert (found.termination, found.note) == (
        TerminationReason.MEMORY_LIMIT,
        "the system ended it at 4000 MB",
    )
    assert groups(tree) == []


def test_the_groups_of_this_system_cap() -> None:
    group = control_group(1000.0)
    if group is None:
        pytest.skip("this system lets us make no control group with a cap on memory")
    group.remove()
    assert not group.folder.exists()
    found = solve(TINY, faults.solver(faults.hoard), Caps(memory_mb=120.0))
    assert (found.termination, found.memory_by) == (TerminationReason.MEMORY_LIMIT, "control group")
