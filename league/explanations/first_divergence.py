"""The first match that two runs rate differently for a player or a pair; later ratings follow from it."""

from sqlalchemy import column

from league.domain.competitor import CompetitorId, subject_of
from league.explanations.side_by_side import SideBySide
from league.projections import tables as t
from league.projections.difference.divergences import EARLIEST_FIRST, DivergenceRow, divergences
from league.projections.difference.two_runs import two_runs
from league.projections.queries.rows import typed
from league.projections.queries.snapshot import Snapshot


def first_divergence(found: SideBySide, before: Snapshot, after: Snapshot) -> DivergenceRow | None:
    """The first row of `divergences` among the ratings that a number is based on.

    None if it is based on none, or if no term differs. It reads a whole career, so its cost grows with the career.
    """
    explained = found.after or found.before
    if explained is None or not explained.rated_in or not any(term.differs for term in found.terms):
        return None
    two = two_runs(after.conn, before.run, after.run)
    mode = explained.rated_in[0] if len(explained.rated_in) == 1 else None
    subject = subject_of(CompetitorId(explained.subject or ""))
    theirs = divergences(two, mode=mode, subject=subject).where(column("id", t.Id) == explained.subject)
    rows = after.conn.execute(theirs.order_by(*EARLIEST_FIRST.columns).limit(1))
    return next(typed(DivergenceRow, rows), None)
