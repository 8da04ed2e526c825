"""The pages for everybody: boards, matches, players, the series of a month, the search."""

from __future__ import annotations

import html
import re
from datetime import UTC, datetime
from urllib.parse import quote
from zoneinfo import ZoneInfo

import pytest
from api_server import Served, token
from browsers import COLOURS, Tab, serious_faults
from leagues import at, domino, opened, played, send
from playwright.sync_api import expect
from waiting import wait_until

from league.api.graphql.executing import context
from league.api.graphql.leaf_types import ScoringRule
from league.console.public.players import HEIGHT, WIDTH, rating_chart
from league.console.templates import environment
from league.domain.match import EndMatch, ForfeitMatch
from league.projections.boards.definitions import BOARDS

PATHS = (
    "/", "/boards", "/boards/global", "/boards/series", "/boards/teams?day=2026-02-01", "/matches", "/matches/c-0001",
    "/matches?mode=TWO_ON_TWO", "/series", "/series/2026-01", "/series/2026-01?mode=TWO_ON_TWO", "/badges", "/seasons",
    "/search", "/search?q=an", "/more", "/matches/c-0001/hands/1/turns", "/matches?from=2026-01-05&to=2026-01-20",
    "/badges/matches-10", "/teams/p009+p010", "/players/p005/against/p009", "/players/p005?day=2026-01-20",
    "/teams/p009+p010?day=2026-01-20",
)  # fmt: skip
"""One address for each page that needs nothing known of the league."""
OLD = "2024-01-01T10:00:00Z"
LARGEST_PAGE = 200_000
"""Limit on the bytes of HTML of a page."""


@pytest.mark.parametrize("path", PATHS)
def test_a_page_is_small_and_readable_without_a_script(season_site: Served, path: str) -> None:
    """Each page has a heading, and a link to its query that people do not see, in both languages."""
    for language in ("en", "es"):
        answer = season_site.http.get(path, headers={"Accept-Language": language})
        assert answer.status_code == 200, answer.text
        assert len(answer.content) < LARGEST_PAGE
        assert f'<html lang="{language}">' in answer.text
        assert "<h1" in answer.text
        assert re.search(r'<a hidden href="[^"]*/graphql\?query=', answer.text)


def test_every_board_and_badge_has_a_link_by_its_own_words(season_site: Served) -> None:
    """No page lists them: a board is shown by its definition, a badge by the rules in force."""
    said = season_site.ask("{ boards { kind title } badges { key description } }")
    boards, badges = (html.unescape(season_site.http.get(path).text) for path in ("/boards", "/badges"))
    assert [board["title"] for board in said["boards"]] == [board.title for board in BOARDS.values()]
    for board in said["boards"]:
        assert re.search(f'<h2>{board["title"]} <a href="/boards/{board["kind"].lower()}"', boards)
    for badge in said["badges"]:
        assert f'href="/badges/{badge["key"]}">{badge["description"]}<' in badges


@pytest.mark.parametrize("path", ["/boards/nope", "/matches/nope", "/players/nope", "/teams/a+b", "/badges/nope"])
def test_what_is_not_there_is_said_kindly(season_site: Served, path: str) -> None:
    """The page has the status 404 and says so in words."""
    assert season_site.http.get(path).status_code == 404


@pytest.mark.parametrize("path", ["/boards/global?day=tomorrow", "/matches?mode=X", "/series/2026-99"])
def test_an_address_that_does_not_fit_says_why(season_site: Served, path: str) -> None:
    """The page has the status 400; it is not a fault of the server."""
    assert season_site.http.get(path).status_code == 400


@pytest.mark.heavy
@pytest.mark.parametrize("path", ["/players/p004", "/teams/p001+p002"])
def test_a_player_and_a_pair_are_shown_as_of_a_day(season_site: Served, path: str) -> None:
    """A day after all matches shows the present. An earlier day shows no later match or badge, and no progress."""
    now, last = (season_site.http.get(path + day).text for day in ("", "?day=2026-12-30"))
    facts = r"(?s)<dl class=\"facts\">.*?</dl>"
    assert re.findall(facts, now) == re.findall(facts, last)
    query = """query ($of: ID!) { league { timeZone } matches(filter: {competitor: $of}, first: 100) {
      nodes { matchId decidedAt } } }"""
    said = season_site.ask(query, of=path.rsplit("/", maxsplit=1)[-1])
    zone = ZoneInfo(said["league"]["timeZone"])
    decided = {m["matchId"]: datetime.fromisoformat(m["decidedAt"]).astimezone(zone) for m in said["matches"]["nodes"]}
    day = min(decided.values()).date()
    early = season_site.http.get(f"{path}?day={day}").text
    seen = set(re.findall(r'href="/matches/([^/"]+)"', early))
    assert seen == {match for match, at in decided.items() if at.date() == day} < set(decided)
    assert re.findall(facts, early) != re.findall(facts, now)
    before = season_site.http.get(path + "?day=2025-06-01").text
    assert "0: 0 won, 0 lost" in before
    assert 'class="badge"' not in before
    assert "<progress" not in before
    assert "No match yet." in before


def test_three_clicks_lead_from_the_first_page_to_why_a_rating_changed(tab: Tab, season_site: Served) -> None:
    """The clicks are a match, a change, and its explanation with the waterfall."""
    page = tab.page
    page.goto(f"http://127.0.0.1:{season_site.port}/")
    page.locator(".matches .when").first.click()
    page.get_by_role("link", name=re.compile(r"^Why\?")).first.click()
    expect(page.locator(".waterfall")).to_be_visible()
    assert tab.said == []


def test_a_hand_shows_its_turns_where_they_are_known(tab: Tab, season_site: Served) -> None:
    """The match links to them; the chain at the end has every tile that was played."""
    page = tab.page
    page.goto(f"http://127.0.0.1:{season_site.port}/matches/c-0001")
    page.get_by_role("link", name="The deal and the turns").first.click()
    played = page.locator(".turns .tile").count()
    expect(page.locator(".chain .tile")).to_have_count(played)
    assert played > 0


def test_the_search_finds_as_one_types(tab: Tab, season_site: Served) -> None:
    """No button is needed, and the address can be shared."""
    name = season_site.ask("{ players(first: 1) { nodes { displayName } } }")["players"]["nodes"][0]["displayName"]
    tab.page.goto(f"http://127.0.0.1:{season_site.port}/search")
    tab.page.get_by_role("searchbox").press_sequentially(name)
    expect(tab.page.locator("#found").get_by_role("link", name=name, exact=True)).to_be_visible()
    expect(tab.page).to_have_url(re.compile("q="))
    assert tab.said == []


def test_a_filter_shows_itself_in_the_address(tab: Tab, season_site: Served) -> None:
    """Choosing a mode shows its matches at once, at an address that shows the same again."""
    page = tab.page
    page.goto(f"http://127.0.0.1:{season_site.port}/matches")
    total = page.locator("h2").first.inner_text()
    page.get_by_label("Mode").select_option("ONE_ON_ONE")
    expect(page).to_have_url(re.compile("mode=ONE_ON_ONE"))
    expect(page.locator("h2").first).not_to_have_text(total)
    assert tab.said == []


def test_a_day_ends_by_the_clock_of_the_league(season_site: Served) -> None:
    """A match of the evening, which is tomorrow in UTC, belongs to its day in the league's time zone."""
    zone = ZoneInfo(season_site.ask("{ league { timeZone } }")["league"]["timeZone"])
    asked = "{ matches(first: 100) { nodes { matchId beganAt } } }"
    began = {
        one["matchId"]: datetime.fromisoformat(one["beganAt"]) for one in season_site.ask(asked)["matches"]["nodes"]
    }
    day = next(one.astimezone(zone).date() for one in began.values() if one.astimezone(zone).date() != one.date())
    page = season_site.http.get(f"/matches?from={day}&to={day}").text
    assert set(re.findall(r"/matches/(c-\d+)", page)) == {
        match for match, one in began.items() if one.astimezone(zone).date() == day
    }


def test_axe_finds_nothing_serious_on_the_public_pages(tab: Tab, season_site: Served) -> None:
    """The pages are checked on a phone, in both colour schemes."""
    page = tab.page
    page.set_viewport_size({"width": 390, "height": 844})
    player = season_site.ask("{ players(first: 1) { nodes { playerId } } }")["players"]["nodes"][0]["playerId"]
    found = []
    for path in (*PATHS, f"/players/{quote(player)}"):
        page.goto(f"http://127.0.0.1:{season_site.port}{path}")
        for scheme, rules in (("light", ()), ("dark", COLOURS)):
            page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
            found += [(path, scheme, *fault) for fault in serious_faults(page, *rules)]
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, f"{path} is wider than the phone"
    assert found == []


@pytest.mark.heavy
def test_the_list_of_matches_marks_those_that_did_not_simply_end(small_site: Served) -> None:
    """One that was stopped and one that was given up say so, one played to its end does not. Each can be filtered."""
    send(
        small_site.league,
        played("ended", ("ana", "bea"), 1, domino(0, None, 90), domino(0, None, 70)),
        played("stopped", ("ana", "bea"), 3, domino(0, None, 90)),
        EndMatch("stopped", None, at(5)),
        opened("given-up", ("ana", "bea"), 6),
        ForfeitMatch("given-up", 0, at(7)),
    )
    wait_until(lambda: "given-up" in small_site.http.get("/matches").text)
    shown = small_site.http.get("/matches").text
    for match, mark in (("stopped", "cut short"), ("given-up", "forfeited"), ("ended", None)):
        row = shown[shown.index(f'href="/matches/{match}"') :].split("</li>", 1)[0]
        assert re.findall(r'<span class="chip">([^<]+)</span>', row) == ([] if mark is None else [mark])
    only = small_site.http.get("/matches?status=FORFEITED").text
    assert re.findall(r'href="/matches/([a-z-]+)"', only) == ["given-up"]


def test_a_chart_keeps_its_points_inside_the_drawing_and_in_order() -> None:
    """This holds even if all matches were decided at one moment and the rating did not move."""
    still = [
        {"decidedAt": "2026-01-01T00:00:00+00:00", "rating": 1500.0, "shown": 1500, "matchId": str(n)} for n in (1, 2)
    ]
    moving = [
        {**still[0], "decidedAt": f"2026-01-0{day}T00:00:00+00:00", "rating": 1500 + 77.0 * day} for day in (1, 2, 9)
    ]
    assert rating_chart(still[:1]) is None
    for points in (still, moving):
        chart = rating_chart(points)
        assert chart is not None
        assert all(0 <= point.x <= WIDTH and 0 <= point.y <= HEIGHT for point in chart.points)
        assert [point.x for point in chart.points] == sorted(point.x for point in chart.points)
        assert all(0 <= line.y <= HEIGHT for line in chart.grid)


def test_the_points_of_a_hand_lead_to_their_rule(season_site: Served) -> None:
    """Links lead from the points of the hand to the setting in words. House rules are told where a ruleset has them."""
    page = season_site.http.get("/matches/c-0001").text
    rules, anchor = re.findall(r'href="(/rules/[^"#]+)#([^"]+)', page)[0]
    assert f'id="{anchor}"' in season_site.http.get(rules).text
    said = season_site.ask("{ timeline { edition { rulesets { inWords { setting } } } } }")["timeline"][-1]["edition"]
    settings = {line["setting"] for ruleset in said["rulesets"] for line in ruleset["inWords"]}
    rule_setting = environment(str).filters["rule_setting"]
    house = {rule_setting(rule.name) for rule in (ScoringRule.ENDING, ScoringRule.CAPICUA_DOUBLED)}
    assert {rule_setting(rule.name) for rule in ScoringRule} <= settings | house


def test_the_page_of_a_month_says_who_can_still_play_whom(season_site: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """For a month in play, the page lists pairs of the first competitors with the games they have left."""
    assert "Who can still play whom" not in season_site.http.get("/series/2026-01").text
    monkeypatch.setattr(context, "clock", lambda: datetime(2026, 1, 20, tzinfo=UTC))
    text = """{ seriesMonth(month: "2026-01") { encounters(amongFirst: 14, mayMeet: true, first: 1) {
      nodes { competitor { displayName } opponent { displayName } winsLeft lossesLeft } } } }"""
    (first,) = season_site.ask(text)["seriesMonth"]["encounters"]["nodes"]
    page = season_site.http.get("/series/2026-01").text
    table = page[page.index("Who can still play whom") :]
    row = table[table.index("<tbody>") : table.index("</tr>", table.index("<tbody>"))]
    assert first["competitor"]["displayName"] in row
    assert first["opponent"]["displayName"] in row
    assert f"{first['winsLeft']}\u2013{first['lossesLeft']}" in row


def test_who_is_new_has_a_place_among_the_new(season_site: Served) -> None:
    """A board and a profile of the first weeks say the place among the new, and the matches until a rank."""
    asked = (
        "{ board { places(first: 1) { nodes { rank amongProvisional { rank matchesToGo } player { playerId } } } } }"
    )
    [first] = season_site.ask(asked)["board"]["places"]["nodes"]
    new = first["amongProvisional"]
    assert (first["rank"], new["rank"]) == (None, 1)
    to_go = f"puesto oficial en {new['matchesToGo']} partidas"
    pages = [
        ("/boards/global", to_go),
        (f"/players/{first['player']['playerId']}", f"puesto 1 entre los nuevos; {to_go}"),
    ]
    pages += [(path, "Entre paréntesis: el puesto entre los nuevos") for path in ("/", "/boards", "/boards/global")]
    for path, said in pages:
        assert said in season_site.http.get(path, headers={"Accept-Language": "es"}).text


@pytest.mark.heavy
def test_a_board_says_how_many_inactive_ones_it_leaves_out(small_site: Served) -> None:
    """The first page and the board's own page say so, with a link to the whole board."""
    admin, seats = token("admin"), ["ana", "cira", "bea", "dora"]
    small_site.do("openMatch", admin, matchId="old", ruleset="cuban-150", mode="TWO_ON_TWO", seats=seats, playedAt=OLD)
    announced = {"winner": 0, "score": [150, 90]}
    small_site.do("recordResult", admin, match="old", announced=announced, playedAt=OLD)
    small_site.do("openMatch", admin, matchId="new", ruleset="cuban-150", mode="ONE_ON_ONE", seats=["eva", "flor"])
    small_site.do("recordResult", admin, match="new", announced=announced)
    small_site.follow(str(small_site.league.store.head()))
    home, board, everybody = (
        small_site.http.get(path).text for path in ("/", "/boards/global?region=", "/boards/global?all=1")
    )
    players = "4 inactive players are not shown."
    assert re.search(f'{players} <a href="/boards/global.all=1">Show all</a>', home)
    assert re.search('2 inactive pairs are not shown. <a href="/boards/teams.all=1">Show all</a>', home)
    assert re.search(
        f'{players} The board shows those who have played since .+[.] <a href="[^"]*region=&amp;all=1">', board
    )
    assert "inactive" not in everybody
