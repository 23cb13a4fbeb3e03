"""How a Dask scheduler is reached: its address, what listens there, and TLS."""

from contextlib import suppress
from ipaddress import ip_address
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from ...instances.errors import ABSENT, InputError, Problem, Words, raise_any, reason
from ..left_out import contents

FILES = {
    "tls_ca_file": ("ca-file", True),
    "tls_client_cert": ("client.cert", True),
    "tls_client_key": ("client.key", False),
}
"""What a client reads for TLS: its name in Dask's settings, and whether it has to be said."""


class DaskAddress(NamedTuple):
    """What a person types to be reached at an address, and what is to be known of it."""

    scheduler: str
    worker: str
    notices: tuple[str, ...]


def checked(address: str) -> str:
    """Return an address that can be one."""
    with suppress(ValueError):
        parts = urlsplit(address)
        if parts.scheme in ("tcp", "tls") and parts.hostname and parts.port:
            return address
    advice = "copy what the scheduler prints when it starts"
    raise InputError("--dask", [Problem("address", address, "tcp://HOST:PORT", advice)])


def parsed_address(address: str) -> DaskAddress:
    """Return what starts a scheduler and workers that listen at this address and nowhere else."""
    parts = urlsplit(address)
    host, local = parts.hostname or "", _is_local(parts.hostname or "")
    tls = " --protocol tls" if parts.scheme == "tls" else ""
    where = f"--host {host} --dashboard-address {host}:0"
    open_to = f"{address} has no TLS: anyone who reaches it can have its workers do anything"
    return DaskAddress(
        scheduler=f"dask scheduler{tls} {where} --port {parts.port}",
        worker=f"dask worker {address} {where if local else '--host ITS-HOST --no-dashboard'}",
        notices=() if local or tls else (f"{open_to}, and see all that is sent",),
    )


def refuse_settings(address: str) -> None:
    """Raise `InputError` where TLS is asked for, and its settings in Dask cannot be used."""
    if urlsplit(address).scheme != "tls":
        return
    from distributed import Security

    problems = []
    try:
        security = Security()
    except (TypeError, ValueError) as error:
        raise InputError(f"TLS for {address}", [_unusable(error)]) from None
    for field, (name, needed) in FILES.items():
        path = getattr(security, field)
        advice = f"set DASK_DISTRIBUTED__COMM__TLS__{name.upper().replace('.', '__')}"
        found = ABSENT if needed and path is None else _unreadable(path)
        if found is not None:
            place = f"distributed.comm.tls.{name}"
            problems.append(Problem(place, found, "a file in PEM", advice.replace("-", "_")))
    if not problems:
        try:
            security.get_connection_args("client")
        except (OSError, TypeError, ValueError) as error:
            problems.append(_unusable(error))
    raise_any(f"TLS for {address}", problems)


def _unusable(error: Exception) -> Problem:
    """Say what TLS says of settings that cannot be used."""
    expected, advice = "a certificate and its key, in PEM", "see docs/campaigns/executors.md"
    return Problem("distributed.comm.tls", Words(str(error)), expected, advice)


def _unreadable(path: object) -> Words | None:
    """Say why a file cannot be read; a text with PEM itself need not be one."""
    if not isinstance(path, str):
        return None if path is None else Words(str(path))
    if "\n" in path:
        return None
    try:
        contents(Path(path))
    except (OSError, ValueError) as error:
        return Words(f"{path}: {reason(error)}")
    return None


def _is_local(host: str) -> bool:
    """Say whether only this machine can reach a host."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
