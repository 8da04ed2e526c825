"""Candidates: replays that revise rules, or restore earlier ones. What each changes, and which are shown.

And the titles of editions, which were candidates: an edition without a title of its own is called after its change.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

import msgspec
from msgspec import Struct
from sqlalchemy import Connection, DateTime, Integer, LargeBinary, Select, Text, column, literal, select, table
from sqlalchemy.dialects.postgresql import JSONB

from league.domain.rulebook import rule_changes
from league.domain.rules import Rulebook
from league.domain.timeline import EditionSpan
from league.projections import tables as t
from league.projections.boards.board import known_rulebook, rulebook_of, unread_document
from league.projections.queries.catalogue import EditionRow, edition_hash, editions
from league.projections.queries.pages import typed
from league.projections.queries.snapshot import Snapshot, read_rulebook, short

RuleChange = tuple[str, Any, Any]
"""A setting that differs: dotted key, value before and value after; None where it is absent."""

_COLUMNS: dict[str, Any] = {
    "replay": Integer, "candidate": LargeBinary, "starts_at": DateTime(timezone=True),
    "ends_at": DateTime(timezone=True), "requested_by": Text, "title": Text, "reason": Text, "revises": Text,
    "shown_at": DateTime(timezone=True), "adopted_at": DateTime(timezone=True), "adopted": JSONB,
    "tried": Text,
}  # fmt: skip


def _view(name: str) -> Select[Any]:
    return select(table(name, *(column(name, kind) for name, kind in _COLUMNS.items())))


ALL, SHOWN = _view("candidates"), _view("shown_candidates")
"""All candidates; and those that everybody may read, which follow from the state of the read side."""


class CandidateRow(NamedTuple):
    """A candidate as it was requested."""

    replay: int
    candidate: bytes | None
    """The revised edition, as JSON; None: it restores an earlier timeline."""
    starts_at: datetime | None
    ends_at: datetime | None
    requested_by: str
    title: str | None
    """The name that somebody gave it."""
    reason: str | None
    revises: str | None
    """The hash of the edition that was in force when it was requested."""
    shown_at: datetime | None
    adopted_at: datetime | None
    adopted: Any
    """The timeline that it restores, and when that was adopted; None: it restores none."""
    tried: str | None
    """The hash of the latest edition of its run; None: it has no run."""


class RestoredTimeline(Struct, frozen=True):
    """An earlier timeline that a candidate restores."""

    adopted_at: datetime
    """When it was adopted, in the league's time zone."""
    titles: "tuple[EditionTitle, ...]"
    """The titles of its editions, each once."""


class Revision(Struct, frozen=True):
    """What a replay changes."""

    before: Rulebook | None = None
    """The edition that was in force when it was requested; None if nothing is revised, or it is not known."""
    after: Rulebook | None = None
    """The edition that takes its place. One that comes back has the rulesets in use, too, as its run has them."""
    restores: RestoredTimeline | None = None

    @property
    def changes(self) -> list[RuleChange]:
        """The settings that differ; empty where nothing is revised."""
        if self.before is None or self.after is None:
            return []
        return rule_changes(self.before, self.after)


class EditionTitle(Struct, frozen=True):
    """The title of a published edition."""

    title: str
    """The one that somebody gave it, or else that of its document."""
    revision: Revision = Revision()
    """What it changes of the latest earlier edition of this title; nothing where no earlier one has the title."""


def edition_made_from(snapshot: Snapshot, number: int) -> int | None:
    """The number of the edition from which an edition was made; None for the first one.

    The log does not say it. It is the earlier one with the fewest different settings; of several the latest.
    """
    rows = typed(EditionRow, snapshot.conn.execute(editions().order_by(t.editions.c.edition)))
    rules = {row.edition: _rules(snapshot.conn, row.hash) for row in rows if row.edition and row.edition <= number}
    earlier = [one for one in rules if one < number]
    if number not in rules or not earlier:
        return None
    return min(reversed(earlier), key=lambda one: len(rule_changes(rules[one], rules[number])))


@short
def edition_titles(snapshot: Snapshot) -> dict[int, EditionTitle]:
    """The titles of the published editions by number."""
    return titles_of_editions(snapshot.conn)


def titles_of_editions(conn: Connection) -> dict[int, EditionTitle]:
    """The titles of the published editions by number."""
    titles: dict[int, EditionTitle] = {}
    latest: dict[str, str] = {}
    for row in typed(EditionRow, conn.execute(editions().order_by(t.editions.c.edition))):
        assert row.edition is not None, "published editions have numbers"
        namesake = latest.get(row.title)
        revision = Revision() if namesake is None else Revision(_rules(conn, namesake), _rules(conn, row.hash))
        titles[row.edition] = EditionTitle(row.title, revision)
        latest[row.title] = row.hash
    return titles


def _rules(conn: Connection, hash_: str) -> Rulebook:
    return known_rulebook(hash_) or rulebook_of(hash_, conn.scalar(select(unread_document(literal(hash_, t.Id)))))


def revisions(snapshot: Snapshot, numbers: Sequence[int]) -> dict[int, Revision]:
    """What replays change, by their numbers; without those that change nothing."""
    rows = snapshot.conn.execute(ALL.where(column("replay").in_(numbers)))
    return {row.replay: revision_of(snapshot, row) for row in typed(CandidateRow, rows)}


@short
def shown_candidates(snapshot: Snapshot) -> list[tuple[CandidateRow, Revision]]:
    """The candidates that everybody may read and that have a run, in the order in which they were shown."""
    rows = snapshot.conn.execute(SHOWN.order_by(column("shown_at")))
    return [(row, revision_of(snapshot, row)) for row in typed(CandidateRow, rows)]


def revision_of(snapshot: Snapshot, row: CandidateRow) -> Revision:
    """What a candidate changes."""
    before = None if row.revises is None else read_rulebook(snapshot, row.revises)
    if row.adopted is None or row.adopted_at is None:
        return Revision(before, None if row.candidate is None else msgspec.json.decode(row.candidate, type=Rulebook))
    spans = msgspec.convert(row.adopted, list[EditionSpan])
    hashes = [edition_hash(snapshot, span.edition) for span in spans]
    rules = [read_rulebook(snapshot, hash_) for hash_ in hashes if hash_ is not None]
    known = edition_titles(snapshot)
    titles = tuple(known[number] for number in dict.fromkeys(span.edition for span in spans))
    restores = RestoredTimeline(row.adopted_at.astimezone(ZoneInfo(snapshot.zone)), titles)
    after = rules[-1] if row.tried is None else read_rulebook(snapshot, row.tried)
    return Revision(before, after, restores)
