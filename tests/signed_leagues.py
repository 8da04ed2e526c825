"""Leagues with a key that signs heads of their log."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager

from databases import Template, copy_of, lent
from leagues import SMALL_LEAGUE, announced, catch_up, league_at, send
from msgspec.structs import replace

from league.application.bootstrap import League
from league.audit.head_signing import stored_heads
from league.audit.signed_heads import LogHead, read_private_key

SEED = b64encode(bytes(range(100, 132))).decode()
"""The key of all workers, which share the templates. No other test signs with it."""


@contextmanager
def signed_at(url: str) -> Iterator[League]:
    """The league of a database, with the key that signs its heads."""
    with league_at(url) as opened:
        yield replace(opened, key=read_private_key(SEED))


def play_and_sign(league: League) -> None:
    """Play and project a few matches, and sign a head over the log."""
    for number, other in enumerate(("bea", "cira", "dora")):
        send(league, announced(f"m{number}", ("ana", other), number))
    catch_up(league)
    league.sign_head()


def _fill(url: str) -> None:
    with signed_at(url) as league:
        play_and_sign(league)


SIGNED = Template("signed", _fill, SMALL_LEAGUE)


@contextmanager
def unsigned_league(server: str) -> Iterator[League]:
    """A small league in a database of its own, which has signed nothing yet."""
    with copy_of(server, SMALL_LEAGUE) as url, signed_at(url) as league:
        yield league


@contextmanager
def signed_league(server: str) -> Iterator[League]:
    """A league with a few projected matches and one signed head over its log."""
    with copy_of(server, SIGNED) as url, signed_at(url) as league:
        yield league


def heads_of(league: League) -> list[LogHead]:
    """The heads that a league has stored."""
    with lent(league.database.url) as conn:
        return stored_heads(conn)
