"""The pages that change the rules without TOML: an edition, and house rules of a club."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from html import unescape
from typing import Any
from zoneinfo import ZoneInfo

import httpx
import pytest
from api_server import Served, served, token
from databases import copy_of
from leagues import PLAYERS, SMALL_LEAGUE, announced, block, opened, send
from rule_pages import Boss, controls_of, hidden

from league.console.site import create_site
from league.domain.match import RecordHand

HOUSE = "/admin/house-rules/new?from=dominican-200"
EDIT = "/admin/editions/1/edit"
EDIT_CUBAN = f"{EDIT}?ruleset=cuban-150"


@pytest.fixture
def boss(embedded_server: str) -> Iterator[Boss]:
    """An admin at the pages of a small league."""
    with copy_of(embedded_server, SMALL_LEAGUE) as url, served(url, create=create_site) as server:
        yield Boss(server)


def rules_of(site: Served) -> Any:
    """The timeline, with the title and the rulesets of each edition."""
    return site.ask("{ timeline { start edition { number title document } } }")["timeline"]


def sent_from(page: str, **changed: Any) -> dict[str, Any]:
    return {**controls_of(page), **changed}


@pytest.mark.heavy
def test_the_cap_is_switched_off_and_on_again_by_two_editions(boss: Boss) -> None:
    """Each is published, leads to its page with the ways to adopt and to try it, and says what differs."""
    page = boss.get(EDIT)
    typed = sent_from(page, title="Without a cap", expectedPosition=hidden(page, "expectedPosition"))
    answer = boss.post(EDIT, **typed, **{"rating.cap.off": "yes"})
    assert (answer.status_code, answer.headers["Location"].partition("?")[0]) == (303, "/admin/editions/2")
    published = boss.get("/admin/editions/2?stored=1")
    for words in (
        "It holds for no match until somebody adopts it",
        "/admin/editions/2/adopt",
        "edition=2",
        "rating.cap",
    ):
        assert words in published
    page = boss.get("/admin/editions/2/edit")
    assert 'name="rating.cap.off" checked' in page
    typed = sent_from(page, title="With a cap", expectedPosition=hidden(page, "expectedPosition"))
    assert typed.pop("rating.cap.off") == "yes"
    refused = boss.post("/admin/editions/2/edit", **typed)
    assert "already exists: it has the same rules" in refused.text  # edition 1 has them, under another title
    assert boss.post("/admin/editions/2/edit", **{**typed, "rating.cap": "0.9"}).status_code == 303
    query = "{ edition(number: 3) { difference(against: 1) { setting after } } }"
    changes = {one["setting"]: one["after"] for one in boss.site.ask(query)["edition"]["difference"]}
    assert changes == {"title": "With a cap", "rating.cap": "0.9"}


def test_a_form_shows_the_rulesets_that_are_chosen(boss: Boss) -> None:
    """An edition has too many settings for one page. What the form does not show stays as it is."""
    assert "rulesets." not in " ".join(controls_of(boss.get(EDIT))["part"])
    page = boss.get(EDIT_CUBAN)
    assert controls_of(page)["part"][-1] == "rulesets.cuban-150"
    typed = sent_from(page, title="Farther", expectedPosition=hidden(page, "expectedPosition"))
    assert boss.post(EDIT_CUBAN, **{**typed, "rulesets.cuban-150.target": "170"}).status_code == 303
    query = "{ edition(number: 2) { difference(against: 1) { setting } } }"
    changed = {one["setting"] for one in boss.site.ask(query)["edition"]["difference"]}
    assert changed == {"title", "rulesets.cuban-150.target"}


@pytest.mark.heavy
def test_what_is_refused_stands_beside_its_control_and_nothing_is_published(boss: Boss) -> None:
    """No change, no title, an impossible value, a list without a choice, an edition published meanwhile."""
    page = boss.get(EDIT_CUBAN)
    typed = sent_from(page, title="Other", expectedPosition=hidden(page, "expectedPosition"))
    assert "already exists: it has the same rules" in boss.post(EDIT, **typed).text
    refused = boss.post(EDIT, **{**typed, "title": "", "series.limit": "few"}).text
    assert re.findall('id="([^"]+)-error"', refused) == ["title", "series.limit"]
    refused = boss.post(EDIT, **{**typed, "rating.k.casual": "7000", "rating.modifier.recovery.0.value": "200"}).text
    assert re.findall('id="([^"]+)-error"', refused) == ["rating.k.casual", "rating.modifier.recovery.0.value"]
    without_modes = {name: text for name, text in typed.items() if not name.startswith("rulesets.cuban-150.modes.")}
    assert 'id="rulesets.cuban-150.modes-error"' in boss.post(EDIT_CUBAN, **without_modes).text
    assert boss.post("/admin/editions/publish", document="rating.k.casual = 11").status_code == 303
    changed = {**typed, "rating.k.casual": "12"}
    outdated = boss.post(EDIT, **changed)
    assert (outdated.status_code, "Stored now" in outdated.text) == (422, True)
    assert len(boss.site.ask("{ editions { nodes { number } } }")["editions"]["nodes"]) == 2
    assert (
        boss.post(EDIT, **{**changed, "expectedPosition": hidden(outdated.text, "expectedPosition")}).status_code == 303
    )


@pytest.mark.heavy
def test_before_house_rules_begin_other_rules_are_tried_edited_and_adopted(boss: Boss) -> None:
    """An edition that somebody makes of today's takes over the rulesets that begin later."""
    boss.site.follow(str(send(boss.site.league, announced("m1", PLAYERS[:2], 0))))
    page = boss.get(HOUSE)
    assert adopt(boss, **sent_from(page, title="El Patio", **{"from": hidden_day(page)})).status_code == 303
    number = boss.start(document="rating.k.standard = 17")
    asked = f"{{ replay(number: {number}) {{ state }} }}"
    assert boss.site.ask(asked, token("admin"))["replay"] == {"state": "DONE"}
    assert boss.site.http.get("/admin/lab?rating.k.standard=17", headers=boss.headers).status_code == 200
    tried = boss.site.ask(
        '{ whatIf(settings: "rating.k.standard = 17") { __typename ... on UserError { message } } }', token("admin")
    )
    assert tried["whatIf"] == {"__typename": "WhatIf"}
    published = boss.post("/admin/editions/publish", document="rating.k.standard = 18")
    edition = published.headers["Location"].rpartition("/")[2].partition("?")[0]
    assert boss.post(f"/admin/editions/{edition}/adopt").status_code == 303


def adopt(boss: Boss, **typed: Any) -> httpx.Response:
    """Send house rules, and once more as they were reviewed."""
    answer = boss.post(HOUSE, **typed)
    assert (answer.status_code, "Check before you adopt" in answer.text) == (200, True), answer.text[-3000:]
    return boss.post(HOUSE, **{**typed, "reviewed": hidden(answer.text, "reviewed")})


def hidden_day(page: str) -> str:
    """The day on which house rules begin at first: tomorrow."""
    [day] = re.findall('value="([^"]+)" id="from"', page)
    return str(day)


@pytest.mark.heavy
def test_house_rules_are_made_from_a_ruleset_and_hold_from_tomorrow(boss: Boss) -> None:
    """The other rules stay; the form leads to the new edition. The days are those of the league."""
    assert "Start from it" in boss.get("/admin/house-rules/new")
    page = boss.get(HOUSE)
    zone = ZoneInfo(hidden(page, "leagueTimeZone"))
    tomorrow = (datetime.now(UTC).astimezone(zone).date() + timedelta(days=1)).isoformat()
    assert f'value="{tomorrow}" id="from"' in page
    typed = sent_from(page, title="El Patio de Ñico", **{"from": tomorrow, "leagueTimeZone": zone.key})
    typed |= {"rulesets.dominican-200.target": "150", "rulesets.dominican-200.bonuses.chuchazo.off": "yes"}
    first = boss.post(HOUSE, **typed, idempotencyKey="tapped")
    shown = " ".join(re.sub("<[^>]+>", " ", unescape(first.text)).split())
    assert "ends at 200 150" in shown
    assert "Edition 2 is published and adopted: edition 1 with this ruleset added." in shown
    assert len(rules_of(boss.site)) == 1
    reviewed = hidden(first.text, "reviewed")
    other = boss.post(HOUSE, **{**typed, "rulesets.dominican-200.target": "160"}, reviewed=reviewed)
    assert (other.status_code, hidden(other.text, "reviewed") != reviewed) == (200, True)
    for _ in range(2):  # a double tap sends the same key twice
        answer = boss.post(HOUSE, **typed, idempotencyKey="tapped", reviewed=reviewed)
        assert (answer.status_code, answer.headers.get("Location")) == (303, "/admin/editions/2?stored=1")
    first, second = rules_of(boss.site)
    assert datetime.fromisoformat(second["start"]).astimezone(zone).isoformat()[:19] == f"{tomorrow}T00:00:00"
    added = second["edition"]["document"]["rulesets"].pop("house-el-patio-de-nico")
    base = first["edition"]["document"]["rulesets"]["dominican-200"]
    assert (added["title"], added["target"], base["target"]) == ("El Patio de Ñico", 150, 200)
    assert (added["description"], added["made_from"]) == ("", "dominican-200")
    assert base["bonuses"].keys() - added["bonuses"].keys() == {"chuchazo"}
    assert second["edition"]["title"] == "New ruleset El Patio de Ñico"
    assert second["edition"]["document"] == first["edition"]["document"]
    assert "Matches that begin on" in boss.get("/rules/house-el-patio-de-nico")
    page = boss.get("/admin/editions/2?stored=1")
    assert "As Dominican, 200, but:" in page
    assert "It holds for matches that begin on" in page
    again = boss.post(HOUSE, **{**typed, "title": "EL PATIO, DE NICO"})
    assert (again.status_code, re.findall('id="([^"]+)-error"', again.text)) == (422, ["title"])


def test_an_edition_is_compared_with_the_one_it_was_made_from(boss: Boss) -> None:
    """Edition 3 changes edition 1. What edition 2 has otherwise does not stand on its page, unless somebody asks."""
    for document in ("rating.k.casual = 11\nrating.k.special = 33", "rating.k.casual = 12"):
        assert boss.post("/admin/editions/publish", document=document).status_code == 303
    page = boss.get("/admin/editions/3")
    assert "What it changes against edition 1" in page
    assert "rating.k.special" not in page
    assert "rating.k.special" in boss.get("/admin/editions/3?against=2")
    assert "there is none before it" in boss.get("/admin/editions/1")


@pytest.mark.heavy
def test_the_page_of_house_rules_says_what_they_change_and_leads_on(boss: Boss) -> None:
    """Not the description of their base. An admin makes further ones from each ruleset."""
    page = boss.get(HOUSE)
    typed = sent_from(page, title="El Patio", **{"from": "2026-01-01", "past": "yes", "leagueTimeZone": "UTC"})
    assert adopt(boss, **{**typed, "rulesets.dominican-200.target": "150"}).status_code == 303
    page = boss.get("/rules/house-el-patio")
    shown = " ".join(re.sub("<[^>]+>", " ", page).split())
    assert "As Dominican, 200 , but: ends at: 200 → 150" in shown
    assert "An opening pass needs a third seat" not in shown
    assert "/admin/house-rules/new?from=house-el-patio" in page
    assert "/admin/house-rules/new" in boss.get("/admin")
    assert "As Dominican, 200, but: ends at: 200 → 150." in boss.get("/rules")


@pytest.mark.heavy
def test_faults_of_house_rules_stand_beside_their_controls(boss: Boss) -> None:
    """A name without letters, no day, a value that the rules refuse; an unknown ruleset has no page."""
    page = boss.get(HOUSE)
    typed = sent_from(page, title="???", **{"from": hidden_day(page), "leagueTimeZone": "UTC"})
    assert re.findall('id="([^"]+)-error"', boss.post(HOUSE, **typed).text) == ["title"]
    typed |= {"title": "Casa", "rulesets.dominican-200.tiles_each": "9", "rulesets.dominican-200.target": "0"}
    found = re.findall('id="([^"]+)-error"', boss.post(HOUSE, **typed).text)
    assert sorted(found) == ["rulesets.dominican-200.target", "rulesets.dominican-200.tiles_each"]
    typed |= {"rulesets.dominican-200.target": "", "from": ""}
    found = re.findall('id="([^"]+)-error"', boss.post(HOUSE, **typed).text)
    assert sorted(found) == ["from", "rulesets.dominican-200.target"]
    assert "no such ruleset" in boss.get("/admin/house-rules/new?from=none")
    typed |= {"rulesets.dominican-200.target": "200", "rulesets.dominican-200.tiles_each": "7", "from": "2026-01-01"}
    past = boss.post(HOUSE, **typed).text
    assert re.findall('id="([^"]+)-error"', past) == ["from"]
    assert "Choose today or a later day" in past
    assert boss.post(HOUSE, **typed, past="yes").status_code == 200
    typed |= {"from": hidden_day(page), "rulesets.dominican-200.hand_points": "by_ending"}
    refused = boss.post(HOUSE, **typed).text
    assert "write a number for each of “points for a domino”" in unescape(refused)
    assert len(rules_of(boss.site)) == 1


@pytest.mark.heavy
def test_settings_are_tried_on_a_recorded_hand_and_nothing_is_stored(boss: Boss) -> None:
    """The result stands above the controls, which keep what was typed; a wrong setting is named beside its control.

    What was not typed is as in the edition of the page.
    """
    league = boss.site.league
    boss.site.follow(str(send(league, opened("m1", PLAYERS[:4], 0), RecordHand("m1", block(0, 3, 30, 4, 20)))))
    page = boss.get(EDIT_CUBAN)
    assert '<option value="1 m1">' in page
    typed = sent_from(page, look="yes", tried="1 m1")
    tried = boss.post(EDIT_CUBAN, **{**typed, "rulesets.cuban-150.counted_pips": "all_on_block"})
    assert (tried.status_code, "This hand would give 57 instead of 50." in tried.text) == (200, True)
    assert '<option value="all_on_block" selected>' in tried.text
    changed = "[rulesets.cuban-150]\ncounted_pips = 'all_on_block'"
    boss.site.follow(boss.site.do("publishEdition", token("admin"), document=changed)["position"])
    for other in ("/admin/editions/2/edit", "/admin/replays/new?from=edition:2"):
        assert "This hand would give 57 instead of 50." in boss.post(other, look="yes", tried="1 m1").text
    assert "None of the latest matches can have been played by these rules" in boss.get(HOUSE)
    of_cuban = boss.get(HOUSE.replace("dominican-200", "cuban-150"))
    assert '<option value="1 m1">' in of_cuban
    text = boss.post(HOUSE, **sent_from(boss.get(HOUSE), look="yes", tried="1 m1", title="")).text
    assert "It is played with a double-six set, and the hand with a double-nine one." in text
    refused = boss.post(EDIT, **{**typed, "rating.k.casual": "7000"}).text
    assert re.findall('id="([^"]+)-error"', refused) == ["rating.k.casual"]
    unknown = boss.post(EDIT, **{**typed, "triedMatch": "m9", "triedHand": "1"}).text
    assert "there is no match" in unescape(unknown).lower()
    refused = boss.post(EDIT, **{**typed, "tried": "", "triedMatch": "m1"}).text
    assert re.findall('id="([^"]+)-error"', refused) == ["triedHand"]
    assert len(rules_of(boss.site)) == 1
