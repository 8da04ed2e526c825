"""The pages of groups and knock-outs: planned with the form, followed on the page of the bracket."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
import pytest
from api_server import Served
from leagues import send
from test_tournament_pages import visitor

from league.domain.match import RecordResult, ReopenMatch
from league.domain.result import AnnouncedResult
from league.tournaments.domain.commands import (
    DrawRound,
    EnterCompetitor,
    PlanTournament,
    PublishRound,
)
from league.tournaments.domain.state import TournamentState
from league.tournaments.drawing import draw_round, publish_round
from league.tournaments.tournament_states import stored_tournament


@pytest.fixture
def keeper(small_site: Served) -> Iterator[httpx.Client]:
    """A scorekeeper's browser without JavaScript."""
    yield from visitor(small_site, "kim", "scorekeeper")


FORM = {
    "plan.mode": "ONE_ON_ONE", "plan.ruleset": "cuban-150", "plan.rounds": "", "plan.firstRound": "DRAWN",
    "plan.minutes": "", "plan.atBell": "FINISH_HAND", "plan.lateEntries": "0", "plan.withdrawals": "KEEP",
}  # fmt: skip


def state_of(site: Served, tournament: str) -> TournamentState:
    return stored_tournament(site.league.dispatcher.state_cache, tournament)


def publish(site: Served, tournament: str) -> None:
    draw_round(site.league, DrawRound(tournament), "kim")
    publish_round(site.league, PublishRound(tournament, len(state_of(site, tournament).rounds)), "kim")


def play(site: Served, tournament: str) -> None:
    """Let side 0 win all games of the round."""
    for table in state_of(site, tournament).rounds[-1].tables:
        while True:
            found = state_of(site, tournament).rounds[-1].table(table.number)
            assert found is not None
            if found.match is None or found.absent:
                break
            send(site.league, RecordResult(found.match, AnnouncedResult(0, (150, table.number % 10 * 10))))
            again = state_of(site, tournament).rounds[-1].table(table.number)
            if again is None or again.match == found.match:
                break


@pytest.mark.heavy
def test_a_knock_out_is_planned_with_the_form_and_followed_on_its_bracket(
    keeper: httpx.Client, small_site: Served
) -> None:
    """The form takes several numbers of games; the bracket shows who plays on, and the round each game."""
    wrong = keeper.post(
        "/tournaments/plan", data={**FORM, "plan.name": "Copa", "plan.format": "KNOCKOUT", "plan.bestOf": "two"}
    )
    assert (wrong.status_code, "Write one odd number" in wrong.text) == (422, True)
    even = keeper.post(
        "/tournaments/plan", data={**FORM, "plan.name": "Copa", "plan.format": "KNOCKOUT", "plan.bestOf": "2"}
    )
    assert (even.status_code, "Must be an odd number" in even.text) == (422, True)
    page = keeper.post(
        "/tournaments/plan", data={**FORM, "plan.name": "Copa", "plan.format": "KNOCKOUT", "plan.bestOf": "1, 3"}
    )
    home = httpx.URL(str(page.url)).path
    tournament = home.rpartition("/")[2]
    send(small_site.league, *(EnterCompetitor(tournament, (player,)) for player in ("ana", "bea", "cira", "dora")))
    publish(small_site, tournament)
    play(small_site, tournament)
    publish(small_site, tournament)
    small_site.follow(str(small_site.league.store.head()))
    shown = keeper.get(home).text
    assert ("Final" in shown, "Pair tables by hand" in shown) == (True, False)
    bracket = keeper.get(f"{home}/bracket").text
    assert re.findall(r"<h3>([^<]+)</h3>", bracket) == ["Semi-finals", "Final"]
    assert "For the third place" in bracket
    play(small_site, tournament)
    small_site.follow(str(small_site.league.store.head()))
    assert keeper.get(f"{home}/rounds/2").text.count("Game 2") == 1
    champion = state_of(small_site, tournament).rounds[1].tables[0].sides[1][0]
    card = keeper.get(f"{home}/competitors/{champion}").text
    assert ("Final · Table 1" in card, "<b>0 – 2</b>" in card, card.count("10–150")) == (True, True, 2)  # noqa: RUF001
    assert keeper.get("/tournaments/plan").status_code == 200


@pytest.mark.heavy
def test_the_pages_of_a_knock_out_speak_of_ties_and_of_what_leaving_means(
    keeper: httpx.Client, small_site: Served
) -> None:
    """Ties are counted as ties, a certain rank is one number, no order of tie-breaks is offered, a preview is sure."""
    plan = {"name": "C", "format": "knockout", "mode": "1v1", "ruleset": "cuban-150", "best_of": 3}
    players = ("ana", "bea", "cira", "dora")
    send(small_site.league, PlanTournament("cruces", plan), *(EnterCompetitor("cruces", (one,)) for one in players))
    publish(small_site, "cruces")
    loser = state_of(small_site, "cruces").rounds[0].tables[0].sides[1][0]
    play(small_site, "cruces")
    publish(small_site, "cruces")
    third = next(
        table for table in state_of(small_site, "cruces").rounds[1].tables if loser in table.sides[0] + table.sides[1]
    )
    assert third.match is not None
    small_site.follow(str(small_site.league.store.head()))
    home = "/tournaments/cruces"
    assert "0 ties won, 1 tie lost" in keeper.get(f"{home}/competitors/{loser}").text
    assert "the tie is lost" in keeper.get(f"{home}/competitors/{loser}/withdraw").text
    assert "Another order" not in keeper.get(f"{home}/standing").text
    assert "will give other tables" not in keeper.get(f"{home}/preview").text
    assert f'href="/matches/{third.match}/result"' in keeper.get(f"/matches/{third.match}").text
    play(small_site, "cruces")
    small_site.follow(str(small_site.league.store.head()))
    shown = keeper.get(home).text
    assert (">1</td>" in shown, "1–1" in shown) == (True, False)  # noqa: RUF001


@pytest.mark.heavy
def test_a_tie_that_is_corrected_after_the_next_round_says_so(keeper: httpx.Client, small_site: Served) -> None:
    """The pages say who won and who plays on, and that the round can be withdrawn while nobody has played in it."""
    plan = {"name": "C", "format": "knockout", "mode": "1v1", "ruleset": "cuban-150", "third_place": False}
    players = ("ana", "bea", "cira", "dora")
    send(small_site.league, PlanTournament("cambio", plan), *(EnterCompetitor("cambio", (one,)) for one in players))
    publish(small_site, "cambio")
    play(small_site, "cambio")
    publish(small_site, "cambio")
    home = "/tournaments/cambio"
    small_site.follow(str(small_site.league.store.head()))
    begun = keeper.get(home).text
    assert ("By the corrected result" in begun, "competitors.0.players.0" in begun) == (False, False)
    table = state_of(small_site, "cambio").rounds[0].tables[0]
    assert table.match is not None
    send(small_site.league, ReopenMatch(table.match, "wrong side"))
    small_site.follow(str(small_site.league.store.head()))
    assert "Its result is open again." in keeper.get(f"{home}/bracket").text
    send(small_site.league, RecordResult(table.match, AnnouncedResult(1, (40, 150))))
    small_site.follow(str(small_site.league.store.head()))
    on, winner = (side[0].capitalize() for side in table.sides)
    said = f"By the corrected result {winner} won. Round 2 was published before, with {on}."
    shown = keeper.get(home).text
    assert (said in shown, "Let it stand, or withdraw round 2" in shown) == (True, True)
    assert keeper.get(f"{home}/bracket").text.count(said) == 1
    play(small_site, "cambio")
    small_site.follow(str(small_site.league.store.head()))
    assert "The next round stands" in keeper.get(home).text


@pytest.mark.heavy
def test_who_is_out_of_groups_is_told_so_and_what_the_figures_are(keeper: httpx.Client, small_site: Served) -> None:
    """Not that they sit out. The figures are those of the groups; a correction there can have the final drawn anew."""
    plan = {"name": "G", "format": "groups", "groups": 2, "advance": 1, "mode": "1v1", "ruleset": "cuban-150"}
    players = ("ana", "bea", "cira", "dora", "eva", "flor")
    send(small_site.league, PlanTournament("grupos", plan), *(EnterCompetitor("grupos", (one,)) for one in players))
    publish(small_site, "grupos")
    small_site.follow(str(small_site.league.store.head()))
    home = "/tournaments/grupos"

    def seen_by(player: str) -> str:
        with contextmanager(visitor)(small_site, player, "player") as theirs:
            return theirs.get(home).text

    waiting = state_of(small_site, "grupos").rounds[0].byes[0]
    assert ("You sit out in round 1" in seen_by(waiting), "You are out" in seen_by(waiting)) == (True, False)
    before = keeper.get(home).text
    assert re.search(r'<meta name="description" content="[^"]*4 rounds"', before), "nobody is ranked before any result"
    assert "those of the groups" not in before
    for _ in range(3):
        play(small_site, "grupos")
        publish(small_site, "grupos")
    small_site.follow(str(small_site.league.store.head()))
    final = state_of(small_site, "grupos").rounds[-1].tables[0]
    out = next(player for player in players if player not in final.competitors)
    assert ("You are out of this" in seen_by(out), "You sit out" in seen_by(out)) == (True, False)
    assert "You are out of this" not in seen_by(final.competitors[0])
    for page in ("", "/standing", "/sheets"):
        assert "The figures are those of the groups" in keeper.get(home + page).text, page
    assert "those of the groups" not in keeper.get(f"{home}/standing?round=1").text
    assert f'href="{home}/plan"' not in keeper.get(home).text
    fixed = keeper.get(f"{home}/plan").text
    assert ("it follows from who takes part" in fixed, "plan.rounds" in fixed) == (True, False)
    of_groups = [table for one in state_of(small_site, "grupos").rounds[:3] for table in one.tables]
    wins = Counter(table.competitors[0] for table in of_groups)
    won_by_finalists = [table for table in of_groups if table.competitors[0] in final.competitors]
    decisive = str(max(won_by_finalists, key=lambda table: wins[table.competitors[1]]).match)
    send(small_site.league, ReopenMatch(decisive, "wrong side"), RecordResult(decisive, AnnouncedResult(1, (40, 150))))
    small_site.follow(str(small_site.league.store.head()))
    assert "withdraw round 4 before play begins" in keeper.get(home).text


def test_a_tournament_without_a_bracket_has_no_page_of_it(keeper: httpx.Client, small_site: Served) -> None:
    """The page is that of knock-outs and groups."""
    send(
        small_site.league,
        PlanTournament("suizo", {"name": "S", "format": "swiss", "ruleset": "cuban-150", "rounds": 2}),
    )
    small_site.follow(str(small_site.league.store.head()))
    assert keeper.get("/tournaments/suizo/bracket").status_code == 404


@pytest.mark.heavy
def test_a_result_is_corrected_on_one_form(keeper: httpx.Client, small_site: Served) -> None:
    """It opens from the page of the round. The tie goes on, and a second tap does nothing."""
    plan = {"name": "C", "format": "knockout", "mode": "1v1", "ruleset": "cuban-150", "best_of": 3}
    send(small_site.league, PlanTournament("uno", plan), *(EnterCompetitor("uno", (one,)) for one in ("ana", "bea")))
    publish(small_site, "uno")
    match = state_of(small_site, "uno").rounds[0].tables[0].match
    send(small_site.league, RecordResult(str(match), AnnouncedResult(0, (150, 40))))
    second = state_of(small_site, "uno").rounds[0].tables[0].match
    send(small_site.league, RecordResult(str(second), AnnouncedResult(0, (150, 50))))
    small_site.follow(str(small_site.league.store.head()))
    shown = keeper.get("/tournaments/uno/rounds/1").text
    assert ("decided" in shown, f'href="/matches/{second}/correct-result"' in shown) == (True, True)
    form = keeper.get(f"/matches/{second}/correct-result")
    assert ('value="150"' in form.text, "Game 2 of 3" in form.text) == (True, True)
    at = keeper.get(f"/matches/{second}").text
    assert ("Round 1, table 1" in at, "Game 2 of 3" in at) == (True, True)
    assert '<a class="button" href="/tournaments/uno/rounds/1">' in at, "it leads on, and no rematch is offered"
    assert 'class="actions rematch"' not in at + keeper.get("/").text
    assert f'<a class="button" href="/matches/{second}">Game 2 of 3' in keeper.get(f"/matches/{match}").text
    found = re.findall(r'<input[^>]*name="(idempotencyKey|expectedPosition)"[^>]*value="([^"]*)"', form.text)
    sent = {
        **dict(found), "announced.score.0": "60", "announced.score.1": "150", "announced.winner": "",
        "reason": "sides mixed up",
    }  # fmt: skip
    before = small_site.league.store.head()
    for _ in range(2):
        page = keeper.post(f"/matches/{second}/correct-result", data=sent)
        assert page.status_code == 200
    stored = small_site.league.store.read_after(before, 9)
    names = [type(one.event).__name__ for one in stored]
    opened = {"MatchEntered"}  # unless the two have met as often as the series allows
    assert {*names} - opened == {"GameOpened", "MatchEnded", "MatchOpened", "MatchReopened"}
    third = state_of(small_site, "uno").rounds[0].tables[0].match
    assert third not in (match, second)
    stale = keeper.post(
        f"/matches/{second}/correct-result", data={**sent, "idempotencyKey": "k2", "announced.score.0": "70"}
    )
    assert (stale.status_code, "Stored now" in stale.text) == (422, True)


def test_a_result_below_the_target_is_asked_for_before_it_is_stored(keeper: httpx.Client, small_site: Served) -> None:
    """A slip of the pen comes back with what to check; who says that it ended so has it stored."""
    plan = {"name": "C", "format": "knockout", "mode": "1v1", "ruleset": "cuban-150"}
    send(small_site.league, PlanTournament("poco", plan), *(EnterCompetitor("poco", (one,)) for one in ("ana", "bea")))
    publish(small_site, "poco")
    match = state_of(small_site, "poco").rounds[0].tables[0].match
    small_site.follow(str(small_site.league.store.head()))
    sent = {"announced.score.0": "120", "announced.score.1": "80", "announced.winner": ""}
    asked = keeper.post(f"/matches/{match}/result", data=sent)
    assert (asked.status_code, "Nobody has reached the target" in asked.text, 'name="isSo"' in asked.text) == (
        422, True, True,
    )  # fmt: skip
    stored = keeper.post(f"/matches/{match}/result", data={**sent, "isSo": "yes"})
    assert stored.status_code == 200
    small_site.follow(str(small_site.league.store.head()))
    assert "120" in keeper.get(f"/matches/{match}").text
