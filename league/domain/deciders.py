"""Commands and events, of the core and of features."""

from typing import TypeAlias

from msgspec import Struct

Command: TypeAlias = Struct
"""What is asked of the league: `application/dispatch.py` has a handler for each kind."""
Event: TypeAlias = Struct
"""What happened: `eventlog/kinds.py` has a row for each kind."""
