"""A tournament on its pages: planned, entered, drawn, published, shown on the wall and on paper."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import httpx
import pytest
from api_server import Served, token
from desk import address, cookie_of
from http_clients import NO_TLS
from leagues import send
from waiting import LIMIT, wait_until

from league.domain.league import ChangeSettings
from league.domain.match import RecordResult
from league.domain.result import AnnouncedResult
from league.infra.database import connect
from league.tournaments import pairing
from league.tournaments.domain.commands import CloseRound, DrawRound, EnterCompetitor, PlanTournament, PublishRound
from league.tournaments.drawing import draw_round, publish_round
from league.tournaments.explaining import explain_round


@pytest.fixture
def keeper(small_site: Served) -> Iterator[httpx.Client]:
    """A scorekeeper's browser without JavaScript."""
    yield from visitor(small_site, "kim", "scorekeeper")


@pytest.fixture
def ana(small_site: Served) -> Iterator[httpx.Client]:
    """The browser of a player."""
    yield from visitor(small_site, "ana", "player")


def visitor(site: Served, sub: str, role: str) -> Iterator[httpx.Client]:
    cookies = {"league": cookie_of(site, sub, role), "language": "en"}
    headers = {"Origin": address(site, "")}
    place = address(site, "")
    with httpx.Client(
        base_url=place, cookies=cookies, headers=headers, timeout=LIMIT, follow_redirects=True, verify=NO_TLS
    ) as client:
        yield client


@pytest.mark.heavy
def test_a_tournament_is_run_on_its_pages(keeper: httpx.Client, ana: httpx.Client, small_site: Served) -> None:
    """Six players rotate partners: two sit out, somebody does not come, and players see where they sit."""
    page = plan(keeper, name="Copa de la casa", check_in=True)
    assert "Copa de la casa" in page.text
    home = str(page.url)
    for player in ("Ana", "Bea", "Cira", "Dora", "Eva"):
        assert keeper.post(home, data={"competitors.0.players.0": player}).status_code == 200
    again = keeper.post(home, data={"competitors.0.players.0": "Ana"})
    assert again.status_code == 422
    assert "already exists" in again.text
    nobody = keeper.post(f"{home}/check-in")
    assert (nobody.status_code, "Tick who is there." in nobody.text) == (422, True)
    there = {f"there.{player}": "yes" for player in ("bea", "cira", "dora", "eva")}
    assert keeper.post(f"{home}/check-in", data=there).status_code == 200
    again = keeper.post(f"{home}/check-in", data={"there.bea": "yes", "there.cira": "yes"})
    assert (again.status_code, "Competitor Bea is checked in" in again.text) == (422, True)
    assert "Preview of Copa de la casa" in keeper.get(f"{home}/preview").text
    assert "Check in" in ana.get(home).text
    hers = re.findall(r'name="(there\.[^"]+)"', ana.get(home).text)
    assert hers == ["there.ana"]
    assert ana.post(f"{home}/check-in", data=dict.fromkeys(hers, "yes")).status_code == 200
    assert ana.post(f"{home}/competitors/bea/withdraw").status_code == 422

    drawn = keeper.post(f"{home}/draw")
    assert "drawn, not published" in drawn.text
    assert "Table 1" not in ana.get(home).text, "what is not published is not shown"
    published = keeper.post(f"{home}/rounds/1/publish")
    assert "copa" not in published.text or "Round 1" in published.text
    seen = ana.get(home).text
    assert ("Your table in round 1" in seen) != ("You sit out in round 1" in seen)
    before, _, _ = ana.get("/").text.partition("<h2>Leaderboard")
    assert ("Your table in round 1" in seen) == ("You play at table 1, with" in before)
    why = keeper.get(f"{home}/rounds/1")
    assert re.search(r"<code>[0-9a-f]{64}</code>", why.text)

    absent = f"{home}/rounds/1/tables/1/absent"
    assert "checked" not in keeper.get(absent).text, "nobody is chosen beforehand"
    unsaid = keeper.post(absent)
    assert (unsaid.status_code, "Say who did not come." in unsaid.text) == (422, True)
    assert keeper.post(absent, data={"sides": "1"}).status_code == 200
    shown = keeper.get(home).text
    assert "walkover" in shown
    assert re.findall(r'<b class="number">(\d+)</b>', shown) == ["75", "0"]
    sheets = keeper.get(f"{home}/sheets").text
    assert ("Table 1" in sheets, "By name" in sheets, sheets.count("QR code of")) == (True, True, 2)
    names = ana.get(f"{home}/names").text
    assert re.findall(r"<bdi>([A-Z][a-z]+)</bdi>", names)[1:] == ["Ana", "Bea", "Cira", "Dora", "Eva"]
    card = ana.get(f"{home}/competitors/ana").text
    assert "Score card of Ana" in card
    assert ("Then in place" in card, ana.get(f"{home}/competitors/fela").status_code) == (True, 404)
    wall = httpx.get(f"{address(small_site, '')}{httpx.URL(home).path}/screen")
    assert wall.text.count('class="turned') == 2
    assert keeper.post(f"{home}/rounds/1/close").status_code == 200
    assert "Tournaments" in keeper.get("/").text


@pytest.mark.heavy
def test_everybody_who_is_missing_is_checked_in_with_one_button(keeper: httpx.Client, ana: httpx.Client) -> None:
    """The button checks in those whom the page showed as missing, even if one has checked in since."""
    home = entered(keeper, "Copa con llegada", check_in=True)
    refused = keeper.post(f"{home}/draw")
    assert (refused.status_code, "say first who is here, or enter more" in refused.text) == (422, True)
    page = keeper.get(home).text
    assert re.findall(r'<input type="checkbox"[^>]* name="there\.([^"]+)"', page) == ["ana", "bea", "cira", "dora"]
    missing = re.findall(r'name="missing" value="([^"]+)"', page)
    assert ana.post(f"{home}/check-in", data={f"there.{missing[0]}": "yes"}).status_code == 200
    there = keeper.post(f"{home}/check-in", data={"everybody": "yes", "missing": missing})
    assert (there.status_code, "Who is there?" in there.text, "not there yet" in there.text) == (200, False, False)


@pytest.mark.heavy
def test_the_page_says_that_a_large_round_is_being_computed(
    keeper: httpx.Client, ana: httpx.Client, small_site: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The drawing answers at once. Keepers and players see since when the tables are computed, and then the tables."""
    monkeypatch.setattr(pairing, "MOST_IN_THREAD", 3)
    home = entered(keeper, "Copa grande")
    name = f"drawing:{httpx.URL(home).path.rpartition('/')[2]}"
    with connect(small_site.league.database.url, autocommit=True) as conn:
        conn.execute("SELECT pg_advisory_lock(hashtextextended(%s, 0))", [name])  # nobody computes it meanwhile
        drawn = keeper.post(f"{home}/draw")
        for page in (drawn.text, ana.get(home).text, keeper.get(f"{home}/rounds/1").text):
            assert "Its tables are being computed" in page
            assert "Publish round 1" not in page
    shown = wait_until(lambda: found if "Publish round 1" in (found := keeper.get(home).text) else None)
    assert "Its tables are being computed" not in shown
    assert "Table 1" in shown


@pytest.mark.heavy
def test_several_enter_with_one_form(keeper: httpx.Client) -> None:
    """All of them enter or nobody. An unknown name, an empty row and a repeated entry are refused beside their rows."""
    home = str(plan(keeper, name="Copa de varios", mode="ONE_ON_ONE", format_="SWISS").url)
    form = f"{home}/enter"
    assert keeper.get(form).status_code == 200
    empty = keeper.post(form)
    assert (empty.status_code, empty.headers["X-Refused"]) == (422, "INVALID; competitors.0.players.0")
    gap = keeper.post(form, data={"competitors.0.players.0": "Ana", "competitors.2.players.0": "Bea"})
    assert (gap.status_code, gap.headers["X-Refused"]) == (422, "INVALID; competitors.1.players.0")
    rows = {"competitors.0.players.0": "Ana", "competitors.1.players.0": "Bea", "competitors.1.fixedTable": "0"}
    wrong = keeper.post(form, data={**rows, "competitors.2.players.0": "Ana"})
    assert wrong.headers["X-Refused"] == "INVALID; competitors.1.fixedTable; competitors.2.players.0"
    assert "0 take part" in keeper.get(home).text
    stored = keeper.post(form, data={**rows, "competitors.1.fixedTable": "1", "competitors.2.players.0": "Cira"})
    assert (stored.status_code, "3 take part" in stored.text) == (200, True)


def send_entries(
    keeper: httpx.Client, tournament: str, content: str = "", encoding: str = "utf-8", **fields: str
) -> httpx.Response:
    """Send the form of entries, as a browser does: with a file that has no name where none was chosen."""
    parts = [f'name="{name}"\r\n\r\n{value}' for name, value in {"tournament": tournament, **fields}.items()]
    name = "inscritos.csv" if content else ""
    parts.append(f'name="file"; filename="{name}"\r\nContent-Type: text/csv\r\n\r\n{content}')
    body = "".join(f"--mark\r\nContent-Disposition: form-data; {part}\r\n" for part in parts) + "--mark--\r\n"
    headers = {"Content-Type": "multipart/form-data; boundary=mark"}
    return keeper.post("/record/entries", content=body.encode(encoding), headers=headers)


@pytest.mark.heavy
def test_a_sheet_enters_everybody_or_nobody(keeper: httpx.Client, ana: httpx.Client) -> None:
    """Unknown names are asked for, the file goes on, and who would enter is shown before it is stored."""
    home = str(plan(keeper, name="Copa de la hoja", mode="TWO_ON_TWO", format_="SWISS").url)
    page = re.search(r'href="([^"]*/record/entries[^"]*)"', keeper.get(home).text)
    assert page is not None
    assert keeper.get(page[1]).status_code == 200
    assert ana.get(page[1]).status_code == 403
    assert keeper.get("/record/entries?tournament=none").status_code == 404
    assert ana.post("/record/entries", content="no form").status_code == 403, "before any of it is read"
    tournament = home.rpartition("/")[2]

    sent = partial(send_entries, keeper, tournament)
    wrong = sent("jugador;pareja;mesa\nAnna;Bea;1\nCira / Dora;;x\n")
    assert (wrong.status_code, "Who is Anna?" in wrong.text, "C3" in wrong.text) == (422, True, True)
    asked = sent("jugador;pareja;mesa\nAnna;Bea;1\nCira / Dora;;\n")
    kept = dict(re.findall(r'<input type="hidden" name="(name\.0|keptFile|keptName)" value="([^"]*)"', asked.text))
    seen = sent(**kept, **{"as.0": "player:ana Ana", "preview": "true"})
    assert seen.status_code == 200, seen.text
    assert "2 competitors. Nothing is stored." in seen.text
    assert "0 take part" in keeper.get(home).text
    said = dict(re.findall(r'<input type="hidden" name="((?:name|as|other)\.0)" value="([^"]*)"', seen.text))
    stored = sent(**{**kept, **said})
    assert (str(stored.url), "2 take part" in stored.text) == (home, True)
    noted = sent("jugador;pareja\nÉva;Flor\n", "cp1252")
    assert (noted.status_code, "1 competitor has entered." in noted.text) == (200, True), noted.text
    assert "Windows-1252" in noted.text


@pytest.mark.heavy
def test_a_substitute_takes_a_place(keeper: httpx.Client) -> None:
    """Who withdraws gives a reason, if any; the page offers the place, and says who has taken it."""
    home = entered(keeper, "Copa con suplente")
    assert "In the place of" not in keeper.get(home).text
    assert "Withdraw Dora" in keeper.get(f"{home}/competitors/dora/withdraw").text
    gone = keeper.post(f"{home}/competitors/dora/withdraw", data={"reason": "had to leave"})
    assert (gone.status_code, "withdrew" in gone.text) == (200, True)
    there = keeper.post(home, data={"competitors.0.players.0": "Eva", "competitors.0.replaces": "dora"})
    assert (there.status_code, "in the place of Dora" in there.text) == (200, True)
    assert "In the place of" not in there.text, "the place is taken"
    assert keeper.get(f"{home}/competitors/nobody/withdraw").status_code == 404


def test_a_pasted_list_asks_who_is_meant_and_registers_who_is_new(keeper: httpx.Client) -> None:
    """An unknown name, and one that stands twice, is asked for by its line; who is said to be new is registered."""
    home = str(plan(keeper, name="Copa pegada", mode="ONE_ON_ONE", format_="SWISS").url)
    paste = partial(send_entries, keeper, home.rpartition("/")[2], "", "utf-8")
    lines, new = "1. Ana\r\n\r\n2. Bea\r\n3. Nuria\r\n4. Ana\r\n", {"name.0": "Nuria", "as.0": "new"}
    asked = paste(pasted=lines)
    assert (asked.status_code, "Who is Nuria?" in asked.text, "Line 4" in asked.text) == (422, True, True), asked.text
    assert "0 take part" in keeper.get(home).text
    twice = paste(pasted=lines, **new)
    assert (twice.status_code, "already exists" in twice.text, "3. Nuria" in twice.text) == (422, True, True)
    seen = paste(pasted="Ana\r\nNuria", preview="true", **new)
    assert (seen.status_code, "1 is new, and is registered" in seen.text) == (200, True)
    stored = paste(pasted="Ana\r\nNuria", **new)
    assert (stored.status_code, "2 take part" in stored.text) == (200, True)


def test_all_who_are_new_are_registered_with_one_tap(keeper: httpx.Client) -> None:
    """Only names that are near to nobody's; what would be stored is shown first."""
    home = str(plan(keeper, name="Copa de nuevos", mode="ONE_ON_ONE", format_="SWISS").url)
    paste = partial(send_entries, keeper, home.rpartition("/")[2], "", "utf-8")
    lines = "1️⃣ Ana\r\n2️⃣ Wenceslao\r\n3️⃣ Xiomara 🔥\r\n4️⃣ Anna\r\n"
    asked = paste(pasted=lines)
    assert (asked.status_code, "Register all 2 as new players" in asked.text) == (422, True), asked.text
    hidden = dict(re.findall(r'<input type="hidden" name="((?:name|fresh)\.\d)" value="([^"]*)"', asked.text))
    again = paste(pasted=lines, registerAll="true", **hidden)
    assert (again.status_code, "Who is Anna?" in again.text) == (422, True)
    assert ("Wenceslao: a new player" in again.text, "Xiomara: a new player" in again.text) == (True, True)
    seen = paste(pasted=lines.replace("Anna", "Bea"), registerAll="true", **hidden)
    assert (seen.status_code, "2 are new, and are registered" in seen.text) == (200, True)
    assert "0 take part" in keeper.get(home).text


def test_the_form_of_a_plan_offers_rules_that_fit(keeper: httpx.Client) -> None:
    """Each says in which modes it is played; partners rotate only in pairs, whatever mode a hidden control has."""
    form = keeper.get("/tournaments/plan").text
    assert 'data-modes="TWO_ON_TWO ONE_ON_ONE"' in form
    assert re.search(r'value="partnership-6" data-modes="TWO_ON_TWO"[^>]*>[^<]*only pairs', form)
    rotating = plan(keeper, name="Copa que rota", mode="ONE_ON_ONE", format_="ROTATING_PARTNERS")
    assert rotating.status_code == 200
    assert "Copa que rota" in rotating.text


@pytest.mark.heavy
def test_a_player_is_offered_no_sheet(keeper: httpx.Client, ana: httpx.Client) -> None:
    """Players enter themselves; the page of sheets is for scorekeepers."""
    home = entered(keeper, "Copa sin hoja")
    assert "/record/entries" in keeper.get(f"{home}/enter").text
    form = ana.get(f"{home}/enter")
    assert (form.status_code, "/record/entries" in form.text) == (200, False)


@pytest.mark.heavy
def test_fixtures_are_drawn_on_their_page(keeper: httpx.Client) -> None:
    """Who meets and on which day; play begins at a table with a button, and a round can be drawn again."""
    home = entered(keeper, "Liga", format_="FIXTURES", mode="ONE_ON_ONE")
    form = f"{home}/fixtures"
    half = keeper.post(form, data={"meetings.0.one": "ana"})
    assert (half.status_code, "Meeting 1 needs two." in half.text) == (422, True)
    wrong = keeper.post(form, data={"day": "tomorrow"})
    assert wrong.status_code == 422
    pairs = (("ana", "bea"), ("cira", "dora"))
    meetings = {
        f"meetings.{number}.{end}": who
        for number, two in enumerate(pairs)
        for end, who in zip(("one", "other"), two, strict=True)
    }
    assert keeper.post(form, data={**meetings, "day": "2026-12-01"}).status_code == 200
    assert "again" in keeper.get(form).text
    drawn = keeper.post(form, data={**meetings, "until": "2026-12-05", "again": "no hall"})
    assert "until Dec 5, 2026" in drawn.text
    published = keeper.post(f"{home}/rounds/1/publish")
    assert "Play begins" in published.text
    assert "Record the result" in keeper.post(f"{home}/rounds/1/tables/1/open").text


@pytest.mark.heavy
def test_an_evening_shows_who_leads_what_counts_and_who_left(keeper: httpx.Client, small_site: Served) -> None:
    """The provisional standing is marked; a score above the cap says what counts; who left early has no rank."""
    home = entered(keeper, "Liga de casa", format_="ROUND_ROBIN", mode="ONE_ON_ONE")
    keeper.post(f"{home}/draw")
    published = keeper.post(f"{home}/rounds/1/publish").text
    assert "If all matches ended now" not in published
    first, *others = re.findall(r'href="/matches/([^"/]+)/result"', published)
    facts = {"starter": 0, "ended": {"by": "DOMINO", "seat": 0}, "leftover": [{"tiles": []}, {"pips": 45}]}
    small_site.follow(small_site.do("recordHand", token("scorekeeper"), match=first, facts=facts)["position"])
    assert "If all matches ended now" in keeper.get(home).text
    small_site.follow(small_site.do("endMatch", token("scorekeeper"), match=first)["position"])
    result = {"announced.score.0": "187", "announced.score.1": "40", "announced.winner": "0"}
    for match in others:
        assert keeper.post(f"/matches/{match}/result", data=result).status_code == 200
    played = keeper.get(home).text
    assert "If all matches ended now" not in played
    assert "counts 150" in played
    leaver = re.search(rf"{re.escape(home.removeprefix(address(small_site, '')))}/competitors/([^/]+)/withdraw", played)
    assert leaver is not None
    assert keeper.post(f"{home}/competitors/{leaver[1]}/withdraw").status_code == 200
    left = keeper.get(home).text
    assert "does not count" in left
    assert "It counts for nobody" in left
    assert "walkover" in keeper.post(f"{home}/draw").text


@pytest.mark.heavy
def test_a_round_shows_what_can_be_done_and_what_was_corrected(keeper: httpx.Client, small_site: Served) -> None:
    """Each open table leads to its result and its next hand; a correction is said where the next round is published."""
    home = entered(keeper, "Copa corregida", format_="SWISS", mode="ONE_ON_ONE")
    keeper.post(f"{home}/draw")
    keeper.post(f"{home}/rounds/1/publish")
    first = keeper.get(f"{home}/rounds/1").text
    assert "Record the result" in first
    matches = re.findall(r'href="/matches/([^"/]+)/result"', first)
    for match in matches:
        result = {"announced.score.0": "150", "announced.score.1": "40", "announced.winner": "0"}
        assert keeper.post(f"/matches/{match}/result", data=result).status_code == 200
    played = keeper.get(home).text
    assert "Each side counts at most the target of the rules." in played
    assert "Each side counts at most" not in first
    assert 'data-left="Time left in the round: {left}"' in played
    assert re.search(r'data-begins="2\S+" data-bell="2', played)
    keeper.post(f"{home}/draw")
    assert "Results were corrected" not in keeper.get(home).text
    keeper.post(f"/matches/{matches[0]}/reopen", data={"reason": "turned"})
    turned = {"announced.score.0": "40", "announced.score.1": "150", "announced.winner": "1"}
    keeper.post(f"/matches/{matches[0]}/result", data=turned)
    outdated = keeper.get(home).text
    assert "What this round was drawn on has changed since" in outdated
    assert "Publish round 2 all the same" in outdated
    second = keeper.get(f"{home}/rounds/2").text
    assert "a drawn round" in second
    assert "A round in play never changes" not in second
    assert "was drawn: draw it again" in keeper.post(f"{home}/rounds/2/publish").text
    keeper.post(f"{home}/rounds/2/publish", data={"evenIfOutdated": "yes"})
    for page in (f"{home}/rounds/2", home):
        assert "A round in play never changes" in keeper.get(page).text
    assert f'href="{httpx.URL(home).path}/rounds/1"' in second
    assert "Next round" in keeper.get(f"{home}/rounds/1").text
    wall = httpx.get(f"{address(small_site, '')}{httpx.URL(home).path}/screen").text
    assert "data-bell" in wall


@pytest.mark.heavy
def test_a_round_is_withdrawn_and_drawn_anew_on_its_pages(keeper: httpx.Client) -> None:
    """The form says what follows and asks why. All pages tell players to wait; the new drawing has the same number."""
    home = entered(keeper, "Copa retirada", format_="SWISS", mode="ONE_ON_ONE")
    keeper.post(f"{home}/draw")
    assert "Withdraw the round" in keeper.post(f"{home}/rounds/1/publish").text
    asked = keeper.get(f"{home}/rounds/1/withdraw").text
    assert "Withdraw round 1" in asked
    assert "it is drawn anew under its number, with new matches" in asked
    withdrawn = keeper.post(f"{home}/rounds/1/withdraw", data={"reason": "wrong names"}).text
    assert "Round 1 was withdrawn: wrong names" in withdrawn
    assert "Record the result" not in withdrawn
    assert "Draw round 1" in withdrawn
    for page in ("screen", "sheets", "rounds/1"):
        assert "Wait for the new ones." in keeper.get(f"{home}/{page}").text, page
    assert "can be withdrawn" in keeper.get(f"{home}/rounds/1/withdraw").text
    keeper.post(f"{home}/draw")
    keeper.post(f"{home}/rounds/1/publish")
    again = keeper.get(f"{home}/rounds/1").text
    assert "Record the result" in again
    assert "withdrawn: wrong names" in " ".join(again.split())
    assert "Wait for the new ones." not in again


@pytest.mark.heavy
def test_a_player_asks_for_a_bye_and_takes_it_back(keeper: httpx.Client, ana: httpx.Client) -> None:
    """On their own phone; an organiser does it for anybody. Pages show who asked, and the player that they sit out."""
    home = entered(keeper, "Copa con descansos", format_="SWISS", mode="ONE_ON_ONE")
    path = httpx.URL(home).path
    assert f"{path}/competitors/ana/bye" in ana.get(path).text
    assert f"{path}/competitors/bea/bye" not in ana.get(path).text
    assert "Which round?" in ana.get(f"{path}/competitors/ana/bye").text
    asked = ana.post(f"{path}/competitors/ana/bye", data={"round": "1"}).text
    assert "bye in round 1" in asked
    assert "bye in round 1" not in ana.post(f"{path}/competitors/ana/no-bye", data={"round": "1"}).text
    keeper.post(f"{home}/competitors/ana/bye", data={"round": "1"})
    assert "asked for a bye of this round already" in ana.post(f"{path}/competitors/ana/bye", data={"round": "1"}).text
    keeper.post(f"{home}/draw")
    assert "Asked for a bye: <bdi>Ana</bdi>" in keeper.post(f"{home}/rounds/1/publish").text
    assert "You sit out in round 1" in ana.get(path).text
    assert "There is no bye that can be taken back." in ana.get(f"{path}/competitors/ana/no-bye").text


@pytest.mark.heavy
def test_players_say_that_the_others_did_not_come(keeper: httpx.Client, ana: httpx.Client, small_site: Served) -> None:
    """The other side is asked to confirm it, and the organiser sees a list; two who say it of each other are marked."""
    home = entered(keeper, "Copa de ausencias", format_="SWISS", mode="ONE_ON_ONE")
    path = httpx.URL(home).path
    keeper.post(f"{home}/draw")
    keeper.post(f"{home}/rounds/1/publish")
    assert "The other player did not come" in ana.get(path).text
    (opponent,) = re.findall(r"<p>against ([A-Z]\w+)</p>", ana.get(path).text)
    claimed = ana.post(f"{path}/rounds/1/competitors/ana/claim").text
    assert "You say that your opponent did not come." in claimed
    assert "Who did not come, as players say" not in claimed
    listed = keeper.get(home).text
    assert "Who did not come, as players say" in listed
    assert "each side says it of the other" not in listed
    with contextmanager(visitor)(small_site, opponent.lower(), "player") as theirs:
        asked = theirs.get(path).text
        assert "Your opponent says that you did not come." in asked
        assert f"{path}/rounds/1/competitors/{opponent.lower()}/confirm" in asked
        theirs.post(f"{path}/rounds/1/competitors/{opponent.lower()}/claim")
    assert "each side says it of the other" in keeper.get(home).text
    assert "an organiser decides" in ana.get(path).text


@pytest.mark.heavy
def test_a_standing_is_shown_under_another_order(keeper: httpx.Client) -> None:
    """The form stores nothing. What is still possible is told only for the plan's own order."""
    home = entered(keeper, "Copa ordenada")
    keeper.post(f"{home}/draw")
    published = keeper.post(f"{home}/rounds/1/publish").text
    assert "Still possible" in published
    assert "Direct" not in published, "partners rotate"
    other = keeper.get(f"{home}/standing", params={"order": ["FEWEST_BYES", "nothing", "FEWEST_BYES", ""]})
    assert "Under another order than the plan" in other.text
    assert "What each place rests on" in other.text
    assert "Still possible" not in other.text
    assert "Byes" in other.text
    assert "Still possible" in keeper.get(f"{home}/standing").text


@pytest.mark.heavy
def test_a_round_says_that_its_reasons_are_being_computed(keeper: httpx.Client, small_site: Served) -> None:
    """Its page says so once, until a worker has them, and then says at each table why it came about."""
    home = entered(keeper, "Copa explicada")
    keeper.post(f"{home}/draw")
    keeper.post(f"{home}/rounds/1/publish")
    before = wait_until(lambda: "Table 1" in (page := keeper.get(f"{home}/rounds/1")).text and page).text
    assert (before.count("Why each table came about is being computed"), " are partners, " in before) == (1, False)
    explain_round(small_site.league.database.url, home.rpartition("/")[2], 1)
    after = wait_until(lambda: "are partners," in (page := keeper.get(f"{home}/rounds/1")).text and page).text
    assert "is being computed" not in after


def test_a_plan_that_cannot_be_is_said_beside_its_control(keeper: httpx.Client) -> None:
    """The form still has what was typed."""
    page = plan(keeper, name="Otra", rounds="0")
    assert page.status_code == 422
    assert 'id="plan.rounds-error">Must be from 1 to 100.' in page.text
    assert 'value="Otra"' in page.text


@pytest.mark.heavy
def test_a_round_without_tables_can_be_published(keeper: httpx.Client, ana: httpx.Client, small_site: Served) -> None:
    """After a crash a drawing may be left unpublished. Only keepers see it, and can publish it."""
    home = entered(keeper, "Copa rota")
    small_site.follow(str(send(small_site.league, DrawRound(home.rpartition("/")[2]))))
    assert "Publish round 1" in keeper.get(home).text
    assert "Round 1" not in ana.get(home).text
    assert "Table 1" in keeper.post(f"{home}/rounds/1/publish").text


@pytest.mark.heavy
def test_a_keeper_pairs_a_table_by_hand(keeper: httpx.Client, ana: httpx.Client) -> None:
    """Two who were drawn against each other become partners; everybody sees it, and only keepers do it."""
    home = entered(keeper, "Copa a mano")
    keeper.post(f"{home}/draw")
    keeper.post(f"{home}/rounds/1/publish")
    form = f"{home}/rounds/1/pairings"
    seats = re.findall(r'name="(sides\.1\.[01])">.*?value="(\w+)" selected', keeper.get(form).text)
    (was,) = re.findall(r'name="was.1" value="([^"]+)"', keeper.get(form).text)
    assert was == "|".join(",".join(who for side, who in seats if side.endswith(of)) for of in "01")
    unchanged = {"was.1": was, "sides.1.0": [seats[0][1], seats[1][1]], "sides.1.1": [seats[2][1], seats[3][1]]}
    same = keeper.post(form, data={**unchanged, "reason": "no"})
    assert (same.status_code, "Choose somebody else at a table." in same.text) == (422, True)
    turned = {**unchanged, "sides.1.0": [seats[0][1], seats[2][1]], "sides.1.1": [seats[1][1], seats[3][1]]}
    twice = keeper.post(form, data={**turned, "sides.1.1": [seats[0][1], seats[3][1]], "reason": "a quarrel"})
    assert twice.status_code == 422
    done = keeper.post(form, data={**turned, "reason": "a quarrel"})
    assert (done.status_code, "by hand" in done.text) == (200, True)
    assert ana.get(form).status_code == 403


@pytest.mark.heavy
def test_a_plan_is_changed_on_its_page(keeper: httpx.Client) -> None:
    """Before the first round everything may change, afterwards only the number of rounds."""
    home = entered(keeper, "Copa corta")
    form = keeper.get(f"{home}/plan")
    changed = keeper.post(f"{home}/plan", data={**controls(form.text), "plan.name": "Copa larga", "plan.minutes": "30"})
    assert (changed.status_code, "Copa larga" in changed.text) == (200, True)
    keeper.post(f"{home}/draw")
    keeper.post(f"{home}/rounds/1/publish")
    form = keeper.get(f"{home}/plan")
    assert 'name="plan.name"' not in form.text
    assert "2 rounds" in keeper.post(f"{home}/plan", data={**controls(form.text), "plan.rounds": "2"}).text


@pytest.mark.heavy
def test_an_organiser_is_told_that_another_has_changed_the_plan(keeper: httpx.Client) -> None:
    """The form shows what is stored now beside what was typed. Sent again, it changes that."""
    home = entered(keeper, "Copa de dos", format_="SWISS", mode="ONE_ON_ONE")
    one, other = (controls(keeper.get(f"{home}/plan").text) for _ in range(2))
    sent = {**one, "plan.minutes": "20", "plan.lateEntries": "3"}
    assert keeper.post(f"{home}/plan", data=sent).status_code == 200
    told = keeper.post(f"{home}/plan", data={**other, "plan.rounds": "5"})
    assert (told.status_code, "has changed the plan since you read it" in told.text) == (422, True)
    assert "20 minutes · People may still enter until round: 3" in html.unescape(told.text)
    again = controls(told.text)
    assert again["plan.rounds"] == "5"
    assert "5 rounds" in keeper.post(f"{home}/plan", data={**again, "plan.minutes": "20"}).text


@pytest.mark.heavy
def test_a_round_robin_has_as_many_rounds_as_its_plan_says(keeper: httpx.Client) -> None:
    """The number is optional. If somebody wrote one, it holds, and may change while the tournament runs."""
    home = entered(keeper, "Liga", format_="ROUND_ROBIN", mode="ONE_ON_ONE", rounds="")
    assert "3 rounds" in keeper.get(home).text
    keeper.post(f"{home}/draw")
    keeper.post(f"{home}/rounds/1/publish")
    form = controls(keeper.get(f"{home}/plan").text)
    assert "2 rounds" in keeper.post(f"{home}/plan", data={**form, "plan.rounds": "2"}).text


def entered(keeper: httpx.Client, name: str, **settings: Any) -> str:
    """A tournament of four players who have checked in. Returns the address of its page."""
    home = str(plan(keeper, name=name, **settings).url)
    for player in ("Ana", "Bea", "Cira", "Dora"):
        keeper.post(home, data={"competitors.0.players.0": player})
    return home


def controls(page: str) -> dict[str, str]:
    """What a browser would send of the form of a plan."""
    inputs = re.findall(r'<input type="(?:text|hidden)"[^>]*?name="([^"]+)"[^>]*?value="([^"]*)"', page)
    texts = re.findall(r'<input type="text" value="([^"]*)"[^>]*?name="([^"]+)"', page)
    chosen = re.findall(r'<input type="radio" name="([^"]+)" value="([^"]+)"[^>]*? checked', page)
    selected = [
        (name, value)
        for name, options in re.findall(r'<select [^>]*?name="([^"]+)".*?>(.*?)</select>', page, re.DOTALL)
        for value in re.findall(r'value="([^"]+)" selected', options)
    ]
    found = [*inputs, *((name, value) for value, name in texts), *chosen, *selected]
    return {name: html.unescape(value) for name, value in found if name != "idempotencyKey"}


def test_unknown_tournaments_have_no_page(keeper: httpx.Client) -> None:
    """A round that is not drawn has no page either."""
    assert keeper.get("/tournaments/none").status_code == 404
    assert keeper.get("/tournaments/none/rounds/1").status_code == 404


def plan(
    keeper: httpx.Client,
    *,
    name: str,
    format_: str = "ROTATING_PARTNERS",
    mode: str = "TWO_ON_TWO",
    rounds: str = "3",
    check_in: bool = False,
) -> httpx.Response:
    """Fill in the plan and send it."""
    given = {
        "plan.name": name,
        "plan.format": format_,
        "plan.mode": mode,
        "plan.ruleset": "cuban-150",
        "plan.rounds": rounds,
        "plan.firstRound": "DRAWN",
        "plan.minutes": "20",
        "plan.atBell": "FINISH_HAND",
        "plan.lateEntries": "0",
        **({"plan.checkIn": "yes"} if check_in else {}),
    }
    return keeper.post("/tournaments/plan", data=given)


@pytest.mark.heavy
def test_the_winners_stand_on_the_page_when_all_rounds_are_closed(keeper: httpx.Client, small_site: Served) -> None:
    """Who shares a rank stands together. Results that await confirmation are counted, and an admin confirms all."""
    league = small_site.league
    plan_ = {"name": "Copa final", "format": "swiss", "mode": "1v1", "ruleset": "cuban-150", "rounds": 1}
    players = ("ana", "bea", "cira", "dora")
    send(league, PlanTournament("final", plan_), *(EnterCompetitor("final", (player,)) for player in players))
    send(league, ChangeSettings(confirmation=True))
    draw_round(league, DrawRound("final"), "kim")
    publish_round(league, PublishRound("final", 1), "kim")
    for number in (1, 2):
        send(league, RecordResult(f"final-r1-t{number}", AnnouncedResult(0, (150, 20))))
    send(league, ChangeSettings(confirmation=False), CloseRound("final", 1))
    small_site.follow(str(league.store.head()))
    home = f"{address(small_site, '')}/tournaments/final"
    shown = keeper.get(home).text
    assert ("not final yet" in shown, "2 results await confirmation" in shown) == (True, True)
    assert re.findall(r'<b class="rank">(\d)</b>', shown) == ["1", "3"]
    assert shown.count("shared place") == 2
    assert "Confirm all" not in shown, "only an admin confirms for everybody"
    for admin in visitor(small_site, "adm", "admin"):
        assert "Confirm all of round 1" in admin.get(home).text
        confirmed = admin.post(f"{home}/rounds/1/confirm")
        assert (confirmed.status_code, "await confirmation" in confirmed.text) == (200, False)
        again = admin.post(f"{home}/rounds/1/confirm")
        assert (again.status_code, "no result awaits confirmation" in again.text) == (422, True)
        assert '<a class="button second" href="/tournaments/final/end">' in admin.get(home).text
        asked = admin.get(f"{home}/end").text
        assert ("End Copa final" in asked, "Results can still be corrected" in asked) == (True, True)
        ended = admin.post(f"{home}/end").text
        assert "The tournament has ended." in admin.get(f"{home}/end").text
        small_site.follow(str(league.store.head()))
        wall = admin.get(f"{home}/screen").text
        assert ("The winners" in wall, "<h2>Tables" in wall) == (True, False)
        assert "competitors.0.players.0" not in admin.get(home).text, "nobody enters any more"
        assert ("The winners" in ended, "not final yet" in ended) == (True, False)


@pytest.mark.heavy
def test_players_record_the_result_of_their_own_table(keeper: httpx.Client, ana: httpx.Client) -> None:
    """Their table and the form of a hand lead to the form of the result; the table of others does not, and refuses."""
    home = entered(keeper, "Copa propia", format_="SWISS", mode="ONE_ON_ONE")
    keeper.post(f"{home}/draw")
    matches = re.findall(r'href="/matches/([^"/]+)/result"', keeper.post(f"{home}/rounds/1/publish").text)
    [own] = re.findall(r'href="/matches/([^"/]+)/result"', ana.get(home).text)
    [other] = set(matches) - {own}
    by_hand = ana.get(f"/matches/{own}/record").text
    assert f"/matches/{own}/result" in by_hand
    assert "Play stops" not in by_hand
    result = {"announced.score.0": "150", "announced.score.1": "40"}
    refused = ana.post(f"/matches/{other}/result", data=result)
    assert (refused.status_code, "somebody else" in refused.text) == (422, True)
    stored = ana.post(f"/matches/{own}/result", data=result)
    assert (stored.status_code, stored.url.path) == (200, f"/matches/{own}")
    assert "/result" not in ana.get(home).text
