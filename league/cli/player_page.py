"""What `league player` prints for people."""

from collections.abc import Iterator
from datetime import datetime, tzinfo
from typing import Any

from msgspec.structs import asdict
from rich.markup import escape

from league.cli import terminal
from league.domain.rating import shown
from league.projections.boards.definitions import BOARDS
from league.projections.queries.statistics import Streak
from league.wording.language import _, counted, spoken
from league.wording.numbers import date_of, percent, signed


def print_page(page: dict[str, Any], zone: tzinfo) -> None:
    """The page of a player or a team; times are dates of this zone."""
    only = "".join(f", {key} {value}" for key, value in page["only"].items())
    terminal.out.rule(
        _("[bold]{page}[/] ({page_2}){only}", page=escape(page["name"]), page_2=escape(page["id"]), only=escape(only)),
        align="left",
    )
    if not page["only"]:
        _print_ratings(page, zone)
    terminal.table(_("Record"), ("", "so far"), list(_figure_rows(page)), numbers=("so far",))
    _print_form(page)
    _print_streaks(page, zone)
    for what, result in ((_("Best win"), page["best_win"]), (_("Worst loss"), page["worst_loss"])):
        if result:
            day = _day(result["decided_at"], zone)
            met = _(
                "against a side rated {result} ({result_2})", result=shown(result["opponents"]), result_2=result["mode"]
            )
            terminal.out.print(
                _("{what}: {met}, {day}, match {result}", what=what, met=met, day=day, result=escape(result["match"]))
            )
    terminal.out.print()
    for title, key in ((_("Favourite partners"), "partners"), (_("Most met opponents"), "opponents")):
        rows = [(one["name"], one["matches"], one["wins"], _percent(one["wins"], one["matches"])) for one in page[key]]
        if rows:
            numbers = ("matches", "won", "rate")
            terminal.table(title, ("who", "matches", "won", "rate"), rows, numbers=numbers)
    if not page["only"]:
        _print_changes(page, zone)
        _print_badges(page, zone)
    terminal.out.print(_("[dim]Dates are in the time zone {zone}.[/]", zone=zone))


def print_meeting(a: dict[str, Any], b: dict[str, Any]) -> None:
    """The record of two players, or two teams, against each other."""
    terminal.table(
        _("{a} against {b}", a=a["name"], b=b["name"]),
        ("", a["name"], b["name"]),
        [(what, one, other) for (what, one), (_, other) in zip(_figure_rows(a), _figure_rows(b), strict=True)],
        numbers=(a["name"], b["name"]),
    )
    _print_form(a)


def _print_ratings(page: dict[str, Any], zone: tzinfo) -> None:
    ratings = [
        (
            _("overall") if rating["mode"] == "overall" else rating["mode"],
            shown(rating["rating"]),
            _("provisional") if rating["provisional"] else "",
            rating["matches"],
            shown(rating["peak"]["rating"]) if rating["peak"] else "",
            f"{_day(rating['peak']['decided_at'], zone)}, {rating['peak']['match']}" if rating["peak"] else "",
        )
        for rating in page["ratings"]
    ]
    numbers = ("rating", "matches", "peak")
    terminal.table(_("Ratings"), ("mode", "rating", "", "matches", "peak", "reached"), ratings, numbers=numbers)
    if page["ranks"]:
        ranks = ", ".join(f"{spoken(BOARDS[kind].title)} {rank}" for kind, rank in page["ranks"].items())
        terminal.out.print(_("Ranks: {ranks}", ranks=ranks) + "\n")


def _print_changes(page: dict[str, Any], zone: tzinfo) -> None:
    changes = [
        (
            _day(change["decided_at"], zone),
            change["match"],
            change["mode"],
            shown(change["before"]),
            shown(change["after"]),
            signed(change["after"] - change["before"], 1),
        )
        for change in page["changes"]
    ]
    numbers = ("before", "after", "change")
    terminal.table(
        _("The last rating changes"), ("day", "match", "mode", "before", "after", "change"), changes, numbers=numbers
    )


def _print_badges(page: dict[str, Any], zone: tzinfo) -> None:
    for title, so_far, rows in (
        (
            _("Badges"),
            _("earned"),
            [(_day(badge["earned_at"], zone), badge["badge"], badge["for"]) for badge in page["badges"]],
        ),
        (
            _("Next badges"),
            _("so far"),
            [
                (_("{reached} of {of}", reached=badge["reached"], of=badge["of"]), badge["badge"], badge["for"])
                for badge in page["next_badges"]
            ],
        ),
    ):
        if rows:
            terminal.table(title, (so_far, _("badge"), _("for")), rows)


def _figure_rows(figures: dict[str, Any]) -> Iterator[tuple[str, str]]:
    counts = asdict(figures["totals"])
    matches, wins, difference = counts["matches"], counts["wins"], counts["average_difference"]
    yield _("matches"), str(matches)
    yield _("won"), f"{wins} ({_percent(wins, matches)})"
    yield _("average difference, points"), "-" if difference is None else signed(difference, 1)
    yield _("hands won by domino"), str(counts["hands_won"] - counts["hands_won_by_block"])
    yield _("hands won by block"), str(counts["hands_won_by_block"])
    yield _("capicúas"), str(counts["capicuas"])
    yield _("viajeras"), str(counts["viajeras"])
    yield _("pollonas, made"), str(counts["pollonas"])
    yield _("pollonas, suffered"), str(counts["pollonas_suffered"])
    for behind, times in counts["recoveries"]:
        yield _("recoveries from {behind} behind", behind=behind), str(times)


def _print_form(figures: dict[str, Any]) -> None:
    if figures["form"]:
        # Translators: the first letters of "won" and "lost".
        won, lost = _("W"), _("L")
        form = " ".join(f"[green]{won}[/]" if match["won"] else f"[red]{lost}[/]" for match in figures["form"])
        terminal.out.print(_("Form of {figures}, the latest first: {form}", figures=escape(figures["name"]), form=form))


def _print_streaks(page: dict[str, Any], zone: tzinfo) -> None:
    found = page["streaks"]
    for what, streak in (
        (_("Current streak"), found.current),
        (_("Longest streak"), found.longest_won),
        (_("Longest losing streak"), found.longest_lost),
    ):
        if streak is not None:
            terminal.out.print(f"{what}: {_streak(streak, zone)}")


def _streak(streak: Streak, zone: tzinfo) -> str:
    first, last = _day(streak.since, zone), _day(streak.until, zone)
    days = first if first == last else _("{first} to {last}", first=first, last=last)
    said = (
        counted("{count} won", "{count} won", streak.length)
        if streak.won
        else counted("{count} lost", "{count} lost", streak.length)
    )
    return f"{said} ({days})"


def _day(time: datetime, zone: tzinfo) -> str:
    return date_of(time, zone)


def _percent(wins: int, matches: int) -> str:
    return percent(wins / matches) if matches else "-"
