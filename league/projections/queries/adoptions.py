"""Adoptions of rules: the stream of the rulebook, and the act in the trail that led to each adoption."""

from collections.abc import Sequence
from datetime import datetime

from msgspec import Struct
from sqlalchemy import text

from league.domain.audit_trail import RolledBack, RunPromoted
from league.domain.deciders import Event
from league.domain.rulebook import EditionAdopted, EditionPublished
from league.projections.queries.log import EVENTS, logged
from league.projections.queries.snapshot import Snapshot

_RULEBOOK = text(EVENTS + " originator_id = 'rulebook' AND position <= :until ORDER BY originator_version")
_ACTS = text(EVENTS + " position = ANY(:positions) AND topic IN ('run-promoted/1', 'rolled-back/1')")


class Adoption(Struct, frozen=True):
    """An event that adopted a timeline of the rules."""

    position: int
    adopted_at: datetime
    actor: str
    act: RunPromoted | RolledBack | None
    """The promotion or the rollback that it belongs to; None: an edition was adopted by itself."""

    @property
    def title(self) -> str | None:
        """The name that somebody gave the replay that was promoted."""
        return None if self.act is None else self.act.title

    @property
    def reason(self) -> str | None:
        """The reason that was given for it."""
        return None if self.act is None else self.act.reason


class RulebookLog(Struct, frozen=True):
    """What the log says about the rules, up to the position of a snapshot."""

    events: Sequence[tuple[int, Event]]
    """The stream of the rulebook, each event with its position."""
    adoptions: Sequence[Adoption]
    """The adoptions, oldest first."""


def rulebook_log(snapshot: Snapshot) -> RulebookLog:
    """The stream of the rulebook, and its adoptions with their acts."""
    stored = logged(snapshot, _RULEBOOK, until=snapshot.position)
    published = {entry.position for entry, event in stored if isinstance(event, EditionPublished)}
    adopted = [entry for entry, event in stored if isinstance(event, EditionAdopted)]
    before = [_before(entry.position, published) for entry in adopted]
    acts = {entry.position: event for entry, event in logged(snapshot, _ACTS, positions=before)}
    adoptions = []
    for entry, at in zip(adopted, before, strict=True):
        act = acts.get(at)
        assert act is None or isinstance(act, RunPromoted | RolledBack), "the query finds no other"
        adoptions.append(Adoption(entry.position, entry.recorded_at, entry.actor, act))
    return RulebookLog([(entry.position, event) for entry, event in stored], adoptions)


def _before(adopted: int, published: set[int]) -> int:
    """The position before an adoption and the editions that were published just before it: an act stands there.

    A promotion appends its act, the new editions and the adoption in one transaction, so nothing lies between them.
    """
    position = adopted - 1
    while position in published:
        position -= 1
    return position
