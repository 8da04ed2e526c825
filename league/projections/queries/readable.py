"""Which runs and replays everybody may read; whoever may read drafts reads all of them.

A replay that revises rules, or restores earlier ones, is a draft until it is shown. Everybody may read the official
run and all that were official before it, the runs of shown candidates, and replays that revise nothing.
"""

from typing import Any

from sqlalchemy import ColumnElement, Integer, Text, and_, column, or_, select, table, text, true

from league.projections import tables as t

p, o = t.replays.c, t.official_run.c

SHOWN = table(
    "shown_replays",
    column("replay", Integer),
    column("shown_at", t.Time),
    column("title", Text),
    column("reason", Text),
)
"""The candidates that everybody may read, with the title and the reason that the event of the showing has."""
_PROMOTED = text("""
    SELECT unnest(ARRAY[(body ->> 'run')::integer, (body ->> 'before')::integer]) AS run
    FROM (SELECT convert_from(state, 'UTF8')::jsonb -> 'body' AS body FROM stored_events
          WHERE originator_id = 'trail' AND topic IN ('run-promoted/1', 'rolled-back/1')) AS acts
""").columns(column("run", Integer))
_WAS_OFFICIAL = select(o.run).union_all(select(_PROMOTED.subquery("promoted").c.run)).subquery()


def readable_replay(*, drafts: bool) -> ColumnElement[bool]:
    """Whether a row of `replays` may be read. `drafts`: by somebody who may read drafts."""
    if drafts:
        return true()
    revises_nothing = and_(p.candidate.is_(None), p.restores.is_(None))
    return or_(revises_nothing, p.replay.in_(select(SHOWN.c.replay)), p.replay.in_(select(_WAS_OFFICIAL.c.run)))


def readable_run(run: ColumnElement[Any], *, drafts: bool) -> ColumnElement[bool]:
    """Whether a run may be read. `drafts`: by somebody who may read drafts."""
    if drafts:
        return true()
    replays = select(p.replay).where(readable_replay(drafts=False))
    return or_(run.in_(select(_WAS_OFFICIAL.c.run)), run.in_(replays))
