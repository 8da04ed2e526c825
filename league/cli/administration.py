"""`league token`, `erase`, `trail`: who may do what, whose names are erased, and who did what."""

import sys
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from enum import StrEnum
from itertools import islice
from typing import Annotated, Any
from zoneinfo import ZoneInfo

import msgspec
import psycopg
import typer
from msgspec.structs import replace
from rich.markup import escape
from sqlalchemy import Connection

from league.api.auth.reach import ROLES
from league.api.auth.tokens import new_claims, sign_claims
from league.api.auth.web_sessions import HERE, LINK_LIFETIME, LONGEST, SignInLink, address_of_link, make_link
from league.application import storing
from league.application.bootstrap import League, clock
from league.application.stream_states import StreamStates
from league.cli import terminal
from league.cli.opening import existing_league, find, player_id, reading_run, settings, span_in_utc
from league.cli.terminal import TIMES, Actor, Json, OnePlayer, Yes, confirmed, local, moment, print_zone
from league.domain.audit_trail import SOURCES, TokenMade
from league.domain.match import MatchOpened
from league.domain.members import name_of
from league.domain.player import ErasePlayer, erase_player, pseudonym
from league.domain.refusals import InvalidInput
from league.domain.sentences import say
from league.eventlog.records import AppendRequest
from league.infra.durable_files import secret_of
from league.projections.queries.candidates import titles_of_editions
from league.projections.queries.log import StoredEvent
from league.projections.queries.pages import PageRequest, count, read_page
from league.projections.queries.players import former_ids, names_of
from league.projections.queries.snapshot import Snapshot
from league.projections.queries.trail import (
    TrailEvent,
    TrailFilter,
    check_known,
    entry_of,
    every_entry,
    openings_of,
    order_of,
)
from league.projections.queries.trail import trail as trail_query
from league.wording.candidates import title_of_edition
from league.wording.language import spoken
from league.wording.matches import EventContext
from league.wording.trail import players_in, words

Role = StrEnum("Role", {role.upper(): role for role in ROLES})  # type: ignore[misc]  # the names are known when it runs

TEN_YEARS = 87_600
"""The longest validity of a token, in hours."""
DAY = 24.0
MINUTES = LINK_LIFETIME / timedelta(minutes=1)
LONGEST_SESSION = LONGEST / timedelta(hours=1)
"""The longest session of a link, in hours."""


def token(
    sub: Annotated[
        str, typer.Argument(metavar="SUBJECT", help="A player's id, or any name; with --link also a member.")
    ],
    role: Annotated[
        list[Role] | None,
        typer.Option(help="What the token allows. Repeatable. A link for a member needs none: it has theirs."),
    ] = None,
    hours: Annotated[
        float | None,
        typer.Option(
            help=f"How many hours the token is valid (default: {DAY:g}), or the session of a link (default, and most: "
            f"{LONGEST_SESSION:g}).",
            min=0.01,
            max=TEN_YEARS,
        ),
    ] = None,
    link: Annotated[
        bool, typer.Option("--link", help="Make a link that signs one browser in to the pages, once.")
    ] = False,
    minutes: Annotated[float, typer.Option(help="How many minutes the link works.", min=0.1, max=DAY * 60)] = MINUTES,
    as_json: Json = False,
    actor: Actor = "cli",
) -> None:
    """Make a bearer token for the API, or a link to sign in to the pages.

    A token is signed with LEAGUE_SECRET, or with the development secret beside the embedded database. The log records
    that it was made, for whom, and until when it is valid. A link leads to LEAGUE_PUBLIC_URL.
    """
    roles = [one.value for one in role or []]
    if link:
        if hours is not None and hours > LONGEST_SESSION:
            raise InvalidInput("hours", say("a session lasts at most {most:g} hours", most=LONGEST_SESSION))
        _link(
            sub,
            roles,
            hours or LONGEST_SESSION,
            timedelta(minutes=minutes),
            actor,
            as_json=as_json,
        )
        return
    if not roles:
        raise InvalidInput("role", say("say with --role what the token allows"))
    secret = secret_of(settings())
    with existing_league() as league:
        claims = new_claims(sub, roles, (hours or DAY) * 3600)
        made = TokenMade(claims["jti"], sub, tuple(roles), claims["exp"])
        storing.record(league.store, made, AppendRequest(actor, "manual"))
    signed = sign_claims(secret, claims)
    if as_json:
        document = {"token": signed, "id": made.token, "subject": sub, "roles": roles, "expires_at": made.expires_at}
        terminal.print_json(document)
    else:
        print(signed)  # noqa: T201  # for scripts, as it is


def _link(sub: str, roles: list[str], hours: float, lifetime: timedelta, actor: str, *, as_json: bool) -> None:
    with existing_league() as league:
        member_id = None
        if not roles and (member := _member(league, sub)) is not None:
            member_id, sub, roles = member
        if not roles:
            raise InvalidInput("role", say("say with --role what the link allows: {sub!r} is no member", sub=sub))
        claims = new_claims(sub, roles, hours * 3600)
        made = TokenMade(claims["jti"], sub, tuple(roles), claims["exp"])
        new = SignInLink(made.token, sub, made.roles, made.expires_at, member_id, lifetime)
        secret = ""

        def store(conn: psycopg.Connection[Any], *_positions: int) -> None:
            nonlocal secret
            secret = make_link(new, conn)

        storing.record(league.store, made, AppendRequest(actor, "manual"), store)
    address = address_of_link(secret, settings().public_url)
    if as_json:
        document = {"link": address, "id": made.token, "subject": sub, "roles": roles, "expires_at": made.expires_at}
        terminal.print_json({**document, "works_for_minutes": lifetime / timedelta(minutes=1)})
        return
    print(address)  # noqa: T201  # for scripts, as it is
    if sys.stdout.isatty():
        _print_code(address)
    said = say(
        "It works once, for {minutes:g} minutes. The person who opens it signs in as {sub}.",
        minutes=lifetime / timedelta(minutes=1),
        sub=terminal.shown(sub),
    )
    terminal.err.print(said, markup=False)
    if settings().public_url is None:
        said = say(
            "It leads to {here}, where `league serve` listens unless it is told otherwise. If the league is served "
            "elsewhere, such as on another port or for a phone, set LEAGUE_PUBLIC_URL to that address.",
            here=HERE,
        )
        terminal.err.print(said, markup=False)


def _member(league: League, which: str) -> tuple[str, str, list[str]] | None:
    """The id, the actor and the roles of the member with this id or subject."""
    known = StreamStates(league.store, league.dispatcher.clock()).members()
    for id_, one in known.items():
        if one.standing == "member" and which in (id_, one.subject):
            return id_, name_of(id_, one), list(one.roles)
    return None


def _print_code(address: str) -> None:
    """Print the QR code of an address, for a phone that is held to the screen."""
    import segno  # noqa: PLC0415  # only who is at a terminal needs it

    segno.make(address, error="m").terminal(compact=True)


# ---------------------------------------------------------------- league erase


def erase(
    who: OnePlayer,
    yes: Yes = False,
    as_json: Json = False,
    actor: Actor = "cli",
) -> None:
    """Erase the names of a player for good.

    Matches and ratings stay, under a pseudonym. docs/erasure.md says what an erasure covers.
    """
    with existing_league() as league:
        player = player_id(league, who)
        known, command = StreamStates(league.store, clock()).player(player), ErasePlayer(player)
        erase_player(command, known)  # raises any refusal before the question
        if not yes:
            question = say("Erase the names of {name} ({player}) for good?", name=known.name, player=player)
            if not confirmed(question):
                raise typer.Abort
        position = league.dispatcher.send(command, actor)
        league.project()
    if as_json:
        terminal.print_json({"player": player, "pseudonym": pseudonym(player), "position": position})
        return
    terminal.out.print(
        say(
            "{player} is erased (position {position}) and shows as {pseudonym}; matches, ratings and region stay.\n"
            "Backups made before, imported files, and reasons that people wrote may still contain the name.",
            player=escape(player),
            position=position,
            pseudonym=pseudonym(player),
        )
    )


# ---------------------------------------------------------------- league trail


TRAIL_COLUMNS = (
    "position", "recorded_at", "played_at", "kind", "version", "stream", "match", "players", "actor", "source", "key",
    "what", "body",
)  # fmt: skip
"""The columns of `league export trail`."""

TRAIL_PAGE = 1_000


def trail_rows(conn: Connection) -> Iterator[dict[str, Any]]:
    """A row for every event of the log, the oldest first, with ids of players and times in UTC."""
    entries, around = every_entry(conn, TrailFilter()), EventContext(editions=_editions(conn))
    while page := list(islice(entries, TRAIL_PAGE)):
        yield from documents(page, openings_of(conn, page), around)


def _editions(conn: Connection) -> dict[int, str]:
    """The titles of the published editions, by number."""
    return {number: title_of_edition(title) for number, title in titles_of_editions(conn).items()}


def told_of(entry: TrailEvent, openings: Mapping[str, MatchOpened], around: EventContext) -> EventContext:
    """The context of an entry: that of all entries, and the seats of the match in which the event happened, if any."""
    opened = openings.get(entry.played_in or "")
    return around if opened is None else replace(around, mode=opened.mode, seats=opened.seats)


def documents(
    entries: list[TrailEvent], openings: Mapping[str, MatchOpened], around: EventContext
) -> Iterator[dict[str, Any]]:
    """A row for each entry. Players appear by the names in `around`, or else by id."""
    for entry in entries:
        log = entry.log
        yield {
            "position": log.position,
            "recorded_at": log.recorded_at,
            "played_at": log.played_at,
            "kind": entry.kind,
            "version": entry.version,
            "stream": log.stream,
            "match": entry.match,
            "players": entry.players(openings),
            "actor": log.actor,
            "source": log.source,
            "key": log.key,
            "what": spoken(words(log.stream, entry.event, told_of(entry, openings, around))),
            "body": msgspec.json.decode(entry.body),
        }


def trail(
    player: Annotated[
        str | None,
        typer.Option(help="About this player (an id or a name), with their matches, series and tokens."),
    ] = None,
    match: Annotated[str | None, typer.Option(help="About this match.")] = None,
    actor: Annotated[str | None, typer.Option(help="By this actor.")] = None,
    source: Annotated[str | None, typer.Option(help=f"From this source: {', '.join(SOURCES)}.")] = None,
    kind: Annotated[str | None, typer.Option(help="Events of this kind, such as match-voided.")] = None,
    from_: Annotated[
        datetime | None,
        typer.Option("--from", parser=moment, metavar="TIME", help=f"Recorded at this time or later. {TIMES}"),
    ] = None,
    to: Annotated[
        datetime | None, typer.Option("--to", parser=moment, metavar="TIME", help="Recorded before this time.")
    ] = None,
    first: Annotated[int, typer.Option(help="How many events to print.", min=1)] = 20,
    as_json: Json = False,
) -> None:
    """Print who did what, the latest event first.

    The trail has every event of the log: play, corrections, changes of the rules, tokens, replays, imports and
    exports.
    """
    with reading_run(None, None) as (league, snapshot):
        start, end = span_in_utc(from_, to, league)
        about = None if player is None else find(snapshot, player, "player")
        merged = () if about is None else tuple(former_ids(snapshot, [about])[about])
        wanted = TrailFilter(about, match, actor, source, kind, recorded_from=start, recorded_before=end, merged=merged)
        _print(snapshot, wanted, first, as_json=as_json)


def _print(snapshot: Snapshot, wanted: TrailFilter, first: int, *, as_json: bool) -> None:
    query = trail_query(wanted)
    check_known(snapshot.conn, wanted)
    rows = read_page(snapshot.conn, StoredEvent, query, order_of(wanted, latest_first=True), PageRequest(first)).rows
    entries, total = [entry_of(row) for row in rows], count(snapshot.conn, query)
    named = {player for entry in entries for player in players_in(entry.log.stream, entry.event)}
    openings, zone = openings_of(snapshot.conn, entries), ZoneInfo(snapshot.zone)
    seated = {player for opened in openings.values() for player in opened.seats}
    names = names_of(snapshot.conn, named | seated)
    around = EventContext(names, zone=zone, editions=_editions(snapshot.conn))
    if as_json:
        terminal.print_json({"total": total, "entries": list(documents(entries, openings, around))})
        return
    if not entries:
        terminal.out.print(say("The trail has no such entry."))
        return
    position = say("position")
    terminal.table(
        say("Who did what, the latest first"),
        (position, say("recorded"), say("by"), say("what")),
        [
            (
                entry.log.position,
                local(entry.log.recorded_at, zone),
                _by(entry),
                words(entry.log.stream, entry.event, told_of(entry, openings, around)),
            )
            for entry in entries
        ],
        (position,),
    )
    terminal.print_more(len(entries), total)
    print_zone(zone)


def _by(entry: TrailEvent) -> str:
    """The actor, and the source unless somebody typed it: `kim`, `demo (import)`."""
    return entry.log.actor if entry.log.source == "manual" else f"{entry.log.actor} ({entry.log.source})"
