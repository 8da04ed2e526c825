"""Matches, their facts, their scored hands, and the rating changes that they caused."""

from collections.abc import Sequence

from msgspec import Struct

from league.api.graphql.executing.context import Info
from league.domain.hand import HandFacts
from league.domain.play.turn import WholeHand
from league.projections.queries import matches as reads
from league.projections.queries.disputes import DisputeRow, disputes_by_match
from league.projections.queries.matches import ChangeRow, Facts, HandRow, MatchRow
from league.projections.queries.snapshot import Snapshot
from league.projections.queries.whole_hands import whole_hands


class PlayedHand(Struct, frozen=True):
    """A hand of a match: its facts, the position of their event, and its score; None in a voided match."""

    match_id: str
    number: int
    facts: HandFacts
    position: int
    score: HandRow | None


async def match(info: Info, id_: str) -> MatchRow | None:
    """The match of an id in the league."""
    return await info.context.reader.load(reads.matches_by_id, id_)


async def facts(info: Info, match_id: str) -> Facts | None:
    """The facts of a match."""
    return await info.context.reader.load(reads.facts_by_id, match_id)


async def disputes(info: Info, match_id: str) -> list[DisputeRow]:
    """The disputes of a match, in order."""
    return await info.context.reader.load(disputes_by_match, match_id) or []


async def hands(info: Info, match_id: str) -> list[PlayedHand]:
    """The hands of a match, in order."""
    found = await facts(info, match_id)
    if found is None or found.state.played is None:
        return []
    state, played = found.state, found.state.played
    scores = {row.hand: row for row in await info.context.reader.load(reads.hands_by_match, match_id) or []}
    return [
        PlayedHand(match_id, number, hand, position, scores.get(number))
        for number, (hand, position) in enumerate(zip(played.hands, state.hand_positions, strict=True), 1)
    ]


async def hand(info: Info, match_id: str, number: int) -> PlayedHand | None:
    """One hand of a match."""
    return next((hand for hand in await hands(info, match_id) if hand.number == number), None)


async def transcripts(info: Info, match_id: str) -> dict[int, WholeHand]:
    """The hands of a match of which every turn is known, by number. One whose facts were corrected is not among them.

    They were recorded turn by turn, or played at the live table of the same id.
    """
    store = info.context.league.store

    def read(_: Snapshot, ids: Sequence[str]) -> dict[str, dict[int, WholeHand]]:
        return whole_hands(store, ids)

    return await info.context.reader.load(read, match_id, kind="transcripts") or {}


async def changes(info: Info, match_id: str) -> list[ChangeRow]:
    """The rating changes that a match caused: players first, then pairs."""
    return await info.context.reader.load(reads.changes_by_match, match_id) or []


async def change(info: Info, match_id: str, competitor_id: str) -> ChangeRow | None:
    """The rating change that a match caused for a player or a pair."""
    return next((row for row in await changes(info, match_id) if row.id == competitor_id), None)
