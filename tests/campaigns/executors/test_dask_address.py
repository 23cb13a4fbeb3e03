"""What of a Dask cluster listens where, and TLS as the page says it."""

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from campaigns.executors.dask_processes import Cluster
from campaigns.executors.doing import eventually, gather, task
from house.test_commands import FENCE, ROOT

from ringyard.campaigns.executors.dask import DaskExecutor, parsed_address
from ringyard.instances import InputError, MissingError, RefusedError

PAGE = (ROOT / "docs/howto/run-on-a-cluster.md").read_text(encoding="utf-8")


def blocks(mark: str) -> list[str]:
    """Return the blocks of the page behind a mark, up to the next heading."""
    part = re.split(r"^#+ ", PAGE.partition(f"<!-- started: {mark} -->\n")[2], flags=re.MULTILINE)[
        0
    ]
    return [found[4] for found in FENCE.finditer(part)]


def lines(text: str, program: str) -> list[list[str]]:
    """Return the words behind a program's name in each line that begins with it."""
    found = [line for line in text.splitlines() if line.startswith(f"{program} ")]
    return [shlex.split(line.removeprefix(program)) for line in found]


def start(cluster: Cluster, text: str) -> None:
    """Start what the page starts, at a port that is free."""
    for words in lines(text, "dask"):
        given = [re.sub(r":?\b8786$|(?<=:)8787$", _port(cluster), word) for word in words]
        cluster.start(f"dask_{given[0]}", *given[1:])


def _port(cluster: Cluster) -> Callable[[re.Match[str]], str]:
    def port(found: re.Match[str]) -> str:
        number = str(cluster.port) if "8786" in found[0] else "0"
        return (":" if found[0].startswith(":") else "") + number

    return port


def connected(address: str) -> DaskExecutor | None:
    try:
        return DaskExecutor(address)
    except MissingError:
        return None


def listening(processes: "list[subprocess.Popen[bytes]]") -> set[str]:
    """Return the addresses on which processes, and those below them, listen, in hexadecimal."""
    below = [p.pid for p in processes]
    for pid in below:
        for children in Path(f"/proc/{pid}/task").glob("*/children"):
            below += map(int, children.read_text().split())
    sockets = set[str]()
    for pid in below:
        for handle in Path(f"/proc/{pid}/fd").iterdir():
            if handle.is_symlink():
                sockets.update(re.findall(r"socket:\[(\d+)\]", os.readlink(handle)))
    rows = [
        line.split()
        for table in ("tcp", "tcp6")
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]
    ]
    return {row[1].partition(":")[0] for row in rows if row[3] == "0A" and row[9] in sockets}


def settings_of(**files: object) -> AbstractContextManager[None]:
    """Tell Dask in this process what others read from their file of settings."""
    import dask

    names = {name: name.replace("__", ".").replace("_", "-") for name in files}
    found: AbstractContextManager[None] = dask.config.set(
        {f"distributed.comm.tls.{names[name]}": file for name, file in files.items()}
    )
    return found


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    cluster = Cluster(tmp_path)
    yield cluster
    cluster.close()


@pytest.mark.slow
def test_what_the_page_starts_listens_on_this_machine_alone(cluster: Cluster) -> None:
    start(cluster, blocks("loopback")[0])
    executor = eventually(lambda: connected(cluster.address))
    eventually(lambda: executor.slots == 8)
    executor.close()
    assert listening(cluster.processes) == {"0100007F"}


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("openssl"), reason="makes certificates with openssl")
def test_tls_as_the_page_says_it(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    certificates, settings, starts = blocks("tls")
    monkeypatch.chdir(cluster.folder)
    subprocess.run(["/bin/sh", "-ec", certificates], check=True, capture_output=True)
    (cluster.folder / "tls.yaml").write_text(settings, encoding="utf-8")
    assert "export DASK_CONFIG=tls.yaml" in starts
    monkeypatch.setenv("DASK_CONFIG", "tls.yaml")
    start(cluster, starts)
    address = cluster.address.replace("tcp:", "tls:")
    with pytest.raises(InputError, match=r"tls.ca-file: found nothing.*Set DASK_DISTRIBUTED__COMM"):
        DaskExecutor(address)
    with settings_of(ca_file="ca.pem", client__cert="cert.pem", client__key="key.pem"):
        executor = eventually(lambda: connected(address))
        eventually(lambda: executor.slots > 0)
        assert gather(executor, task("gang-lpt"))["gang-lpt"].columns["status"] == "feasible"
        executor.close()
    assert listening(cluster.processes) == {"0100007F"}
    other = settings_of(ca_file="cert.pem", client__cert="cert.pem", client__key="key.pem")
    with other, pytest.raises(RefusedError, match=r"cannot agree on TLS .* certificates of one"):
        DaskExecutor(address)


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({}, "tls.ca-file: found nothing, expected a file in PEM. Set DASK_DISTRIBUTED__COMM__TLS"),
        ({"ca_file": "none.pem"}, "found none.pem: no such file or directory"),
        ({"ca_file": "text", "client__cert": "text"}, "expected a certificate and its key"),
        ({"ca_file": 7}, "distributed.comm.tls"),
    ],
)
def test_settings_of_tls_that_cannot_be_used_are_named(
    files: dict[str, object], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "text").write_text("no certificate", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    with settings_of(**files), pytest.raises(InputError, match=re.escape(said)):
        DaskExecutor("tls://127.0.0.1:1")


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "tcp://[::1]:1", "tcp://localhost:1"])
def test_of_an_address_of_this_machine_nothing_is_told(address: str) -> None:
    assert not parsed_address(address).notices
    assert "--host" in parsed_address(address).scheduler
    assert "--host" in parsed_address(address).worker


def test_an_address_without_tls_that_others_reach_is_told_of() -> None:
    (said,) = parsed_address("tcp://192.0.2.7:8786").notices
    assert said.startswith("tcp://192.0.2.7:8786 has no TLS: ")
    assert not parsed_address("tls://192.0.2.7:8786").notices
    assert "--protocol tls --host 192.0.2.7" in parsed_address("tls://192.0.2.7:8786").scheduler
