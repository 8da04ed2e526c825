"""The features beside the core, and how the core finds what they declare. It imports none of them.

A feature is a package below `league`, with all layers from its events to its pages. Its FEATURE names a module for
each layer of the core that it extends. The module has one object, of a class that this layer defines. The core imports
the module only when it asks for the parts that are `declared`, so a command of the terminal imports nothing of the API.
`docs/features.md` shows how to make a feature.
"""

from dataclasses import dataclass
from functools import cache
from pkgutil import resolve_name
from typing import Any, ClassVar, Protocol, TypeVar

FEATURES = ("tables", "photos", "lab", "tournaments", "review", "nights")
"""The packages of all features. The events of a feature stay readable for ever, whether it is installed or not."""
INSTALLED = FEATURES
"""The features that this program runs. It works without any of them."""
OF_THE_LOG = ("events", "words")
"""Parts that are read from all features, since a log may have events of a feature that is not installed."""


@dataclass(frozen=True, kw_only=True)
class Feature:
    """Where the parts of a feature are: modules of its package, or None where it has no such part.

    A module has its part under the name of the field in capitals: `COMMANDS` is in the module that `commands` names.
    """

    events: str | None = None
    """`EventPart` (`eventlog/records.py`): its events."""
    words: str | None = None
    """`WordPart` (`wording/matches.py`): the texts of its events for people."""
    commands: str | None = None
    """`CommandPart` (`application/decisions.py`): its commands, and its rules for commands of the core."""
    rows: str | None = None
    """`RowPart` (`projections/row_part.py`): its rows, which follow from the log, and its bookkeeping."""
    work: str | None = None
    """`WorkPart` (`application/work_part.py`): its work in a worker, in a queue, and at the seats of AIs."""
    transfer: str | None = None
    """`TransferPart` (`transfer/transfer_part.py`): seasons in, exports and backups out."""
    access: str | None = None
    """`AccessPart` (`api/auth/reach.py`): permissions, codes of refusals, and uploads."""
    fields: str | None = None
    """`FieldPart` (`api/schema_part.py`): fields that it adds to types of the core."""
    schema: str | None = None
    """`SchemaPart` (`api/schema_part.py`): its parts of the schema, and of the server around it."""
    site: str | None = None
    """`SitePart` (`console/site_part.py`): its pages, its links, and its sections on pages of the core."""
    cli: str | None = None
    """`CliPart` (`cli/entry.py`): its commands of the terminal."""


class FeaturePart(Protocol):
    """The base of all parts: an object with which a feature extends one layer of the core."""

    place: ClassVar[str]
    """The field of `Feature` that names its module."""


P = TypeVar("P", bound=FeaturePart)


def declared(part: type[P]) -> list[P]:
    """The objects that features declare for a part, in the order of the features. Most features lack some parts."""
    found = (_part(name, part.place) for name in (FEATURES if part.place in OF_THE_LOG else INSTALLED))
    return [one for one in found if one is not None]


@cache
def _part(name: str, place: str) -> Any:
    module = getattr(resolve_name(f"league.{name}:FEATURE"), place)
    return None if module is None else resolve_name(f"league.{name}.{module}:{place.upper()}")
