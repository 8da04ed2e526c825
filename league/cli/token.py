"""`league token`: a bearer token, recorded in the log."""

from enum import StrEnum
from typing import Annotated

import typer

from league.api.auth.permissions import ROLES
from league.api.auth.tokens import new_claims, sign_claims
from league.application import audit_trail
from league.cli import terminal
from league.cli.opening import existing_league, settings
from league.cli.options import Actor, Json
from league.domain.audit_trail import TokenMade
from league.eventlog.store import Request
from league.infra.kept_secrets import secret_of
from league.wording.language import _

Role = StrEnum("Role", {role.upper(): role for role in ROLES})  # type: ignore[misc]  # the names are known when it runs

TEN_YEARS = 87_600
"""In hours."""


def token(
    sub: Annotated[str, typer.Argument(metavar="SUBJECT", help=_("A player's id, or any name."))],
    role: Annotated[list[Role], typer.Option(help=_("What the token allows. Repeatable."))],
    hours: Annotated[float, typer.Option(help=_("How many hours the token is valid."), min=0.01, max=TEN_YEARS)] = 24.0,
    as_json: Json = False,
    actor: Actor = "cli",
) -> None:
    """Make a bearer token for the API.

    It is signed with LEAGUE_SECRET, or with the development secret beside the embedded database. The log records that
    it was made, for whom, and until when it is valid.
    """
    secret = secret_of(settings())
    with existing_league() as league:
        roles = [one.value for one in role]
        claims = new_claims(sub, roles, hours * 3600)
        made = TokenMade(claims["jti"], sub, tuple(roles), claims["exp"])
        audit_trail.record(league.store, made, Request(actor, "manual"))
    signed = sign_claims(secret, claims)
    if as_json:
        document = {"token": signed, "id": made.token, "subject": sub, "roles": roles, "expires_at": made.expires_at}
        terminal.print_json(document)
    else:
        print(signed)  # noqa: T201  # for scripts, as it is
