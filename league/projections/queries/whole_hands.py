"""The hands of matches of which every turn is known."""

from collections.abc import Mapping, Sequence

from league.domain.match import HandCorrected, HandTranscribed
from league.domain.play.turn import TakenTurn, WholeHand
from league.eventlog.records import Stored
from league.eventlog.store import EventStore
from league.projections.writers.play_metrics import PLAYED


def whole_hands(store: EventStore, matches: Sequence[str]) -> dict[str, dict[int, WholeHand]]:
    """By match and number, the hands that were recorded turn by turn, or played at the live table of the same id.

    One whose facts were corrected is not among them.
    """
    kinds = ("match", *(played.kind for played in PLAYED.values()))
    streams = store.load_many([f"{kind}:{match}" for match in matches for kind in kinds])
    return {match: _of_match(match, streams) for match in matches}


def _of_match(match_id: str, streams: Mapping[str, Sequence[Stored]]) -> dict[int, WholeHand]:
    found: dict[int, WholeHand] = {}
    for played in PLAYED.values():
        found.update(played.whole_hands(match_id, streams[f"{played.kind}:{match_id}"]))
    for stored in streams[f"match:{match_id}"]:
        match stored.event:
            case HandTranscribed(hand=number, transcript=transcript):
                turns = tuple(TakenTurn(turn, taken) for turn, taken in enumerate(transcript.plays, 1))
                found[number] = WholeHand(transcript.dealt, turns)
            case HandCorrected(hand=number):
                found.pop(number, None)
    return found
