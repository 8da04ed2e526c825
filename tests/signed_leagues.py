"""Leagues with a key that signs heads of their log."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from databases import copy_of
from leagues import SMALL_LEAGUE, announced, catch_up, league_at, send
from msgspec.structs import replace

from league.application.bootstrap import League
from league.audit.head_signing import stored_heads
from league.audit.signed_heads import LogHead, new_seed, read_private_key
from league.infra.database import connect

SEED = new_seed()


@contextmanager
def unsigned_league(server: str) -> Iterator[League]:
    """A small league in a database of its own, which has signed nothing yet."""
    with copy_of(server, SMALL_LEAGUE) as url, league_at(url) as opened:
        yield replace(opened, key=read_private_key(SEED))


@contextmanager
def signed_league(server: str) -> Iterator[League]:
    """A league with a few projected matches and one signed head over its log."""
    with unsigned_league(server) as league:
        for number, other in enumerate(("bea", "cira", "dora")):
            send(league, announced(f"m{number}", ("ana", other), number))
        catch_up(league)
        league.sign_head()
        yield league


def heads_of(league: League) -> list[LogHead]:
    """The heads that a league has stored."""
    with connect(league.database.url) as conn:
        return stored_heads(conn)
