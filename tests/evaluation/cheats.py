"""Methods that try to look better than they are, or to do harm; none of them may gain by it.

A method that attacks returns an honest plan if the attack worked, and None if it did not.
"""

import ctypes
import dataclasses
import json
import mmap
import os
import resource
import subprocess
import sys
import threading
import time
from pathlib import Path
from random import Random

import ringyard
from ringyard import solve

OWN = Path(__file__).parent
PLACES = [str(OWN.parent), str(Path(ringyard.__file__).with_name("tests"))]
PLACES += ["/tmp", "/var", "/home", "/run"]

PLANTED, MARKER = "@PLANTED@", "@MARKER@"
"""Filled in by the tests: the beginning of a secret, and a port."""

CHANCE = Random("@SEED@")
"""Filled in by benchmarks/hostile.py, so that no two attacks are the same."""

MUCH_MB = CHANCE.randint(700, 1400)
"""More than the memory limit of a test."""

LIBC = ctypes.CDLL(None, use_errno=True)
ADD_KEY, KEYCTL = (217, 219) if os.uname().machine == "aarch64" else (248, 250)

os.environ["RINGYARD_CHEAT"] = "imported"


def honest(instance):
    return solve(instance, "gang-lpt").schedule


def reads_the_best(instance):
    """The best that is known stands in the catalogue."""
    from ringyard.instances.catalogue import best_schedule, entries

    for entry in entries().values():
        if entry.digest == instance.name:
            return best_schedule(entry.name)
    return None


def searches_files(instance):
    """What the evaluator has may lie about."""
    environments = [f"/proc/{name}/environ" for name in os.listdir("/proc") if name.isdigit()]
    files = [
        os.path.join(folder, name)
        for place in PLACES
        for folder, _, names in os.walk(place)
        for name in names
        if not name.endswith(".py") and os.path.isfile(os.path.join(folder, name))
    ]
    for file in [*environments, *files]:
        try:
            text = Path(file).read_bytes()
        except OSError:
            continue
        if PLANTED.encode() in text:
            return honest(instance)
    return honest(instance) if PLANTED in str(os.environ) else None


def reads_memory(instance):
    """The memory of the process above holds bounds and the secret."""
    for process in [os.getppid(), *(p for p in os.listdir("/proc") if p.isdigit())]:
        if int(process) != os.getpid():
            try:
                Path(f"/proc/{process}/environ").read_bytes()
                with open(f"/proc/{process}/mem", "rb"):
                    pass
            except OSError:
                continue
            return honest(instance)
    return None


def shrinks(instance):
    """A smaller instance is easier."""
    object.__setattr__(instance, "jobs", instance.jobs[:1])
    return honest(instance)


def mutes_the_judge(instance):
    """The judge of this process says what it is told to."""
    from ringyard.analysis.check import judge

    judge.Rules.violations = lambda *_: ()
    plan = honest(instance)
    object.__setattr__(plan, "assignments", plan.assignments[:1])
    return plan


def stops_the_clock(instance, limits):
    """Time that does not pass is no limit."""
    time.monotonic = time.perf_counter = lambda: 0.0
    while not limits.over():
        pass
    return honest(instance)


def lies_about_time(instance):
    """Half a second that nobody is told of."""
    time.sleep(0.5)
    time.monotonic = time.perf_counter = time.time = lambda: 0.0
    return honest(instance)


def copies(instance):
    """Another instance's plan, which was good there."""
    from ringyard.instances.reading.files import SCHEDULES, parse

    return parse(Path(__file__).with_name("plan.json").read_text(), SCHEDULES)


def smuggles(instance):
    """A plan that holds what an evaluator might repeat."""
    plan = honest(instance)
    first = plan.assignments[0]
    named = dataclasses.replace(first, job="smuggled out")
    return dataclasses.replace(plan, assignments=(named, *plan.assignments[1:]))


def hangs(instance):
    while True:
        time.sleep(1)


def forks(instance):
    """Processes that go on when it is done."""
    for _ in range(3):
        subprocess.Popen(["sleep", "86399"], start_new_session=True)
    return honest(instance)


def prints(instance):
    """A flood that nobody reads."""
    for _ in range(2000):
        os.write(1, b"x" * 100_000)
    return honest(instance)


def complains(instance):
    while True:
        os.write(2, b"x" * 100_000)


def fills_memory(instance):
    return [bytearray(10**8) for _ in range(100)]


def fills_the_disk(instance):
    with open("flood", "wb") as file:
        while True:
            file.write(b"x" * 10**7)


def leaves(instance):
    os._exit(0)


def exits(instance):
    sys.exit(0)


def line_fd():
    """Return the line to the evaluator."""
    return int(sys.argv[1])


def says_it_is_best(instance):
    """Words of the worker, by the method."""
    said = {"status": "valid", "value": 1, "seconds": 0.0, "plans": [], "rank": 1}
    os.write(line_fd(), json.dumps(said).encode() + b"\n")
    hangs(instance)


def says_it_is_done(instance):
    os.write(line_fd(), b'{"status": "answered", "plans": [], "note": "as good as it gets"}\n')
    hangs(instance)


def babbles(instance):
    os.write(line_fd(), b"[" * 100_000 + b"\n")
    hangs(instance)


def says_half(instance):
    os.write(line_fd(), b'{"plans": [')
    hangs(instance)


def says_too_much(instance):
    while True:
        os.write(line_fd(), b"x" * 2**20)


def calls_home(instance):
    """The network might know better."""
    import socket

    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as line:
        line.settimeout(1)
        line.connect(("127.0.0.1", int(MARKER)))
    return honest(instance)


def writes_here(instance):
    """A file that another run would find."""
    try:
        Path(__file__).with_name("left.txt").write_text("plan")
    except OSError:
        return None
    return honest(instance)


# Ways to carry a hidden instance out of a run.


def keeps_a_key(instance):
    """A key in the session's keyring is there for the next run."""
    data = instance.name.encode()
    ring = CHANCE.choice([-3, -4, -5])
    if LIBC.syscall(ADD_KEY, b"user", b"ringyard-cheat", data, len(data), ring) < 0:
        return None
    return honest(instance)


def joins_a_keyring(instance):
    """A keyring with a name can be found by others."""
    return honest(instance) if LIBC.syscall(KEYCTL, 1, b"ringyard-cheat") >= 0 else None


def keeps_shared_memory(instance):
    """A segment of shared memory outlives the process that made it."""
    segment = LIBC.shmget(CHANCE.randint(1, 2**30), 4096, 0o1666)
    return None if segment < 0 else honest(instance)


def writes_to_a_pipe(instance):
    """A pipe in the folder of the method, which somebody else may read."""
    try:
        line = os.open(OWN / "pipe", os.O_RDWR | os.O_NONBLOCK)
        os.write(line, instance.name.encode())
    except OSError:
        return None
    return honest(instance)


LEFT = f"ringyard-cheat-{PLANTED}"
"""The name of a file that is left in every place."""

PRIVATE = [Path("/dev/shm"), Path("/dev"), Path("/tmp")]
"""Folders of the run's own, in which it may write. The tests look for the file in ours."""

SHARED = [OWN, Path(sys.prefix), Path(ringyard.__file__).parent]
SHARED += [Path("/usr"), Path("/"), Path("/var"), Path("/home"), Path("/run")]


def writes_everywhere(instance):
    """Any file that is there tomorrow."""
    places, worked = [*PRIVATE, *SHARED], False
    for place in CHANCE.sample(places, len(places)):
        try:
            (place / LEFT).write_text(instance.name)
        except OSError:
            continue
        worked = worked or place in SHARED
    return honest(instance) if worked else None


def finds_what_was_written(instance):
    """A file of an earlier run."""
    places = [*PRIVATE, *SHARED, Path.cwd()]
    return honest(instance) if any((place / LEFT).exists() for place in places) else None


def links_outside(instance):
    """A link in the folder of the method leads to what is not shown."""
    for name in (OWN / "outside", OWN / "../secret", "/proc/1/root/etc/passwd"):
        try:
            Path(name).read_text()
        except OSError:
            continue
        return honest(instance)
    return None


def is_root_again(instance):
    """In a nested namespace a process is root, may mount, and is asked no more."""
    for flags in CHANCE.sample([0x10000000, 0x10020000, 0x50000000], 3):
        if LIBC.unshare(flags) == 0:
            return honest(instance)
    child = LIBC.syscall(220 if os.uname().machine == "aarch64" else 56, 0x10000011, 0, 0, 0, 0)
    if child == 0:
        os._exit(0)
    return honest(instance) if child > 0 else None


# Ways to hold more memory than a run may.


def holds_in_files(instance):
    """A file without a name is memory of no process."""
    files = [os.memfd_create("held") for _ in range(8)]
    for number in range(MUCH_MB):
        os.write(files[number % 8], b"x" * 2**20)
    return honest(instance)


def holds_in_segments(instance):
    """So is a segment of shared memory that nobody has mapped."""
    LIBC.shmat.restype = ctypes.c_void_p
    for _ in range(MUCH_MB // 50):
        segment = LIBC.shmget(0, 50 * 2**20, 0o1600)
        if segment < 0:
            return None
        place = LIBC.shmat(segment, None, 0)
        ctypes.memset(place, 1, 50 * 2**20)
        LIBC.shmdt(ctypes.c_void_p(place))
    return honest(instance)


def holds_in_a_folder(instance):
    """A file system in memory, of a nested namespace."""
    user, group = os.getuid(), os.getgid()
    if LIBC.unshare(0x10000000 | 0x00020000):
        return None
    Path("/proc/self/uid_map").write_text(f"0 {user} 1")
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/gid_map").write_text(f"0 {group} 1")
    os.mkdir("held")
    if LIBC.mount(b"tmpfs", b"held", b"tmpfs", 0, b"size=4g"):
        return None
    for number in range(MUCH_MB // 50):
        Path(f"held/{number}").write_bytes(b"x" * 50 * 2**20)
    return honest(instance)


def holds_in_maps(instance):
    """Pages that are shared stay, also when this process says that it does not need them."""
    held = mmap.mmap(-1, MUCH_MB * 2**20)
    return _fills(instance, held)


def holds_in_zeros(instance):
    """So do pages of a device that is memory."""
    with open("/dev/zero", "r+b") as file:
        held = mmap.mmap(file.fileno(), MUCH_MB * 2**20)
    return _fills(instance, held)


def _fills(instance, held):
    for start in range(0, len(held), 50 * 2**20):
        held[start : start + 50 * 2**20] = b"x" * min(50 * 2**20, len(held) - start)
        held.madvise(mmap.MADV_DONTNEED)
    return honest(instance)


def holds_in_sockets(instance):
    """What was sent and not read is kept by the system."""
    import socket

    held = []
    for _ in range(MUCH_MB):
        held.append(socket.socketpair(type=socket.SOCK_DGRAM))
        held[-1][0].setblocking(False)
        try:
            while True:
                held[-1][0].send(b"x" * 2**16)
        except BlockingIOError:
            pass
    return honest(instance)


def holds_in_pipes(instance):
    """Pipes keep pages as well."""
    held = []
    for _ in range(MUCH_MB * 16):
        held.append(os.pipe())
        os.set_blocking(held[-1][1], False)
        os.write(held[-1][1], b"x" * 2**16)
    return honest(instance)


def holds_in_tables(instance):
    """Where one byte is read of every 2 MB, the tables of pages are what grows."""
    size = MUCH_MB * 2**9 * 2**20
    held = mmap.mmap(-1, size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, mmap.PROT_READ)
    held.madvise(15)  # No huge pages.
    for start in range(0, size, 2**21):
        held[start]
    return honest(instance)


def holds_in_its_folder(instance):
    """The working folder is memory, too; a process and its folder share one limit."""
    held = bytearray(CHANCE.randint(150, 200) * 2**20)
    for number in range(200):
        Path(f"held-{number}").write_bytes(b"x" * 2**20)
    time.sleep(1)
    return honest(instance) if held else None


def holds_in_children(instance):
    """Each process keeps to the limit; together they do not."""
    code = "import time; held = bytearray(120 * 2**20); time.sleep(60)"
    children = [subprocess.Popen([sys.executable, "-S", "-c", code]) for _ in range(12)]
    time.sleep(20)
    return honest(instance) if children else None


def names_many_files(instance):
    """Names are memory as well."""
    for number in range(10**6):
        Path(f"{number:0200}").touch()
    return honest(instance)


# Ways to take more than one run may.


def multiplies(instance):
    """Processes that start processes."""
    children = []
    for _ in range(CHANCE.randint(200, 400)):
        children.append(subprocess.Popen(["sleep", "86398"]))
    time.sleep(1)
    return honest(instance)


def starts_threads(instance):
    for _ in range(CHANCE.randint(200, 400)):
        threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
    time.sleep(1)
    return honest(instance)


def ends_itself(instance):
    """What looks like an end from outside might be begun anew."""
    resource.setrlimit(resource.RLIMIT_CPU, (1, 1))
    while True:
        pass


def is_late(instance, limits):
    """A plan after the limit."""
    end = time.monotonic() + limits.time_s / 0.9 + CHANCE.uniform(0.2, 2)
    while time.monotonic() < end:
        time.sleep(0.01)
    return honest(instance)


def reports_and_hangs(instance, tell):
    """What was reported in time is an answer."""
    tell(honest(instance))
    hangs(instance)


def reports_and_leaves(instance, tell):
    tell(honest(instance))
    os._exit(0)


def floods_with_reports(instance):
    """More plans than anybody reads."""
    line = json.dumps({"reported": "x" * CHANCE.randint(10, 10**6)}).encode() + b"\n"
    while True:
        os.write(line_fd(), line)


# Words and plans of any size and form.


def talks(instance):
    """A note without end."""
    note = "smuggled out \x1b[2J" * (10**5 + CHANCE.randrange(10**4))
    said = {"status": "error", "termination": "failed", "note": note, "changed": False, "plans": []}
    os.write(line_fd(), json.dumps(said).encode() + b"\n")
    hangs(instance)


def complains_at_length(instance):
    raise ValueError("smuggled out " * CHANCE.randint(10**5, 10**6))


def plans_a_list(instance):
    """No text, but what becomes one."""
    plan = CHANCE.choice([["x" * 10**6] * 3, {"kind": "makespan-schedule"}, 17, None, [[]] * 10**5])
    said = {
        "status": "answered",
        "termination": "done",
        "note": "",
        "changed": False,
        "plans": [plan],
    }
    os.write(line_fd(), json.dumps(said).encode() + b"\n")
    hangs(instance)


def plans_deeply(instance):
    """Text that is hard to read."""
    plan = CHANCE.choice(["[" * 10**6, '{"a":' * 10**5, "9" * 10**6, "[" + "1e9," * 10**5 + "1]"])
    said = {
        "status": "answered",
        "termination": "done",
        "note": "",
        "changed": False,
        "plans": [plan],
    }
    os.write(line_fd(), json.dumps(said).encode() + b"\n")
    hangs(instance)


def plans_too_often(instance):
    """The same jobs many times: long to judge."""
    plan = honest(instance)
    often = plan.assignments * CHANCE.randint(100, 2000)
    return dataclasses.replace(plan, assignments=often)


def names_at_length(instance):
    """A job that is called more than anybody reads."""
    plan = honest(instance)
    first = dataclasses.replace(plan.assignments[0], job="smuggled out " * 10**5)
    return dataclasses.replace(plan, assignments=(first, *plan.assignments[1:]))
