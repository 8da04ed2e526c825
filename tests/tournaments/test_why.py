"""Explanations of tables in words: they say only what is true of the two, and name the rounds that matter."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from league.tournaments import why_paired as module
from league.tournaments.domain.drawn import EarlierMeeting, RankedCompetitor, Schedule
from league.tournaments.domain.events import RoundDrawn
from league.tournaments.domain.plan import parse_plan
from league.tournaments.pairing import pair
from league.tournaments.why_in_words import said
from league.tournaments.why_paired import ExplainedChoice, RoundExplainer
from league.wording.language import speaking, spoken

IDS = ("ana", "bea", "cira", "dora")


def choices(drawing: RoundDrawn, **settings: Any) -> list[ExplainedChoice]:
    """The choices that made the first table of a round."""
    given = {"name": "C", "format": "rotating_partners", "ruleset": "cuban-150", "rounds": 9, **settings}
    plan = parse_plan(given)
    sides = [table.sides for table in pair(plan, drawing, "ab", Schedule(tuple(IDS))).tables]
    return RoundExplainer(plan, drawing, "ab", IDS, sides).of(sides[0])


def round_of(number: int, rounds: tuple[int, ...] = (), won: int = 0, **more: Any) -> RoundDrawn:
    """A round of four who had everybody as partner and opponent in these rounds. The first has `won` wins."""

    def earlier(id_: str) -> tuple[EarlierMeeting, ...]:
        return tuple(EarlierMeeting(other, of, 1) for of in rounds for other in IDS if other != id_)

    everybody = [RankedCompetitor(id_, won * (id_ == "ana"), 1, met=earlier(id_), partners=earlier(id_)) for id_ in IDS]
    return RoundDrawn(number, tuple(everybody), **more)


def sentences(found: list[ExplainedChoice]) -> list[str]:
    return [spoken(said(choice, {id_: id_.capitalize() for id_ in IDS})) for choice in found]


def test_partners_again_name_the_round() -> None:
    """A repeated partnership names its rounds, in two sentences, in English and in Spanish."""
    found = choices(round_of(3, (1, 2)))
    assert [choice.stage for choice in found] == ["partners", "partners", "tables"]
    first, _second, tables = sentences(found)
    again = "though they were partners in rounds 1, 2, since otherwise others would have an earlier partner."
    assert again in first
    assert first.endswith("Another round would have been as good, and the lot decided.")
    assert first.count(".") == 2
    assert "though some of them met in rounds 1, 2, since with these partners others would meet again" in tables
    with speaking("es"):
        assert "son pareja, aunque fueron pareja en las rondas 1, 2, porque" in sentences(found)[0]


def test_what_lies_outside_the_window_is_not_called_new() -> None:
    """A meeting outside the window is named, and said not to count."""
    first, _second, tables = sentences(choices(round_of(6, (1,))))
    assert "who have won as often; that they were partners in round 1 does not count any more." in first
    assert "that some of them met in round 1 does not count any more." in tables


def test_with_all_rounds_in_the_window_nothing_is_outside_it() -> None:
    """If the window has all rounds, an early round counts like a late one."""
    first, _second, tables = sentences(choices(round_of(9, (1,)), partner_window="all", opponent_window="all"))
    assert "though they were partners in round 1," in first
    assert "though some of them met in round 1," in tables


def test_partners_by_lot_are_not_said_to_have_won_as_often() -> None:
    """Partners by lot are explained by the lot, not by matches won."""
    partners = sentences(choices(round_of(2, won=1), partners="drawn"))[:2]
    assert all("are partners, whom the lot has chosen, and it is new for them." in text for text in partners)
    partners = sentences(choices(round_of(2, won=1)))[:2]
    assert any("who are as near in matches won as the round allows" in text for text in partners)


def test_at_a_table_what_gives_way_is_said_of_these_partners() -> None:
    """The sentence limits what gave way at a table to these partners: other partners might have kept the criterion."""
    locked = [tuple(sorted(two)) for two in pairwise(("ana+bea", "cira+dora"))]
    locked += [("ana+cira", "bea+dora"), ("ana+dora", "bea+cira")]
    tables = sentences(choices(round_of(2, locked=tuple(locked))))[2]
    assert "since with these partners no round keeps all such pairs apart." in tables


def test_tables_of_a_round_share_what_they_need(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each choice computes one matching. Known partners need none. A very large round is explained without any."""
    plan = parse_plan({"name": "C", "format": "rotating_partners", "ruleset": "cuban-150", "rounds": 9})
    drawing = RoundDrawn(1, tuple(RankedCompetitor(f"p{number:02}", 0, 1) for number in range(8)))
    sides = [table.sides for table in pair(plan, drawing, "ab", Schedule(())).tables]
    made: list[int] = []
    least = module.least_matching
    monkeypatch.setattr(module, "least_matching", lambda ids, costs: made.append(len(ids)) or least(ids, costs))
    why = RoundExplainer(plan, drawing, "ab", (), sides)
    for one in sides:
        why.of(one)
    assert sorted(made) == [4, 4, 8, 8, 8, 8]
    monkeypatch.setattr(module, "MOST", 2)
    made.clear()
    assert [choice.next_best for choice in RoundExplainer(plan, drawing, "ab", (), sides).of(sides[0])] == [None] * 3
    assert made == []
