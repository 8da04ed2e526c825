"""`league token`: a bearer token, or a link to sign in to the pages, recorded in the log."""

import sys
from datetime import timedelta
from enum import StrEnum
from typing import Annotated, Any

import psycopg
import typer

from league.api.auth.reach import ROLES
from league.api.auth.tokens import new_claims, sign_claims
from league.api.auth.web_sessions import HERE, LINK_LIFETIME, LONGEST, SignInLink, address_of_link, make_link
from league.application import storing
from league.application.bootstrap import League
from league.application.stream_states import StreamStates
from league.cli import terminal
from league.cli.opening import existing_league, settings
from league.cli.options import Actor, Json
from league.domain.audit_trail import TokenMade
from league.domain.members import name_of
from league.domain.refusals import InvalidInput
from league.domain.sentences import say
from league.eventlog.records import Request
from league.infra.durable_files import secret_of
from league.wording.language import _

Role = StrEnum("Role", {role.upper(): role for role in ROLES})  # type: ignore[misc]  # the names are known when it runs

TEN_YEARS = 87_600
"""In hours."""
DAY = 24.0
MINUTES = LINK_LIFETIME / timedelta(minutes=1)
LONGEST_SESSION = LONGEST / timedelta(hours=1)
"""In hours."""


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
        storing.record(league.store, made, Request(actor, "manual"))
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

        storing.record(league.store, made, Request(actor, "manual"), store)
    address = address_of_link(secret, settings().public_url)
    if as_json:
        document = {"link": address, "id": made.token, "subject": sub, "roles": roles, "expires_at": made.expires_at}
        terminal.print_json({**document, "works_for_minutes": lifetime / timedelta(minutes=1)})
        return
    print(address)  # noqa: T201  # for scripts, as it is
    if sys.stdout.isatty():
        _print_code(address)
    said = _("It works once, for {minutes:g} minutes. The person who opens it signs in as {sub}.")
    terminal.err.print(said.format(minutes=lifetime / timedelta(minutes=1), sub=terminal.shown(sub)), markup=False)
    if settings().public_url is None:
        said = _("It leads to {here}. LEAGUE_PUBLIC_URL says where else the league is served, such as for a phone.")
        terminal.err.print(said.format(here=HERE), markup=False)


def _member(league: League, which: str) -> tuple[str, str, list[str]] | None:
    """The id, the actor and the roles of the member with this id or subject."""
    known = StreamStates(league.store, league.dispatcher.clock()).members()
    for id_, one in known.items():
        if one.standing == "member" and which in (id_, one.subject):
            return id_, name_of(id_, one), list(one.roles)
    return None


def _print_code(address: str) -> None:
    """The QR code of an address, for a phone that is held to the screen."""
    import segno  # noqa: PLC0415  # only who is at a terminal needs it

    segno.make(address, error="m").terminal(compact=True)
