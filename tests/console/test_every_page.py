"""A walk over all pages, in a league whose names try to break them, as everybody who may look."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser

import httpx
import pytest
from api_server import Served, served, token
from browsers import AXE, Tab, serious_faults
from chance import chance_of
from desk import PHONE, address, cookie_of, give_cookies
from leagues import announced, at, catch_up, domino, found, league_at, opened, own_database, played, revised, send
from playwright.sync_api import expect
from table_clients import AtTable, begin, play_hand

from league.console.pages import Page, written
from league.console.site import PAGES, create_site
from league.domain.league import OpenSeason
from league.domain.player import LONGEST_NAME, RegisterPlayer, RenamePlayer
from league.eventlog.records import AppendRequest
from league.projections.replays.replay import ReplayPeriod, replay
from league.tournaments.domain.commands import DrawRound, EnterCompetitor, PlanTournament, PublishRound
from league.tournaments.drawing import draw_round, publish_round

pytestmark = pytest.mark.heavy

LARGEST_PAGE = 200_000
"""Limit on the bytes of HTML of a page."""
VISITORS = {
    "nobody": None, "a player": "player", "a scorekeeper": "scorekeeper", "an admin": "admin", "an auditor": "auditor",
}  # fmt: skip
"""The role of each visitor; None for an anonymous one."""
BETWEEN = ("a player", "a scorekeeper", "an auditor")
"""Who sees more than nobody and less than an admin."""
NAMES = {
    "ana": "<script>alert(1)</script><b>Ana",
    "bea": "\u200faeB\u200e {{ 7 * 7 }}",
    "cira": "C" * LONGEST_NAME,
    "dora": "👩🏽‍🦱 Dora\u200d🁣",
    "eva": "\"' onfocus=alert(1) autofocus x='%s {name}",
}
"""Markup, marks that turn the text, what templates and formats would fill in, a long word, emoji."""
STRANGE = "a/b<é>\\%41?#'"
"""An id that means something else in addresses, markup and text."""
UNKNOWN = f"{STRANGE}💥"

KNOWN = {
    "matches": {"id": "m1", "number": "1", "of": "ana"},
    "players": {"id": "ana", "other": "bea"},
    "teams": {"id": "ana+bea"},
    "series": {"month": "2026-03", "of": "ana"},
    "seasons": {"id": "s1"},
    "badges": {"key": "matches-10"},
    "boards": {"kind": "global"},
    "tables": {"id": "t1", "number": "1"},
    "tournaments": {"id": "c1", "number": "1", "table": "1", "competitor": "ana"},
    "rules": {"name": "cuban-150"},
    "sign-in": {"secret": "unknown"},
    "admin": {"name": "1"},
    "log": {"position": "1"},
    "nights": {"day": "2026-03-01"},
}
"""Parameters of addresses that lead somewhere, by the first part of the address."""
OF_PAGES = {
    "tournament_bracket": {"id": "c2"},
    "edition": {"number": "1"},
    "adopt_edition": {"number": "1"},
    "edit_edition": {"number": "1"},
}
"""Parameters of pages that other parts of an address do not lead to, by the name of the page."""
IS_BEYOND = "[...document.querySelectorAll('.top a')].some(one => one.getBoundingClientRect().right > innerWidth)"
"""Whether a link of the top bar is beyond the screen."""
OF_PLAYERS = {"claim_absence", "confirm_absence"}
"""Pages that answer 403 to an admin."""
ASKED = {"what_if_not": "?player=ana"}
"""Queries for the addresses of some pages."""


@pytest.fixture(scope="module")
def site(embedded_server: str) -> Iterator[Served]:
    """A league with a little of everything, its names as bad as the rules allow."""
    with own_database(embedded_server) as url:
        with league_at(url) as league:
            found(league)
            send(
                league,
                RegisterPlayer(STRANGE, "Íñigo", "<i>Región</i>"),
                [RenamePlayer(player, name) for player, name in NAMES.items()],
                OpenSeason("s1", "Temporada <b>1</b>", at(0)),
                played("m1", ("ana", "bea"), 1, domino(0, None, 90), domino(0, None, 70)),
                played("m2", ("ana", "cira", "bea", "dora"), 5, domino(0, None, 90, None, 80)),
                announced(STRANGE, ("eva", STRANGE), 9),
                opened("open", ("dora", STRANGE), 20),
            )
            plan = {"name": "<b>Copa</b>", "format": "swiss", "mode": "1v1", "ruleset": "cuban-150", "rounds": 2}
            send(league, PlanTournament("c1", plan), *(EnterCompetitor("c1", (player,)) for player in NAMES))
            draw_round(league, DrawRound("c1"), "test")
            publish_round(league, PublishRound("c1", 1), "test")
            knockout = {"name": "<i>Eliminatoria</i>", "format": "knockout", "mode": "1v1", "ruleset": "cuban-150"}
            send(league, PlanTournament("c2", knockout), *(EnterCompetitor("c2", (player,)) for player in NAMES))
            draw_round(league, DrawRound("c2"), "test")
            publish_round(league, PublishRound("c2", 1), "test")
            catch_up(league)
            run = replay(url, revised("rating.k.provisional = 32"), ReplayPeriod())
            position = str(league.promoter.promote(run, AppendRequest("<i>kim</i>", "manual")))
            KNOWN.update({"notices": {"position": position, "id": "ana"}, "promotions": {"position": position}})
        with served(url, create=create_site) as server:
            play_hand(begin(server, "t1", "ana", "bea"))
            AtTable(server, "open-table", "kim", "admin").open()
            dispute = {"match": "m1", "reason": "<img src=x onerror=alert(1)>"}
            assert "Success" in server.do("disputeResult", token("player", sub="bea"), **dispute)["__typename"]
            yield server


@pytest.fixture(scope="module")
def cookies(site: Served) -> dict[str, str | None]:
    """The cookie of each visitor."""
    return {who: role and cookie_of(site, "ana", role) for who, role in VISITORS.items()}


class Read(HTMLParser):
    """Collects the contents of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.headings, self.title, self.links, self._in = 0, "", list[str](), ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self._in = tag
        self.headings += tag == "h1"
        if tag == "a" and (link := given.get("href")) is not None:
            self.links.append(link)
        assert not any(name.startswith("on") for name in given), attrs
        assert tag != "script" or "src" in given, "a script inside the page"
        assert "data-draft" not in given or "id" in given, "a refresh of the page would drop what is typed"

    def handle_data(self, data: str) -> None:
        if self._in == "title":
            self.title += data.strip()


def path_of(page: Page) -> str:
    """An address of the page that leads somewhere."""
    given = {**KNOWN.get(page.path.split("/")[1], {}), **OF_PAGES.get(page.name, {})}
    names = re.findall(r"{(\w+)(?::\w+)?}", page.path)
    filled = written({name: given.get(name, "unknown") for name in names})
    return re.sub(r"{(\w+)(?::\w+)?}", lambda found: filled[found[1]], page.path) + ASKED.get(page.name, "")


def visit(site: Served, path: str, cookie: str | None, language: str = "en") -> httpx.Response:
    """Fetch a page as a visitor."""
    headers = {"Accept-Language": language, **({} if cookie is None else {"Cookie": f"league={cookie}"})}
    return site.http.get(path, headers=headers)


def links_of(page: Read) -> set[str]:
    """The links to pages of ours; all pages from which one can sign in lead to the same one."""
    ours = {link for link in page.links if link.startswith("/") and not link.startswith(("/graphql?", "/static"))}
    return {link.split("back=")[0] for link in ours}


@pytest.fixture(scope="module")
def followed() -> set[str]:
    """The links that a visitor has followed. Only those that the next one sees beside them are followed again."""
    return {path_of(page) for page in PAGES}


@pytest.fixture(scope="module")
def dealt() -> dict[str, str]:
    """Which of the visitors between nobody and an admin looks at a page, by its name: others in each run."""
    chance = chance_of("visitors of pages")
    return {page.name: chance.choice(BETWEEN) for page in PAGES}


@pytest.mark.parametrize("who", VISITORS)
def test_every_page_answers_everybody(
    site: Served, cookies: dict[str, str | None], followed: set[str], dealt: dict[str, str], who: str
) -> None:
    """Each page is small, with heading and title. An admin, who sees most, tries both languages.

    Three look at each page: nobody, an admin, and one of those who see more than the one and less than the other.
    """
    links: dict[str, str] = {}
    for page in PAGES:
        if who in BETWEEN and dealt[page.name] != who:
            continue
        path = path_of(page)
        for language in {"nobody": ("en",), "an admin": ("en", "es")}.get(who, ("es",)):
            answer = visit(site, path, cookies[who], language)
            assert answer.status_code < 500, (path, answer.text)
            assert answer.status_code != 404 or "unknown" in path or page.name == "turns", path
            assert len(answer.content) < LARGEST_PAGE, path
            read = Read(answer.text)
            if "<html" in answer.text:  # not a list that a page shows as one types
                assert (read.headings, read.title != "") == (1, True), path
            links |= dict.fromkeys(links_of(read), path)
    lost = {}
    for link in links.keys() - followed if who in {"nobody", "an admin"} else ():
        status = visit(site, link, cookies[who]).status_code
        if status >= 500 or status == 404:
            lost[link] = (links[link], status)
        followed.add(link)
    assert lost == {}


@pytest.mark.parametrize("made_up", [UNKNOWN, "0", "999999999999999999999", "%00", "a" * 200 + "+"])
def test_what_is_not_there_is_said_kindly(site: Served, cookies: dict[str, str | None], made_up: str) -> None:
    """No address causes a fault of the server for an admin; the strangest ones do not for an anonymous visitor."""
    visitors = ("nobody", "an admin") if made_up == UNKNOWN else ("an admin",)
    for page in PAGES:
        if "{" not in page.path:
            continue
        path = re.sub(r"{\w+(:\w+)?}", next(iter(written({"x": made_up}).values())), page.path)
        for who in visitors:
            answer = visit(site, path, cookies[who])
            assert answer.status_code < 500, (path, answer.text)
            assert "<html" not in answer.text or Read(answer.text).headings == 1, path


def test_no_page_fails_before_the_league_is_founded(embedded_server: str) -> None:
    """Every page answers with a migrated database and an empty log."""
    with own_database(embedded_server) as url, served(url, create=create_site, projecting=False) as nothing:
        cookie = cookie_of(nothing, "kim", "admin")
        failed = {path: visit(nothing, path, cookie).status_code for path in map(path_of, PAGES)}
    assert {path: status for path, status in failed.items() if status >= 500} == {}


def test_names_neither_break_a_page_nor_run(site: Served, tab: Tab) -> None:
    """On a phone, pages show no dialog and no error, fit the screen and ask no other host. Axe finds no fault."""
    dialogs: list[str] = []

    def meet(dialog: object) -> None:
        dialogs.append(str(dialog))
        dialog.dismiss()  # type: ignore[attr-defined]

    tab.page.on("dialog", meet)
    tab.page.set_viewport_size(PHONE)  # type: ignore[arg-type]
    give_cookies(tab.page, site, "ana", "admin")
    tab.page.add_init_script(AXE)
    wrong: list[object] = []
    for page in PAGES:
        path = path_of(page)
        if "unknown" in path or page.name == "turns":  # no tile of this match is known
            continue
        tab.page.goto(address(site, path))
        wrong += [(path, *fault) for fault in serious_faults(tab.page)]
        if (width := tab.page.evaluate("document.documentElement.scrollWidth")) > PHONE["width"]:
            wrong.append((path, "is wide", width))
        if tab.page.evaluate(IS_BEYOND):
            wrong.append((path, "has a bar that scrolls sideways"))
        said = [line for line in tab.said if page.name not in OF_PLAYERS or "403" not in line]
        tab.said.clear()
        if said:
            wrong.append((path, *said))
    assert wrong == [], "\n".join(map(str, wrong))
    assert dialogs == []
    assert all(asked.startswith(address(site, "/")) for asked in tab.asked)
    tab.page.get_by_text("Menú").click()
    tab.page.get_by_role("link", name="Su cuenta").click()
    expect(tab.page).to_have_url(re.compile("/account$"))
