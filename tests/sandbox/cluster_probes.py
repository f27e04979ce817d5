"""What tests ask of an embedded cluster beside its own status."""

from __future__ import annotations

import ipaddress
import struct
from pathlib import Path

from lightkube import ApiError, Client
from lightkube.resources.core_v1 import ServiceAccount

_LISTEN = "0A"


def listening_addresses(pid: int) -> set[str]:
    """Every address that the process accepts connections at, as the kernel has it."""
    sockets: set[str] = set()
    for descriptor in Path(f"/proc/{pid}/fd").iterdir():
        try:
            target = str(descriptor.readlink())
        except FileNotFoundError:
            continue
        if target.startswith("socket:["):
            sockets.add(target.removeprefix("socket:[").removesuffix("]"))
    found: set[str] = set()
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/{pid}/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == _LISTEN and fields[9] in sockets:
                found.add(_address(fields[1].split(":")[0]))
    return found


def has_account(client: Client, namespace: str) -> bool:
    """Whether pods can be made there; until the controllers have been by, they are refused."""
    try:
        client.get(ServiceAccount, "default", namespace=namespace)
    except ApiError:
        return False
    return True


def _address(text: str) -> str:
    # The kernel writes each four bytes as a number of the machine's own order.
    words = [int(text[i : i + 8], 16) for i in range(0, len(text), 8)]
    return str(ipaddress.ip_address(struct.pack(f"={len(words)}I", *words)))
