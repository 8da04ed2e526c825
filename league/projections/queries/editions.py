"""The rulebook that a row refers to; editions are immutable, so a process reads each one once."""

from sqlalchemy import literal, select

from league.domain.rules import Rulebook
from league.projections.display_rules import known_rulebook, rulebook_of, unread_document
from league.projections.queries.short import short
from league.projections.queries.snapshot import Snapshot
from league.projections.tables import Id, editions


def read_rulebook(snapshot: Snapshot, hash_: str) -> Rulebook:
    """The edition with a hash that a row refers to."""
    known = known_rulebook(hash_)
    if known is not None:
        return known
    return rulebook_of(hash_, snapshot.conn.scalar(select(unread_document(literal(hash_, Id)))))


@short
def published_rulesets(snapshot: Snapshot) -> set[str]:
    """The names of the rulesets of all published editions."""
    hashes = snapshot.conn.scalars(select(editions.c.hash).where(editions.c.edition.is_not(None))).all()
    return {name for hash_ in hashes for name in read_rulebook(snapshot, hash_).rulesets}
