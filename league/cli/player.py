"""`league player`: the page of a player or a team, for people, or as JSON for scripts."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any
from zoneinfo import ZoneInfo

import typer
from sqlalchemy import literal

from league.application.bootstrap import clock
from league.cli import player_honours, terminal
from league.cli.competitors import find
from league.cli.opening import in_utc, reading_run
from league.cli.options import AsOf, Json, KnownAt, Run, Who
from league.cli.player_page import print_meeting, print_page
from league.cli.sharing import Html, Png, Shared, share_player
from league.domain.competitor import CompetitorId, is_pair, subject_of
from league.domain.refusals import InvalidInput, NotFound
from league.domain.rules import Mode
from league.domain.sentences import say
from league.projections import tables as t
from league.projections.folds.ratings import RATED_MODES
from league.projections.queries import company, matches, played, players
from league.projections.queries.marks import MarkRow, marks
from league.projections.queries.official import names_of
from league.projections.queries.pages import PageOf, Query, read_page
from league.projections.queries.past_ratings import ratings_at
from league.projections.queries.played import Counted, StatisticsFilter, Whose
from league.projections.queries.snapshot import Snapshot
from league.projections.queries.statistics import form, streaks, totals
from league.wording.language import _

ROWS = 5
"""How many partners, opponents and rating changes the page has."""


def player(
    who: Who,
    against: Annotated[
        str | None, typer.Option(metavar="PLAYER", help=_("Only matches against this player or pair."))
    ] = None,
    mode: Annotated[Mode | None, typer.Option(help=_("Only matches in this mode."))] = None,
    season: Annotated[str | None, typer.Option(help=_("Only matches of this season."))] = None,
    month: Annotated[
        str | None, typer.Option(metavar="YYYY-MM", help=_("Only matches of this month, in the league's time zone."))
    ] = None,
    as_of: AsOf = None,
    run: Run = None,
    known_at: KnownAt = None,
    html: Html = None,
    png: Png = None,
    as_json: Json = False,
) -> None:
    """Print the page of a player or a pair, or write it as a picture to share.

    It has ratings, ranks, statistics, streaks, partners, opponents, the last rating changes and badges. With
    --against, it compares how the two have played against each other.
    """
    with reading_run(run, known_at) as (league, snapshot):
        wanted = StatisticsFilter(mode, season, month, decided_until=in_utc(as_of, league))
        shared = Shared(html, png)
        if against is None:
            _show(snapshot, who, wanted, shared, as_json=as_json)
        elif shared:
            raise InvalidInput("against", say("a picture shows one player or pair; leave --against out"))
        else:
            _show_meeting(snapshot, who, against, wanted, as_json=as_json)


def _show(snapshot: Snapshot, who: str, wanted: StatisticsFilter, shared: Shared, *, as_json: bool) -> None:
    id_ = find(snapshot, who, "player")
    counted, as_of = played.counted(snapshot, wanted), wanted.decided_until
    name, one = names_of(snapshot.conn, {id_})[id_], [Whose(id_)]
    if is_pair(id_) and not totals(snapshot, Counted(), one)[one[0]].matches:
        raise NotFound("player", _("match played together by"), name)
    only = {key: value for key in ("mode", "season", "month") if (value := getattr(wanted, key)) is not None}
    met = (snapshot.run, literal(str(id_)), counted)
    page = {
        "id": id_,
        "name": name,
        "as_of": as_of,
        "only": only,
        **_figures(snapshot, Whose(id_), counted),
        "partners": [] if is_pair(id_) else _company(snapshot, company.partners_of(*met)),
        "opponents": _company(snapshot, _opponents(id_)(*met)),
    }
    if not only:
        page |= _as_a_whole(snapshot, id_, as_of)
    if shared:
        shared.write(*share_player(snapshot, page, clock()), as_json=as_json)
    elif as_json:
        terminal.print_json(page)
    else:
        print_page(page, ZoneInfo(snapshot.zone))


def _show_meeting(snapshot: Snapshot, who: str, against: str, wanted: StatisticsFilter, *, as_json: bool) -> None:
    one, other = played.meeting(find(snapshot, who, "player"), find(snapshot, against, "against"), "against")
    counted = played.counted(snapshot, wanted)
    names = names_of(snapshot.conn, {one.of, other.of})
    sides = [{"id": whose.of, "name": names[whose.of], **_figures(snapshot, whose, counted)} for whose in (one, other)]
    if as_json:
        terminal.print_json({"a": sides[0], "b": sides[1]})
    else:
        print_meeting(sides[0], sides[1])


def _as_a_whole(snapshot: Snapshot, id_: CompetitorId, as_of: datetime | None) -> dict[str, Any]:
    """What does not depend on a filter of matches: ratings, ranks, rating changes and badges."""
    of_team = is_pair(id_)
    return {
        "ratings": _ratings(snapshot, id_, as_of),
        "ranks": player_honours.ranks(snapshot, id_, as_of),
        "changes": _changes(snapshot, id_, as_of),
        "badges": [] if of_team else player_honours.badges(snapshot, id_, as_of),
        "next_badges": [] if of_team or as_of else player_honours.next_badges(snapshot, id_),
    }


def _figures(snapshot: Snapshot, whose: Whose, counted: Counted) -> dict[str, Any]:
    one = [whose]
    marked = marks(snapshot, counted, one)[whose]
    return {
        "totals": totals(snapshot, counted, one)[whose],
        "streaks": streaks(snapshot, counted, one)[whose],
        "form": [
            {"match": row.match_id, "decided_at": row.decided_at, "won": row.won}
            for row in form(snapshot, counted, one)[whose]
        ],
        "best_win": _result(marked.best_win),
        "worst_loss": _result(marked.worst_loss),
    }


def _result(row: MarkRow | None) -> dict[str, Any] | None:
    if row is None:
        return None
    return {"match": row.match_id, "decided_at": row.decided_at, "mode": row.mode, "opponents": row.opponents}


def _ratings(snapshot: Snapshot, id_: CompetitorId, as_of: datetime | None) -> list[dict[str, Any]]:
    """The ratings by mode, each with its peak; an overall rating has none."""
    subject, whose = subject_of(id_), Whose(id_)
    in_mode = {mode: Counted((("mode", mode),), decided_until=as_of) for mode in RATED_MODES}
    peaks = {mode: marks(snapshot, counted, [whose])[whose].peak for mode, counted in in_mode.items()}
    rows: Mapping[str, Sequence[Any]]
    if as_of is None:
        rows = players.ratings_by_id(snapshot, subject, [id_])
    else:
        rows = ratings_at(snapshot, subject, as_of, [id_])
    return [
        {
            "mode": row.mode,
            "rating": row.rating,
            "matches": row.matches,
            "provisional": row.provisional,
            "peak": peak and {"rating": peak.after, "match": peak.match_id, "decided_at": peak.decided_at},
        }
        for row in rows.get(id_, ())
        for peak in [peaks.get(row.mode)]
    ]


def _opponents(id_: CompetitorId) -> Any:
    return company.opponents_of_pair if is_pair(id_) else company.opponents_of_player


def _company(snapshot: Snapshot, met: Query) -> list[dict[str, Any]]:
    rows = read_page(snapshot.conn, company.CompanyRow, met, company.MOST_OFTEN_FIRST, PageOf(ROWS)).rows
    names = names_of(snapshot.conn, {row.id for row in rows})
    return [{"id": row.id, "name": names[row.id], "matches": row.matches, "wins": row.wins} for row in rows]


def _changes(snapshot: Snapshot, id_: CompetitorId, as_of: datetime | None) -> list[dict[str, Any]]:
    query = matches.changes_of(snapshot.run, subject_of(id_), literal(id_, t.Id), None)
    if as_of is not None:
        query = query.where(t.changes.c.decided_at <= as_of)
    columns = {"match_id": "match", "decided_at": "decided_at", "mode": "mode", "before": "before", "after": "after"}
    rows = read_page(snapshot.conn, matches.ChangeRow, query, matches.LATEST_CHANGE_FIRST, PageOf(ROWS)).rows
    return [{name: getattr(row, column) for column, name in columns.items()} for row in rows]
