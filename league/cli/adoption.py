"""What `league promote` and `league rollback` share: show what will change, ask, adopt, print the rules in force."""

from collections.abc import Callable
from datetime import datetime, tzinfo
from typing import Any
from zoneinfo import ZoneInfo

from sqlalchemy import Connection, func, select

from league.application.bootstrap import League
from league.cli import asking, terminal
from league.cli.opening import reading
from league.cli.times import local
from league.domain.rating import shown
from league.projections.difference.standings import standings
from league.projections.difference.totals import Totals, totals
from league.projections.difference.two_runs import TwoRuns, two_runs
from league.projections.queries import catalogue
from league.projections.queries.official import chosen_run, names_of
from league.projections.queries.snapshot import snapshot_of
from league.transfer.difference_rows import Part, rows_of
from league.wording.language import _, counted
from league.wording.numbers import number, signed

MOVES = 10
"""How many of the largest moves are printed."""

Month = tuple[str, str, int]
"""A month of the series, its mode, and how many standings change."""


def show_and_adopt(
    league: League, run: int, adopt: Callable[[], int], *, ask: bool, only_preview: bool, as_json: bool
) -> None:
    """Print what would change with `run` as the official run, ask, and `adopt` it, which returns the log position."""
    league.promoter.bring_up(run)
    with reading(league) as conn, terminal.working(_("comparing the two runs")):
        two = two_runs(conn, chosen_run(conn, None), run)
        found, months = totals(conn, two), _months(conn, two)
        if not as_json:
            _print_change(conn, two, found, months)
    if only_preview:
        if as_json:
            terminal.print_json({"run": run, "before": two.first, "change": _document(found, months)})
        return
    with asking.nothing_stored():
        if ask and not asking.confirmed(_("Make run {run} official?", run=run)):
            terminal.err.print(_("Nothing is stored."))
            return
    position = adopt()
    with reading(league) as conn:
        _print_adopted(conn, two.first, position, _document(found, months), as_json=as_json)


def _months(conn: Connection, two: TwoRuns) -> list[Month]:
    """The months whose standings differ."""
    s = standings(two).subquery().c
    query = select(s.month, s.mode, func.count()).group_by(s.month, s.mode).order_by(s.month, s.mode)
    return [(month, mode, count) for month, mode, count in conn.execute(query)]


# ---------------------------------------------------------------- for people


def _print_change(conn: Connection, two: TwoRuns, found: Totals, months: list[Month]) -> None:
    out = terminal.out
    out.print(_("Run {run} in place of run {before}:", run=two.second, before=two.first), style="bold")
    if not found.players_moved and not found.teams_moved and not found.matches_changed and not months:
        out.print(_("  No rating, result or standing changes."))
        return
    players = counted("{count} player", "{count} players", found.players_moved)
    teams = counted("{count} pair", "{count} pairs", found.teams_moved)
    moved = _(
        "  Ratings: {players} and {teams} move, by {most} points at most.",
        players=players,
        teams=teams,
        most=number(found.largest_move, 1),
    )
    out.print(moved)
    out.print(counted("  Results: {count} match changes.", "  Results: {count} matches change.", found.matches_changed))
    for month, mode, count in months:
        out.print(
            counted(
                "  Series of {month}, {mode}: {count} standing changes.",
                "  Series of {month}, {mode}: {count} standings change.",
                count,
                month=month,
                mode=mode,
            )
        )
    rows = [row for row in rows_of(conn, two, "moves", Part(first=2 * MOVES)) if row["mode"] != "overall"][:MOVES]
    names = names_of(conn, {row["id"] for row in rows})
    columns = (_("who"), _("mode"), _("before"), _("after"), _("change"))
    cells = [
        (names[row["id"]], row["mode"], _shown(row["before"]), _shown(row["after"]), _signed(row["change"]))
        for row in rows
    ]
    terminal.table(_("The largest moves"), columns, cells, numbers=columns[2:])


def _shown(rating: float | None) -> str:
    return "-" if rating is None else str(shown(rating))


def _signed(change: float | None) -> str:
    return "" if change is None else signed(change, 1)


def _print_adopted(conn: Connection, before: int, position: int, change: dict[str, Any], *, as_json: bool) -> None:
    """The timeline of rules that was adopted at a position; `before` is the run that was official."""
    snapshot = snapshot_of(conn, chosen_run(conn, None))
    spans = catalogue.timeline(snapshot)
    editions = catalogue.editions_by_hash(snapshot, [span.hash for span in spans])
    timeline: list[dict[str, Any]] = [
        {"start": span.start, "edition": editions[span.hash].edition, "title": editions[span.hash].title}
        for span in spans
    ]
    if as_json:
        adopted = {"run": snapshot.run, "before": before, "position": position, "timeline": timeline}
        terminal.print_json({**adopted, "change": change})
        return
    official = _(
        "Run {run} is official: its rules are adopted at position {position}.", run=snapshot.run, position=position
    )
    terminal.out.print(f"{official}\n")
    terminal.table(
        _("The rules in force"),
        (_("for matches that began"), _("edition"), _("title")),
        [(_from(span["start"], ZoneInfo(snapshot.zone)), span["edition"], _(span["title"])) for span in timeline],
    )
    terminal.out.print(_("`league rollback` returns to the rules before (run {run}).", run=before))


def _from(start: datetime | None, zone: tzinfo) -> str:
    return _("from the beginning") if start is None else _("from {time}", time=local(start, zone))


# ---------------------------------------------------------------- for scripts


def _document(found: Totals, months: list[Month]) -> dict[str, Any]:
    names = ("players_moved", "teams_moved", "largest_move", "matches_changed", "hands_changed", "standings_changed")
    figures = {name: getattr(found, name) for name in names}
    return {**figures, "months": [{"month": month, "mode": mode, "standings": count} for month, mode, count in months]}
