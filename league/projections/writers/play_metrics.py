"""Counts how hands were played, from the turns of transcripts and of live tables.

The counting has its own position in the log, since the folds of the league skip the events of turns. It runs after the
folds, which know who sits where, and it never reads the rules.
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
    """How features record hands, by the name of the event that ends such a hand."""
    played = (part.played for part in declared(RowPart) if part.played is not None)
    return {hands.ended: hands for hands in played}


def names() -> list[str]:
    """The names of the events that add, move or remove rows. `stored_events_of_play_idx` is an index of them."""
    return ["hand-transcribed/1", "hand-corrected/1", "players-merged/1", "merge-undone/1", *played_hands()]


COUNTING: Final = "3"
"""The version of the counting; increase the number when the same log may give other rows."""


def counting() -> str:
    """The version of the counting, and the features whose hands are counted."""
    return " ".join((COUNTING, *played_hands()))


PAGE = 2_000

log = structlog.get_logger()

Key = tuple[str, int]
"""A match and the number of one of its hands."""


def count_play(conn: Conn, store: EventStore, until: int, page: int = PAGE) -> None:
    """Count the hands in the log up to a position that the folds have reached, one transaction for each page."""
    while _count_page(conn, store, until, page):
        pass


def _count_page(conn: Conn, store: EventStore, until: int, limit: int) -> bool:
    """Count the next page. Returns whether there may be more pages."""
    position = _position(conn)
    events = store.named_after(position, until, names(), limit)
    if not events:
        return False
    # From the log, not from the tables: `compare` counts up to a position that the tables are already beyond.
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
    """The position up to which the log is counted. If another version counted it, remove the rows and begin again."""
    row = conn.execute("SELECT position, code FROM play_progress").fetchone()
    if row is not None and row[1] == counting():
        return int(row[0])
    conn.execute("DELETE FROM play_metrics")
    return 0


def _match_of(stored: LoggedEvent) -> str:
    """The id of the match to which an event of a match or of a live table belongs: both streams have the same id."""
    return stored.stream.partition(":")[2]


def _hand_of(stored: LoggedEvent, state: MatchState) -> int | None:
    """The number of the hand that an event makes or changes; None for a hand of a practice table.

    A practice table makes no match, but somebody may have recorded a match by hand that has its id.
    """
    event: Any = stored.event
    hand: int = event.hand
    return hand if state.live or stored.name not in played_hands() else None


def _counted(stored: LoggedEvent, state: MatchState, store: EventStore) -> Sequence[SeatPlay]:
    """What is counted in a hand. A hand that cannot be counted is logged and left out, since the folds must go on."""
    try:
        return _play_of(stored, state, store)
    except (psycopg.Error, StoreUnavailable):
        raise
    except Exception:
        log.exception("hand_not_counted", stream=stored.stream, position=stored.position)
        return ()


def _play_of(stored: LoggedEvent, state: MatchState, store: EventStore) -> Sequence[SeatPlay]:
    """The play of a hand by seat; empty after a correction. The match's facts say what each seat held at the end."""
    event: Any = stored.event
    if isinstance(event, HandTranscribed):
        return play_of_seats(transcribed(event.transcript.plays), left_of(event.transcript))
    if isinstance(event, HandCorrected):
        return ()
    assert state.played is not None, "a hand of a match"
    turns = played_hands()[stored.name].turns(stored, store)
    return play_of_seats(turns, state.played.hands[event.hand - 1].leftover)


def _move(conn: Conn, merges: Sequence[MergeEvent], aliases: Aliases) -> None:
    """After merges or their undoing, give the counted hands to the players who now own them.

    A hand that changes its owner now belongs to the canonical id of a player that one of these merges names.
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
            # The row takes the fields in their order: the fields of SeatPlay are columns of `play_metrics`.
            yield match, seat, hand, player, *(asdict(play) | {"led": led}).values()
