"""The events in the golden bodies of tournaments."""

from __future__ import annotations

from datetime import date
from typing import Any

from league.tournaments.domain import events as e
from league.tournaments.domain.drawn import (
    EarlierMeeting,
    PairedTable,
    RankedCompetitor,
    Relaxation,
    SeedCommitment,
    SeedContribution,
)
from league.tournaments.domain.plan import Plan, PlanAward

ROOT = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
SEED = "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae"


def of_tournaments() -> dict[str, list[Any]]:
    """The events by stored name, each without the name of the feature."""
    short = Plan(name="Copa", format="rotating_partners", ruleset="cuban-150", rounds=4)
    long = Plan(
        name="Copa",
        format="swiss",
        ruleset="cuban-150",
        mode="1v1",
        competition="competitive",
        rounds=5,
        first_round="rating",
        opponent_window="all",
        partner_window=2,
        partners="drawn",
        region_rounds=1,
        locked_play_casually=True,
        tie_breaks=("direct", "buchholz_cut"),
        score_cap=100,
        bye=PlanAward(won=False, for_=10, against=5),
        walkover=PlanAward(for_=150),
        minutes=25,
        at_bell="one_more",
        check_in=True,
        late_entries=2,
        legs=2,
    )
    met, had = (EarlierMeeting("p02", 1, 1),), (EarlierMeeting("p03", 1, 1),)
    events: dict[str, list[Any]] = {
        "planned": [e.TournamentPlanned(short), e.TournamentPlanned(long)],
        "plan-changed": [e.PlanChanged(short)],
        "competitor-entered": [
            e.CompetitorEntered("p01", ("p01",)),
            e.CompetitorEntered("p01+p02", ("p01", "p02"), "Granma", 3, "p03+p04"),
        ],
        "competitor-checked-in": [e.CompetitorCheckedIn("p01")],
        "competitor-withdrew": [e.CompetitorWithdrew("p01"), e.CompetitorWithdrew("p02", "ill")],
        "competitor-returned": [e.CompetitorReturned("p01")],
        "bye-requested": [e.ByeRequested("p01+p02", 3)],
        "bye-taken-back": [e.ByeTakenBack("p01", 2)],
        "seed-committed": [e.SeedCommitted("p01+p02", ROOT)],
        "seed-contributed": [e.SeedContributed(2, 1, "p01+p02", SEED)],
        "round-drawn": [
            e.RoundDrawn(2, (RankedCompetitor("p01", 1, 1, "Granma", 1, met, had), RankedCompetitor("p02", 0, 2))),
            e.RoundDrawn(
                1,
                (RankedCompetitor("p01", 0, 1),),
                (("p01", "p02"),),
                {"p01": 2},
                (("p01", "p02"),),
                date(2026, 3, 1),
                None,
                "rain",
            ),
            e.RoundDrawn(1, (RankedCompetitor("p01", 0, 1),), until=date(2026, 3, 8)),
            e.RoundDrawn(1, (RankedCompetitor("p01", 0, 1),), again_without=("p01", "p02")),
            e.RoundDrawn(1, (RankedCompetitor("p01", 0, 1),), requested=("p02",)),
            e.RoundDrawn(3, (RankedCompetitor("p01", 2, 1, group_rank=1, strength=2, rating=1512.5),), left=("p03",)),
        ],
        "round-paired": [
            e.RoundPaired(
                2,
                731,
                ROOT,
                True,  # as in the log
                SEED,
                (PairedTable(1, (("p01", "p02"), ("p03", "p04")), (Relaxation("meetings", ("p01", "p03"), 1),)),),
                ("p05",),
                (Relaxation("byes", ("p05",)),),
            ),
            e.RoundPaired(
                1,
                731,
                ROOT,
                True,  # as in the log
                SEED,
                (PairedTable(1, (("p01",), ("p02",)), ()),),
                commitments=(SeedCommitment("p01", 730, ROOT), SeedCommitment("p02", 12, SEED)),
                contributions=(SeedContribution("p02", ROOT),),
            ),
            e.RoundPaired(
                4,
                731,
                ROOT,
                True,  # as in the log
                SEED,
                (PairedTable(1, (("p01",), ("p02",)), (), best_of=3, third_place=True),),
                ("p03",),
                bracket=("p01", "p02", "p03"),
                third_place_bye="p03",
            ),
            e.RoundPaired(
                1, 731, ROOT, True, SEED, (PairedTable(1, (("p01",), ("p02",)), (), group=2),), groups=(("p01", "p02"),)
            ),
        ],
        "round-published": [e.RoundPublished(1, (e.OpenedAt(1, "copa-r1-t1"),)), e.RoundPublished(2)],
        "game-opened": [e.GameOpened(3, 1, 2, "copa-r3-t1-2")],
        "fixture-opened": [e.FixtureOpened(1, 2, "copa-r1-t2")],
        "pairings-changed": [
            e.PairingsChanged(
                1,
                (
                    e.ChangedTable(1, (("p01",), ("p02",)), "copa-r1-t1-2"),
                    e.ChangedTable(2, (("p03",), ("p04",)), None),
                ),
                ("p05",),
                "a quarrel",
            ),
            e.PairingsChanged(
                1,
                (e.ChangedTable(1, (("p01",), ("p02",)), None, (Relaxation("series", ("p01", "p02")),)),),
                (),
                "a wish",
            ),
        ],
        "absence-claimed": [e.AbsenceClaimed(1, 2, 0)],
        "absence-recorded": [e.AbsenceRecorded(1, 2, (0, 1)), e.AbsenceRecorded(3, 1, (1,), 2)],
        "match-replaced": [
            e.MatchReplaced(1, 2, "copa-r1-t2-2", "wrong set"),
            e.MatchReplaced(3, 1, "copa-r3-t1-3", "wrong set", 2),
        ],
        "round-withdrawn": [e.RoundWithdrawn(1, "wrong names")],
        "round-closed": [e.RoundClosed(1)],
        "ended": [e.TournamentEnded()],
    }
    return {f"tournament-{name}/1": bodies for name, bodies in events.items()}
