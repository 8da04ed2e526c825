"""Commands and events, of the core and of features."""

from typing import TypeAlias

from msgspec import Struct

Command: TypeAlias = Struct
"""A request to change the league. `application/dispatch.py` has a handler for each kind."""
Event: TypeAlias = Struct
"""Something that happened. `eventlog/kinds.py` has a row for each kind."""
