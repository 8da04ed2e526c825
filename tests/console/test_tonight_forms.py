"""Tonight without JavaScript: what the pages show, and what becomes of each form that is sent."""

from __future__ import annotations

import re
from html import unescape

import pytest
from api_server import Served
from desk import cookie_of
from leagues import send
from waiting import wait_until

from league.domain.match import OpenMatch, RecordHand, RecordResult, VoidMatch
from league.domain.player import RegisterPlayer
from league.domain.result import AnnouncedResult
from tests.leagues import domino


class Desk:
    """A scorekeeper, or somebody else, without JavaScript."""

    def __init__(self, site: Served, *who: str) -> None:
        self.site, self.cookie = site, cookie_of(site, *who)

    def get(self, path: str) -> str:
        self.site.follow(str(self.site.league.store.head()))
        answer = self.site.http.get(path, headers={"Cookie": f"league={self.cookie}"})
        assert answer.status_code == 200, answer.text
        return unescape(answer.text)

    def post(self, path: str, **sent: str | list[str]) -> tuple[int, str, str]:
        """The status, the address that the answer leads to, and its text."""
        origin = f"http://127.0.0.1:{self.site.port}"
        given = {"idempotencyKey": re.sub(r"\W", "", str(sent)) or "none", **sent}
        headers = {"Cookie": f"league={self.cookie}", "Origin": origin}
        answer = self.site.http.post(path, data=given, headers=headers, follow_redirects=False)
        return answer.status_code, answer.headers.get("location", ""), unescape(answer.text)


def people(site: Served, test: str, count: int = 4) -> list[str]:
    """Players of one test only, who are found by their names."""
    ids = [f"{test}-{number}" for number in range(count)]
    send(site.league, *(RegisterPlayer(player, f"{test.title()} {number}") for number, player in enumerate(ids)))
    site.follow(str(site.league.store.head()))
    return ids


@pytest.mark.heavy
def test_who_comes_is_ticked_or_named(small_site: Served) -> None:
    """Somebody beyond the list is found by name; nobody is refused with a sentence, and nothing is stored twice."""
    desk, (a, b, c, _) = Desk(small_site), people(small_site, "ticked")
    assert desk.post("/tonight/came", player=[a, b], who="Ticked 2")[:2] == (303, "/")
    assert desk.post("/tonight/came", player=[a, b], who="Ticked 2")[:2] == (303, "/")
    home = desk.get("/")
    assert [f'name="player:{one}"' in home for one in (a, b, c)] == [True] * 3
    status, _, text = desk.post("/tonight/came")
    assert (status, "Choose who has come." in text) == (422, True)
    assert desk.post("/tonight/left", player=b)[:2] == (303, "/")
    assert f'name="player:{b}"' not in desk.get("/")
    assert desk.post("/tonight/left", player="ticked-3")[0] == 422


@pytest.mark.heavy
def test_a_player_says_with_a_tap_that_they_are_here(small_site: Served) -> None:
    """The first page of a player asks for it once somebody is here, and then offers to say that they go home."""
    a, b, *_ = people(small_site, "tapped")
    desk, phone = Desk(small_site), Desk(small_site, a, "player")
    desk.post("/tonight/came", player=b)
    assert f'name="player" value="{a}">\n    <button>I am here</button>' in phone.get("/")
    assert phone.post("/tonight/came", player=a)[:2] == (303, "/")
    home = phone.get("/")
    assert "You are here." in home
    assert f'name="player:{a}"' in desk.get("/")
    assert phone.post("/tonight/came", player=b)[0] == 422
    assert phone.post("/tonight/left", player=a, idempotencyKey="gone")[:2] == (303, "/")
    assert "I am here" in phone.get("/")


@pytest.mark.heavy
def test_a_table_without_javascript_asks_for_the_seats(small_site: Served) -> None:
    """The players who were ticked are there to be chosen; sent with seats, the match is opened by rules that fit."""
    desk, seats = Desk(small_site), people(small_site, "seats")
    desk.post("/tonight/came", player=seats)
    ticked = {f"player:{one}": one for one in seats}
    status, _, text = desk.post("/tonight/table", order="", **ticked)
    assert status == 422
    assert "Say who sits where, in the order of play." in text
    assert [len(re.findall(f'<option value="{one}" selected', text)) for one in seats] == [1, 1, 1, 1]
    rules = {"ruleset.TWO_ON_TWO": "cuban-150", "competition": "CASUAL", "mode": "TWO_ON_TWO"}
    status, address, _ = desk.post("/tonight/table", **{f"seats.{n}": one for n, one in enumerate(seats)}, **rules)
    assert status == 303
    match = address.split("/")[2]
    status, _, text = desk.post("/tonight/table", order=" ".join(seats[:2]), **{"ruleset.ONE_ON_ONE": "cuban-150"})
    assert status == 422
    assert f'href="/matches/{match}"' in text
    assert 'name="evenIfSeated"' in text
    one = desk.post("/tonight/table", order=seats[0], **{f"player:{seats[0]}": seats[0]})
    assert (one[0], "Choose 2, 3 or 4 players." in one[2]) == (422, True)


@pytest.mark.heavy
def test_a_rematch_is_offered_where_it_is_possible(small_site: Served) -> None:
    """Not while the match is open or its players play; also after it was voided. A second phone sees their table."""
    desk, seats = Desk(small_site), people(small_site, "again")
    offer = 'class="actions rematch"'
    send(small_site.league, OpenMatch("first", "cuban-150", "2v2", "casual", tuple(seats)))
    assert offer not in desk.get("/matches/first")
    send(small_site.league, RecordResult("first", AnnouncedResult(0, (150, 90))))
    wait_until(lambda: offer in desk.get("/matches/first"))
    assert 'action="/matches/first/rematch"' in desk.get("/")
    status, address, _ = desk.post("/matches/first/rematch", seats="TURNED")
    assert status == 303
    again = address.split("/")[2]
    assert 'action="/matches/first/rematch"' not in desk.get("/")
    status, _, text = desk.post("/matches/first/rematch", seats="SAME")
    assert (status, f'href="/matches/{again}"' in text, 'name="evenIfSeated"' in text) == (422, True, True)
    send(small_site.league, VoidMatch(again, "never played", None))
    assert desk.post(f"/matches/{again}/rematch", seats="SAME")[0] == 303


def test_a_night_has_a_page_for_everybody(small_site: Served) -> None:
    """Its matches, who has won most, and ratings; a night without matches says so, and what is no day has no page."""
    seats = people(small_site, "night")
    send(small_site.league, OpenMatch("late", "cuban-150", "2v2", "casual", tuple(seats)))
    send(small_site.league, RecordResult("late", AnnouncedResult(1, (90, 150))))
    small_site.follow(str(small_site.league.store.head()))
    day = small_site.ask("{ night { day } }")["night"]["day"]
    page = unescape(small_site.http.get(f"/nights/{day}").text)
    assert "/matches/late" in page
    [one] = re.findall(r"(?s)Night 1</bdi></a></th>(.*?)</tr>", page)
    assert ">1 of 1</td>" in one
    assert re.search(r'<span class="up">\+[0-9]+</span>', one)
    assert "Nothing was played." in small_site.http.get("/nights/2020-01-01").text
    assert small_site.http.get("/nights/yesterday").status_code == 404
    assert small_site.http.get("/nights/9999-12-31").status_code < 500


def test_a_night_is_shared_with_a_picture(small_site: Served) -> None:
    """Its text says who has won and risen most, the capicúas and the best hand, in the visitor's language."""
    seats = people(small_site, "pictured")
    send(small_site.league, OpenMatch("pictured", "cuban-150", "2v2", "casual", tuple(seats)))
    send(small_site.league, RecordHand("pictured", domino(0, None, 80, None, 77, both=True)))
    small_site.follow(str(small_site.league.store.head()))
    day = small_site.ask("{ night { day } }")["night"]["day"]
    answer = small_site.http.get(f"/nights/{day}", headers={"Accept-Language": "es"})
    page = unescape(unescape(answer.text))
    assert "Mejor mano: 157, Pictured 0 & Pictured 2" in page
    assert "Capicúas: 1" in page
    assert "Quién más subió: +" in page
    assert "data-share" in page
    [picture] = re.findall(r'property="og:image" content="[^"]*?(/nights/[^"]+)"', page)
    shown = small_site.http.get(picture)
    assert (shown.status_code, shown.headers["content-type"]) == (200, "image/png")
    assert small_site.http.get("/nights/2020-01-01/picture.png").status_code == 200
