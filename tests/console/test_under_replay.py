"""`?replay=N`: the league as it would be under a replay, on marked pages that write nothing and link to each other."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from api_server import Served, served, token
from browsers import COLOURS, Tab, serious_faults
from desk import address, cookie_of, shot, sign_in
from graphql import parse, validate
from leagues import announced, at, catch_up, domino, found, league_at, meeting, own_database, played, send
from playwright.sync_api import expect
from starlette.routing import Match, Route

from league.api.schema import core
from league.application.replay_folding import fold_replay
from league.console.forms import FormPage
from league.console.pages import Page
from league.console.publishing import LinkResolver, SiteAddress
from league.console.site import PAGES, create_site
from league.console.under_replay import reading_a_run
from league.domain.league import OpenSeason

ADMIN = token("admin")
RULES = "rating.k.provisional = 20\nseries.game_points = 6\nrulesets.cuban-150.title = 'Cubano a prueba'"
OTHER_RULES = "rating.k.provisional = 30"

PATHS = {
    "boards": "/boards", "board": "/boards/global", "player": "/players/ana", "team": "/teams/ana+cira",
    "head_to_head": "/players/ana/against/bea", "matches": "/matches", "match": "/matches/m1",
    "hand": "/matches/m1/hands/1", "change": "/matches/m1/changes/ana", "series": "/series",
    "series_month": "/series/2026-03", "standing": "/series/2026-03/standings/ana", "badges": "/badges",
    "badge": "/badges/matches-10", "seasons": "/seasons", "season": "/seasons/s1", "rules": "/rules",
    "ruleset": "/rules/cuban-150",
}  # fmt: skip
"""An address of each page that can be shown under a replay."""
WITHOUT_TURNS = "turns"
"""Such a page too, but no hand of this league was recorded turn by turn."""
BESIDE = "change_in_runs"
"""The page with a change in both runs: it is official, and names the other run by its replay, too."""


class LookedAt(NamedTuple):
    """A served league, a replay of it, and the cookie of an admin."""

    site: Served
    replay: int
    cookie: str

    def page(self, path: str, language: str = "en") -> httpx.Response:
        """A page as the admin sees it."""
        headers = {"Cookie": f"league={self.cookie}", "Accept-Language": language}
        return self.site.http.get(path, headers=headers)

    def under(self, path: str, language: str = "en") -> httpx.Response:
        """The page under the replay."""
        return self.page(f"{path}{'&' if '?' in path else '?'}replay={self.replay}", language)

    def asked(self, fields: str, *, official: bool = False) -> Any:
        """What the API answers from the run of the replay, or from the official one."""
        return self.site.ask(f"query {'' if official else f'@readFrom(run: {self.replay})'} {{ {fields} }}", ADMIN)


def replayed(site: Served, document: str) -> int:
    """The number of a replay that is done."""
    done = site.do("startReplay", ADMIN, "... on ReplaySuccess { replay { number } }", document=document)
    number: int = done["replay"]["number"]
    site.follow(str(site.league.store.head()))  # a replay goes as far as the official run
    fold_replay(site.league.database.url, number)
    return number


@pytest.fixture
def site(embedded_server: str) -> Iterator[LookedAt]:
    """A league for a test that changes what is official or recorded."""
    yield from looked_at(embedded_server)


@pytest.fixture(scope="module")
def read(embedded_server: str) -> Iterator[LookedAt]:
    """A league for reading."""
    yield from looked_at(embedded_server)


def looked_at(server: str) -> Iterator[LookedAt]:
    with own_database(server) as url:
        with league_at(url) as league:
            found(league)
            send(
                league,
                OpenSeason("s1", "Primavera", at(0)),
                played("m1", ("ana", "bea"), 1, domino(0, None, 90), domino(0, None, 70)),
                played("m2", ("ana", "bea", "cira", "dora"), 3, domino(0, None, 90, None, 80)),
                *(announced(f"more{number}", meeting(number), 30 + number) for number in range(10)),
            )
            catch_up(league)
        with served(url, create=create_site) as server_of_pages:
            number = replayed(server_of_pages, RULES)
            yield LookedAt(server_of_pages, number, cookie_of(server_of_pages, "ana", "admin"))


def page_at(site: Served, path: str) -> Page | None:
    """The page that answers an address, if it is a page."""
    for route in site.app.routes:
        if isinstance(route, Route) and route.matches({"type": "http", "path": path, "method": "GET"})[0] is Match.FULL:
            return next((page for page in PAGES if page.name == route.name), None)
    return None


def links_of(text: str) -> list[str]:
    """The links of a page to pages of the league, without the query for GraphiQL."""
    links = (html.unescape(link) for link in re.findall(r'<a [^>]*href="([^"#]+)', text))
    return [link for link in links if link.startswith("/") and not link.startswith("/graphql")]


def test_each_page_that_can_be_shown_under_a_replay_is_tried_here() -> None:
    """And each has a document that can read a run."""
    at_replay = [page for page in PAGES if page.at_replay]
    assert {page.name for page in at_replay} == {*PATHS, WITHOUT_TURNS}
    assert {page.name: validate(core, parse(reading_a_run(page.text))) for page in at_replay} == {
        page.name: [] for page in at_replay
    }


@pytest.mark.parametrize("name", PATHS)
def test_a_page_under_a_replay_is_marked_and_offers_nothing_that_writes(read: LookedAt, name: str) -> None:
    """Title, colour and banner say it, in both languages; links to such pages stay there, the others do not."""
    for language, says in (("en", "Under replay"), ("es", "Con el recálculo")):
        answer = read.under(PATHS[name], language)
        assert answer.status_code == 200, answer.text
        assert f"<title>{says} {read.replay} ·" in answer.text
        assert 'class="under-replay"' in answer.text
        assert '<aside class="replay-banner"' in answer.text
        assert '<meta name="robots" content="noindex">' in answer.text
        assert "data-live" not in answer.text
        assert "og:image" not in answer.text
        assert answer.headers["Cache-Control"] == "no-store"
        assert set(re.findall(r'<form [^>]*action="([^"]+)" method="post"', answer.text)) == {"/language"}
        content = answer.text[answer.text.index("<main") : answer.text.index("</main>")]
        assert not [one for one in links_of(content) if isinstance(page_at(read.site, urlsplit(one).path), FormPage)]
        for link in links_of(answer.text):
            page, replays = page_at(read.site, urlsplit(link).path), parse_qs(urlsplit(link).query).get("replay", [])
            assert link.count("?") < 2, link
            assert replays == (
                [str(read.replay)] if page is not None and (page.at_replay or page.name == BESIDE) else []
            ), link
    official = read.page(PATHS[name]).text
    assert "under-replay" not in official
    assert "replay=" not in official


@pytest.mark.heavy
def test_the_numbers_of_a_page_are_those_of_the_run(read: LookedAt) -> None:
    """Board, profile, match, reason, month and rules; the official pages have others."""
    place = "board(kind: ONE_ON_ONE) { places(first: 1) { nodes { shown } } }"
    total = 'seriesMonth(month: "2026-03", mode: ONE_ON_ONE) { standings(first: 1) { nodes { total } } }'
    change = 'ratingChange(match: "m1", of: "ana") { shownAfter }'
    for path, asked, shown in (
        ("/boards/one_on_one", place, r'<td class="number">{}</td>'),
        ("/players/ana", place, "<b>{}</b>"),
        ("/matches/m1", change, "<b>{}</b>"),
        ("/matches/m1/changes/ana", change, "<b>{}</b>"),
        ("/series/2026-03", total, r">{}</a>"),
        ("/series/2026-03/standings/ana", total, "has {} points"),
    ):
        there, here = (figure_in(read.asked(asked, official=official)) for official in (False, True))
        assert there != here, path
        assert re.search(shown.format(there), read.under(path).text), path
        assert re.search(shown.format(here), read.page(path).text), path
        assert not re.search(shown.format(there), read.page(path).text), path
    assert "Cubano a prueba" in read.under("/rules/cuban-150").text
    assert "By the rules of replay" in read.under("/matches/m1").text


def figure_in(answer: Any) -> Any:
    """The only number in an answer."""
    while isinstance(answer, dict | list):
        [answer] = answer.values() if isinstance(answer, dict) else answer
    return answer


def test_the_query_of_the_page_is_the_one_that_it_has_executed(read: LookedAt) -> None:
    """GraphiQL opens it with the run, so that a client can ask the same."""
    link = re.search(r'href="/graphql\?([^"]+)"', read.under("/boards/one_on_one").text)
    assert link is not None
    query = parse_qs(html.unescape(link[1]))
    sent = {"query": query["query"][0], "variables": query["variables"][0]}
    assert "@readFrom(run: $run)" in sent["query"]
    answer = read.site.http.get("/graphql", params=sent, headers={"Authorization": f"Bearer {ADMIN}"}).json()
    assert answer["data"]["board"]["places"]["nodes"][0]["shown"] == figure_in(
        read.asked("board(kind: ONE_ON_ONE) { places(first: 1) { nodes { shown } } }")
    )


@pytest.mark.heavy
def test_a_board_of_a_day_is_that_of_the_run_on_that_day(read: LookedAt) -> None:
    """The form of filters and the list's next page keep the replay."""
    day = read.under("/boards/one_on_one?day=2026-03-01").text
    asked = 'board(kind: ONE_ON_ONE, asOf: "2026-03-02T04:59:59.999999Z") { places(first: 1) { nodes { shown } } }'
    assert f'<td class="number">{figure_in(read.asked(asked))}</td>' in day
    assert f'<td class="number">{figure_in(read.asked(asked, official=True))}</td>' not in day
    for path in ("/boards/global", "/matches", "/players/ana", "/teams/ana+cira"):
        form = re.search(r'<form class="filters".*?</form>', read.under(path).text, re.DOTALL)
        assert form is not None
        assert f'<input type="hidden" name="replay" value="{read.replay}">' in form[0]


@pytest.mark.parametrize("number", ["999", "0", "x", "99999999999999999999", "-1"])
def test_a_replay_that_cannot_be_read_is_a_page_with_those_that_can(read: LookedAt, number: str) -> None:
    """The status is 404; each link of the list leads to this page under that replay."""
    answer = read.page(f"/boards/one_on_one?region=&replay={number}")
    assert answer.status_code == 404
    [link] = re.findall(r'<li><a href="([^"]+)">Replay', answer.text)
    there = urlsplit(html.unescape(link))
    assert (there.path, parse_qs(there.query)["replay"]) == ("/boards/one_on_one", [str(read.replay)])
    assert read.page(f"{there.path}?{there.query}").status_code == 200
    assert "under-replay" not in answer.text


def test_pages_that_are_not_of_a_run_ignore_the_parameter(read: LookedAt) -> None:
    """So does an empty one, which a form without a replay could send."""
    for path in ("/", "/search", "/log"):
        assert "under-replay" not in read.under(path).text, path
    empty = read.page("/boards?replay=")
    assert (empty.status_code, "under-replay" in empty.text) == (200, False)


@pytest.mark.heavy
def test_a_draft_is_for_admins_and_auditors_and_a_proposal_for_everybody(site: LookedAt) -> None:
    """To all others a draft is like an unknown number; a withdrawn one is a draft again, and nothing was cached."""
    board = f"/boards/one_on_one?replay={site.replay}"

    def seen_by(role: str | None) -> httpx.Response:
        cookie = {} if role is None else {"Cookie": f"league={cookie_of(site.site, 'ana', role)}"}
        return site.site.http.get(board, headers=cookie)

    def unlike(text: str) -> str:
        return text.replace(f"replay={site.replay}", "replay=999").replace(f"Replay {site.replay}", "Replay 999")

    for role, status in (("admin", 200), ("auditor", 200), ("scorekeeper", 404), ("player", 404), (None, 404)):
        assert seen_by(role).status_code == status, role
    unknown = site.site.http.get(board.replace(f"replay={site.replay}", "replay=999"))
    numbered = r"replay(=|%3D)\d+|[Rr]eplay \d+|since=[\d.]+"
    assert re.sub(numbered, "", unlike(seen_by(None).text)) == re.sub(numbered, "", unknown.text)
    assert "It is not shown to everybody." in seen_by("admin").text
    shown = site.site.do("showReplay", ADMIN, replay=site.replay, reason="Newcomers climb too fast.")
    assert "Success" in shown["__typename"], shown
    proposed = [seen_by(role) for role in ("admin", "player", None, None)]
    assert [answer.status_code for answer in proposed] == [200] * 4
    assert not [answer for answer in proposed if "It is not shown to everybody." in answer.text]
    withdrawn = site.site.do("withdrawReplay", ADMIN, replay=site.replay, reason="Not now.")
    assert "Success" in withdrawn["__typename"], withdrawn
    assert [seen_by(role).status_code for role in (None, "player", "admin")] == [404, 404, 200]


def test_a_page_under_a_replay_and_the_official_one_never_answer_for_each_other(site: LookedAt) -> None:
    """Anonymous visitors get the official page from the cache of pages, also after somebody looked under a replay."""
    site.site.do("showReplay", ADMIN, replay=site.replay, reason="Newcomers climb too fast.")
    official, under = "/boards/one_on_one", f"/boards/one_on_one?replay={site.replay}"
    texts: dict[str, set[str]] = {official: set(), under: set()}
    for path in (official, under, official, under):
        texts[path].update(re.findall(r"<tr[^>]*>.*?</tr>", site.site.http.get(path).text, re.DOTALL))
    values = {
        path: {value for row in rows for value in re.findall(r">(\d+)</td>", row)} for path, rows in texts.items()
    }
    expected = {
        path: {str(place["shown"]) for place in answer["board"]["places"]["nodes"]}
        for path, answer in (
            (official, site.asked("board(kind: ONE_ON_ONE) { places(first: 50) { nodes { shown } } }", official=True)),
            (under, site.asked("board(kind: ONE_ON_ONE) { places(first: 50) { nodes { shown } } }")),
        )
    }
    assert all(expected[path] <= values[path] for path in texts)
    assert not (expected[under] - expected[official]) & values[official]


def test_a_dropped_replay_is_no_longer_there(site: LookedAt) -> None:
    """The page says so, and lists the others, if any."""
    other = replayed(site.site, OTHER_RULES)
    assert "Success" in site.site.do("dropReplay", ADMIN, replay=site.replay)["__typename"]
    answer = site.under("/boards")
    assert answer.status_code == 404
    assert f"Replay {site.replay} was dropped" in answer.text
    assert f"replay={other}" in answer.text
    assert "Success" in site.site.do("dropReplay", ADMIN, replay=other)["__typename"]
    assert '<li class="quiet">none</li>' in site.under("/boards").text


def test_what_was_recorded_later_is_said_to_be_in_the_official_league_only(site: LookedAt) -> None:
    """The page has the status 404, stays marked, and links to itself in the official league."""
    assert "may be missing" not in site.under("/boards").text
    site.site.follow(str(send(site.site.league, announced("late", ("eva", "flor"), 90))))
    answer = site.under("/matches/late")
    assert answer.status_code == 404
    assert "What was recorded after it was computed is in the official league only." in answer.text
    assert "may be missing" in answer.text
    [link] = re.findall(r'href="([^"]+)">To the official league', answer.text)
    assert site.page(urlsplit(html.unescape(link)).path).status_code == 200


def test_a_promoted_replay_shows_the_official_league_and_says_so(site: LookedAt) -> None:
    """Its links are those of the official pages."""
    before = site.under("/boards/one_on_one").text
    done = site.site.do("promoteReplay", ADMIN, replay=site.replay, reason="Newcomers climb too fast.")
    assert "Success" in done["__typename"]
    site.site.follow(done["position"])
    answer = site.under("/boards/one_on_one")
    assert answer.status_code == 200
    assert f"Replay {site.replay} was made official: this is the official league." in answer.text
    assert "under-replay" not in answer.text
    assert not [link for link in links_of(answer.text) if "replay=" in link]
    values = r'<td class="number">\d+</td>'
    assert re.findall(values, answer.text) == re.findall(values, before)


def test_the_two_runs_of_a_change_lead_to_each_other(read: LookedAt) -> None:
    """The reason under a replay leads to both side by side, and back."""
    beside = f"/matches/m1/changes/ana/runs?replay={read.replay}"
    assert f'href="{beside}"' in read.under("/matches/m1/changes/ana").text
    assert f'href="/matches/m1/changes/ana?replay={read.replay}"' in read.page(beside).text


@pytest.mark.heavy
def test_the_page_of_the_replay_leads_into_the_league_under_it(read: LookedAt) -> None:
    """Each of its links opens a page that is marked."""
    text = read.page(f"/admin/replays/{read.replay}").text
    links = [link for link in links_of(text) if "replay=" in link]
    assert len(links) > 4
    for link in links:
        assert 'class="under-replay"' in read.page(link).text, link


def test_a_published_copy_has_only_the_official_league() -> None:
    """Otherwise it would have each page once more for each replay."""
    addresses, here = LinkResolver([Route("/boards", lambda _: None, name="boards")]), SiteAddress("/", "", "en")
    assert addresses.place_of("/boards", here) is not None
    assert addresses.place_of("/boards?replay=7", here) is None


@pytest.mark.heavy
def test_a_visitor_walks_through_the_league_under_a_replay(read: LookedAt, tab: Tab) -> None:
    """On a phone, in Spanish: two taps from the board to a reason, then match and month, marked, with its figures."""
    page = sign_in(tab, read.site, "eva", "admin")
    page.goto(address(read.site, f"/boards/one_on_one?replay={read.replay}"))

    def is_marked(name: str) -> None:
        expect(page).to_have_title(re.compile(f"^Con el recálculo {read.replay} · "))
        expect(page).to_have_url(re.compile(rf"[?&]replay={read.replay}\b"))
        expect(page.get_by_role("complementary", name=f"Con el recálculo {read.replay}")).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= page.viewport_size["width"]  # type: ignore[index]
        for scheme, rules in (("dark", COLOURS), ("light", ())):
            page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
            assert serious_faults(page, *rules) == [], (name, scheme)
        shot(page, f"under-replay-{name}")

    is_marked("board")
    page.get_by_role("link", name="Ana", exact=True).first.click()
    is_marked("player")
    shown = figure_in(read.asked('ratingChange(match: "more9", of: "ana") { shownAfter }'))
    expect(page.locator(".ratings-now")).to_contain_text(str(shown))
    page.get_by_role("link", name="¿Por qué? 1v1").click()
    is_marked("why")
    expect(page.locator(".jump")).to_contain_text(str(shown))
    page.get_by_role("link", name=re.compile(" contra ")).first.click()
    is_marked("match")
    page.get_by_text("Menú").click()
    page.get_by_role("link", name="Serie", exact=True).last.click()
    page.locator("main .card a").first.click()
    is_marked("month")
    total = figure_in(
        read.asked('seriesMonth(month: "2026-03", mode: ONE_ON_ONE) { standings(first: 1) { nodes { total } } }')
    )
    expect(page.locator("main")).to_contain_text(str(total))
    page.get_by_role("link", name="A la liga oficial").click()
    expect(page.locator(".replay-banner")).to_have_count(0)
    expect(page).to_have_url(re.compile(r"/series/2026-03"))
    assert tab.said == []
