"""What the server gives a device that records without a connection, and how it answers forms that are sent later."""

from __future__ import annotations

import re
from struct import unpack
from typing import Any

import httpx
import pytest
from api_server import Served, token
from desk import cookie_of
from waiting import wait_until

KEEPER = token("scorekeeper", sub="kim")
HAND = {
    "seats": "2", "sides": "2", "facts.ended.by": "DOMINO", "facts.ended.seat": "0", "facts.leftover.1": "35",
    "facts.statedCapicua": "no",
}  # fmt: skip


def open_match(site: Served) -> str:
    given = {"ruleset": "cuban-150", "mode": "ONE_ON_ONE", "competition": "CASUAL", "seats": ["ana", "bea"]}
    done = site.do("openMatch", KEEPER, "... on MatchSuccess { matchId }", **given)
    site.follow(done["position"])
    match: str = done["matchId"]
    wait_until(lambda: site.http.get(f"/matches/{match}").status_code == 200)
    return match


def send_hand(
    site: Served, match: str, key: str, person: str = "kim", cookie: bool = True, **more: Any
) -> httpx.Response:
    """Send a hand as the queue of a device does."""
    origin = f"http://127.0.0.1:{site.port}"
    headers = {"Origin": origin, "X-Form": "module", "X-Person": person, "Accept-Language": "en"}
    if cookie:
        headers["Cookie"] = f"league={cookie_of(site)}"
    return site.http.post(f"/matches/{match}/record", data={**HAND, "idempotencyKey": key, **more}, headers=headers)


def hands_of(site: Served, match: str) -> list[Any]:
    found = site.ask("query ($id: ID!) { match(id: $id) { hands { points } } }", id=match)["match"]
    return [hand["points"] for hand in found["hands"]]


def test_a_hand_that_is_sent_twice_is_stored_once(small_site: Served) -> None:
    """The second answer is the first one, however late it is asked for."""
    match = open_match(small_site)
    answers = [send_hand(small_site, match, "queue-1", hand="1") for _ in range(2)]
    assert [answer.status_code for answer in answers] == [204, 204]
    assert hands_of(small_site, match) == [[35, 0]]


def test_a_number_that_is_taken_is_refused_beside_what_is_stored(small_site: Served) -> None:
    """The answer names the refusal, its control, the next number, and where to correct the stored hand."""
    match = open_match(small_site)
    send_hand(small_site, match, "queue-2", hand="1")
    answer = send_hand(small_site, match, "queue-3", hand="1", **{"facts.leftover.1": "40"})
    assert (answer.status_code, answer.headers["X-Refused"]) == (422, "WRONG_HAND; hand")
    stored = re.search(r'data-stored[^>]* data-next="2" data-correct="/matches/[^"]+/hands/1/correct"', answer.text)
    assert stored is not None
    assert hands_of(small_site, match) == [[35, 0]]


def test_nothing_is_stored_under_the_name_of_somebody_else(small_site: Served) -> None:
    """Another person who is signed in cannot store it, and nobody can without a session."""
    match = open_match(small_site)
    other = send_hand(small_site, match, "queue-4", person="l%C3%ADa", hand="1")
    assert (other.status_code, other.headers["X-Refused"]) == (409, "OTHER_PERSON")
    nobody = send_hand(small_site, match, "queue-5", cookie=False, hand="1")
    assert nobody.headers["X-Refused"].startswith("SIGNED_OUT")
    assert hands_of(small_site, match) == []


@pytest.mark.parametrize(
    ("time", "refused"),
    [
        ("2199-01-01T00:00:00Z", "IN_THE_FUTURE; playedAt"),
        ("2001-01-01T00:00:00Z", "INVALID; playedAt"),
        ("at nine", "INVALID; playedAt"),
        ("2026-03-01T21:00:00", "INVALID; playedAt"),
    ],
)
def test_an_impossible_time_of_play_is_refused_with_its_control(small_site: Served, time: str, refused: str) -> None:
    """The refusal names the control, so a device can offer to send another time."""
    match = open_match(small_site)
    answer = send_hand(small_site, match, f"queue-{time}", hand="1", playedAt=time)
    assert (answer.status_code, answer.headers["X-Refused"]) == (422, refused)
    assert hands_of(small_site, match) == []


def test_the_name_of_a_control_cannot_write_a_header(small_site: Served) -> None:
    """The header of a refusal names controls, and a sender may invent any name."""
    match = open_match(small_site)
    hostile = {
        "facts.leftover.1": "",
        "facts.leftover.0": "",
        "facts.ended.seat.\r\nX-Evil: 1": "1",
        "facts.ended.seat": "",
    }
    answer = send_hand(small_site, match, "queue-6", hand="1", **hostile, **{"facts.ended.by": "DOMINO"})
    assert answer.headers["X-Refused"] == "INVALID; facts.ended.seat"
    headers = {"Origin": f"http://127.0.0.1:{small_site.port}", "Cookie": f"league={cookie_of(small_site)}"}
    given = {"mode": "ONE_ON_ONE", "seats.0": "ana", "seats.1": "bea", "ruleset.\r\nX-Evil: 1": "1"}
    answer = small_site.http.post("/record/match", data=given, headers=headers)
    assert (answer.status_code, answer.headers["X-Refused"]) == (422, "NOT_FOUND")
    assert "X-Evil" not in answer.headers


def test_the_manifest_has_the_name_of_the_league_in_the_language_of_the_visitor(small_site: Served) -> None:
    """The app begins at the desk, and its icons exist in the sizes it names."""
    answer = small_site.http.get("/manifest.webmanifest", headers={"Accept-Language": "es"})
    assert answer.headers["Content-Type"] == "application/manifest+json"
    manifest = answer.json()
    league = small_site.ask("{ league { name } }")["league"]["name"]
    said = [manifest[name] for name in ("name", "lang", "start_url", "scope", "display")]
    assert said == [league, "es", "/record", "/", "standalone"]
    for icon in manifest["icons"]:
        file = small_site.http.get(icon["src"])
        assert file.headers["Content-Type"] == icon["type"]
        if icon["type"] == "image/png":
            assert "{}x{}".format(*unpack(">II", file.content[16:24])) == icon["sizes"]


def test_the_worker_is_of_this_release_and_may_only_ask_this_server(small_site: Served) -> None:
    """Browsers fetch the worker each time, and replace it if it differs. All the files that it names exist."""
    answer = small_site.http.get("/service-worker.js")
    assert answer.headers["Content-Type"].startswith("text/javascript")
    assert answer.headers["Cache-Control"] == "no-cache"
    assert answer.headers["Content-Security-Policy"].startswith("default-src 'none'; connect-src 'self'")
    files = re.findall(r'"(/static/[^"]+)"', answer.text)
    assert {file.rsplit("/", 1)[1] for file in files} >= {"offline.js", "queue.js", "sender.js", "store.js"}
    assert {small_site.http.get(file).status_code for file in files} == {200}


def test_public_pages_have_nothing_of_it(small_site: Served) -> None:
    """Visitors who may not record get no worker, no manifest and no queue, even on the page of a match."""
    match = open_match(small_site)
    for path in ("/", f"/matches/{match}"):
        text = small_site.http.get(path).text
        assert "service-worker" not in text, path
        assert "offline/" not in text, path
        assert "manifest" not in text, path


def test_pages_may_have_workers_of_this_server_only(small_site: Served) -> None:
    """The policy allows workers of this server, and stays strict otherwise."""
    policy = small_site.http.get("/").headers["Content-Security-Policy"]
    assert "worker-src 'self'" in policy
    assert "script-src 'self';" in policy
