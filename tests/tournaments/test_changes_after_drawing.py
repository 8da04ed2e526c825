"""Changes between a drawing and the next one: withdrawals, substitutes, corrections, walkovers."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from leagues import catch_up
from played_tournaments import ACTOR, PLAN, drawn, finish, planned, published, register, state_of
from scripted_knockouts import Knockout, won_by

from league.application.bootstrap import League
from league.domain.match import OpenMatch, RecordResult, ReopenMatch, VoidMatch
from league.domain.refusals import Refusal, WrongState
from league.domain.result import AnnouncedResult
from league.tournaments.corrected_rounds import has_other_inputs, is_outdated, tables_today, would_change
from league.tournaments.domain import commands as c
from league.tournaments.domain.drawn import RankedCompetitor, Schedule
from league.tournaments.domain.events import RoundDrawn
from league.tournaments.domain.outcomes import RoundOutcome
from league.tournaments.domain.plan import parse_plan
from league.tournaments.domain.state import CompetitorEntry
from league.tournaments.drawing import draw_round, publish_round


def test_a_round_with_somebody_who_withdrew_is_not_published(league: League) -> None:
    """A round with a competitor who has withdrawn is not published: it must be drawn again."""
    planned(league, [[player] for player in register(league, 4)], format="swiss", mode="1v1")
    drawn(league)
    league.dispatcher.send(c.Withdraw("copa", "p01"), ACTOR)
    with pytest.raises(WrongState, match="draw it again"):
        publish_round(league, c.PublishRound("copa", 1), ACTOR)


def test_a_round_that_was_drawn_under_another_plan_is_not_published(league: League) -> None:
    """A round must be drawn again after a change of the plan, except a change of the number of rounds."""
    planned(league, [[player] for player in register(league, 4)])
    drawn(league)
    league.dispatcher.send(c.ChangePlan("copa", {**PLAN, "rounds": 6}), ACTOR)
    league.dispatcher.send(c.ChangePlan("copa", {**PLAN, "partners": "drawn"}), ACTOR)
    with pytest.raises(WrongState, match="its plan has changed since it was drawn: draw it again"):
        publish_round(league, c.PublishRound("copa", 1), ACTOR)
    drawn(league, again="another plan")
    league.dispatcher.send(c.ChangePlan("copa", {**PLAN, "partners": "drawn", "rounds": 7}), ACTOR)
    publish_round(league, c.PublishRound("copa", 1), ACTOR)
    assert state_of(league).rounds[0].status == "published"


def reopened(league: League) -> None:
    league.dispatcher.send(ReopenMatch("copa-r1-t1", "a mistake"), ACTOR)


def turned(league: League) -> None:
    reopened(league)
    league.dispatcher.send(RecordResult("copa-r1-t1", AnnouncedResult(1, (10, 150))), ACTOR)


def replaced(league: League) -> None:
    league.dispatcher.send(c.ReplaceMatch("copa", 1, 1, "played after all"), ACTOR)


def voided_before(league: League) -> None:
    league.dispatcher.send(VoidMatch("copa-r1-t1", "a quarrel"), ACTOR)


def nothing(_league: League) -> None: ...


def late(league: League) -> None:
    league.dispatcher.send(c.EnterCompetitor("copa", ("p05",)), ACTOR)


def absent(league: League) -> None:
    league.dispatcher.send(VoidMatch("copa-r1-t2", "nobody was there"), ACTOR)
    league.dispatcher.send(c.ReplaceMatch("copa", 1, 2, "they may come"), ACTOR)
    league.dispatcher.send(c.RecordAbsence("copa", 1, 2, (0, 1)), ACTOR)


@pytest.mark.parametrize(
    ("before", "change"),
    [(nothing, reopened), (nothing, turned), (voided_before, replaced), (nothing, late), (nothing, absent)],
    ids=lambda change: change.__name__,
)
def test_a_round_whose_inputs_have_changed_is_published_only_if_asked(league: League, before: Any, change: Any) -> None:
    """A reopened or changed result, a late entry or an absence prevents publication, unless the caller insists."""
    players = register(league, 5)
    planned(league, [[player] for player in players[:4]], format="swiss", mode="1v1", late_entries=3)
    published(league)
    finish(league)
    before(league)
    drawn(league)
    change(league)
    with pytest.raises(Refusal, match="have changed since round 2 was drawn") as refused:
        publish_round(league, c.PublishRound("copa", 2), ACTOR)
    assert refused.value.code == "ROUND_OUTDATED"
    publish_round(league, c.PublishRound("copa", 2, even_if_outdated=True), ACTOR)
    assert state_of(league).rounds[1].status == "published"


def test_a_later_round_of_a_knockout_is_never_published_outdated(league: League) -> None:
    """Who plays on follows the results, so it has to be drawn again. A table that somebody keeps does not matter."""
    players = register(league, 4)
    plan = {**PLAN, "format": "knockout", "mode": "1v1", "rounds": None}
    league.dispatcher.send(c.PlanTournament("copa", plan), ACTOR)
    for number, player in enumerate(players):
        league.dispatcher.send(c.EnterCompetitor("copa", (player,), 2 if number else None), ACTOR)
    published(league)
    finish(league)
    drawn(league)
    turned(league)
    for insists in (False, True):
        with pytest.raises(Refusal, match="who plays on has changed since it was drawn") as refused:
            publish_round(league, c.PublishRound("copa", 2, even_if_outdated=insists), ACTOR)
        assert refused.value.code == "DRAW_IT_AGAIN"
    drawn(league, again="a result was corrected")
    publish_round(league, c.PublishRound("copa", 2), ACTOR)


def test_a_first_round_by_rating_is_outdated_when_a_rating_has_changed_its_places(league: League) -> None:
    """A first round by rating is out of date when ratings change its places. Drawn again, it is up to date."""
    planned(league, [[player] for player in register(league, 4)], format="swiss", mode="1v1", first_round="rating")
    by_place = drawn(league).order
    league.dispatcher.send(OpenMatch("other", "cuban-150", "1v1", "competitive", (by_place[0], by_place[-1])), ACTOR)
    league.dispatcher.send(RecordResult("other", AnnouncedResult(1, (0, 150))), ACTOR)
    catch_up(league)
    with pytest.raises(Refusal, match="have changed since round 1 was drawn"):
        publish_round(league, c.PublishRound("copa", 1), ACTOR)
    drawn(league, again="with the ratings of today")
    publish_round(league, c.PublishRound("copa", 1), ACTOR)


def test_what_is_never_published_is_refused_even_if_it_is_asked_for(league: League) -> None:
    """Publication is refused after a change of the plan or a withdrawal, even if the caller insists."""
    planned(league, [[player] for player in register(league, 5)], format="swiss", mode="1v1")
    drawn(league)
    league.dispatcher.send(c.Withdraw("copa", "p01"), ACTOR)
    with pytest.raises(WrongState, match="'p01' has withdrawn since it was drawn"):
        publish_round(league, c.PublishRound("copa", 1, even_if_outdated=True), ACTOR)
    drawn(league, again="without p01")
    league.dispatcher.send(c.ChangePlan("copa", {**PLAN, "format": "swiss", "mode": "1v1", "minutes": 20}), ACTOR)
    with pytest.raises(WrongState, match="its plan has changed"):
        publish_round(league, c.PublishRound("copa", 1, even_if_outdated=True), ACTOR)


def test_a_round_that_a_crash_left_without_tables_is_paired_by_whoever_goes_on(league: League) -> None:
    """If only the drawing is stored, the next request to draw or to publish computes the tables first."""
    planned(league, [[player] for player in register(league, 4)], format="swiss", mode="1v1")
    league.dispatcher.send(c.DrawRound("copa"), ACTOR)
    assert state_of(league).rounds[0].tables == ()
    with pytest.raises(WrongState, match="publish it, or say why it is drawn again"):
        drawn(league)
    assert len(state_of(league).rounds[0].tables) == 2
    league.dispatcher.send(c.DrawRound("copa", again="once more"), ACTOR)
    publish_round(league, c.PublishRound("copa", 1), ACTOR)
    assert [(of.status, of.drawings, len(of.tables)) for of in state_of(league).rounds] == [("published", 2, 2)]


def test_a_drawing_that_is_asked_for_again_after_a_rating_changed_is_the_same(league: League) -> None:
    """A repeated request gets the first answer even if ratings have changed, because they are no part of it."""
    planned(league, [[player] for player in register(league, 4)], format="swiss", mode="1v1", first_round="rating")
    draw_round(league, c.DrawRound("copa"), ACTOR, key="draw")
    league.dispatcher.send(OpenMatch("other", "cuban-150", "1v1", "competitive", ("p01", "p02")), ACTOR)
    league.dispatcher.send(RecordResult("other", AnnouncedResult(1, (0, 150))), ACTOR)
    catch_up(league)
    draw_round(league, c.DrawRound("copa"), ACTOR, key="draw")
    of = state_of(league).rounds[0]
    assert of.drawings == 1
    drawn(league, again="with the ratings of today")
    drawing = state_of(league).rounds[0].drawing
    assert drawing is not None
    assert {one.id: one.rank for one in drawing.competitors} == {"p02": 1, "p03": 2, "p04": 2, "p01": 4}


def test_a_substitute_takes_the_place_of_whom_they_replace(league: League) -> None:
    """A substitute is drawn first with the rank of whom they replace, who cannot return."""
    players = register(league, 5)
    planned(league, [[player] for player in players[:4]], format="swiss", mode="1v1", late_entries=3)
    published(league)
    finish(league)
    winner = state_of(league).rounds[0].tables[0].sides[0][0]
    league.dispatcher.send(c.Withdraw("copa", winner), ACTOR)
    league.dispatcher.send(c.EnterCompetitor("copa", ("p05",), replaces=winner), ACTOR)
    drawing = drawn(league).drawing
    assert drawing is not None
    assert {one.id: (one.rank, one.won) for one in drawing.competitors}["p05"] == (1, 0)
    with pytest.raises(WrongState, match="'p05' plays in their place"):
        league.dispatcher.send(c.Return("copa", winner), ACTOR)


def outcomes_of(winners: str, losers: str) -> dict[str, list[RoundOutcome]]:
    """Outcomes of one round, which each of `winners` won against one of `losers`."""
    found: dict[str, list[RoundOutcome]] = {}
    for winner, loser in zip(winners, losers, strict=True):
        found[winner] = [RoundOutcome(round=1, kind="match", won=True, lost=False, opponents=(loser,))]
        found[loser] = [RoundOutcome(round=1, kind="match", won=False, lost=True, opponents=(winner,))]
    return found


def would_meet(
    drawing: RoundDrawn, now: dict[str, list[RoundOutcome]], seed: str = "ab", **replaces: str
) -> set[frozenset[str]]:
    """The pairs that do not meet in this Swiss round, but would with the results `now`. `replaces`: by substitute."""
    settings = {"format": "swiss", "mode": "1v1", "ruleset": "cuban-150", "rounds": 3, "tie_breaks": []}
    plan = parse_plan({"name": "C", **settings})
    when = datetime(2026, 3, 1, tzinfo=UTC)
    entries = {id_: CompetitorEntry(id_, (id_,), when, replaces=replaces.get(id_)) for id_ in now}
    tables = would_change(plan, drawing, seed, Schedule(()), entries, now)
    return {frozenset(one + other) for one, other in (table.sides for table in tables)}


@pytest.mark.parametrize(("first", "is_outdated"), [("abcdefgh", False), ("abcdefgi", True)])
def test_no_round_of_a_full_cycle_is_outdated(first: str, is_outdated: bool) -> None:
    """A correction changes the inputs, but the cycle says who meets, as long as those play who began it."""
    ids, when = "abcdefgh", datetime(2026, 3, 1, tzinfo=UTC)
    settings = {"format": "rotating_partners", "mode": "2v2", "ruleset": "cuban-150", "rounds": 7, "full_cycle": True}
    plan = parse_plan({"name": "C", **settings, "tie_breaks": []})
    drawing = RoundDrawn(2, tuple(RankedCompetitor(id_, 0, 1) for id_ in ids))
    entries = {id_: CompetitorEntry(id_, (id_,), when) for id_ in ids}
    now = outcomes_of("abcd", "efgh")
    assert has_other_inputs(plan, drawing, "ab", Schedule(tuple(first)), entries, now) == is_outdated


def test_corrections_show_the_tables_that_they_would_have_changed() -> None:
    """Winners of the first round meet in the second. A corrected winner shows other tables."""
    drawing = RoundDrawn(
        2,
        (
            RankedCompetitor("a", 1, 1),
            RankedCompetitor("b", 0, 3),
            RankedCompetitor("c", 1, 1),
            RankedCompetitor("d", 0, 3),
        ),
    )
    assert would_meet(drawing, outcomes_of("ac", "bd")) == set()
    assert would_meet(drawing, outcomes_of("bc", "ad")) == {frozenset("bc"), frozenset("ad")}


def test_a_correction_in_a_group_shows_what_it_would_have_changed_in_the_bracket() -> None:
    """The published ties stay. A round after them has nothing to compare, as the ties decide it."""
    copa = Knockout(8, format="groups", groups=2, best_of=1)
    for number in range(3):
        if number:
            copa.draw()
        for table in copa.state.rounds[-1].tables:
            assert table.match is not None
            copa.results[table.match] = won_by(table.sides.index((min(table.competitors),)))
    copa.draw()
    of, drawing = copa.state.rounds[-1], copa.drawings[4, copa.state.rounds[-1].drawings]
    assert (is_outdated(copa.seen, of, drawing), tables_today(copa.seen, of, drawing)) == (False, [])
    first, second = (places[:2] for places in by_group(copa))
    for table in copa.state.rounds[-1].tables:
        copa.win(min(table.competitors))
    copa.draw()
    ((match, side),) = [
        (table.match, table.sides.index((first[1],)))
        for of_group in copa.state.rounds[:3]
        for table in of_group.tables
        if table.match is not None and set(table.competitors) == set(first)
    ]
    copa.results[match] = won_by(side)
    seen = copa.seen
    of, final = seen.state.rounds[3], seen.state.rounds[4]
    assert is_outdated(seen, of, drawing)
    met = {frozenset(one + other) for one, other in (table.sides for table in tables_today(seen, of, drawing))}
    assert met == {frozenset({first[1], second[1]}), frozenset({first[0], second[0]})}
    assert not is_outdated(seen, final, copa.drawings[5, final.drawings])


def by_group(copa: Knockout) -> list[list[str]]:
    """The competitors of each group, from the first place on, if who has the lesser id has won each match."""
    return [sorted(group) for group in copa.state.groups]


def test_a_substitute_changes_no_table_by_being_one() -> None:
    """A substitute is compared by the rank that they were drawn with, which is that of whom they replace."""
    drawing = RoundDrawn(
        2,
        (
            RankedCompetitor("e", 0, 1),
            RankedCompetitor("b", 0, 3),
            RankedCompetitor("c", 1, 1),
            RankedCompetitor("d", 0, 3),
        ),
    )
    for seed in ("ab", "cd", "ef", "01"):
        assert would_meet(drawing, {**outcomes_of("ac", "bd"), "e": []}, seed, e="a") == set()
