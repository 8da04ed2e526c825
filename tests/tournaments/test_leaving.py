"""Who leaves a round robin: what counts of their meetings, and what becomes of the meetings to come."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from random_plans import RULEBOOK
from random_tournaments import PlayedTournament
from test_random_tournaments import verified
from tournament_rows import rows_of

from league.domain.refusals import InvalidInput
from league.tournaments.corrected_rounds import is_outdated, tables_today
from league.tournaments.domain import commands as c
from league.tournaments.domain import entering, round_tables
from league.tournaments.domain.plan import parse_plan, withdrawals_of
from league.tournaments.domain.refusals import TooFewCompetitors, WalkoverStays
from league.tournaments.domain.results import MatchSummary

PLAN = {"name": "Copa", "format": "round_robin", "ruleset": "cuban-150", "mode": "1v1", "tie_breaks": ["buchholz"]}


class RoundRobin(PlayedTournament):
    """A round robin of six players, of whom the one with the lower number wins each match."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(Random(3), most=6, plan={**PLAN, **settings})

    def round(self) -> None:
        """Draw a round and play it."""
        self.draw()
        for table in self.state.rounds[-1].tables:
            if table.match is not None:
                winner = int(table.sides[1] < table.sides[0])
                score = (160, 20) if winner == 0 else (20, 160)
                self.results[table.match] = MatchSummary("completed", winner, score, begun=True)

    def leave(self, *ids: str) -> None:
        for id_ in ids:
            self._take(entering.withdraw(c.Withdraw("copa", id_), self.state))

    def standing(self) -> dict[str, dict[str, Any]]:
        """The rows of the standing by competitor."""
        return {row["id"]: row for row in rows_of(self.seen, self.drawings)["tournament_standings"]}

    def meetings(self) -> list[dict[str, Any]]:
        """The rows of all tables."""
        return rows_of(self.seen, self.drawings)["pairings"]

    def tables_of(self, *ids: str) -> list[tuple[str, str | None, bool]]:
        """Status, match and whether it is annulled, of the tables of the last round at which all of them are."""
        last = [row for row in self.meetings() if row["round"] == len(self.state.rounds)]
        return [
            (row["status"], row["match"], row["annulled"])
            for row in last
            if set(ids) <= {id_ for side in row["sides"] for id_ in side}
        ]


def test_who_has_played_fewer_than_half_is_out() -> None:
    """After two of five meetings nothing of a leaver counts for anybody; the matches stay in the list as annulled."""
    played = RoundRobin()
    for _ in range(2):
        played.round()
    played.leave("p001")
    row = played.standing()["p001"]
    assert (row["rank"], row["annulled"], row["won"], row["lost"], row["best_rank"]) == (None, True, 0, 0, 1)
    assert sum(one["lost"] for one in played.standing().values()) == 4, "two of six matches do not count"
    annulled = [row for row in played.meetings() if row["annulled"]]
    assert len(annulled) == 2
    assert all(row["counts"] is None and row["score"] is not None for row in annulled)


def test_who_has_played_half_stays_in_the_standing() -> None:
    """After three of five meetings all that was played counts, and so do the walkovers to come."""
    played = RoundRobin()
    for _ in range(3):
        played.round()
    played.leave("p001")
    played.round()
    assert played.tables_of("p001") == [("walkover", None, False)]
    row = played.standing()["p001"]
    assert (row["won"], row["lost"], row["byes"], row["annulled"]) == (3, 1, 0, False)


@pytest.mark.parametrize(("rounds", "is_out"), [(4, True), (5, False)])
def test_exactly_half_of_both_legs_is_not_fewer_than_half(rounds: int, is_out: bool) -> None:
    """Two legs are ten meetings: who leaves after four is out, and who leaves after five stays."""
    played = RoundRobin(legs=2)
    for _ in range(rounds):
        played.round()
    played.leave("p001")
    assert played.standing()["p001"]["annulled"] == is_out


def test_with_keep_everything_counts() -> None:
    """`keep` annuls nothing, however few meetings were played."""
    played = RoundRobin(withdrawals="keep")
    played.round()
    played.leave("p006")
    played.round()
    row = played.standing()["p006"]
    assert (row["rank"] is None, row["annulled"], row["lost"]) == (False, False, 2)


def test_the_meetings_of_two_who_left_are_double_absences() -> None:
    """Opponents who are there have a walkover, which gives nothing if the leaver is annulled."""
    played = RoundRobin()
    played.round()
    played.leave("p001", "p002")
    met = False
    for _ in range(4):
        played.round()
        both = played.tables_of("p001", "p002")
        met = met or bool(both)
        assert all(table == ("double_absence", None, True) for table in both)
        if not both:
            assert played.tables_of("p001") == played.tables_of("p002") == [("walkover", None, True)]
    assert met
    ranked = [row for row in played.standing().values() if row["rank"] is not None]
    assert sorted((row["won"], row["lost"]) for row in ranked) == [(0, 3), (1, 2), (2, 1), (3, 0)]


def test_who_returns_has_everything_counted_again_and_published_walkovers_stay() -> None:
    """The walkovers that were published meanwhile are lost; the rounds after the return are played."""
    played = RoundRobin()
    played.round()
    played.leave("p001")
    played.round()
    walkover = next(table for table in played.state.rounds[-1].tables if table.absent)
    played._take(entering.return_(c.Return("copa", "p001"), played.state))  # a step of the same player
    command = c.ReplaceMatch("copa", 2, walkover.number, "they came back")
    with pytest.raises(WalkoverStays):
        round_tables.replace_match(command, played.state, played.results, "another")
    with pytest.raises(WalkoverStays):
        round_tables.open_fixture(c.OpenFixture("copa", 2, walkover.number), played.state, "another")
    played.round()
    row = played.standing()["p001"]
    assert (row["won"], row["lost"], row["annulled"]) == (2, 1, False)


def test_a_withdrawal_after_the_last_round_was_published_annuls_nothing() -> None:
    """Whoever leaves during the last round has nothing annulled; with a round more to come they would."""
    played = RoundRobin(rounds=2)
    played.round()
    played.draw()
    played.leave("p001")
    assert not played.standing()["p001"]["annulled"]
    longer = c.ChangePlan("copa", {**PLAN, "rounds": 5})
    changed = entering.change_plan(longer, played.state, RULEBOOK)
    played._take(changed)  # a step of the same player
    assert played.standing()["p001"]["annulled"]


def test_an_absence_at_the_table_of_a_leaver_is_a_double_absence() -> None:
    """Who left cannot win by the other side's absence."""
    played = RoundRobin()
    played.round()
    played.leave("p001")
    played.draw()
    table = next(table for table in played.state.rounds[-1].tables if table.absent)
    other = 1 - table.absent[0]
    command = c.RecordAbsence("copa", 2, table.number, (other,))
    (recorded,) = round_tables.record_absence(command, played.state, played.results)
    assert recorded.sides == (0, 1)  # type: ignore[union-attr]


def test_a_meeting_with_one_hand_is_played_and_a_voided_one_is_not() -> None:
    """What is played is a hand or a result that is not voided."""
    played = RoundRobin()
    for _ in range(3):
        played.round()
    matches = [
        table.match for _, table in played.state.tables() if "p001" in table.competitors and table.match is not None
    ]
    played.results[matches[0]] = MatchSummary("open", None, (12, 0), begun=True)
    played.leave("p001")
    assert not played.standing()["p001"]["annulled"]
    played.results[matches[0]] = MatchSummary("voided")
    assert played.standing()["p001"]["annulled"]


def test_only_round_robins_of_version_2_have_the_rule() -> None:
    """Other formats refuse the setting, and version 1 lacks it."""
    assert withdrawals_of(parse_plan(PLAN)) == "annul_below_half"
    assert withdrawals_of(parse_plan(PLAN, rules=1)) is None
    for given, rules in (({**PLAN, "format": "fixtures"}, 2), (PLAN, 1)):
        with pytest.raises(InvalidInput) as refused:
            parse_plan({**given, "withdrawals": "keep"}, rules=rules)  # type: ignore[arg-type]
        assert refused.value.field == "plan.withdrawals"


@pytest.mark.parametrize(("withdrawals", "won"), [("keep", 5), ("annul_below_half", 0)])
def test_the_only_one_left_plays_on_alone(withdrawals: str, won: int) -> None:
    """The rounds to come are drawn with walkovers, and the round robin ends well."""
    played = RoundRobin(withdrawals=withdrawals)
    played.round()
    played.leave("p002", "p003", "p004", "p005", "p006")
    for _ in range(4):
        played.round()
    assert {status for status, _, _ in played.tables_of("p001")} == {"walkover"}
    played.play()
    assert (played.state.status, played.standing()["p001"]["won"]) == ("ended", won)
    assert not any(verdict.flaws for verdict in verified(played, played.rows()))


def test_a_round_robin_that_everybody_left_says_what_helps() -> None:
    """Its next round is not drawn."""
    played = RoundRobin()
    played.round()
    played.leave(*played.state.entries)
    with pytest.raises(TooFewCompetitors, match="let more enter, check in or return, or end the tournament"):
        played.draw()


def test_no_published_round_of_a_round_robin_is_outdated() -> None:
    """An annulment changes what the rounds before it count, but nobody could have been drawn differently."""
    played = RoundRobin()
    for _ in range(2):
        played.round()
    played.leave("p001")
    assert played.seen.annulled
    of = played.state.rounds[1]
    assert not is_outdated(played.seen, of, played.drawings[of.number, of.drawings])
    assert not tables_today(played.seen, of, played.drawings[of.number, of.drawings])


@pytest.mark.parametrize("plan", [{}, {"format": "groups", "groups": 2, "advance": 1}])
def test_who_returns_after_the_first_drawing_is_in_no_meeting(plan: dict[str, Any]) -> None:
    """Who had left when the meetings of everybody were drawn is not drawn later, and has no byes that count as won."""
    played = RoundRobin(**plan)
    played.enter(["late"])
    played.leave("late")
    played.round()
    played._take(entering.return_(c.Return("copa", "late"), played.state))
    played.round()
    assert "late" not in {one["id"] for one in played.rows()["rounds"][-1]["input"]}
    row = played.standing()["late"]
    assert (row["won"], row["byes"]) == (0, 0)


def test_who_checks_in_after_the_first_drawing_is_in_no_meeting() -> None:
    """Who was not there when a round robin was drawn, and checks in later, is not drawn."""
    played = RoundRobin(check_in=True)
    ids = sorted(played.state.entries)
    played._take(entering.check_in(c.CheckIn("copa", tuple(ids[1:])), played.state))
    played.round()
    played._take(entering.check_in(c.CheckIn("copa", (ids[0],)), played.state))
    played.round()
    assert sorted(one["id"] for one in played.rows()["rounds"][-1]["input"]) == ids[1:]
