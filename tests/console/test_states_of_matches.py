"""The state of a match has one name, wherever it stands."""

from __future__ import annotations

import re

import httpx
import pytest
from api_server import Served
from browsers import Tab, serious_faults
from desk import PHONE, cookie_of, shot
from leagues import at, domino, opened, played, send
from playwright.sync_api import expect
from waiting import wait_until

from league.domain.disputes import DisputeResult
from league.domain.league import ChangeSettings
from league.domain.match import EndMatch, ForfeitMatch, RecordResult, VoidMatch
from league.domain.result import AnnouncedResult

NAMES = {
    "running": "se juega",
    "waiting": "por confirmar",
    "done": "terminada",
    "stopped": "cortada",
    "given-up": "abandonada",
    "told": "solo el resultado",
    "struck": "anulada",
}
"""The state of each match of the league, by the end of its id."""


@pytest.fixture(scope="module")
def site(small_site: Served) -> Served:
    """A league with a match in each state."""
    league = small_site.league
    send(
        league,
        played("m-done", ("ana", "bea"), 1, domino(0, None, 90), domino(0, None, 70)),
        played("m-stopped", ("ana", "cira"), 3, domino(0, None, 90)),
        EndMatch("m-stopped", None, at(4)),
        opened("m-given-up", ("ana", "dora"), 5),
        ForfeitMatch("m-given-up", 0, at(6)),
        opened("m-told", ("ana", "eva"), 7),
        RecordResult("m-told", AnnouncedResult(0, (150, 20)), at(8)),
        opened("m-struck", ("ana", "flor"), 9),
        VoidMatch("m-struck", "twice"),
        opened("m-running", ("bea", "cira"), 10),
        ChangeSettings(confirmation=True),
        played("m-waiting", ("bea", "dora"), 11, domino(0, None, 90), domino(0, None, 70)),
        ChangeSettings(confirmation=False),
    )
    wait_until(lambda: "m-waiting" in small_site.http.get("/matches").text)
    return small_site


def spanish(site: Served, path: str) -> str:
    """A page as a visitor who reads Spanish sees it."""
    return site.http.get(path, headers={"Accept-Language": "es"}).text


def row_of(page: str, match: str) -> str:
    """What a list of matches says about one of them, without its markup."""
    lists = page[page.index('<ul class="plain matches">') :]
    row = lists[lists.index(f'href="/matches/{match}"') :].split("</li>", 1)[0]
    return re.sub(r"<[^>]+>", " ", row)


def states_in(text: str) -> set[str]:
    """The names of states that a text has."""
    return {name for name in [*NAMES.values(), "en juego", "abierta"] if re.search(rf"\b{name}\b", text)}


def test_lists_and_profiles_name_the_state_of_each_match(site: Served) -> None:
    """A finished match shows its day alone. One that awaits confirmation, or is voided, is not called in play."""
    decided = ("done", "stopped", "given-up", "told")
    lists = {"/matches": NAMES.keys(), "/players/ana": decided, "/": ("running", "waiting")}
    for path, matches in lists.items():
        page = spanish(site, path)
        said = {match: states_in(row_of(page, f"m-{match}")) for match in matches}
        assert said == {match: set() if match == "done" else {NAMES[match]} for match in matches}, path


def test_the_page_of_a_match_names_its_state(site: Served) -> None:
    """The page of each match has the name of its state in its head."""
    for match, name in NAMES.items():
        main = spanish(site, f"/matches/m-{match}").split("<main", 1)[1]
        assert states_in(re.sub(r"<[^>]+>", " ", main.split("</section>", 1)[0])) == {name}


def test_the_filter_offers_the_names_and_finds_the_matches(site: Served) -> None:
    """Whoever chooses a state from the list sees the matches in that state alone."""
    offered = dict(re.findall(r'<option value="([A-Z_]+)"[^>]*>([^<]+)</option>', spanish(site, "/matches")))
    for match, name in NAMES.items():
        status = next(key for key, words in offered.items() if words == name)
        only = spanish(site, f"/matches?status={status}")
        assert re.findall(r'href="/matches/([a-z-]+)"', only) == [f"m-{match}"], name


def test_home_shows_what_is_to_be_confirmed(site: Served) -> None:
    """A result that awaits confirmation has its own heading, apart from the matches in play."""
    home = spanish(site, "/")
    waiting = home[home.index("<h2>Por confirmar") :].split("</section>", 1)[0]
    assert ("m-waiting" in waiting, "m-running" in waiting) == (True, False)


def post(site: Served, path: str, **controls: str) -> httpx.Response:
    """Send a form as a browser without JavaScript does, as an admin who reads Spanish."""
    headers = {"Cookie": f"league={cookie_of(site, 'kim', 'admin')}", "Accept-Language": "es"}
    headers["Origin"] = f"http://127.0.0.1:{site.port}"
    sent = {name.replace("__", "."): value for name, value in controls.items()}
    return site.http.post(path, data=sent, headers=headers)


DASH = "\N{EN DASH}"
STANDS = "query ($id: ID!) { match(id: $id) { status score } }"
LESS = {
    "seats": "2", "sides": "2", "facts__ended__by": "DOMINO", "facts__ended__seat": "0", "facts__leftover__1": "20",
    "facts__statedCapicua": "no", "reason": "it was 20",
}  # fmt: skip


@pytest.mark.heavy
def test_a_correction_below_the_target_asks_what_becomes_of_the_match(site: Served) -> None:
    """The form comes back with the score that it leads to. Answered, the match goes on, or is cut short."""
    for match, answer, status in (("goes-on", "yes", "OPEN"), ("stays", "no", "CUT_SHORT")):
        send(site.league, played(match, ("dora", "eva"), 20, domino(0, None, 90), domino(0, None, 70)))
        path = f"/matches/{match}/hands/1/correct"
        wait_until(lambda path=path: site.http.get(path.rsplit("/", 3)[0]).status_code == 200)
        asked = post(site, path, **LESS, idempotencyKey=match)
        assert (asked.status_code, asked.headers["X-Refused"]) == (422, "TO_ANSWER; reopens")
        assert "nadie llega a 150" in asked.text
        assert f"90 {DASH} 0" in asked.text
        assert post(site, path, **LESS, idempotencyKey=match, reopens=answer).status_code == 303
        wait_until(lambda match=match, status=status: site.ask(STANDS, id=match)["match"]["status"] == status)
        assert site.ask(STANDS, id=match)["match"]["score"] == [90, 0]


def test_a_correction_that_leaves_the_end_asks_nothing(site: Served) -> None:
    """A match that ends all the same is stored at once."""
    send(site.league, played("ends", ("eva", "flor"), 21, domino(0, None, 90), domino(0, None, 70)))
    path = "/matches/ends/hands/1/correct"
    wait_until(lambda: site.http.get("/matches/ends").status_code == 200)
    assert post(site, path, **{**LESS, "facts__leftover__1": "85"}, idempotencyKey="ends").status_code == 303


def test_a_voided_match_shows_its_hands_its_score_and_the_reason(site: Served) -> None:
    """The reason is for those who may read details of the log. One that the league gave is in their language."""
    send(
        site.league,
        played("void-me", ("cira", "flor"), 22, domino(0, None, 90), domino(1, 12, None)),
        VoidMatch("void-me", "wrong table"),
    )
    headers = {"Cookie": f"league={cookie_of(site, 'kim', 'admin')}", "Accept-Language": "es"}
    page = wait_until(lambda: "Anulada" in (got := site.http.get("/matches/void-me", headers=headers).text) and got)
    text = " ".join(re.sub(r"<[^>]+>", " ", page).split())
    assert "Anulada: wrong table" in text
    assert re.search(r"Cira 90 Flor 12", text)
    assert f"90 {DASH} 0" in text
    assert f"0 {DASH} 12" in text
    assert "wrong table" not in spanish(site, "/matches/void-me")
    send(site.league, opened("nobody-came", ("cira", "flor"), 23), VoidMatch("nobody-came", "walkover"))
    site.follow(str(site.league.store.head()))
    assert "Anulada: incomparecencia" in site.http.get("/matches/nobody-came", headers=headers).text


def test_axe_finds_nothing_serious_on_the_page_that_confirms_several(tab: Tab, site: Served) -> None:
    """The list is whole on a phone, and no control hides a method of its form."""
    name, _, value = f"league={cookie_of(site, 'kim', 'admin')}".partition("=")
    tab.page.context.add_cookies([{"name": name, "value": value, "url": f"http://127.0.0.1:{site.port}/"}])
    tab.page.set_viewport_size(PHONE)
    tab.page.goto(f"http://127.0.0.1:{site.port}/record/confirm")
    expect(tab.page.get_by_role("checkbox")).to_have_count(1)
    shot(tab.page, "confirm-several")
    assert serious_faults(tab.page) == []


def test_several_results_are_confirmed_on_one_page(site: Served) -> None:
    """All that wait are ticked. The page says what became of each; nothing is left to confirm."""
    headers = {"Cookie": f"league={cookie_of(site, 'kim', 'admin')}", "Accept-Language": "es"}
    page = site.http.get("/record/confirm", headers=headers).text
    assert re.findall(r'name="match" value="([^"]+)" checked', page)[-1:] == ["m-waiting"]
    none = post(site, "/record/confirm", idempotencyKey="none")
    assert (none.status_code, "Elija por lo menos una partida" in none.text) == (422, True)
    done = post(site, "/record/confirm", idempotencyKey="all", match="m-waiting")
    assert (done.status_code, "terminada" in done.text) == (200, True)


def test_a_disputed_result_waits_for_the_dispute(site: Served) -> None:
    """While a dispute is open nobody is asked to confirm, and no deadline stands there. Who opened it can withdraw."""
    send(
        site.league,
        ChangeSettings(confirmation=True),
        played("m-disputed", ("bea", "dora"), 30, domino(0, None, 90), domino(0, None, 70)),
        ChangeSettings(confirmation=False),
        DisputeResult("m-disputed", "dora", "the score is wrong"),
    )
    site.follow(str(site.league.store.head()))
    headers = {"Accept-Language": "es", "Cookie": f"league={cookie_of(site, 'dora', 'player')}"}
    page = site.http.get("/matches/m-disputed", headers=headers).text
    assert "/matches/m-disputed/dispute/withdraw" in page
    assert "/matches/m-disputed/confirm" not in page
    assert "El resultado cuenta cuando" not in page
    assert "/dispute/withdraw" not in spanish(site, "/matches/m-disputed")
