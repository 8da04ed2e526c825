"""The time zone of this machine, as a suggestion for the league's."""

import os
import zoneinfo
from pathlib import Path

LOCAL = Path("/etc/localtime")
"""Links to the file of the zone on Linux and macOS."""


def machine_zone() -> str | None:
    """The name of the zone, such as America/Havana; None where the machine does not tell it."""
    linked = os.path.realpath(LOCAL).partition("zoneinfo/")[2]
    for name in (os.environ.get("TZ", "").lstrip(":"), linked):
        if name in zoneinfo.available_timezones():
            return name
    return None
