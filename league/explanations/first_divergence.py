"""Where two runs first rate somebody otherwise: from there on their ratings differ, whatever the later matches did."""

from datetime import datetime

from msgspec import Struct
from sqlalchemy import column

from league.explanations.side_by_side import SideBySide
from league.projections import tables as t
from league.projections.difference.divergences import EARLIEST_FIRST, OtherTerm, divergences, terms_of
from league.projections.difference.two_runs import two_runs
from league.projections.reads.snapshot import Snapshot


class FirstDivergence(Struct, frozen=True):
    """The first match after which two runs rate a player or a pair otherwise, in a mode; None: it is not rated."""

    competitor: str
    mode: str
    match: str
    decided_at: datetime
    rating_before: float | None
    """After the match, in the first run ..."""
    rating_after: float | None
    """... and in the second."""
    terms: tuple[OtherTerm, ...]
    """The terms of the formula that differ there."""


def first_divergence(found: SideBySide, before: Snapshot, after: Snapshot) -> FirstDivergence | None:
    """That of the ratings which a number rests on. None where it rests on none, and where they are the same.

    It looks at the whole career, so it takes longer the more there were.
    """
    explained = found.after or found.before
    if explained is None or not explained.rated_in or not any(term.differs for term in found.terms):
        return None
    two = two_runs(after.conn, before.run, after.run)
    one_mode = explained.rated_in[0] if len(explained.rated_in) == 1 else None
    subject = "team" if "+" in (explained.subject or "") else "player"
    theirs = divergences(two, mode=one_mode, subject=subject).where(column("id", t.Id) == explained.subject)
    row = after.conn.execute(theirs.order_by(*EARLIEST_FIRST.columns).limit(1)).one_or_none()
    if row is None:
        return None
    terms = tuple(terms_of(row))
    return FirstDivergence(row.id, row.mode, row.match_id, row.decided_at, row.after_before, row.after_after, terms)
