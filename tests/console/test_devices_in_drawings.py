"""Phones in the drawing of a round, in browsers: they promise random bytes, give them, and say whether they count."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from api_server import Served, served
from browsers import Tab, new_tab
from desk import address, shot, sign_in
from leagues import catch_up, found, league_at, own_database, send
from msgspec.structs import replace
from playwright.sync_api import Browser, Page, Route, expect
from signed_leagues import SEED
from waiting import wait_until

from league.audit.signed_heads import read_private_key
from league.console.site import create_site
from league.tournaments import drawing
from league.tournaments.domain import commands as c
from league.tournaments.domain import inputs
from league.tournaments.domain.state import RoundState
from league.tournaments.tournament_states import stored_tournament

pytestmark = pytest.mark.heavy

PLAN = {"name": "Copa", "format": "swiss", "mode": "1v1", "ruleset": "cuban-150", "rounds": 3}
READY, COUNTS = "participa en el próximo sorteo", "Los números al azar de este aparato cuentan en la ronda"
KEPT = "id => JSON.parse(localStorage.getItem(`draw:${id ?? 'copa'}`))"
LATE = "no llegaron a tiempo para la ronda"
LEFT_OUT = "envió sus números al azar para la ronda 1, y el sorteo se hizo sin ellos"
UNCERTAIN = "no pudo saber si sus números al azar para la ronda 1 llegaron"
KEY = read_private_key(SEED)

GIVEN = """given => {
    const kept = JSON.parse(localStorage.getItem('draw:copa')) ?? {key: null, promises: {}};
    kept.promises.gone = {bytes: 'ab', at: Date.now(), given};
    localStorage.setItem('draw:copa', JSON.stringify(kept));
}"""
VERDICT = """async round => {
    const beside = document.querySelector('script[src*="/clock.js"]').src;
    const { verdict } = await import(beside.replace('clock.js', 'tournaments/draw_secrets.js'));
    return verdict('copa', 'ana', round, '');
}"""


@pytest.fixture(scope="module")
def site(embedded_server: str) -> Iterator[Served]:
    """A league with a key, and a tournament of four players."""
    with own_database(embedded_server) as url:
        with league_at(url) as league:
            found(league)
            send(league, c.PlanTournament("copa", PLAN))
            send(league, *(c.EnterCompetitor("copa", (player,)) for player in ("ana", "bea", "cira", "dora")))
            catch_up(league)

        def create(league: Any, settings: Any, jobs: Any) -> Any:
            return create_site(replace(league, key=KEY), settings, jobs)

        with served(url, create=create) as server:
            yield server


def round_of(site: Served, number: int, tournament: str = "copa") -> RoundState:
    return stored_tournament(site.league.dispatcher.state_cache, tournament).rounds[number - 1]


def opened(tab: Tab, site: Served, player: str, tournament: str = "copa") -> Page:
    """The page of the tournament on the phone of a player, which has promised its bytes."""
    page = sign_in(tab, site, player, "player")
    page.goto(address(site, f"/tournaments/{tournament}"))
    expect(page.get_by_text(READY).first).to_be_visible()
    return page


def draw(page: Page, site: Served, label: str) -> None:
    page.goto(address(site, "/tournaments/copa"))
    page.get_by_role("button", name=label).click()


def test_two_phones_contribute_and_one_stays_away(browser: Browser, site: Served) -> None:
    """The seed has the bytes of both, the third is listed as missing, and each phone shows that its bytes count."""
    with new_tab(browser) as one, new_tab(browser) as other, new_tab(browser) as desk:
        with new_tab(browser) as away:
            opened(away, site, "cira")
        ana, bea, keeper = opened(one, site, "ana"), opened(other, site, "bea"), sign_in(desk, site)
        promised = {
            player: next(iter(page.evaluate(KEPT)["promises"])) for player, page in (("ana", ana), ("bea", bea))
        }
        draw(keeper, site, "Sortear la ronda 1")
        expect(keeper.get_by_text("Se piden los números al azar")).to_be_visible()
        for page in (ana, bea):
            expect(page.get_by_text(f"{COUNTS} 1")).to_be_visible()
            expect(page.get_by_text(READY).first).to_be_visible()
        shot(ana, "device-counts")
        of = round_of(site, 1)
        assert {one.id: one.commitment for one in of.commitments if one.id != "cira"} == promised
        assert ([one.id for one in of.contributions], of.missing, of.signed) == (["ana", "bea"], ("cira",), True)
        kept = ana.evaluate(KEPT)["promises"][promised["ana"]]
        assert (kept["bytes"], kept["given"]["root"]) == (of.contributions[0].bytes, of.root)
        expect(keeper.get_by_role("button", name="Publicar la ronda 1")).to_be_visible()
        keeper.get_by_role("button", name="Publicar la ronda 1").click()
        expect(keeper.get_by_role("heading", name="Ronda 1")).to_contain_text("publicada")
        ana.goto(address(site, "/tournaments/copa/rounds/1"))
        for check in ("seed", "bytes", "before", "own"):
            expect(ana.locator(f"[data-check={check}]")).to_contain_text("✓")
        shot(ana, "device-round")
        # An operator has the bytes, restores a copy from before the promise, and draws again: the page lists none.
        ana.evaluate(GIVEN, {"round": 1, "drawing": 1, "root": "00" * 32})
        ana.reload()
        expect(ana.locator("[data-check=own]")).to_contain_text("✗")
        ana.goto(address(site, "/tournaments/copa"))
        expect(ana.get_by_text("otro sorteo de la ronda 1")).to_be_visible()
        assert one.said == other.said == desk.said == []


REMEMBERED: tuple[tuple[dict[str, Any], str | None], ...] = (
    ({"round": 1, "drawing": 1, "root": "aa"}, "left-out"),
    ({"round": 1, "drawing": 1, "root": "aa", "answer": "other"}, "left-out"),
    ({"round": 1, "drawing": 1, "root": "aa", "answer": None}, "uncertain"),
    ({"round": 1, "drawing": 1, "root": "aa", "answer": "late"}, "missed"),
    ({"round": 1, "drawing": 1, "root": "bb"}, "other-root"),
    ({"round": 1, "drawing": 1, "root": "bb", "answer": "late"}, "other-root"),
    ({"round": 1, "drawing": 2, "root": "bb"}, "other-root"),
    ({"round": 2, "drawing": 1, "root": "bb"}, None),
)
"""What a phone has kept of its promise, and what it says of a drawing that omits it."""


def test_a_device_remembers_what_the_league_lists_no_more(browser: Browser, site: Served) -> None:
    """The phone reports a drawing that omits its promise. An openly repeated drawing has a later number."""
    round_ = {"number": 1, "drawings": 1, "root": "aa", "seed": "", "commitments": [], "contributions": []}
    said = []
    with new_tab(browser) as tab:
        page = sign_in(tab, site)
        page.goto(address(site, "/tournaments/copa"))
        for given, _ in REMEMBERED:
            page.evaluate("() => localStorage.clear()")
            page.evaluate(GIVEN, given)
            said.append((given, page.evaluate(VERDICT, round_)))
            assert page.evaluate(VERDICT, {**round_, "drawings": 3}) is None, given
    assert said == [*REMEMBERED]


@pytest.mark.parametrize(
    ("tournament", "answers", "sentence"),
    [
        ("tarde", ["late"], LATE),
        ("falla", ["error"], LEFT_OUT),
        ("falla-tarde", ["error", "late"], LEFT_OUT),
        ("corte", ["none"], UNCERTAIN),
        ("corte-tarde", ["none", "late"], UNCERTAIN),
    ],
)
def test_only_bytes_that_the_league_refuses_as_late_are_missed(
    browser: Browser,
    site: Served,
    monkeypatch: pytest.MonkeyPatch,
    tournament: str,
    answers: list[str],
    sentence: str,
) -> None:
    """A league may fail or cut the connection after it has the bytes, and then refuse the repeated bytes as late."""
    send(site.league, c.PlanTournament(tournament, PLAN))
    send(site.league, *(c.EnterCompetitor(tournament, (player,)) for player in ("ana", "bea")))
    left = list(answers)
    with new_tab(browser) as tab:
        page = opened(tab, site, "ana", tournament)

        def answer(route: Route) -> None:
            now = left.pop(0) if left else answers[-1]  # again while the page reads the round of before
            if now == "late" or not left:
                monkeypatch.setattr(inputs, "WAIT", timedelta(0))
                wait_until(lambda: round_of(site, 1, tournament).root is not None)
            if now == "late":
                route.continue_()
            elif now == "error":
                route.fulfill(status=500)
            else:
                route.abort()

        page.route("**/device/contribute", answer)
        drawing.draw_round(replace(site.league, key=KEY), c.DrawRound(tournament), "organiser")
        expect(page.get_by_text(sentence)).to_be_visible()
        page.reload()
        expect(page.get_by_text(sentence)).to_be_visible()
        assert left == []
        [kept] = [one for one in page.evaluate(KEPT, tournament)["promises"].values() if one["given"] is not None]
        assert kept["given"]["root"] == round_of(site, 1, tournament).root
        page.goto(address(site, f"/tournaments/{tournament}/rounds/1"))
        expect(page.locator("[data-check=seed]")).to_contain_text("✓")
        own = page.locator("[data-check=own]")
        if sentence == LATE:
            expect(own).to_be_hidden()
        else:
            expect(own).to_contain_text("✗")


def test_a_phone_gives_nothing_for_a_root_that_nobody_proves(browser: Browser, site: Served) -> None:
    """If a proof has another root, or a key unknown to the phone, the phone says so and sends no bytes."""
    with new_tab(browser) as one, new_tab(browser) as desk:
        page = opened(one, site, "dora")

        def forged(route: Any) -> None:
            answer = route.fetch()
            if answer.status != 200:
                route.fulfill(response=answer)
                return
            proof = answer.json()
            proof["head"]["root"] = "00" * 32
            route.fulfill(response=answer, body=json.dumps(proof))

        page.route("**/device/proof*", forged)
        keeper = sign_in(desk, site)
        for table in round_of(site, 1).tables:
            keeper.goto(address(site, f"/matches/{table.match}/result"))
            scores = keeper.locator("input[name^='announced.score']")
            scores.nth(0).fill("150")
            scores.nth(1).fill("50")
            keeper.get_by_role("button", name="Anotar el resultado").click()
            expect(keeper.get_by_role("heading", name="Anotar")).to_have_count(0)
        draw(keeper, site, "Sortear la ronda 2")
        expect(page.get_by_text("La liga no le demostró el sorteo a este aparato")).to_be_visible()
        expect(keeper.get_by_role("button", name="Publicar la ronda 2")).to_be_visible()
        expect(page.get_by_text("no llegaron a tiempo para la ronda 2")).to_be_visible()
        of = round_of(site, 2)
        assert "dora" in of.missing
        assert all(one["given"] is None for one in page.evaluate(KEPT)["promises"].values())
