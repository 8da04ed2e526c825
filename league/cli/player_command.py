"""`league player`: a page about a player or a pair, for people, or as JSON for scripts."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, tzinfo
from typing import Any
from zoneinfo import ZoneInfo

from msgspec.structs import asdict
from rich.markup import escape
from sqlalchemy import Row, func, literal, select

from league.cli import player_honours, terminal
from league.domain.competitor import JOINT, CompetitorId, is_pair, read_competitor, subject_of
from league.domain.rating import shown
from league.domain.refusals import InvalidInput, NotFound
from league.projections import tables as t
from league.projections.folds.ratings import RATED_MODES
from league.projections.queries import company, matches, played, players
from league.projections.queries.marks import marks
from league.projections.queries.official import names_of
from league.projections.queries.pages import PageOf, Query, read_page
from league.projections.queries.past_ratings import ratings_at
from league.projections.queries.played import Counted, StatisticsFilter, Whose
from league.projections.queries.snapshot import Snapshot
from league.projections.queries.statistics import Streak, form, streaks, totals

ROWS = 5
"""Of partners, opponents and rating changes."""


def show(snapshot: Snapshot, who: str, wanted: StatisticsFilter, *, as_json: bool) -> None:
    """Print the page of a player or a pair. Raises NotFound, InvalidInput."""
    id_ = find(snapshot, who, "player")
    counted, as_of = played.counted(snapshot, wanted), wanted.decided_until
    name, one = names_of(snapshot.conn, {id_})[id_], [Whose(id_)]
    if is_pair(id_) and not totals(snapshot, Counted(), one)[one[0]].matches:
        raise NotFound("player", "match played together by", name)
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
    if as_json:
        terminal.print_json(page)
    else:
        _print_page(page, ZoneInfo(snapshot.zone))


def show_meeting(snapshot: Snapshot, who: str, against: str, wanted: StatisticsFilter, *, as_json: bool) -> None:
    """Print how two players, or two pairs, have played against each other. Raises NotFound, InvalidInput."""
    one, other = played.meeting(find(snapshot, who, "player"), find(snapshot, against, "against"), "against")
    counted = played.counted(snapshot, wanted)
    names = names_of(snapshot.conn, {one.of, other.of})
    sides = [{"id": whose.of, "name": names[whose.of], **_figures(snapshot, whose, counted)} for whose in (one, other)]
    if as_json:
        terminal.print_json({"a": sides[0], "b": sides[1]})
        return
    rows = zip(_figure_rows(sides[0]), _figure_rows(sides[1]), strict=True)
    terminal.table(
        f"{names[one.of]} against {names[other.of]}",
        ("", names[one.of], names[other.of]),
        [(what, a, b) for (what, a), (_, b) in rows],
        numbers=(names[one.of], names[other.of]),
    )
    _print_form(sides[0])


def find(snapshot: Snapshot, who: str, at: str) -> CompetitorId:
    """The id of the player, or of the pair of two joined by `+`, whose id or name this is.

    `at` is the argument. Raises NotFound, InvalidInput for a name that several players have.
    """
    return read_competitor(JOINT.join(_find_player(snapshot, one, at) for one in who.split(JOINT)), at)


def _find_player(snapshot: Snapshot, who: str, at: str) -> str:
    if not who.strip():
        raise InvalidInput(at, "is empty: say an id or a name")
    if who in players.players_by_id(snapshot, [who]):
        return who
    found = snapshot.conn.execute(players.players(players.PlayerFilter(name_contains=who))).all()
    folded = snapshot.conn.scalar(select(func.folded(who)))
    exact = [row for row in found if row.folded_name == folded]
    if not found:
        raise NotFound(at, "player", who)
    if len(exact or found) > 1:
        some = ", ".join(f"{row.name} ({row.player_id})" for row in (exact or found)[:ROWS])
        raise InvalidInput(at, f"{who!r} may be one of {len(exact or found)}: {some}")
    return str((exact or found)[0].player_id)


# ---------------------------------------------------------------- what the page says


def _as_a_whole(snapshot: Snapshot, id_: CompetitorId, as_of: datetime | None) -> dict[str, Any]:
    """What no filter of matches divides: ratings, ranks, rating changes and badges."""
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


def _result(row: Row[Any] | None) -> dict[str, Any] | None:
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
    rows = read_page(snapshot.conn, met, company.MOST_OFTEN_FIRST, PageOf(ROWS)).rows
    names = names_of(snapshot.conn, {row.id for row in rows})
    return [{"id": row.id, "name": names[row.id], "matches": row.matches, "wins": row.wins} for row in rows]


def _changes(snapshot: Snapshot, id_: CompetitorId, as_of: datetime | None) -> list[dict[str, Any]]:
    query = matches.changes_of(snapshot.run, subject_of(id_), literal(id_, t.Id), None)
    if as_of is not None:
        query = query.where(t.changes.c.decided_at <= as_of)
    columns = {"match_id": "match", "decided_at": "decided_at", "mode": "mode", "before": "before", "after": "after"}
    rows = read_page(snapshot.conn, query, matches.LATEST_CHANGE_FIRST, PageOf(ROWS)).rows
    return [{name: getattr(row, column) for column, name in columns.items()} for row in rows]


# ---------------------------------------------------------------- how it looks


def _print_page(page: dict[str, Any], zone: tzinfo) -> None:
    only = "".join(f", {key} {value}" for key, value in page["only"].items())
    terminal.out.rule(f"[bold]{escape(page['name'])}[/] ({escape(page['id'])}){escape(only)}", align="left")
    if not page["only"]:
        _print_ratings(page, zone)
    terminal.table("Record", ("", "so far"), list(_figure_rows(page)), numbers=("so far",))
    _print_form(page)
    _print_streaks(page, zone)
    for what, result in (("Best win", page["best_win"]), ("Worst loss", page["worst_loss"])):
        if result:
            day = _day(result["decided_at"], zone)
            met = f"against a side rated {shown(result['opponents'])} ({result['mode']})"
            terminal.out.print(f"{what}: {met}, {day}, match {escape(result['match'])}")
    terminal.out.print()
    for title, key in (("Favourite partners", "partners"), ("Most met opponents", "opponents")):
        rows = [(one["name"], one["matches"], one["wins"], _percent(one["wins"], one["matches"])) for one in page[key]]
        if rows:
            numbers = ("matches", "won", "rate")
            terminal.table(title, ("who", "matches", "won", "rate"), rows, numbers=numbers)
    if not page["only"]:
        _print_changes(page, zone)
        _print_badges(page, zone)
    terminal.out.print(f"[dim]Days are those of {zone}.[/]")


def _print_ratings(page: dict[str, Any], zone: tzinfo) -> None:
    ratings = [
        (
            rating["mode"],
            shown(rating["rating"]),
            "provisional" if rating["provisional"] else "",
            rating["matches"],
            shown(rating["peak"]["rating"]) if rating["peak"] else "",
            f"{_day(rating['peak']['decided_at'], zone)}, {rating['peak']['match']}" if rating["peak"] else "",
        )
        for rating in page["ratings"]
    ]
    numbers = ("rating", "matches", "peak")
    terminal.table("Ratings", ("mode", "rating", "", "matches", "peak", "reached"), ratings, numbers=numbers)
    if page["ranks"]:
        ranks = ", ".join(f"{kind.replace('_', ' ')} {rank}" for kind, rank in page["ranks"].items())
        terminal.out.print(f"Ranks: {ranks}\n")


def _print_changes(page: dict[str, Any], zone: tzinfo) -> None:
    changes = [
        (
            _day(change["decided_at"], zone),
            change["match"],
            change["mode"],
            shown(change["before"]),
            shown(change["after"]),
            f"{change['after'] - change['before']:+.1f}",
        )
        for change in page["changes"]
    ]
    numbers = ("before", "after", "change")
    terminal.table(
        "The last rating changes", ("day", "match", "mode", "before", "after", "change"), changes, numbers=numbers
    )


def _print_badges(page: dict[str, Any], zone: tzinfo) -> None:
    for title, rows in (
        ("Badges", [(_day(badge["earned_at"], zone), badge["badge"], badge["for"]) for badge in page["badges"]]),
        (
            "Next badges",
            [(f"{badge['reached']} of {badge['of']}", badge["badge"], badge["for"]) for badge in page["next_badges"]],
        ),
    ):
        if rows:
            terminal.table(title, ("earned" if title == "Badges" else "so far", "badge", "for"), rows)


def _figure_rows(figures: dict[str, Any]) -> Iterator[tuple[str, str]]:
    counts = asdict(figures["totals"])
    matches, wins, difference = counts["matches"], counts["wins"], counts["average_difference"]
    yield "matches", str(matches)
    yield "won", f"{wins} ({_percent(wins, matches)})"
    yield "average difference, points", "-" if difference is None else f"{difference:+.1f}"
    yield "hands won by domino", str(counts["hands_won"] - counts["hands_won_by_block"])
    yield "hands won by block", str(counts["hands_won_by_block"])
    yield "capicúas", str(counts["capicuas"])
    yield "viajeras", str(counts["viajeras"])
    yield "pollonas, made", str(counts["pollonas"])
    yield "pollonas, suffered", str(counts["pollonas_suffered"])
    for behind, times in counts["recoveries"]:
        yield f"recoveries from {behind} behind", str(times)


def _print_form(figures: dict[str, Any]) -> None:
    if figures["form"]:
        form = " ".join("[green]W[/]" if match["won"] else "[red]L[/]" for match in figures["form"])
        terminal.out.print(f"Form of {escape(figures['name'])}, the latest first: {form}")


def _print_streaks(page: dict[str, Any], zone: tzinfo) -> None:
    found = page["streaks"]
    for what, streak in (
        ("Current streak", found.current),
        ("Longest streak", found.longest_won),
        ("Longest losing streak", found.longest_lost),
    ):
        if streak is not None:
            terminal.out.print(f"{what}: {_streak(streak, zone)}")


def _streak(streak: Streak, zone: tzinfo) -> str:
    days = " to ".join(dict.fromkeys([_day(streak.since, zone), _day(streak.until, zone)]))
    return f"{streak.length} {'won' if streak.won else 'lost'} ({days})"


def _day(time: datetime, zone: tzinfo) -> str:
    return f"{time.astimezone(zone):%Y-%m-%d}"


def _percent(wins: int, matches: int) -> str:
    return f"{100 * wins / matches:.0f} %" if matches else "-"
