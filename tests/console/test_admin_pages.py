"""The admin's and the auditor's pages, and the rules in words: what they show, and to whom. Over plain HTTP."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from html import unescape
from zoneinfo import ZoneInfo

import httpx
import pytest
from api_server import Served, token
from desk import cookie_of
from leagues import announced
from leagues import send as record
from waiting import wait_until

from league.domain.members import AddMember
from league.domain.player import RegisterPlayer

PUBLIC = ("/rules", "/rules/cuban-150", "/admin/editions", "/admin/editions/1", "/admin/replays")
ADMIN = (
    "/admin", "/admin/backup", "/admin/settings", "/admin/members", "/admin/members/add", "/admin/seasons",
    "/admin/months", "/admin/months/2026-01/close", "/admin/months/2026-01/reopen",
    "/admin/months/close-ended", "/admin/disputes", "/admin/disputes?all=1",
    "/admin/merges", "/admin/merges/merge",
    "/admin/editions/1/adopt", "/admin/editions/publish", "/admin/replays/new", "/admin/replays/roll-back",
    "/trail", "/trail?kind=hand-recorded", "/log/1", "/log/2",
)  # fmt: skip


@pytest.mark.heavy
@pytest.mark.parametrize("language", ["en", "es"])
def test_every_page_answers_its_readers(season_site: Served, language: str) -> None:
    """Every page answers in both languages, with at most 200 KB. Only admins get the admin's pages."""
    headers = {"Accept-Language": language}
    admin = {**headers, "Cookie": f"league={cookie_of(season_site, 'ana', 'admin')}"}
    keeper = {**headers, "Cookie": f"league={cookie_of(season_site, 'kim', 'scorekeeper')}"}
    for path in (*PUBLIC, *ADMIN):
        page = season_site.http.get(path, headers=admin)
        assert page.status_code == 200, (path, page.text[-2000:])
        assert len(page.content) < 200_000
        if path in PUBLIC:
            assert season_site.http.get(path, headers=headers).status_code == 200
        elif "disputes" not in path:
            assert season_site.http.get(path, headers=headers).status_code == 401, path
            assert season_site.http.get(path, headers=keeper).status_code == 403, path


def test_pages_that_are_not_there_say_so(season_site: Served) -> None:
    """An unknown page, id or number is answered with 404, not with a fault of the server."""
    admin = {"Cookie": f"league={cookie_of(season_site, 'ana', 'admin')}"}
    paths = (
        "/rules/none", "/admin/editions/99", "/admin/editions/x", "/admin/replays/99", "/admin/replays/99/promote",
        "/admin/members/none", "/admin/merges/none/nobody/undo",
        "/admin/seasons/none/close", "/log/0", "/log/999999999", "/log/x",
        "/matches/none/dispute/reject",
    )  # fmt: skip
    for path in paths:
        assert season_site.http.get(path, headers=admin).status_code == 404, path
    assert season_site.http.get("/trail?day=x", headers=admin).status_code == 400


@pytest.mark.parametrize(("host", "is_said"), [("club.test", True), ("127.0.0.1:8000", False)])
@pytest.mark.parametrize(("language", "words"), [("en", "only at an address"), ("es", "solo en una dirección")])
def test_a_link_without_https_says_that_a_phone_needs_the_connection(
    small_site: Served, host: str, is_said: bool, language: str, words: str
) -> None:
    """Browsers keep pages for recording without a connection over https only, or on the machine of the server."""
    member = f"m-{language}-{is_said}".lower()
    record(small_site.league, AddMember(member, f"{member}@example.org", ("scorekeeper",)))
    path, form = f"/admin/members/{member}/link", {"Host": host, "Accept-Language": language}
    form |= {"Cookie": f"league={cookie_of(small_site, 'root', 'admin')}", "Origin": f"http://{host}"}
    made = small_site.http.post(path, headers=form, data={"idempotencyKey": member})
    assert f"http://{host}/sign-in/link/" in made.text
    assert (words in made.text) == is_said


def test_the_trail_is_filtered_by_a_name_and_a_day(small_site: Served) -> None:
    """Names are found as people write them; an unknown one is refused with close names. Days are the league's."""
    auditor = {"Cookie": f"league={cookie_of(small_site, 'ana', 'auditor')}"}
    http = small_site.http
    found = http.get("/trail", params={"player": "flór"}, headers=auditor).text
    assert "flor" in found
    assert "Player eva" not in found
    refused = http.get("/trail", params={"player": "Nobody"}, headers=auditor)
    assert refused.status_code == 422
    assert re.search('id="player-error">No player has this name', refused.text)
    close = http.get("/trail", params={"player": "Floro"}, headers=auditor).text
    assert re.search('id="player-error">No player has exactly this name.', close)
    assert re.findall('name="pick:player" value="([^"]*)"', close) == ["Flor"]
    tapped = {"player": "Floro", "pick-for:player": "Floro", "pick:player": "Flor"}
    picked = http.get("/trail", params=tapped, headers=auditor)
    assert picked.status_code == 200
    assert 'value="Flor"' in picked.text
    today = datetime.now(ZoneInfo("America/Havana")).date()
    days = {days: http.get(f"/trail?day={today + timedelta(days=days)}", headers=auditor).text for days in (-2, 0, 2)}
    assert ["No event is like this." in text for text in days.values()] == [True, False, True]
    assert "Times are in the time zone America/Havana." in days[0]


def test_an_event_says_where_it_came_from(season_site: Served) -> None:
    """The source is told in the reader's language, for an import and for a command."""
    admin = {"Cookie": f"league={cookie_of(season_site, 'ana', 'admin')}"}
    http = season_site.http
    for language, source in (("en", "an import"), ("es", "una importación")):
        page = http.get("/log/100", headers={**admin, "Accept-Language": language}).text
        assert f"<dd>{source}</dd>" in page
    assert "<dd>a page, the API or the command line</dd>" in http.get("/log/1", headers=admin).text


@pytest.mark.heavy
def test_another_time_zone_is_seen_before_it_is_stored(small_site: Served) -> None:
    """The form is refused until it has shown what would change; another zone typed since then is seen first, too."""
    admin = {"Cookie": f"league={cookie_of(small_site, 'boss', 'admin')}", "Origin": str(small_site.http.base_url)}
    record(small_site.league, announced("late", ("eva", "flor"), -9))
    typed = {"name": "Liga", "timeZoneBefore": "America/Havana", "timeZone": "UTC"}

    def send(**more: str) -> httpx.Response:
        return small_site.http.post("/admin/settings", data=typed | more, headers=admin)

    refused = send()
    assert (refused.status_code, "see what would change first" in refused.text) == (422, True)
    looked = wait_until(
        lambda: page if "1 match would count in another month." in (page := send(look="yes").text) else ""
    )
    assert 'name="seenTimeZone" value="UTC"' in looked
    assert send(seenTimeZone="UTC", timeZone="Asia/Tokyo").status_code == 422
    assert send(seenTimeZone="UTC").status_code == 303
    small_site.do("changeSettings", token("admin", sub="boss"), timeZone="America/Havana")


def test_all_ended_months_are_closed_by_one_button(small_site: Served) -> None:
    """The page lists them, closes them together, and then says that there is nothing to close."""
    for month, days in (("2026-01", -40), ("2026-02", -10)):
        record(small_site.league, announced(f"in-{month}", ("ana", "dora"), 24 * days))
    small_site.follow(str(small_site.league.store.head()))
    admin = {"Cookie": f"league={cookie_of(small_site, 'root', 'admin')}", "Origin": str(small_site.http.base_url)}
    address = "/admin/months/close-ended"
    assert f'href="{address}"' in small_site.http.get("/admin/months", headers=admin).text
    page = small_site.http.get(address, headers=admin).text
    assert re.search(r"(?s)January 2026.*February 2026", page)

    def close(page: str) -> httpx.Response:
        sent = dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', page))
        return small_site.http.post(address, data=sent, headers=admin)

    stored = close(page)
    assert (stored.status_code, stored.headers["Location"]) == (303, "/admin/months?stored=1")
    months = small_site.ask("{ seriesMonths(first: 100) { nodes { month closed } } }")["seriesMonths"]["nodes"]
    assert {node["month"] for node in months if node["closed"]} >= {"2026-01", "2026-02"}
    page = small_site.http.get(address, headers=admin).text
    assert "Every month that has ended is closed." in page
    refused = close(page)
    assert refused.status_code == 422
    assert "The series is up to date" in refused.text


@pytest.mark.heavy
def test_two_players_are_merged_and_separated_by_forms(small_site: Served) -> None:
    """What would change is shown before it is stored; a refusal is shown with the form."""
    admin = {"Cookie": f"league={cookie_of(small_site, 'boss', 'admin')}", "Origin": str(small_site.http.base_url)}
    http = small_site.http

    def send(path: str, **typed: str) -> httpx.Response:
        answer = http.post(path, data=typed, headers=admin)
        return answer if answer.next_request is None else http.get(str(answer.next_request.url), headers=admin)

    def with_twins() -> str:
        page = http.get("/admin/merges", headers=admin).text
        return page if "look the same" in page else ""

    assert not with_twins()
    record(small_site.league, RegisterPlayer("t1", "Tito", None), RegisterPlayer("t2", "Ti\u200eto", None))
    listed = wait_until(with_twins)
    [address] = re.findall('href="([^"]*/admin/merges/merge[?][^"]*)"', listed)
    filled = http.get(unescape(address), headers=admin).text
    assert re.findall('<input type="text" value="(t.)"', filled) == ["t1", "t2"]

    asked = send("/admin/merges/merge", keep="Ana", drop="Bea", look="yes").text
    assert "0 matches would count for the player who stays." in asked
    assert "They are one person: merge them" in asked
    assert "cannot be merged with itself" in send("/admin/merges/merge", keep="ana", drop="ana", look="yes").text
    assert "Name a player." in send("/admin/merges/merge", keep="ana", drop="").text
    merged = send("/admin/merges/merge", keep="Ana", drop="Bea").text
    assert "It is stored." in merged
    assert "/admin/merges/ana/bea/undo" in merged
    assert "0 matches would count for bea again." in send("/admin/merges/ana/bea/undo", look="yes").text
    assert "No players are merged." in send("/admin/merges/ana/bea/undo").text
    assert "is not merged into any player" in send("/admin/merges/ana/bea/undo").text
