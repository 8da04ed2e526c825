"""One rating change explained: every term, the edition it comes from, and the event that caused it."""

from datetime import datetime
from typing import Any

from msgspec import Struct
from sqlalchemy import Connection, select

from league.domain.rating import shown
from league.domain.refusals import NotFound
from league.projections import tables as t


class Reason(Struct, frozen=True):
    """Why a rating changed by one match. `after` is `before + k * ((outcome + modifier) - expected)`, bit for bit."""

    match: str
    ruleset: str
    competition: str
    decided_at: datetime
    score: tuple[int, ...] | None
    winner: int
    status: str
    mode: str
    subject: str
    id: str
    before: float
    after: float
    k: float
    k_rule: str
    outcome: float
    expected: float
    own: float
    opponents: float
    modifier: float
    modifier_terms: tuple[tuple[str, float], ...]
    capped: bool
    matches_before: int
    not_judged: tuple[str, ...]
    edition: str
    edition_number: int | None
    position: int

    @property
    def shown_after(self) -> int:
        """The rating as people see it."""
        return shown(self.after)


def explain(conn: Connection, run: int, match: str, id_: str) -> Reason:
    """Explain what a match did to the rating of a player, or of a team (two ids joined by `+`). Raises NotFound."""
    c, m, e = t.changes.c, t.matches.c, t.editions.c
    query = (
        select(
            t.changes, m.ruleset, m.competition, m.score, m.winner, m.status, m.not_judged, e.edition.label("number")
        )
        .join(t.matches, (m.run == c.run) & (m.match_id == c.match_id))
        .join(t.editions, e.hash == c.edition)
        .where(c.run == run, c.match_id == match, c.id == id_)
    )
    row: Any = conn.execute(query).one_or_none()
    if row is None:
        raise NotFound("match", "rating change", f"{match} of {id_}")
    return Reason(
        match=row.match_id,
        ruleset=row.ruleset,
        competition=row.competition,
        decided_at=row.decided_at,
        score=None if row.score is None else tuple(row.score),
        winner=row.winner,
        status=row.status,
        mode=row.mode,
        subject=row.subject,
        id=row.id,
        before=row.before,
        after=row.after,
        k=row.k,
        k_rule=row.k_rule,
        outcome=row.outcome,
        expected=row.expected,
        own=row.own,
        opponents=row.opponents,
        modifier=row.modifier,
        modifier_terms=tuple((rule, value) for rule, value in row.modifier_terms),
        capped=row.capped,
        matches_before=row.matches_before,
        not_judged=tuple(row.not_judged),
        edition=row.edition,
        edition_number=row.number,
        position=row.position,
    )
