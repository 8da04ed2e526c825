"""Random tournaments pass a checker that was written from the rules, and their rounds are verified from exports."""

from __future__ import annotations

from random import Random

import msgspec
import pytest
from format_checkers import check_corrected, check_exports
from random_tournaments import PlayedTournament

from league.tournaments.domain.events import RoundDrawn
from league.tournaments.recorded_lines import PairingLine, RoundLine, TournamentLine
from league.tournaments.verified_rounds import LoggedTournamentEvent, RoundVerdict, rounds_in_log, verify_rounds

TOURNAMENTS = 60


@pytest.mark.parametrize("number", range(TOURNAMENTS))
def test_a_random_tournament_passes_the_checker(rng: Random, number: int) -> None:
    """Random tournaments with withdrawals, late entries, voids, corrections and absences pass the checker."""
    played = PlayedTournament(Random(rng.random() + number), most=16, rules=1 + (number % 4 > 0))
    played.play()
    examine(played)


@pytest.mark.parametrize("number", range(20))
@pytest.mark.parametrize("format_", ["knockout", "groups"])
def test_a_random_knock_out_passes_the_checker(rng: Random, format_: str, number: int) -> None:
    """Random knock-outs, alone and after groups, pass the checker, with absences, withdrawals and corrections."""
    played = PlayedTournament(Random(rng.random() + number), most=16, format_=format_)
    played.play()
    examine(played)


def examine(played: PlayedTournament) -> None:
    """Check a tournament, its rounds, and the bounds of ranks that held on the way."""
    rows = played.rows()
    for known, corrected, then in [*played.snapshots, (rows, played.corrected, played.then_exported)]:
        check_exports(known, corrected=corrected)
        check_corrected(known, then)
    assert all(not verdict.flaws for verdict in verified(played, rows))
    final = {row["id"]: row["rank"] for row in rows["tournament_standings"]}
    narrower: dict[str, tuple[int, int]] = {}
    for bounds in played.bounds:
        assert {id_ for id_, rank in final.items() if rank is not None} <= bounds.keys()
        for id_, (best, worst) in bounds.items():
            assert final[id_] is None or best <= final[id_] <= worst
            before = narrower.get(id_, (best, worst))
            assert before[0] <= best <= worst <= before[1]
            narrower[id_] = best, worst


def verified(played: PlayedTournament, rows: dict[str, list[dict[str, object]]]) -> list[RoundVerdict]:
    """The verdicts of `league verify-round` on these exports, with a log."""
    roots = {of.position: of.root or "" for of in (*played.state.former, *played.state.rounds)}
    logged = [
        LoggedTournamentEvent("copa", position, event, roots[position] if isinstance(event, RoundDrawn) else "")
        for position, event in enumerate(played.events, 1)
    ]
    kinds = {"tournaments": TournamentLine, "rounds": RoundLine, "pairings": PairingLine}
    # In the written exports, dates are texts.
    lines = {
        what: [msgspec.json.decode(msgspec.json.encode(row), type=kind) for row in rows[what]]
        for what, kind in kinds.items()
    }
    return list(verify_rounds(lines["tournaments"], lines["rounds"], lines["pairings"], rounds_in_log(logged)))
