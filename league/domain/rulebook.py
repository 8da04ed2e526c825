"""The rulebook of the league: its published editions, and which one is in force when."""

from datetime import datetime

from msgspec import Struct

from league.domain.refusals import AlreadyExists, InvalidInput, NotFound
from league.domain.rulebook_document import content_hash
from league.domain.rules import Rulebook
from league.domain.sentences import say
from league.domain.timeline import Span, Timeline, check_span, edition_at, overlay
from league.domain.wrong_states import AlreadyInForce, NoLeagueYet

# ---------------------------------------------------------------- events


class EditionPublished(Struct, frozen=True):
    """An edition can be adopted from now on; it never changes."""

    edition: int
    hash: str
    document: Rulebook


class EditionAdopted(Struct, frozen=True):
    """The whole timeline of the rules; the last one in the log is in force."""

    timeline: Timeline


RulebookEvent = EditionPublished | EditionAdopted

# ---------------------------------------------------------------- commands


class PublishEdition(Struct, frozen=True):
    """Publish an edition under the next number."""

    document: Rulebook


class AdoptEdition(Struct, frozen=True):
    """Put an edition in force for matches that began within [start, end); None means without bound."""

    edition: int
    start: datetime | None = None
    end: datetime | None = None


class AdoptTimeline(Struct, frozen=True):
    """Put the timeline of a run in force; editions that are new are published."""

    spans: tuple[tuple[datetime | None, str, Rulebook], ...]
    """The start of each span, and the hash and the document of its edition."""


RulebookCommand = PublishEdition | AdoptEdition
"""Those that are dispatched; a promotion decides `AdoptTimeline`."""

# ---------------------------------------------------------------- state


class RulebookState(Struct, frozen=True):
    """The editions by number (from 1), and the timeline."""

    editions: tuple[EditionPublished, ...] = ()
    timeline: Timeline = ()

    def at(self, began_at: datetime) -> Rulebook:
        """The edition under which a match that began then is played. Raises WrongState before the first adoption."""
        return self.published_at(began_at).document

    def published_at(self, began_at: datetime) -> EditionPublished:
        """The same, with its number and its hash."""
        if not self.timeline:
            raise NoLeagueYet(say("the league"), say("not there"), say("create it first (`league init`)"))
        return self.editions[edition_at(self.timeline, began_at) - 1]

    def published(self, number: int) -> EditionPublished:
        """The published edition of this number, with its hash. Raises NotFound."""
        if not 1 <= number <= len(self.editions):
            known = tuple(str(known) for known in range(1, len(self.editions) + 1))
            raise NotFound("edition", "edition", str(number), known)
        return self.editions[number - 1]

    def edition(self, number: int) -> Rulebook:
        """The document of the published edition of this number. Raises NotFound."""
        return self.published(number).document


def evolve(state: RulebookState, event: RulebookEvent) -> RulebookState:
    """The state after an event."""
    match event:
        case EditionPublished():
            return RulebookState((*state.editions, event), state.timeline)
        case EditionAdopted():
            return RulebookState(state.editions, event.timeline)


# ---------------------------------------------------------------- decide


def publish_edition(command: PublishEdition, state: RulebookState) -> list[RulebookEvent]:
    """Publish an edition. Raises AlreadyExists when a published edition has the same hash."""
    new = content_hash(command.document)
    for published in state.editions:
        if published.hash == new:
            raise AlreadyExists("document", "edition", str(published.edition), say("it has the same rules"))
    return [EditionPublished(len(state.editions) + 1, new, command.document)]


def adopt_edition(command: AdoptEdition, state: RulebookState) -> list[RulebookEvent]:
    """Adopt an edition over a span of play time.

    Raises NotFound, and InvalidInput for an impossible span or an edition that lacks a ruleset that is in use.
    """
    adopted = state.edition(command.edition)
    check_span(command.start, command.end)
    if not state.timeline:
        if command.start is not None or command.end is not None:
            raise InvalidInput("start", say("the first adoption has no start and no end"))
        return [EditionAdopted((Span(None, command.edition),))]
    check_rulesets(adopted, state)
    return [EditionAdopted(overlay(state.timeline, command.edition, command.start, command.end))]


def adopt_timeline(command: AdoptTimeline, state: RulebookState) -> list[RulebookEvent]:
    """Adopt a whole timeline. Raises WrongState when it holds already, InvalidInput when it lacks a ruleset in use."""
    hashes = [published.hash for published in state.editions]
    events: list[RulebookEvent] = []
    spans = []
    for start, hash_, rulebook in command.spans:
        if hash_ not in hashes:
            check_rulesets(rulebook, state)
            hashes.append(hash_)
            events.append(EditionPublished(len(hashes), hash_, rulebook))
        spans.append(Span(start, hashes.index(hash_) + 1))
    if tuple(spans) == state.timeline:
        raise AlreadyInForce(say("the timeline of the rules"), say("in force"), say("there is nothing to promote"))
    return [*events, EditionAdopted(tuple(spans))]


def check_rulesets(candidate: Rulebook, state: RulebookState) -> None:
    """Raise InvalidInput when an edition lacks a ruleset that an adopted one has: its matches could not be scored."""
    for span in state.timeline:
        for name in state.edition(span.edition).rulesets:
            if name not in candidate.rulesets:
                raise InvalidInput(
                    f"rulesets.{name}",
                    say("is missing; edition {edition} has it, and it may be in use", edition=span.edition),
                )
