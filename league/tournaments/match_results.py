"""Results of the matches at the tables of tournaments, in a run of the read side.

PostgreSQL compares: it hashes the results of each round, and sends only those of rounds that have changed since this
process read them. Most rounds of a large tournament are over, and their results stay as they are.
"""

from collections import defaultdict
from collections.abc import Mapping
from typing import NamedTuple

from sqlalchemy import text

from league.projections.queries.snapshot import Snapshot
from league.tournaments.domain.results import MatchSummary
from league.tournaments.domain.state import TournamentState

_RESULTS = text("""
    WITH found AS (
        SELECT
            asked.slot, r.match_id, r.status, r.winner, r.score, count(h.hand) AS hands,
            max(h.points[1]) FILTER (WHERE h.counted) AS best_0, max(h.points[2]) FILTER (WHERE h.counted) AS best_1
        FROM unnest(CAST(:ids AS text[]), CAST(:slots AS integer[])) AS asked (match_id, slot)
        JOIN matches AS r ON r.run = :run AND r.match_id = asked.match_id COLLATE "C"
        LEFT JOIN hands AS h ON h.run = r.run AND h.match_id = r.match_id
        GROUP BY asked.slot, r.match_id, r.status, r.winner, r.score
    ), hashes AS (
        SELECT slot, md5(string_agg(
            CAST(ROW(match_id, status, winner, score, hands, best_0, best_1) AS text), '' ORDER BY match_id
        )) AS hash
        FROM found GROUP BY slot
    )
    SELECT hashes.slot, hash, match_id, status, winner, score, hands, best_0, best_1
    FROM hashes LEFT JOIN found ON found.slot = hashes.slot AND NOT hash = ANY (CAST(:known AS text[]))
""")


class RoundResults(NamedTuple):
    """The results of the matches of a round, with the hash by which PostgreSQL finds that they are as they were."""

    hash: str
    results: dict[str, MatchSummary]


ByRound = Mapping[int, RoundResults]
"""The results of a tournament by the number of the round. Rounds without any are left out."""


def read_results(
    snapshot: Snapshot, states: Mapping[str, TournamentState], known: Mapping[str, ByRound]
) -> dict[str, ByRound]:
    """The results of the matches that count in these tournaments, by tournament.

    `known`: results that this process has read before. Rounds that have not changed are returned as the same objects.
    """
    slots = [(id_, of) for id_, state in states.items() for of in state.published]
    ids = [[match for table in of.tables for match in table.counting] for _, of in slots]
    given = {
        "run": snapshot.run,
        "ids": [match for matches in ids for match in matches],
        "slots": [slot for slot, matches in enumerate(ids) for _ in matches],
        "known": [one.hash for rounds in known.values() for one in rounds.values()],
    }
    hashes: dict[int, str] = {}
    read: defaultdict[int, dict[str, MatchSummary]] = defaultdict(dict)
    for slot, hash_, match, status, winner, score, hands, best_0, best_1 in snapshot.conn.execute(_RESULTS, given):
        hashes[slot] = hash_
        if match is not None:
            read[slot][match] = MatchSummary(
                status,
                winner,
                None if score is None else tuple(score),
                (best_0 or 0, best_1 or 0),
                hands > 0 or status not in {"open", "voided"},
            )
    by_hash = {one.hash: one for rounds in known.values() for one in rounds.values()}
    found: dict[str, dict[int, RoundResults]] = {id_: {} for id_ in states}
    for slot, hash_ in hashes.items():
        id_, of = slots[slot]
        found[id_][of.number] = RoundResults(hash_, read[slot]) if slot in read else by_hash[hash_]
    return {**found}
