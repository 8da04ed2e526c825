"""Opens the league, and a run of it, for the commands; finds people and matches by name; and tells of errors.

If a run is asked for by a time and does not exist yet, it is folded first. If several players have a name, the person
at the terminal chooses one. The errors that end a command with a message, not a traceback, stand at the end.
"""

import os
import re
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime, time
from time import sleep
from typing import NamedTuple
from zoneinfo import ZoneInfo

from psycopg import OperationalError
from rich.markup import escape
from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from league.application import replay_folding, replay_requests
from league.application.bootstrap import CannotListen, CannotStart, League, ProjectorStuck, clock, open_league
from league.application.replay_requests import ReplaySpec
from league.audit.head_signing import ChainBroken, NewSigningKey
from league.cli import terminal
from league.cli.entry import FAILURE, REFUSED
from league.domain import texts_and_times
from league.domain.player import displayed
from league.domain.refusals import InvalidInput, NoLeague, NotFound, Refusal, UnknownPlayer, WrongState
from league.domain.rules import Mode
from league.domain.seating import JOINT, CompetitorId, read_competitor, sides_of
from league.domain.sentences import say
from league.eventlog.recorder import NotStored, StoreUnavailable
from league.eventlog.records import AppendRequest
from league.infra.database import WITHOUT_TIME_LIMITS, UntrustedSchema, connect, engine, place_of
from league.infra.durable_files import SecretTooShort
from league.infra.embedded_postgres import EmbeddedDatabaseFailed, EmbeddedDatabaseMissing
from league.infra.league_version import FileMissing, LeagueOfAnotherVersion
from league.infra.logs import configure_logs
from league.infra.photo_store import PhotoDamaged, PhotosAway, PhotosNotInstalled
from league.infra.settings import BadSetting, Settings, from_environment
from league.projections import tables as t
from league.projections.boards.board import AlteredEdition
from league.projections.projector import AnotherProjector
from league.projections.queries.matches import MatchFilter, matches, matches_by_id
from league.projections.queries.pages import typed
from league.projections.queries.players import NamedPlayer, names_of, players_called, players_close_to
from league.projections.queries.snapshot import Snapshot, chosen_run, snapshot_of
from league.projections.replays.replay import run_known_at
from league.transfer.backup import LogDoesNotHold
from league.transfer.backup_format import DamagedBackup, UnknownFormat
from league.transfer.restore import RestoredDiffers
from league.wording.language import error_in_words, spoken
from league.wording.matches import status_in_words
from league.wording.numbers import date_of, moment_of


def settings() -> Settings:
    """The settings of this process. Raises BadSetting."""
    return from_environment(os.environ)


@contextmanager
def existing_league() -> Iterator[League]:
    """The league. Raises NoLeague when it has not been created."""
    chosen = settings()
    with open_league(chosen) as league:
        if not league.exists():
            raise NoLeague(place_of(chosen))
        yield league


@contextmanager
def reading_run(run: int | None, known_at: datetime | None, actor: str = "cli") -> Iterator[tuple[League, Snapshot]]:
    """The league, projected up to the head of its log, and a snapshot of one run.

    `run`: its number (None: the official run). `known_at`: the run of what was recorded by then; if there is none yet,
    it is folded first, and the request is recorded under `actor`. Raises InvalidInput when both are given.
    """
    if run is not None and known_at is not None:
        raise InvalidInput("known-at", say("name a run or a time, not both"))
    with existing_league() as league:
        league.project()
        number = run_asked_for(league, run, in_utc(known_at, league), actor)
        with reading(league) as conn:
            yield league, snapshot_of(conn, chosen_run(conn, number, drafts=True))


@contextmanager
def reading(league: League) -> Iterator[Connection]:
    """A connection to the read tables."""
    pool = engine(league.database.url, pool_size=1, limits=WITHOUT_TIME_LIMITS)
    try:
        with pool.connect() as conn:
            yield conn
    finally:
        pool.dispose()


def in_utc(moment: datetime | None, league: League) -> datetime | None:
    """A time in UTC. A time without a zone is in the league's time zone. Raises InvalidInput."""
    if moment is None or moment.tzinfo is not None:
        return moment
    try:
        zone = league.time_zone()
        if moment.time() == time():  # a date alone
            return texts_and_times.beginning_of(moment.date(), zone)
        return texts_and_times.in_utc(moment, zone, "time")
    except OverflowError:
        raise InvalidInput("time", say("{moment:%Y-%m-%d} is out of range", moment=moment.date())) from None


def span_in_utc(
    start: datetime | None, end: datetime | None, league: League
) -> tuple[datetime | None, datetime | None]:
    """The times of `--from` and `--to` in UTC. Raises InvalidInput if the span has no length."""
    begins, ends = in_utc(start, league), in_utc(end, league)
    if begins is not None and ends is not None and ends <= begins:
        raise InvalidInput("to", say("`--to` must be later than `--from`"))
    return begins, ends


# ---------------------------------------------------------------- replays that a command waits for


class FoldCancelled(Exception):
    """Raised if the replay that a command waits for was cancelled."""

    def __init__(self, number: int) -> None:
        super().__init__(say("replay {number} was cancelled", number=number))
        self.number = number


def fold(league: League, asked: ReplaySpec, actor: str) -> int:
    """Request a replay and fold it at once, with a progress bar; Ctrl-C cancels it. Returns the run.

    Others can follow and cancel it, as if a worker folded it. Raises Refusal, ReplayCancelled.
    """
    configure_logs("warning")  # so that messages about a fold that dies go to standard error
    url, request = league.database.url, AppendRequest(actor, "manual")
    number = replay_requests.start(league, asked, request).number
    try:
        with terminal.progress(say("replaying matches")) as progress:
            while (reached := replay_folding.progress_of(url, number)) is not None:
                progress(*reached)
                if replay_folding.is_free(url, number):
                    replay_folding.fold_to_the_end(url, number, threading.Event(), progress)
                else:
                    sleep(replay_folding.LOOK_FOR_CANCEL)  # a worker was faster
    except KeyboardInterrupt:
        with suppress(WrongState):  # it has just finished
            replay_requests.cancel(league, number, request)
            raise FoldCancelled(number) from None
        raise
    with connect(url) as conn:
        if conn.execute("SELECT FROM replays WHERE replay = %s AND cancelled_at IS NOT NULL", (number,)).rowcount:
            raise FoldCancelled(number)
    return replay_folding.run_of(url, number)


def run_asked_for(league: League, run: int | None, known_at: datetime | None, actor: str) -> int | None:
    """The number of the run to read: `run`, or the run as known at a time, which is folded if it does not exist yet."""
    if known_at is None:
        return run
    found = None if known_at > clock() else run_known_at(league.database.url, league.store, known_at)
    return fold(league, ReplaySpec(None, known_at=known_at), actor) if found is None else found


# ---------------------------------------------------------------- players and matches by name


BETWEEN_PARTNERS = re.compile(r"\s*[+&/]\s*")
"""What people write between the two names of a pair."""
NAMED = 5
"""How many players a question or a message names when a name fits several."""


def find(snapshot: Snapshot, who: str, at: str) -> CompetitorId:
    """The id of the player, or of the pair of two joined by `+`, `&` or `/`, whose id or name this is.

    `at` names the argument in errors. Raises UnknownPlayer, InvalidInput for a name of several players, typer.Abort.
    """
    if called := players_called(snapshot.conn, who):
        return read_competitor(_the_one(snapshot, who, called, at), at)
    players = [find_player(snapshot, one, at) for one in BETWEEN_PARTNERS.split(who)]
    return read_competitor(JOINT.join(players), at)


def find_player(snapshot: Snapshot, who: str, at: str) -> str:
    """The id of the player with this id or name. Raises as `find` does."""
    if not who.strip():
        raise InvalidInput(at, say("is empty: say an id or a name"))
    return _the_one(snapshot, who, players_called(snapshot.conn, who), at)


def player_id(league: League, who: str, at: str = "player") -> str:
    """The id of the player with this id or name, once the whole log is projected. Raises as `find` does."""
    league.project()
    with reading(league) as conn:
        return find_player(snapshot_of(conn, chosen_run(conn, None)), who, at)


def _the_one(snapshot: Snapshot, who: str, called: Sequence[NamedPlayer], at: str) -> str:
    if len(called) == 1:
        return called[0].player_id
    candidates = called or players_close_to(snapshot.conn, who, most=NAMED)
    described = [described_player(one, snapshot.zone) for one in candidates[:NAMED]]
    if candidates and terminal.at_terminal():
        title = (
            say("{count} players are called {name}.", count=len(called), name=repr(who))
            if called
            else say("There is no player {name}. Did you mean one of these?", name=repr(who))
        )
        chosen = terminal.choose(title, described)
        if chosen is not None:
            return candidates[chosen].player_id
    if called:
        some = "; ".join(described)
        raise InvalidInput(
            at, say("{name} may be one of {count}: {players}", name=repr(who), count=len(called), players=some)
        )
    raise UnknownPlayer(at, id=who, closest=tuple(described))


def described_player(player: NamedPlayer, zone: str) -> str:
    """A player with what tells them apart from others: `Ana (p2), Matanzas, last match Mar 1, 2026`."""
    parts = [f"{displayed(player.player_id, player.name)} ({player.player_id})"]
    if player.region:
        parts.append(player.region)
    if player.last_match is not None:
        day = date_of(player.last_match, ZoneInfo(zone))
        parts.append(spoken(say("last match {day}", day=day)))
    return ", ".join(parts)


BETWEEN_SIDES = re.compile(r"\s+(?:vs\.?|v\.?|contra|against|-)\s+|\s*[,;|]\s*", re.IGNORECASE)
"""What people write between the sides of a match."""
LISTED = 10
"""How many matches a question or a message lists."""

m = t.matches.c


class FoundMatch(NamedTuple):
    """A match of the players that were named."""

    match_id: str
    mode: Mode
    seats: list[str]
    ruleset: str
    began_at: datetime
    status: str


def match_in(snapshot: Snapshot, text: str) -> str:
    """The id of the match that a text names: by its id, or by the players of both sides (`Ana & Luis - Rosa & Juan`).

    Raises NotFound, typer.Abort, and InvalidInput if several matches fit and nobody can be asked.
    """
    if text in matches_by_id(snapshot, [text]):
        return text
    found = _between(snapshot, text)
    if not found:
        raise NotFound("match", "match", text)
    return found[0].match_id if len(found) == 1 else _asked(snapshot, text, found)


def _between(snapshot: Snapshot, text: str) -> list[FoundMatch]:
    """The matches of exactly the players that a text names, the latest first; none for fewer than two names."""
    names = [name for side in BETWEEN_SIDES.split(text) for name in BETWEEN_PARTNERS.split(side)]
    if len(names) < 2:  # noqa: PLR2004  # the fewest players of a match
        return []
    players = [find_player(snapshot, name, "match") for name in names]
    query = matches(snapshot.run, MatchFilter()).where(m.seats.contains(players), m.seats.contained_by(players))
    return list(typed(FoundMatch, snapshot.conn.execute(query.order_by(m.began_at.desc(), m.match_id.desc()))))


def _asked(snapshot: Snapshot, text: str, found: Sequence[FoundMatch]) -> str:
    names = names_of(snapshot.conn, {player for one in found for player in one.seats})
    described = [_described(one, names, ZoneInfo(snapshot.zone)) for one in found[:LISTED]]
    if terminal.at_terminal():
        chosen = terminal.choose(say("Several matches fit {text}.", text=repr(text)), described)
        if chosen is not None:
            return found[chosen].match_id
    listed = "; ".join(described)
    raise InvalidInput(
        "match", say("say which of {count} matches is meant: {matches}", count=len(found), matches=listed)
    )


def _described(match: FoundMatch, names: dict[str, str], zone: ZoneInfo) -> str:
    """A match with what tells it apart from others of the same players."""
    sides = [" & ".join(names[player] for player in side) for side in sides_of(match.mode, tuple(match.seats))]
    began = moment_of(match.began_at.astimezone(zone))
    return f"{match.match_id}: {' - '.join(sides)}, {match.ruleset}, {began}, {status_in_words(match.status)}"


# ---------------------------------------------------------------- errors


FAILURES = (
    StoreUnavailable, NotStored, EmbeddedDatabaseFailed, EmbeddedDatabaseMissing, BadSetting, AnotherProjector,
    ProjectorStuck, CannotListen, CannotStart, OperationalError, DBAPIError, ChainBroken, NewSigningKey,
    FoldCancelled, FileMissing, UntrustedSchema, LeagueOfAnotherVersion, SecretTooShort, AlteredEdition,
    LogDoesNotHold, PhotoDamaged, PhotosAway, PhotosNotInstalled, DamagedBackup, UnknownFormat, RestoredDiffers,
)  # fmt: skip


def exit_code_of(error: Exception, *, as_json: bool) -> int | None:
    """Print why a command was refused or failed. Returns the exit code, or None if the error is a bug."""
    if isinstance(error, Refusal):
        terminal.refusal(error, as_json=as_json)
        return REFUSED
    if isinstance(error, FAILURES):
        terminal.err.print(f"[bold red]{spoken(say('failed'))}[/]", escape(error_in_words(error)))
        return FAILURE
    return None
