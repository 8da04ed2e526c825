"""Counts how hands were played, from the turns of transcripts and of live tables.

This has a place in the log of its own, since the folds of the league skip the events of turns. It follows the folds,
which know who sits where, and it never reads the rules.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, Final

import psycopg
import structlog
from msgspec.structs import asdict

from league.domain.match import HandCorrected, HandTranscribed, MatchState
from league.domain.player import Aliases, MergeEvent, canonical
from league.domain.transcript import SeatPlay, left_of, play_of_seats, transcribed
from league.eventlog.recorder import StoreUnavailable
from league.eventlog.records import LoggedEvent
from league.eventlog.store import EventStore
from league.features import declared
from league.projections import tables as t
from league.projections.copy_rows import copy_rows
from league.projections.row_part import PlayedHands, RowPart
from league.projections.runs import Conn, raise_generation
from league.projections.writers.catalogue import aliases_at
from league.projections.writers.match_rows import load_facts


@cache
def played_hands() -> dict[str, PlayedHands]:
    """The hands that features have events of, by the name of the event that ends one."""
    played = (part.played for part in declared(RowPart) if part.played is not None)
    return {hands.ended: hands for hands in played}


def names() -> list[str]:
    """The events that make, move or take away rows. `stored_events_of_play_idx` is an index of them."""
    return ["hand-transcribed/1", "hand-corrected/1", "players-merged/1", "merge-undone/1", *played_hands()]


COUNTING: Final = "3"
"""The version of the counting; increase the number when the same log may give other rows."""


def counting() -> str:
    """The version of the counting, with the features whose hands are counted."""
    return " ".join((COUNTING, *played_hands()))


PAGE = 2_000

log = structlog.get_logger()

Key = tuple[str, int]
"""A match and the number of one of its hands."""


def count_play(conn: Conn, store: EventStore, until: int, page: int = PAGE) -> None:
    """Count the hands in the log up to a position, up to which the folds are. One transaction a page."""
    while _count_page(conn, store, until, page):
        pass


def _count_page(conn: Conn, store: EventStore, until: int, limit: int) -> bool:
    """Count the next page. Returns whether there may be another one."""
    position = _position(conn)
    events = store.named_after(position, until, names(), limit)
    if not events:
        return False
    # Of the log, since `compare` counts up to a position before that of the aliases in the tables.
    aliases = aliases_at(store, until)
    merges = [stored.event for stored in events if isinstance(stored.event, MergeEvent)]
    of_hands = [stored for stored in events if not isinstance(stored.event, MergeEvent)]
    with conn.transaction():
        matches = load_facts(conn, {_match_of(stored) for stored in of_hands})
        hands: dict[Key, Sequence[SeatPlay]] = {}
        for stored in of_hands:
            state = matches.get(_match_of(stored))
            if state is not None and state.played is not None and (hand := _hand_of(stored, state)) is not None:
                hands[_match_of(stored), hand] = _counted(stored, state, store)
        conn.cursor().executemany("DELETE FROM play_metrics WHERE match_id = %s AND hand = %s", list(hands))
        copy_rows(conn, t.play_metrics, _rows(hands, matches, aliases))
        _move(conn, merges, aliases)
        conn.execute(
            "INSERT INTO play_progress (position, code) VALUES (%s, %s)"
            " ON CONFLICT (singleton) DO UPDATE SET position = excluded.position, code = excluded.code",
            (events[-1].position, counting()),
        )
        if hands or merges:
            raise_generation(conn)
    return len(events) == limit


def _position(conn: Conn) -> int:
    """Up to where the log is counted; after another version of the counting, from the beginning."""
    row = conn.execute("SELECT position, code FROM play_progress").fetchone()
    if row is not None and row[1] == counting():
        return int(row[0])
    conn.execute("DELETE FROM play_metrics")
    return 0


def _match_of(stored: LoggedEvent) -> str:
    """The match of an event of a match, or of the live table that has its id."""
    return stored.stream.partition(":")[2]


def _hand_of(stored: LoggedEvent, state: MatchState) -> int | None:
    """The hand of its match that an event counts anew; None for a hand of a practice table, which makes no match.

    Somebody may have recorded a match by hand that has the id of a practice table.
    """
    event: Any = stored.event
    hand: int = event.hand
    return hand if state.live or stored.name not in played_hands() else None


def _counted(stored: LoggedEvent, state: MatchState, store: EventStore) -> Sequence[SeatPlay]:
    """What is counted of a hand. None of one that cannot be counted, since the folds must go on: it is logged."""
    try:
        return _play_of(stored, state, store)
    except (psycopg.Error, StoreUnavailable):
        raise
    except Exception:
        log.exception("hand_not_counted", stream=stored.stream, position=stored.position)
        return ()


def _play_of(stored: LoggedEvent, state: MatchState, store: EventStore) -> Sequence[SeatPlay]:
    """The play of a hand, none of a corrected one. What the seats held at its end is a fact of the match."""
    event: Any = stored.event
    if isinstance(event, HandTranscribed):
        return play_of_seats(transcribed(event.transcript.plays), left_of(event.transcript))
    if isinstance(event, HandCorrected):
        return ()
    assert state.played is not None, "a hand of a match"
    turns = played_hands()[stored.name].turns(stored, store)
    return play_of_seats(turns, state.played.hands[event.hand - 1].leftover)


def _move(conn: Conn, merges: Sequence[MergeEvent], aliases: Aliases) -> None:
    """Give the hands of players who were merged or parted to those as whom they are read now.

    A player whom a merge has moved is read as one of the two that it names is read, unless a later merge moved them.
    """
    if not merges:
        return
    under = list({aliases.get(id_, id_) for event in merges for id_ in (event.keep, event.drop)})
    found = conn.execute("SELECT DISTINCT match_id FROM match_players WHERE player_id = ANY(%s)", (under,)).fetchall()
    matches = sorted(match for (match,) in found)
    for start in range(0, len(matches), PAGE):
        states = load_facts(conn, matches[start : start + PAGE])
        rows = [
            (match, seat, player)
            for match, state in states.items()
            if state.played
            for seat, player in enumerate(canonical(state.played.seats, aliases))
        ]
        conn.execute(
            "UPDATE play_metrics AS p SET player_id = d.player FROM unnest(%b::text[], %b::smallint[], %b::text[])"
            " AS d (match, seat, player) WHERE p.match_id = d.match AND p.seat = d.seat AND p.player_id <> d.player",
            [[row[column] for row in rows] for column in range(3)],
        )


def _rows(
    hands: dict[Key, Sequence[SeatPlay]], matches: dict[str, MatchState], aliases: Aliases
) -> Iterator[tuple[object, ...]]:
    for (match, hand), seats in hands.items():
        played = matches[match].played
        assert played is not None, "only hands of matches are counted"
        players = canonical(played.seats, aliases)
        for seat, (player, play) in enumerate(zip(players, seats, strict=False)):  # none where the turns do not count
            led = play.led and "{{{},{}}}".format(*play.led)
            # The fields of a play are in the order of the columns.
            yield match, seat, hand, player, *(asdict(play) | {"led": led}).values()
