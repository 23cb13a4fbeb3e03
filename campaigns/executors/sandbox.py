"""A sandbox for a method's run, without unneeded files, network, processes or rights.

It follows `bubblewrap` and `nsjail`, which isolate whole programs: new namespaces, a read-only root
folder with only the needed files, no capabilities, and a filter of system calls. `enter` returns
the guards that the system allows.
"""

import ctypes
import errno
import os
import re
import resource
import sys
from collections.abc import Iterable
from pathlib import Path

from .linux import filter_calls, write_only_below
from .processes import die_with_parent

NEW_NAMESPACES = 0x10000000 | 0x20000000 | 0x00020000 | 0x40000000 | 0x08000000
"""Namespaces of users, processes, mounts, network and shared memory: unshare(2)."""

BIND, RECURSIVE, PRIVATE = 0x1000, 0x4000, 0x40000
NO_SUID, NO_DEV, NO_EXEC, DETACH = 2, 4, 8, 2
"""Flags of mount(2) and umount2(2)."""

MOUNT_SETATTR, AT_FDCWD, AT_RECURSIVE, READ_ONLY = 442, -100, 0x8000, 1 | 2 | 4
"""Constants of mount_setattr(2), whose number is universal: read-only, no suid, no devices."""

PIVOT_ROOT = {"x86_64": 155, "aarch64": 41, "riscv64": 41, "ppc64le": 203, "s390x": 217}

NO_NEW_RIGHTS = 38
"""An option of prctl(2)."""

CAPABILITIES = 0x20080522
"""Version of the header of capset(2)."""

NOBODY = 65534

SYSTEM = (
    *("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/nix/store"),
    *("/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/localtime"),
)
"""Files that programs of the system need."""

DEVICES = ("null", "full", "random", "urandom")
"""Not `zero`: a shared mapping of it is memory that belongs to no process."""

WORKING = Path("/ringyard-run")
"""The working folder, without any mount below it."""

SHARED = Path("/dev/shm")
"""An empty folder of the new root, in which `multiprocessing` makes its locks. Pyomo has one."""

SCRATCH_MB, SCRATCH_FILES = 256, 20_000
"""Limits on the working folder, which is in memory with its file names."""

PROCESSES, OPEN_FILES = 64, 256
"""Maximum numbers of processes and threads per run, and of open files per process.

They limit a run's kernel resources other than memory: pipes, stacks, tables."""

NOT_ALLOWED = frozenset(
    (errno.EPERM, errno.EACCES, errno.ENOSYS, errno.EINVAL, errno.ENOSPC, errno.EUSERS)
)
"""Errors of a system that does not allow this process namespaces."""

KEPT = ("PATH", "LANG", "LC_ALL", "TZ", "LD_LIBRARY_PATH", "RINGYARD_PLUGINS")
"""Variables of the environment that are kept."""

SET = {
    "HOME": "/tmp",
    "RINGYARD_KERNELS": "plain",
    "PYTHONHASHSEED": "0",
    "PYTHONDONTWRITEBYTECODE": "1",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
}
"""Variables that are set: the same for all, and no compiled code of another run."""

PACKAGE = Path(__file__).parents[2]

LIBC = ctypes.CDLL(None, use_errno=True)

Guards = dict[str, bool]
"""Active guards."""


class NotAllowedError(OSError):
    """The system does not let this process make a namespace, or mount in it."""


class SandboxError(Exception):
    """Making the sandbox failed for another reason than that the system forbids it."""


def own_places() -> list[Path]:
    """Return the folders of Python, of installed packages, and of this package."""
    installed = [Path(one) for one in sys.path if one.endswith("-packages")]
    return list(dict.fromkeys([Path(sys.prefix), Path(sys.base_prefix), *installed, PACKAGE]))


def bare_environment() -> dict[str, str]:
    """Return a minimal environment that inherits no other variable.

    Modules come only from Ringyard's folders, because a method might write to a folder on the path.
    """
    own, path = own_places(), []
    for one in filter(None, sys.path):
        if Path(one) == PACKAGE.parent or any(Path(one).is_relative_to(place) for place in own):
            path.append(one)
    kept = {name: os.environ[name] for name in KEPT if name in os.environ}
    return kept | SET | {"PYTHONPATH": os.pathsep.join(path)}


def enter(shown: Iterable[Path], hidden: Iterable[Path], scratch: Path, memory_mb: float) -> Guards:
    """Drop privileges in a child of this process as far as the system allows.

    Afterwards only files in `shown` and outside `hidden` are readable. `scratch` is an empty folder
    for the new root. The function returns in the process that continues, and another process waits
    for it.

    Raises:
        SandboxError: If an error other than a missing permission occurs.
    """
    parts = (list(shown), list(hidden), scratch)
    apart = _possible(*parts)
    if apart:
        try:
            _namespaces()
            _root(*parts)
        except OSError as error:
            raise SandboxError(str(error)) from error
    else:
        os.chdir(scratch)
    os.environ.update(HOME=os.getcwd(), TMPDIR=os.getcwd())
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_DATA, int(memory_mb * 2**20))
    _limit(resource.RLIMIT_FSIZE, SCRATCH_MB * 2**20)
    _limit(resource.RLIMIT_NOFILE, OPEN_FILES)
    if apart and _kernel() >= (5, 14):  # Else all processes of the user count, not those of a run.
        _limit(resource.RLIMIT_NPROC, PROCESSES)
    _give_up_rights()
    locked = apart and write_only_below([WORKING, Path("/dev")])
    filtered = filter_calls()
    return {
        "memory": apart and filtered,
        "files": locked,
        "network": apart,
        "processes": apart,
        "syscalls": filtered,
    }


def _limit(what: int, most: int) -> None:
    """Lower a limit, unless it is already lower."""
    hard = resource.getrlimit(what)[1]
    least = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(what, (least, least))


def _kernel() -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", os.uname().release)[:2]))


def _possible(shown: list[Path], hidden: list[Path], scratch: Path) -> bool:
    """Return True if the system allows it, tried in a child because it is irreversible."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        wrong = ""
        try:
            _namespaces()
            _root(shown, hidden, scratch)
        except NotAllowedError:
            wrong = "not allowed"
        except BaseException as error:  # Whatever it is, this process must not go on.
            wrong = f"{type(error).__name__}: {error}"
        os.write(writing, (wrong or "made").encode())
        os._exit(0)
    os.close(writing)
    with open(reading, encoding="utf-8", errors="replace") as line:
        report = line.read()
    os.waitpid(child, 0)
    if report not in ("made", "not allowed"):
        raise SandboxError(report or "the process that tried it was terminated")
    return report == "made"


def _namespaces() -> None:
    """Continue as nobody, alone in new namespaces, while the parent process waits."""
    user, group = os.geteuid(), os.getegid()
    _done(LIBC.unshare(NEW_NAMESPACES), "unshare")
    try:
        Path("/proc/self/setgroups").write_text("deny", encoding="ascii")
        Path("/proc/self/uid_map").write_text(f"{NOBODY} {user} 1", encoding="ascii")
        Path("/proc/self/gid_map").write_text(f"{NOBODY} {group} 1", encoding="ascii")
    except PermissionError as error:  # The last step of making the namespace of users.
        raise NotAllowedError(*error.args) from None
    child = os.fork()
    if child:
        _, status = os.waitpid(child, 0)
        if os.WIFSIGNALED(status):
            os.kill(os.getpid(), os.WTERMSIG(status))
        os._exit(os.waitstatus_to_exitcode(status))
    die_with_parent()


def _root(shown: list[Path], hidden: list[Path], scratch: Path) -> None:
    """Create a root folder with the shown files, and change to it."""
    _mount(None, Path("/"), flags=RECURSIVE | PRIVATE)
    size = f"size={SCRATCH_MB}m,nr_inodes={SCRATCH_FILES},mode=755"
    _mount("tmpfs", scratch, "tmpfs", NO_SUID | NO_DEV, size)
    for path in sorted({*map(Path, SYSTEM), *(one.resolve() for one in shown)}):
        _show(path, scratch)
    for path in shown:
        _link(path, scratch)
    for path in hidden:
        place, size = _under(scratch, path.resolve()), "size=4k,nr_inodes=2,mode=555"
        _mount("tmpfs", place, "tmpfs", NO_SUID | NO_DEV, size)
    for name in DEVICES:
        _show(Path("/dev") / name, scratch, device=True)
    _under(scratch, SHARED).mkdir()
    (scratch / "proc").mkdir()
    _under(scratch, WORKING).mkdir()
    if not (scratch / "tmp").exists():
        (scratch / "tmp").symlink_to(WORKING)
    _proc(scratch / "proc")
    os.chdir(scratch)
    _done(LIBC.syscall(PIVOT_ROOT[os.uname().machine], b".", b"."), "pivot_root")
    _done(LIBC.umount2(b".", DETACH), "umount2")
    os.chdir(WORKING)


def _show(path: Path, root: Path, *, device: bool = False) -> None:
    """Make a file or folder readable under the new root."""
    inside = _under(root, path)
    if not path.exists() or (os.path.lexists(inside) and not device):
        return
    inside.parent.mkdir(parents=True, exist_ok=True)
    if path.is_symlink():
        inside.symlink_to(os.readlink(path))
        return
    inside.mkdir() if path.is_dir() else inside.touch()
    _mount(str(path), inside, flags=BIND | RECURSIVE)
    if not device:
        attributes = (ctypes.c_uint64 * 4)(READ_ONLY, 0, 0, 0)
        place, size = os.fsencode(inside), ctypes.sizeof(attributes)
        attributed = LIBC.syscall(MOUNT_SETATTR, AT_FDCWD, place, AT_RECURSIVE, attributes, size)
        _done(attributed, "mount_setattr")


def _link(path: Path, root: Path) -> None:
    """Make the shown files available under names that contain symbolic links, too."""
    inside = _under(root, Path(os.path.abspath(path)))
    if path.exists() and not inside.exists():
        inside.parent.mkdir(parents=True, exist_ok=True)
        inside.symlink_to(path.resolve())


def _under(root: Path, path: Path) -> Path:
    return root / path.relative_to("/")


def _proc(place: Path) -> None:
    """Show the processes of this namespace, or no processes if the system hides them."""
    try:
        _mount("proc", place, "proc", NO_SUID | NO_DEV | NO_EXEC)
    except OSError:
        place.chmod(0o555)


def _give_up_rights() -> None:
    """Drop all capabilities, including those gained by starting programs."""
    header, sets = (ctypes.c_uint32 * 2)(CAPABILITIES, 0), (ctypes.c_uint32 * 6)()
    _done(LIBC.capset(header, sets), "capset")
    _done(LIBC.prctl(NO_NEW_RIGHTS, 1, 0, 0, 0), "prctl")


def _mount(
    source: str | None, place: Path, kind: str | None = None, flags: int = 0, data: str = ""
) -> None:
    """Mount, or raise an error."""
    texts = [None if one is None else os.fsencode(one) for one in (source, place, kind)]
    _done(LIBC.mount(*texts, ctypes.c_ulong(flags), data.encode() or None), f"mount of {place}")


def _done(result: int, what: str) -> None:
    """Raise the system's error, if there was one. Some errors mean a missing permission."""
    if result < 0:
        number = ctypes.get_errno()
        kind = NotAllowedError if number in NOT_ALLOWED else OSError
        raise kind(number, f"{what}: {os.strerror(number)}")
