"""`league promote`, `rollback`: make other rules official, and bring earlier ones back.

Both print what would change, then ask for a reason and for confirmation.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime, tzinfo
from typing import Annotated, Any
from zoneinfo import ZoneInfo

import typer
from sqlalchemy import Connection, func, select

from league.application.bootstrap import League
from league.application.earlier_rules import adopted_timelines, is_same, spans_that_differ
from league.application.promotion_preview import PromotionPreview
from league.cli import terminal
from league.cli.opening import existing_league, reading
from league.cli.preview_tables import shown_rating, signed_change
from league.cli.terminal import Actor, Json, OnlyPreview, RunArgument, Yes, local, print_zone
from league.domain.candidates import checked_title
from league.domain.refusals import InvalidInput, NotFound
from league.domain.rulebook import rule_changes
from league.domain.sentences import say, say_count
from league.domain.texts_and_times import needed_reason
from league.domain.timeline import OtherRules
from league.eventlog.records import AppendRequest
from league.projections.difference.series import standings
from league.projections.difference.totals import DifferenceFigures
from league.projections.difference.two_runs import TwoRuns, two_runs
from league.projections.folds.match_fold import RulesTimeline
from league.projections.queries import catalogue
from league.projections.queries.adoptions import rulebook_log
from league.projections.queries.candidates import EditionTitle, titles_of_editions
from league.projections.queries.players import names_of
from league.projections.queries.snapshot import chosen_run, snapshot_of
from league.transfer.export import PartOfList, rows_of_difference
from league.wording.candidates import title_of_edition
from league.wording.language import spoken
from league.wording.numbers import number
from league.wording.rulebook import plain_value, setting_in_words

Reason = Annotated[
    str | None, typer.Option(help="Why: everybody can read it. Asked for if it is missing; needed with --yes.")
]

MOVES = 10
"""How many of the largest moves are printed."""

Month = tuple[str, str, int]
"""A month of the series, its mode, and the number of standings that change."""


def _show_and_adopt(
    league: League,
    preview: PromotionPreview,
    adopt: Callable[[str, str | None], int],
    given: str | None,
    *,
    ask: bool,
    only_preview: bool,
    as_json: bool,
) -> None:
    """Print what a promotion changes, ask, and carry it out.

    `adopt` takes the reason and the fingerprint of what was printed, and returns the log position; `given` is the
    reason that was given as an option.
    """
    with reading(league) as conn, terminal.working(say("comparing the two runs")):
        two = two_runs(conn, preview.before, chosen_run(conn, preview.run, drafts=True))
        months = _months(conn, two)
        if not as_json:
            _print_rules(preview, league.time_zone())
            _print_change(conn, two, preview.figures, months)
    change = _change_document(preview.figures, months)
    if only_preview:
        if as_json:
            terminal.print_json({"run": preview.run, "before": preview.before, "change": change})
        return
    with terminal.nothing_stored():
        reason = given or terminal.ask_until(say("Why? Everybody can read the reason."), needed_reason)
        if ask and not terminal.confirmed(say("Make run {run} official?", run=preview.run)):
            terminal.err.print(say("Nothing is stored."))
            return
    # Without a question nobody has read what was printed, so it need not be what is stored.
    position = adopt(reason, preview.fingerprint if ask else None)
    with reading(league) as conn:
        _print_adopted(conn, preview.before, position, change, as_json=as_json)


def _checked_reason(reason: str | None, *, ask: bool, only_preview: bool) -> str | None:
    """The reason in its stored form; None if it is asked for later. Raises InvalidInput if nobody can be asked."""
    if only_preview or (reason is None and ask and terminal.at_terminal()):
        return None
    if reason is None:
        raise InvalidInput("reason", say("say why with --reason: everybody can read it"))
    return needed_reason(reason)


def _months(conn: Connection, two: TwoRuns) -> list[Month]:
    """The months whose standings differ."""
    s = standings(two).subquery().c
    query = select(s.month, s.mode, func.count()).group_by(s.month, s.mode).order_by(s.month, s.mode)
    return [(month, mode, count) for month, mode, count in conn.execute(query)]


# ---------------------------------------------------------------- for people


def _print_rules(preview: PromotionPreview, zone: tzinfo) -> None:
    """Print what the rules change, span by span."""
    before, after = preview.rules_before, preview.rules_after
    for span in spans_that_differ(before, after):
        changes = rule_changes(before.by_hash[span.before].rulebook, after.by_hash[span.after].rulebook)
        rows = [(setting_in_words(key) or key, plain_value(old), plain_value(new)) for key, old, new in changes]
        terminal.table(_of_span(span, zone), (say("what it decides"), say("now"), say("then")), rows)


def _of_span(span: OtherRules[str], zone: tzinfo) -> str:
    start = None if span.start is None else local(span.start, zone)
    end = None if span.end is None else local(span.end, zone)
    if start is None and end is None:
        return say("What the rules change")
    if end is None:
        return say("What the rules change for matches from {start} on", start=start)
    if start is None:
        return say("What the rules change for matches before {end}", end=end)
    return say("What the rules change for matches from {start} to {end}", start=start, end=end)


def _print_change(conn: Connection, two: TwoRuns, found: DifferenceFigures, months: list[Month]) -> None:
    out = terminal.out
    out.print(say("Run {run} in place of run {before}:", run=two.second, before=two.first), style="bold")
    if not found.players_moved and not found.teams_moved and not found.matches_changed and not months:
        out.print(say("  No rating, result or standing changes."))
        return
    players = say_count("{count} player", "{count} players", found.players_moved)
    teams = say_count("{count} pair", "{count} pairs", found.teams_moved)
    moved = say(
        "  Ratings: {players} and {teams} move, by {most} points at most.",
        players=players,
        teams=teams,
        most=number(found.largest_move, 1),
    )
    out.print(moved)
    out.print(
        say_count("  Results: {count} match changes.", "  Results: {count} matches change.", found.matches_changed)
    )
    for month, mode, count in months:
        out.print(
            say_count(
                "  Series of {month}, {mode}: {count} standing changes.",
                "  Series of {month}, {mode}: {count} standings change.",
                count,
                month=month,
                mode=mode,
            )
        )
    rows = [
        row for row in rows_of_difference(conn, two, "moves", PartOfList(first=2 * MOVES)) if row["mode"] != "overall"
    ][:MOVES]
    names = names_of(conn, {row["id"] for row in rows})
    columns = (say("who"), say("mode"), say("before"), say("after"), say("change"))
    cells = [
        (
            names[row["id"]],
            row["mode"],
            shown_rating(row["before"]),
            shown_rating(row["after"]),
            signed_change(row["change"]),
        )
        for row in rows
    ]
    terminal.table(say("The largest moves"), columns, cells, numbers=columns[2:])


def _print_adopted(conn: Connection, before: int, position: int, change: dict[str, Any], *, as_json: bool) -> None:
    """Print the timeline of rules that was adopted at `position`. `before`: the run that was official until then."""
    snapshot = snapshot_of(conn, chosen_run(conn, None))
    spans = catalogue.timeline(snapshot)
    editions = catalogue.editions_by_hash(snapshot, [span.hash for span in spans])
    titles = {number: title_of_edition(title) for number, title in titles_of_editions(conn).items()}
    numbers = [editions[span.hash].edition for span in spans]
    timeline: list[dict[str, Any]] = [
        {"start": span.start, "edition": number, "title": titles[number]}
        for span, number in zip(spans, numbers, strict=True)
        if number is not None
    ]
    if as_json:
        adopted = {"run": snapshot.run, "before": before, "position": position, "timeline": timeline}
        terminal.print_json({**adopted, "change": change})
        return
    official = say(
        "Run {run} is official: its rules are adopted at position {position}.", run=snapshot.run, position=position
    )
    terminal.out.print(f"{spoken(official)}\n")
    terminal.table(
        say("The rules in force"),
        (say("for matches that began"), say("edition"), say("title")),
        [(_from(span["start"], ZoneInfo(snapshot.zone)), span["edition"], span["title"]) for span in timeline],
    )
    terminal.out.print(say("`league rollback` returns to the rules before (run {run}).", run=before))


def _from(start: datetime | None, zone: tzinfo) -> str:
    return say("from the beginning") if start is None else say("from {time}", time=local(start, zone))


# ---------------------------------------------------------------- for scripts


def _change_document(found: DifferenceFigures, months: list[Month]) -> dict[str, Any]:
    names = ("players_moved", "teams_moved", "largest_move", "matches_changed", "hands_changed", "standings_changed")
    figures = {name: getattr(found, name) for name in names}
    return {**figures, "months": [{"month": month, "mode": mode, "standings": count} for month, mode, count in months]}


def promote(
    run: RunArgument,
    reason: Reason = None,
    title: Annotated[
        str | None, typer.Option(help="The title of the new edition (default: the replay's, or what it changes).")
    ] = None,
    preview: OnlyPreview = False,
    yes: Yes = False,
    as_json: Json = False,
    actor: Actor = "cli",
) -> None:
    """Make the run of a replay official, and adopt its rules.

    The command prints what will change and asks for a reason and for confirmation first. Both happen in one
    transaction: readers see either the old run or the new one. `league rollback` undoes it.
    """
    given = _checked_reason(reason, ask=not yes, only_preview=preview)
    checked_title(title)
    with existing_league() as league:
        league.project()

        def adopt(reason: str, previewed: str | None) -> int:
            return league.promoter.promote(run, AppendRequest(actor, "manual"), reason, previewed, title)

        found = league.promoter.preview(run)
        _show_and_adopt(league, found, adopt, given, ask=not yes, only_preview=preview, as_json=as_json)


def rollback(
    to: Annotated[
        int | None,
        typer.Option(
            metavar="POSITION",
            help="Return to the rules that the event at this position adopted (default: the latest ones that differ). "
            "`league rollback --list` lists the positions.",
        ),
    ] = None,
    only_list: Annotated[
        bool, typer.Option("--list", help="Only list the rules that were official, latest first; store nothing.")
    ] = False,
    reason: Reason = None,
    preview: OnlyPreview = False,
    yes: Yes = False,
    as_json: Json = False,
    actor: Actor = "cli",
) -> None:
    """Return to earlier official rules.

    The command prints what will change and asks for a reason and for confirmation first. A second rollback returns to
    the rules that the first one left. Rulesets under which matches were played since are added to the earlier rules.
    """
    if only_list:
        with existing_league() as league:
            league.project()
            _print_official(league, as_json=as_json)
        return
    given = _checked_reason(reason, ask=not yes, only_preview=preview)
    with existing_league() as league:
        league.project()
        try:
            found = league.promoter.preview_back(to)
        except NotFound as refusal:
            raise replace(refusal, at="--to", listed_by="league rollback --list") from None

        def adopt(reason: str, previewed: str | None) -> int:
            return league.promoter.roll_back(AppendRequest(actor, "manual"), reason, found.restores, previewed)

        _show_and_adopt(league, found, adopt, given, ask=not yes, only_preview=preview, as_json=as_json)


def _editions(rules: RulesTimeline, titles: Mapping[int, EditionTitle]) -> list[str]:
    """The editions of a timeline with their titles, each once."""
    numbers = dict.fromkeys(span.edition for span in rules.timeline)
    return [f"{number}: {title_of_edition(titles[number])}" for number in numbers]


def _print_official(league: League, *, as_json: bool) -> None:
    """Print every timeline of the rules that was official, latest first."""
    with reading(league) as conn:
        found, titles = rulebook_log(snapshot_of(conn, chosen_run(conn, None))), titles_of_editions(conn)
    adopted = adopted_timelines(found.events)
    zone, held = league.time_zone(), adopted[-1].rules
    rows = [
        (
            one.position,
            local(adoption.adopted_at, zone),
            adoption.actor,
            "; ".join(_editions(one.rules, titles)),
            adoption.reason,
            is_same(one.rules, held),
        )
        for adoption, one in zip(reversed(found.adoptions), reversed(adopted), strict=True)
    ]
    if as_json:
        names = ("position", "adopted_at", "actor", "rules", "reason", "in_force")
        terminal.print_json([dict(zip(names, row, strict=True)) for row in rows])
        return
    columns = (say("position"), say("adopted"), say("by"), say("rules"), say("reason"), "")
    shown = [(*row[:-1], say("in force") if row[-1] else None) for row in rows]
    terminal.table(say("The rules that were official"), columns, shown, numbers=columns[:1])
    print_zone(zone)
