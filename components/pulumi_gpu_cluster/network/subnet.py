"""IP subnets in the site file."""

from __future__ import annotations

import ipaddress
from typing import Annotated

from pydantic import AfterValidator


def network_of(text: str) -> ipaddress.IPv4Network:
    """The subnet that a text names.

    Raises:
        ValueError: It names none, or an address inside of one.
    """
    try:
        return ipaddress.IPv4Network(text)
    except ValueError:
        wrong = f"is no IPv4 subnet{_meant(text)}"
        raise ValueError(f"{wrong}; write its first address and prefix, as 10.244.0.0/16") from None


def _meant(text: str) -> str:
    try:
        return f" (did you mean {ipaddress.IPv4Network(text, strict=False)}?)"
    except ValueError:
        return ""


def _canonical(text: str) -> str:
    return str(network_of(text))


Subnet = Annotated[str, AfterValidator(_canonical)]
"""An IPv4 subnet such as 10.244.0.0/16."""
