"""The features beside the core, and what each declares. The core asks for what is `declared` and imports no feature.

A feature is a package below `league`, with all layers from its events to its pages. Its FEATURE says where its parts
are. A part is imported when the core needs it: so nothing of the API is imported by a command of the terminal.
`docs/features.md` shows how a feature is made.
"""

from dataclasses import dataclass
from functools import cache
from pkgutil import resolve_name
from typing import Any

FEATURES = ("tables", "photos", "lab", "tournaments", "review")
"""The packages of all features. The events of one stay readable for ever, whether it is installed or not."""
INSTALLED = FEATURES
"""The features that this program has. It does without any of them."""
OF_THE_LOG = ("events", "words", "restoring")
"""Parts that are asked of all features: a log may have events of one that is not installed."""


@dataclass(frozen=True, kw_only=True)
class Feature:
    """Where the parts of a feature are: `module:NAME` in its package, or None where it has no such part."""

    name: str
    """Of its package."""
    events: str | None = None
    """`tuple[Kind, ...]` (`eventlog/records.py`): its events."""
    commands: str | None = None
    """`dict[type[Command], Handler]` (`application/decisions.py`): its commands, and what decides each."""
    source: str | None = None
    """Not a place: the source of the events of its commands, such as `live`."""
    rules: str | None = None
    """`dict[type[Command], Rule]` (`application/decisions.py`): what it forbids or adds in commands of the core."""
    overwrites: str | None = None
    """`dict[type[Command], Callable[[Command], Overwritten]]` (`application/decisions.py`): what they overwrite."""
    states: str | None = None
    """`KeptStream` (`application/stream_states.py`): streams whose states a process keeps in memory."""
    rows: str | None = None
    """`Callable` (`application/rows.py`): makes the rows that are saved together with events."""
    rows_again: str | None = None
    """`RowsAgain` (`projections/rows_again.py`): makes these rows again from the whole log."""
    restoring: str | None = None
    """`Callable[[Conn], Sequence[tuple[str, int, Event]]]`: events that a restore adds, with stream and version."""
    backed_up: str | None = None
    """`Callable[[Conn, PhotoStore], list[str]]`: the names of its stored objects, for a backup with pictures."""
    bookkeeping: str | None = None
    """`dict[str, str]`: what of its tables does not follow from the log (`projections/rows_again.py`)."""
    jobs: str | None = None
    """`QueuedJobs` (`application/jobs.py`): a queue of its own, on which the worker works."""
    channels: str | None = None
    """`tuple[str, ...]`: channels of the database for whose notifications its subscriptions wait."""
    played: str | None = None
    """`PlayedHands` (`projections/writers/play_metrics.py`): hands whose turns are in events of its own."""
    schema: str | None = None
    """`SchemaPart` (`api/schema_part.py`): what it adds to the schema."""
    match_watch: str | None = None
    """`MatchWatch` (`projections/queries/matches.py`): what it computes for a match, for `matchChanged`."""
    match_fields: str | None = None
    """A type of Strawberry: the fields that it adds to `Match`."""
    has_bell: str | None = None
    """`Callable[[Snapshot, Sequence[str]], dict[str, bool]]`: the matches that end with the time of a round."""
    hand_fields: str | None = None
    """The same for `Hand`."""
    player_fields: str | None = None
    """The same for `Player`."""
    team_fields: str | None = None
    """The same for `Team`, a pair."""
    evidence: str | None = None
    """`Fill` (`api/matches/hands.py`): fills in the facts of a hand from the photos that an input names."""
    match_errors: str | None = None
    """`tuple[type[UserError], ...]`: errors that its rules add to mutations of a match."""
    error_codes: str | None = None
    """`dict[str, str]`: the codes of its refusals, each with a description."""
    permissions: str | None = None
    """`dict[str, dict[Role, Reach]]` (`api/auth/reach.py`): who may use its operations."""
    shared: str | None = None
    """`Callable[[Process], object]` (`api/graphql/executing/context.py`): makes what requests to a process share."""
    endpoints: str | None = None
    """`Callable[[Process], Sequence[BaseRoute]]`: addresses that it answers beside GraphQL."""
    uploads: str | None = None
    """`dict[str, int]`: paths that take files, each with the most bytes of a file."""
    serving: str | None = None
    """`Callable[[Process], AbstractContextManager]`: what runs in a process while it answers requests."""
    working: str | None = None
    """`Callable[[League], AbstractContextManager]`: what runs in `league worker`."""
    ai_players: str | None = None
    """`Callable[[League, Callable[[], bool], float], object]`: plays for AIs until asked to stop, with a pause."""
    figures: str | None = None
    """`Callable[[Connection], Iterator[Metric]]`: figures of the database for `/metrics`."""
    site: str | None = None
    """`SitePart` (`console/site_part.py`): its pages, its links, and what it shows on pages of the core."""
    cli: str | None = None
    """`dict[str, Entry]` (`cli/entry.py`): its commands of the terminal."""
    recorded: str | None = None
    """`Take` (`transfer/recorded_season.py`): takes its files of a recorded season."""
    exports: str | None = None
    """`dict[str, Export]` (`transfer/export.py`): what `league export` writes of it."""
    log_exports: str | None = None
    """`dict[str, LogExport]` (`transfer/export.py`): the same for what is read from the log."""
    demo: str | None = None
    """`Callable[[League], object]`: shows what it makes of the league of `league demo`."""
    words: str | None = None
    """`tuple[StreamWords, ...]` (`wording/matches.py`): what people read of its events, by kind of stream."""

    def part(self, name: str) -> Any:
        """A part that this feature has."""
        return resolve_name(f"league.{self.name}.{getattr(self, name)}")


def installed() -> tuple[Feature, ...]:
    """The installed features, in their order."""
    return tuple(_feature(name) for name in INSTALLED)


def declared(part: str) -> list[Any]:
    """What features declare as this part, in their order; nothing of a feature that has no such part."""
    features = [_feature(name) for name in FEATURES] if part in OF_THE_LOG else installed()
    return [feature.part(part) for feature in features if getattr(feature, part) is not None]


@cache
def _feature(name: str) -> Feature:
    feature: Feature = resolve_name(f"league.{name}:FEATURE")
    return feature
