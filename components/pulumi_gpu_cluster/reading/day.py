"""Days in the site file."""

from __future__ import annotations

import datetime as dt
from typing import Annotated, Final

from pydantic import BeforeValidator

MIDNIGHT: Final = " 00:00:00 +0000 UTC"
"""What the engine puts after a date that stands in a stack file without quotes."""


def _bare(raw: object) -> object:
    return raw.removesuffix(MIDNIGHT) if isinstance(raw, str) else raw


Day = Annotated[dt.date, BeforeValidator(_bare)]
"""A day, written as 2027-01-31."""
