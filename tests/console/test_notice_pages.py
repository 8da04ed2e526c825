"""The pages that tell why ratings moved without a match: the first page, a player's, and those that notices lead to."""

from __future__ import annotations

import re

import pytest
from api_server import Served
from desk import cookie_of
from leagues import announced, revised, send
from waiting import wait_until

from league.domain.match import VoidMatch
from league.eventlog.records import AppendRequest
from league.infra.database import connect
from league.projections.replays.replay import ReplayPeriod, replay
from league.projections.runs import raise_generation


@pytest.fixture(scope="module")
def promoted(small_site: Served) -> int:
    """Three matches and a promotion. The position of the adoption."""
    league = small_site.league
    send(league, announced("n1", ("ana", "bea"), 1), announced("n2", ("bea", "cira"), 2))
    small_site.follow(str(send(league, announced("n3", ("cira", "dora"), 3))))
    run = replay(league.database.url, revised('title = "Calm"\n[rating]\nk.provisional = 32'), ReplayPeriod())
    position = league.promoter.promote(run, AppendRequest("kim", "manual"))
    small_site.follow(str(position))
    return position


def read(site: Served, path: str, language: str = "en", **headers: str) -> str:
    """The text of a page."""
    answer = site.http.get(path, headers={"Accept-Language": language, **headers})
    assert answer.status_code == 200, answer.text
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", answer.text))


@pytest.mark.heavy
def test_the_first_page_and_a_players_page_lead_to_what_moved(small_site: Served, promoted: int) -> None:
    """Both say what changed and by whom; the notice names who moved; a player sees both ratings with their parts."""
    home = small_site.http.get("/").text
    assert f'href="/notices/{promoted}"' in home
    assert "Other rules are in force: K while provisional 40 → 32" in read(small_site, "/")
    assert "by an admin" in read(small_site, "/")
    assert f'href="/notices/{promoted}/players/cira"' in small_site.http.get("/players/cira").text
    assert f'href="/notices/{promoted}/players/cira"' in small_site.http.get(f"/notices/{promoted}").text
    sides = read(small_site, f"/notices/{promoted}/players/cira")
    for words in ("Part Old New", "Results, each times K", "What the rating is made of, over all its matches."):
        assert words in sides
    figures = read(small_site, f"/promotions/{promoted}")
    assert "Players who moved 4" in figures


def test_the_pages_speak_spanish(small_site: Served, promoted: int) -> None:
    """They lead from what changed to the parts of a rating."""
    assert "Rigen otras reglas: K mientras es provisional 40 → 32" in read(small_site, "/", "es")
    assert "Cambió la puntuación de 4 jugadores" in read(small_site, f"/notices/{promoted}", "es")
    assert "Parte Anterior Nueva" in read(small_site, f"/notices/{promoted}/players/cira", "es")


def test_an_admin_reads_who_did_it(small_site: Served, promoted: int) -> None:
    """Others read a role."""
    path = f"/notices/{promoted}"
    admin = {"Cookie": f"league={cookie_of(small_site, 'ana', 'admin')}"}
    assert "by kim" in read(small_site, path, **admin)
    assert ("by an admin" in read(small_site, path), "kim" in read(small_site, path)) == (True, False)


def test_a_notice_that_does_not_concern_a_player_is_no_page(small_site: Served, promoted: int) -> None:
    """A player who did not move, a position without a notice."""
    for path in (f"/notices/{promoted}/players/eva", "/notices/1", "/notices/1/players/ana", "/promotions/1"):
        assert small_site.http.get(path).status_code == 404, path


CORRECTION = """
    INSERT INTO notices (kind, position, since, until, body) SELECT 'correction', %s, now(), now() + interval '1 day',
        '{"players": 1, "largest": 2.5, "match": "n1", "event": "hand-corrected/1"}'
"""


def test_corrections_do_not_push_other_rules_off_the_first_page(small_site: Served, promoted: int) -> None:
    """It has the three latest of them, and leads to the list of all notices."""
    corrections = [promoted + 1000 + number for number in range(4)]
    with connect(small_site.league.database.url) as conn:
        for position in corrections:
            conn.execute(CORRECTION, (position,))
        raise_generation(conn)
    wait_until(lambda: f'href="/notices/{corrections[-1]}"' in small_site.http.get("/").text)
    home, every = small_site.http.get("/").text, small_site.http.get("/notices").text
    told = [f'href="/notices/{position}"' for position in (promoted, *corrections)]
    assert [link in home for link in told] == [True, False, True, True, True]
    assert all(link in every for link in told)
    assert 'href="/notices"' in home


@pytest.mark.usefixtures("promoted")
def test_a_correction_names_its_match_and_to_auditors_its_reason(small_site: Served) -> None:
    """To those who sat elsewhere. No page tells the reason to others."""
    position = send(small_site.league, VoidMatch("n1", "never <b>played</b>"))
    small_site.follow(str(position))
    told = read(small_site, f"/notices/{position}/players/cira")
    assert "Match n1 was voided" in told
    auditor = {"Cookie": f"league={cookie_of(small_site, 'ana', 'auditor')}"}
    pages = (f"/notices/{position}", f"/notices/{position}/players/cira")
    assert all("never &lt;b&gt;played&lt;/b&gt;" in read(small_site, path, **auditor) for path in pages)
    assert not any("played&lt;/b&gt;" in read(small_site, path) for path in ("/", "/players/cira", *pages))
    assert "from the first match that was rated again" in told
    assert "edition 2, “Calm”" in read(small_site, "/players/cira")
