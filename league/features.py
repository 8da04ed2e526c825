"""The features beside the core, and how the core finds what they declare. It imports none of them.

A feature is a package below `league`, with all layers from its events to its pages. Its FEATURE names a module for
each layer of the core to which it adds something. What it adds stands there, as one object of a class that this layer
defines. Such a module is imported when the core asks for what is `declared`: so nothing of the API is imported by a
command of the terminal. `docs/features.md` shows how a feature is made.
"""

from dataclasses import dataclass
from functools import cache
from pkgutil import resolve_name
from typing import Any, ClassVar, Protocol, TypeVar

FEATURES = ("tables", "photos", "lab", "tournaments", "review")
"""The packages of all features. The events of one stay readable for ever, whether it is installed or not."""
INSTALLED = FEATURES
"""The features that this program has. It does without any of them."""
OF_THE_LOG = ("events", "words")
"""Parts that are asked of all features: a log may have events of one that is not installed."""


@dataclass(frozen=True, kw_only=True)
class Feature:
    """Where the parts of a feature are: modules of its package, or None where it has no such part.

    A module has its part under the name of the field in capitals: `COMMANDS` is in the module that `commands` names.
    """

    events: str | None = None
    """`EventPart` (`eventlog/records.py`): its events."""
    words: str | None = None
    """`WordPart` (`wording/matches.py`): what people read of them."""
    commands: str | None = None
    """`CommandPart` (`application/decisions.py`): its commands, and what it changes in those of the core."""
    rows: str | None = None
    """`RowPart` (`projections/row_part.py`): its rows, made again from the log, and what no event says of them."""
    work: str | None = None
    """`WorkPart` (`application/work_part.py`): what runs in a worker, in a queue, and at the seats of AIs."""
    transfer: str | None = None
    """`TransferPart` (`transfer/transfer_part.py`): seasons in, exports and backups out."""
    access: str | None = None
    """`AccessPart` (`api/auth/reach.py`): permissions, codes of refusals, and what is uploaded."""
    fields: str | None = None
    """`FieldPart` (`api/schema_part.py`): fields that it adds to types of the core."""
    schema: str | None = None
    """`SchemaPart` (`api/schema_part.py`): what it adds to the schema, and to the server around it."""
    site: str | None = None
    """`SitePart` (`console/site_part.py`): its pages, its links, and what it shows on pages of the core."""
    cli: str | None = None
    """`CliPart` (`cli/entry.py`): its commands of the terminal."""


class Part(Protocol):
    """What a feature adds to a part of the core."""

    place: ClassVar[str]
    """The field of `Feature` that names its module."""


P = TypeVar("P", bound=Part)


def declared(part: type[P]) -> list[P]:
    """What features declare as this part, in their order; nothing of a feature that has no such part."""
    found = (_part(name, part.place) for name in (FEATURES if part.place in OF_THE_LOG else INSTALLED))
    return [one for one in found if one is not None]


@cache
def _part(name: str, place: str) -> Any:
    module = getattr(resolve_name(f"league.{name}:FEATURE"), place)
    return None if module is None else resolve_name(f"league.{name}.{module}:{place.upper()}")
