"""Times in tables: in the league's time zone, and written so that they can be typed again."""

from datetime import datetime, tzinfo

from league.cli import terminal
from league.wording.language import _


def local(moment: datetime, zone: tzinfo) -> str:
    """A time to the minute: `2026-03-01 20:30`."""
    return f"{moment.astimezone(zone):%Y-%m-%d %H:%M}"


def print_zone(zone: tzinfo) -> None:
    """Say below a table which time zone its times are in."""
    terminal.out.print(f"[dim]{_('Times are in the time zone {zone}.', zone=zone)}[/]")
