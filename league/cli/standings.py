"""`league standings`: the series of a month, for people, or as JSON for scripts."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any
from zoneinfo import ZoneInfo

import typer
from msgspec import Struct

from league.application.bootstrap import clock
from league.cli import terminal
from league.cli.opening import in_utc, reading_run
from league.cli.options import FIRST, Around, AsOf, First, Json, KnownAt, Region, Run
from league.cli.places import places_of, regions_of
from league.cli.sharing import Html, Png, Shared, share_standings
from league.domain.refusals import InvalidInput, WrongState
from league.domain.rules import SeriesMode
from league.domain.sentences import say
from league.projections.boards.board import Board
from league.projections.queries import series as reads
from league.projections.queries.official import names_of
from league.projections.queries.pages import Query
from league.projections.queries.places import count_places
from league.projections.queries.rows import R, typed
from league.projections.queries.series import CorrectionRow, LateRow, Month, StandingRow, ZeroRow, month_named
from league.projections.queries.snapshot import Snapshot
from league.wording.language import _
from league.wording.numbers import moment_of, signed

COLUMNS = ("rank", "wins", "losses", "series_points", "total")
REASONS = {
    "beyond_limit": say("beyond the limit of the two"),
    "competitive": say("competitive, which the rules do not count"),
    "special": say("special, which the rules do not count"),
    "voided": say("voided"),
}
"""Why a match counts zero. Casual matches are left out: they are not expected to count."""


class Wanted(Struct, frozen=True):
    """What to print of a month."""

    region: str | None
    around: str | None
    first: int | None
    as_of: datetime | None
    published: bool
    shared: Shared
    as_json: bool


def standings(
    month: Annotated[
        str | None, typer.Argument(metavar="YYYY-MM", help=_("The month (default: the latest with games)."))
    ] = None,
    mode: Annotated[SeriesMode, typer.Option(help=_("Players (1v1) or fixed pairs (2v2)."))] = "1v1",
    region: Region = None,
    around: Around = None,
    published: Annotated[
        bool, typer.Option("--published", help=_("Print the list that was published when the month was closed."))
    ] = False,
    as_of: AsOf = None,
    run: Run = None,
    known_at: KnownAt = None,
    first: First = None,
    html: Html = None,
    png: Png = None,
    as_json: Json = False,
) -> None:
    """Print the standings of a month of the series, or write them as a picture to share.

    Below them are the standings that changed since the month was closed, the matches that were decided after that, and
    the matches that count zero.
    """
    if published and (around or as_of):
        raise InvalidInput("published", say("cannot be combined with --around or --as-of"))
    with reading_run(run, known_at) as (league, snapshot):
        named = month_named(snapshot, mode, month)
        wanted = Wanted(region, around, first, in_utc(as_of, league), published, Shared(html, png), as_json)
        _print(snapshot, named, wanted, clock())


def _print(snapshot: Snapshot, month: Month, wanted: Wanted, now: datetime) -> None:
    board = Board("series", wanted.region, as_of=wanted.as_of, month=month.month, mode=month.mode)
    standings = places_of(snapshot, StandingRow, board, wanted.around, wanted.first)
    closing = None if wanted.as_of is not None else reads.closing(snapshot, month.month)
    published, corrections = _beside_closing(snapshot, month, wanted.region) if closing else ([], [])
    if wanted.published and closing is None:
        raise WrongState(
            say("the series of {month}", month=month.month),
            say("open"),
            say("its standings are published when it is closed: `league close-month {month}`", month=month.month),
        )
    total = count_places(snapshot, board)
    over = wanted.as_of is None and closing is None and month.is_over(now) and total > 0
    state = _("over") if over else _("open")
    if wanted.as_of is not None:
        state = _("as of {time}", time=moment_of(wanted.as_of, ZoneInfo(snapshot.zone)))
    elif closing:
        closed = moment_of(closing.closed_at, ZoneInfo(snapshot.zone))
        state = _("as published {time}", time=closed) if wanted.published else _("closed {time}", time=closed)
    where = "" if wanted.region is None else f", {wanted.region}"
    listed, total = (published[: wanted.first or FIRST], len(published)) if wanted.published else (standings, total)
    if wanted.shared:
        subtitle = f"{month.mode}{where} ({state})"
        drawn = share_standings(snapshot, month, listed, subtitle=subtitle, total=total, now=now)
        wanted.shared.write(*drawn, as_json=wanted.as_json)
        return
    if wanted.as_json:
        _print_json(snapshot, month, wanted, standings, published, corrections)
        return
    title = _("Series {month}, {which} ({state})", month=month.month, which=f"{month.mode}{where}", state=state)
    if not listed and wanted.around is None:
        _print_empty(snapshot, month, title)
    else:
        _print_standings(snapshot, month, title, listed, total if wanted.around is None else 0)
    if wanted.published:
        return
    if over:
        command = f"league close-month {month.month}"
        terminal.out.print(f"[dim]{_('over, not closed: `{command}` publishes it', command=command)}[/]\n")
    _print_corrections(snapshot, month, corrections, wanted.first or FIRST)
    if wanted.as_of is None:
        _print_matches(snapshot, month)


def _print_empty(snapshot: Snapshot, month: Month, title: str) -> None:
    """There is nobody in the standings: say where there is somebody, or how a match gets in."""
    terminal.out.print(terminal.quoted(title), style="bold")
    terminal.out.print(_("No match counts in this month."))
    other: SeriesMode = "2v2" if month.mode == "1v1" else "1v1"
    for mode in (month.mode, other):
        latest = month_named(snapshot, mode, None).month
        if count_places(snapshot, Board("series", month=latest, mode=mode)):
            command = f"league standings {latest} --mode {mode}"
            terminal.out.print(_("The latest month with games: `{command}`", command=command), markup=False)
            return
    terminal.out.print(_("Matches enter it when they are played: `{command}`", command="league match open"))


def _print_standings(snapshot: Snapshot, month: Month, title: str, rows: Sequence[StandingRow], total: int) -> None:
    names, who = names_of(snapshot.conn, {row.id for row in rows}), _who(month)
    heads = (_("rank"), _("won"), _("lost"), _("series"), _("total"))
    terminal.table(
        title,
        (heads[0], who, *heads[1:]),
        [(row.rank, names[row.id], row.wins, row.losses, signed(row.series_points), row.total) for row in rows],
        numbers=heads,
    )
    terminal.print_more(len(rows), total)


def _print_corrections(snapshot: Snapshot, month: Month, corrections: Sequence[CorrectionRow], first: int) -> None:
    if not corrections:
        return
    names = names_of(snapshot.conn, {row.id for row in corrections})
    heads = (_("rank then"), _("now"), _("total then"), _("now") + " ")
    terminal.table(
        _("Changed since it was published"),
        (_who(month), *heads),
        [(names[r.id], *_or_dash(r.rank_then, r.rank_now, r.total_then, r.total_now)) for r in corrections[:first]],
        numbers=heads,
    )
    terminal.print_more(min(first, len(corrections)), len(corrections))


def _print_matches(snapshot: Snapshot, month: Month) -> None:
    """The matches that came after the closing, and those that count zero."""
    if late := _late(snapshot, month):
        terminal.out.print(_("Late, decided after the closing: {matches}", matches=", ".join(late)), markup=False)
    for reason, matches in _zero(snapshot, month).items():
        if reason in REASONS:
            said = _("Count zero, {reason}: {matches}", reason=REASONS[reason], matches=", ".join(matches))
            terminal.out.print(said, markup=False)


def _print_json(
    snapshot: Snapshot,
    month: Month,
    wanted: Wanted,
    standings: Sequence[StandingRow],
    published: Sequence[StandingRow],
    corrections: Sequence[CorrectionRow],
) -> None:
    ids = {row.id for row in (*standings, *published)} | {row.id for row in corrections}
    names, regions = names_of(snapshot.conn, ids), regions_of(snapshot, ids)

    def place(row: StandingRow) -> dict[str, Any]:
        who = {"id": row.id, "name": names[row.id], "region": regions[row.id]}
        return {"rank": row.rank, **who, **{name: getattr(row, name) for name in COLUMNS[1:]}}

    board = Board("series", wanted.region, as_of=wanted.as_of, month=month.month, mode=month.mode)
    closing = None if wanted.as_of is not None else reads.closing(snapshot, month.month)
    zero = {} if wanted.as_of is not None else _zero(snapshot, month)
    terminal.print_json(
        {
            "month": month.month,
            "mode": month.mode,
            "region": wanted.region,
            "as_of": wanted.as_of,
            "ends_at": month.ends_at,
            "closed_at": closing.closed_at if closing else None,
            "standings": [place(row) for row in standings],
            "competitors": count_places(snapshot, board),
            "published": [place(row) for row in published],
            "corrections": [{**row._asdict(), "name": names[row.id]} for row in corrections],
            "late": [] if wanted.as_of is not None else _late(snapshot, month),
            "counting_zero": [{"match": match, "reason": reason} for reason, all_ in zero.items() for match in all_],
        }
    )


def _beside_closing(
    snapshot: Snapshot, month: Month, region: str | None
) -> tuple[Sequence[StandingRow], Sequence[CorrectionRow]]:
    """The published list, and the standings that differ from it now; with a region only its own."""
    published = _rows(snapshot, StandingRow, reads.published_standings(month).order_by(*reads.BY_RANK.columns))
    corrections = _rows(snapshot, CorrectionRow, reads.moved_since_published(snapshot.run, month).order_by("id"))
    if region is None:
        return published, corrections
    regions = regions_of(snapshot, [*(row.id for row in published), *(row.id for row in corrections)])
    return [r for r in published if regions[r.id] == region], [r for r in corrections if regions[r.id] == region]


def _late(snapshot: Snapshot, month: Month) -> list[str]:
    """The matches that were decided after the month was closed, in the order in which they began."""
    query = reads.late(snapshot.run, month).order_by(*reads.BY_BEGINNING.columns)
    return [row.match_id for row in _rows(snapshot, LateRow, query)]


def _zero(snapshot: Snapshot, month: Month) -> dict[str, list[str]]:
    """The matches that count zero, by reason, in the order in which they began."""
    found: dict[str, list[str]] = {}
    query = reads.counting_zero(snapshot.run, month).order_by(*reads.BY_BEGINNING.columns)
    for row in _rows(snapshot, ZeroRow, query):
        found.setdefault(row.reason, []).append(row.match_id)
    return found


def _rows(snapshot: Snapshot, kind: type[R], query: Query) -> list[R]:
    return list(typed(kind, snapshot.conn.execute(query)))


def _who(month: Month) -> str:
    return _("player") if month.mode == "1v1" else _("pair")


def _or_dash(*values: Any) -> tuple[Any, ...]:
    return tuple("-" if value is None else value for value in values)
