"""Live tables in the browser: two people play a match, one practises by keys, others watch."""

from __future__ import annotations

import json
import random
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from api_server import Served, served, token
from browsers import Tab, new_tab, serious_faults
from desk import PHONE, cookie_of, shot
from leagues import adopt, catch_up, found, league_at, own_database
from live_tables import alive
from playwright.sync_api import Browser, Page, Route, expect
from table_clients import AtTable, begin
from waiting import LIMIT, wait_until

from league.api.auth.web_sessions import NewSession, WebSessions, cookie_name
from league.console.site import create_site
from league.infra.database import connect, engine
from league.projections.runs import lock_official
from league.tables.application.clock_keeper import play_ai_seats
from league.tables.console import table_pages

SHORT = """[rulesets.doscientos-100]
target = 25
[rulesets.doscientos-100.live]
reshuffle_doubles = 0
away_after_seconds = 3600
[rulesets.cuban-150.live]
reshuffle_doubles = 1
reshuffle_seconds = 3600
contribution_seconds = 3600
turn_seconds = 3600
away_after_seconds = 3600
"""
"""A match ends after two hands or so, nobody is away, and under Cuban rules almost every deal leads to an offer."""
BROKEN_LINE = re.compile(r"net::ERR_")
OWN_TILE = "[data-my-turn] #hand button.fits"


@pytest.fixture(scope="module")
def site(embedded_server: str) -> Iterator[Served]:
    """A league of six players with short matches, its pages, and AIs that do not wait."""
    with own_database(embedded_server) as url:
        with league_at(url) as league:
            found(league)
            adopt(league, SHORT)
            catch_up(league)
            alive(league, days=1)
        with served(url, create=create_site) as server:
            ended = threading.Event()
            ais = threading.Thread(target=play_ai_seats, args=(server.league, ended.is_set), kwargs={"pause": 0})
            ais.start()
            try:
                yield server
            finally:
                ended.set()
                ais.join()


@contextmanager
def signed_in(browser: Browser, site: Served, player: str) -> Iterator[Tab]:
    """A tab of a player."""
    lives = datetime.now(UTC) + timedelta(hours=1)
    sessions = engine(site.league.database.url)
    value = WebSessions(sessions).begin(NewSession(player, ("player",), lives), "a test")
    sessions.dispose()
    with new_tab(browser) as tab:
        tab.page.context.add_cookies([{"name": cookie_name(secure=False), "value": value, "url": _address(site, "/")}])
        yield tab


def _address(site: Served, path: str) -> str:
    return f"http://127.0.0.1:{site.port}{path}"


COVERED = """() => {
  const line = document.querySelector("#felt .status").getBoundingClientRect();
  return [...document.querySelectorAll(".seat")].filter((seat) => {
    const bubble = document.createElement("p");
    bubble.className = "bubble";
    bubble.textContent = "Pasa, dice, toca";
    seat.append(bubble);
    const box = bubble.getBoundingClientRect();
    return box.bottom > line.top && box.top < line.bottom && box.right > line.left && box.left < line.right;
  }).map((seat) => seat.dataset.place);
}"""
"""Says that every seat passes: the seats whose word lies on the line that says whose turn it is."""


def _play_by_mouse(page: Page, choose: random.Random) -> None:
    """Choose a tile that fits, and an end, as a finger does."""
    tiles = page.locator(OWN_TILE)
    tiles.nth(choose.randrange(tiles.count())).click()
    ends = page.locator("#ends button")
    ends.nth(choose.randrange(ends.count())).click()


def test_two_browsers_play_a_match_to_its_end(browser: Browser, site: Served) -> None:
    """A reload and broken connections lose nothing, and the deal proves to be fair afterwards."""
    choose = random.Random(18)
    with (
        signed_in(browser, site, "ana") as ana,
        signed_in(browser, site, "bea") as bea,
        connect(site.league.database.url) as busy,
    ):
        ana.page.goto(_address(site, "/tables"))
        ana.page.get_by_role("link", name="Open a table").click()
        ana.page.get_by_label("Rules").select_option("doscientos-100")
        ana.page.get_by_role("button", name="Open the table").click()
        ana.page.get_by_role("button", name="Sit here").first.click()
        ana.page.get_by_role("button", name="I am ready").click()
        expect(ana.page.locator("#clock")).to_be_hidden()  # the day in which play has to begin is not counted there
        bea.page.goto(ana.page.url)
        bea.page.get_by_role("button", name="Sit here").click()
        bea.page.get_by_role("button", name="I am ready").click()
        moves, pages = 0, [ana.page, bea.page]
        closed = ana.page.locator('#live-table[data-phase="CLOSED"]')
        while True:
            wait_until(lambda: closed.count() or any(page.locator(OWN_TILE).count() for page in pages))
            if closed.count():
                break
            page = next(page for page in pages if page.locator(OWN_TILE).count())
            before = _picture(page)
            _play_by_mouse(page, choose)
            wait_until(lambda: _picture(page) != before)  # noqa: B023
            moves += 1
            if moves == 2:
                bea.page.set_viewport_size(PHONE)  # type: ignore[arg-type]
                covered = bea.page.evaluate(COVERED)
                shot(bea.page, "table-passes")
                assert covered == []
            if moves == 3:
                ana.page.reload()
                wait_until(lambda: _picture(ana.page) == _picture(bea.page))
            if moves == 5:
                for connection in list(site.server.server_state.connections):
                    connection.loop.call_soon_threadsafe(connection.transport.abort)
                lock_official(busy)  # the projector is late
        view = AtTable(site, ana.page.url.rpartition("/")[2]).look()
        assert view["closed"] == "FINISHED"
        for tab in (ana, bea):
            expect(tab.page.get_by_role("heading", name="Final score")).to_contain_text(str(max(view["score"])))
            expect(tab.page.get_by_role("link", name="The match")).to_be_visible()
            busy.commit()
            expect(tab.page.get_by_role("link", name="Review the hands")).to_be_visible()
            assert [line for line in tab.said if not BROKEN_LINE.search(line)] == []
        _review(ana.page, len(view["finishedHands"]))


def test_a_player_who_sits_before_the_stream_begins_gets_a_hand(browser: Browser, site: Served) -> None:
    """A page that was made before its visitor sat down is made anew, also if the first event already has the seat."""
    assert AtTable(site, "late-stream", "cira").open("doscientos-100")["__typename"] == "TableSuccess"
    with signed_in(browser, site, "dora") as dora:

        def sit_first(route: Route) -> None:
            taken = AtTable(site, "late-stream", "dora").do("takeSeat", seat=1)
            assert taken["__typename"] == "TableSuccess"
            route.continue_()

        dora.page.route("**/stream*", sit_first, times=1)
        dora.page.goto(_address(site, "/tables/late-stream"))
        expect(dora.page.locator("#hand")).to_have_count(1)
        dora.page.get_by_role("button", name="I am ready").click()


def _picture(page: Page) -> tuple[int, str | None, str]:
    """The number of finished hands on a page, and its chain."""
    drawn = page.locator("#felt .chain svg[role=img]")
    chain = drawn.first.get_attribute("aria-label") if drawn.count() else None
    return page.locator("#finished li").count(), chain, page.locator("#live-table").get_attribute("data-phase") or ""


def _review(page: Page, hands: int) -> None:
    """Go to the first hand, back and forth in it, and check its deal."""
    links = page.locator("#finished li a")
    expect(links).to_have_count(hands)
    links.last.click()
    page.get_by_role("link", name="First").click()
    expect(page.locator("#review .status")).to_have_text("Before the first tile")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#review .status")).to_contain_text("1/")
    page.get_by_role("button", name="Check this deal").click()
    expect(page.locator("[data-verdict] .good")).to_have_text("This deal was fair.")
    expect(page.locator(".findings .up")).to_have_count(4)
    assert serious_faults(page) == []
    # A changed digit of the secret is found out.
    page.locator("#deal").evaluate("(deal, proof) => { deal.dataset.proof = proof }", _with_another_secret(page))
    page.get_by_role("button", name="Check this deal").click()
    expect(page.locator("[data-verdict] .error")).to_be_visible()


def _with_another_secret(page: Page) -> str:
    """The proof of the page, one digit of its secret changed."""
    proof = json.loads(page.locator("#deal").get_attribute("data-proof") or "")
    proof["secret"] = ("1" if proof["secret"][0] == "0" else "0") + proof["secret"][1:]
    return json.dumps(proof)


def test_a_game_against_the_ai_by_keys_alone(browser: Browser, site: Served) -> None:
    """A hand can be played with Tab, arrows, Enter, L and R alone."""
    AtTable(site, "practice", "cira").open("doscientos-100")
    with signed_in(browser, site, "cira") as tab:
        page = tab.page
        page.goto(_address(site, "/tables/practice"))
        assert serious_faults(page) == []
        page.get_by_role("button", name="Sit down and play").focus()
        page.keyboard.press("Enter")
        finished = page.locator("#finished li")
        while finished.count() == 0:
            wait_until(lambda: finished.count() or page.locator(OWN_TILE).count())
            if finished.count():
                break
            _play_by_keys(page)
        expect(page.locator("#log")).to_contain_text("Hand 1 is")
        expect(page.locator("#log")).to_contain_text("AI (good)")
        expect(page.locator("#log")).not_to_contain_text("free")
        page.emulate_media(color_scheme="dark")
        wait_until(lambda: page.locator(OWN_TILE).count() or page.locator('[data-phase="CLOSED"]').count())
        assert serious_faults(page) == []
        assert tab.said == []


def _play_by_keys(page: Page) -> None:
    """Walk to the first tile that fits, and play it."""
    before = _picture(page)
    page.locator("#hand button[tabindex='0']").focus()  # as Tab does
    page.keyboard.press("Home")
    for _ in range(page.locator("#hand button").count()):
        if page.evaluate("document.activeElement.getAttribute('aria-disabled')") == "false":
            break
        page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    if "both ends" in page.locator("#why").inner_text():
        page.keyboard.press("l")
    wait_until(lambda: _picture(page) != before or not page.locator(OWN_TILE).count())


def test_offers_drags_talk_and_leaving(browser: Browser, site: Served) -> None:
    """A player uses the mouse for a reshuffle, dragging, phrases, mutes and leaving, and sees what others do."""
    mine, other = AtTable(site, "friday", "flor"), AtTable(site, "friday", "bea")
    mine.open("cuban-150", competition="CASUAL")
    mine.sit(0)
    other.sit(1)
    with signed_in(browser, site, "flor") as tab:
        page = tab.page
        page.goto(_address(site, "/tables/friday"))
        wait_until(lambda: other.look()["hand"]["contributions"][0] is not None)  # the page has contributed by itself
        other.contribute()
        if 0 in mine.look()["hand"]["reshuffleOffers"]:
            expect(page.get_by_role("dialog")).to_be_visible()
            assert serious_faults(page) == []
            page.get_by_role("button", name="Keep my tiles").click()
        if 1 in mine.look()["hand"]["reshuffleOffers"]:
            other.do("declineReshuffle", hand=1)
        wait_until(lambda: mine.look()["phase"] == "PLAYING")
        while mine.look()["hand"]["toMove"] != 0:
            other.play(random.Random(1))
        before = len(mine.look()["hand"]["chain"])
        page.locator(OWN_TILE).first.drag_to(page.locator("#felt"), target_position={"x": 300, "y": 150})
        wait_until(lambda: len(mine.look()["hand"]["chain"]) > before)
        _say(other, "HELLO")
        expect(page.locator("#log")).to_contain_text("Bea: Hello, family!")
        page.get_by_role("button", name="Mute Bea").click()
        expect(page.get_by_role("button", name="Hear Bea again")).to_be_visible()
        second = page.context.new_page()  # the browser remembers it, for all its tabs
        second.goto(_address(site, "/tables/friday"))
        second.get_by_role("button", name="Hear Bea again").click()
        page.get_by_role("button", name="Mute Bea").click()
        expect(second.get_by_role("button", name="Hear Bea again")).to_be_visible()
        second.close()
        _say(other, "THANKS")
        page.get_by_text("Say something").click()
        page.get_by_role("button", name="My respects, maestro.").click()
        expect(page.locator("#log")).to_contain_text("Flor: My respects, maestro.")
        expect(page.locator("#log")).not_to_contain_text("Thanks for the game.")
        page.get_by_role("button", name="Leave the table").click()
        page.get_by_role("button", name="Leave", exact=True).click()
        expect(page).to_have_url(_address(site, "/tables"))
        assert mine.look()["seats"][0]["handedOver"] == "LEFT"
        page.goto(_address(site, "/tables/friday"))
        expect(page.locator("#live-table")).to_contain_text("an AI plays")
        assert tab.said == []


def _say(player: AtTable, phrase: str) -> None:
    text = "mutation ($input: SayPhraseInput!) { sayPhrase(input: $input) { __typename } }"
    given = {"table": player.table, "phrase": phrase}
    said = player.served.ask(text, player.token, input=given)
    assert said["sayPhrase"]["__typename"] == "PhraseSuccess"


def test_who_watches_gets_no_tile_of_a_player(browser: Browser, site: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """A spectator's page and stream never contain a player's hidden tiles, but every move."""
    monkeypatch.setattr(table_pages, "LIFE", LIMIT)  # one stream hears all moves, however slow the machine is
    seated = begin(site, "watched", "dora", "eva", ruleset="doscientos-100")
    with site.http.stream("GET", "/tables/watched/stream") as stream, new_tab(browser) as tab:
        tab.page.goto(_address(site, "/tables/watched"))
        for _ in range(3):
            hand = seated[0].look()["hand"]
            seated[hand["toMove"]].play(random.Random(2))
        view = seated[0].look()
        expect(tab.page.locator("#felt .chain svg g[data-turn]")).to_have_count(len(view["hand"]["chain"]))
        messages = _heard(stream.iter_lines(), str(view["position"]))
        held = {tuple(sorted(tile)) for player in seated for tile in player.look()["hand"]["ownTiles"]}
        for seen in (site.http.get("/tables/watched").text, tab.page.content(), json.dumps(messages)):
            pairs = re.findall(r"\b(\d)-(\d)\b|\[(\d), ?(\d)\]", _without_counts(seen))
            shown = {tuple(sorted(int(half) for half in pair if half)) for pair in pairs}
            assert shown
            assert not shown & held
        assert tab.page.locator("#hand").count() == 0
        assert tab.said == []


def _without_counts(text: str) -> str:
    """The text of a page or of messages, without lists of numbers that are no tiles."""
    return re.sub(r"(?:counts|ends|score)[\"']?(?::|&#34;:) ?\[\d+, ?\d+\]", "", text)


def _heard(lines: Iterator[str], position: str) -> list[Any]:
    """The messages of a stream up to a position."""
    messages = []
    for line in lines:
        if line.startswith("data: "):
            messages.append(json.loads(line.removeprefix("data: ")))
            if messages[-1]["position"] == position:
                return messages
    raise AssertionError("the stream has ended")


def test_a_name_is_text_whatever_it_has(browser: Browser, site: Served) -> None:
    """Markup, letters from right to left and emoji are shown as they are, in the page and in the commentary."""
    name = "<img src=x onerror=alert(1)> \u05d7\u05d5\u05d4 & \N{FIRE} {tile}" + "o" * 40
    assert site.do("renamePlayer", token("admin"), player="eva", name=name)["__typename"] == "PlayerSuccess"
    table = AtTable(site, "named", "eva")
    table.open("doscientos-100")
    with new_tab(browser) as tab:
        tab.page.goto(_address(site, "/tables/named"))
        expect(tab.page.locator("#live-table")).to_have_attribute("data-phase", "OPEN")
        expect(tab.page.locator("#status")).not_to_be_empty()
        table.sit(0)
        expect(tab.page.locator("#log")).to_contain_text(f"{name} sat down.")
        expect(tab.page.locator("#seat-0 h2")).to_contain_text(name)
        assert tab.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert tab.said == []


def test_partners_are_told_by_name_and_place() -> None:
    """Several AIs have a number each; a seat says who the partner is, or that it is whoever sits opposite."""

    def seat(number: int, name: str | None = None, level: str | None = None) -> dict[str, Any]:
        player = name and {"displayName": name}
        return {"number": number, "side": number % 2, "playerId": name, "aiLevel": level, "player": player}

    seats = [seat(0, "Ana"), seat(1, level="HEURISTIC"), seat(2, level="RANDOM"), seat(3)]
    assert table_pages.names_of(seats) == ["Ana", "AI 1 (good)", "AI 2 (beginner)", "free"]
    assert table_pages.partners_of({"seats": seats, "viewerSeat": 0}) == {
        0: "partner: AI 2 (beginner)",
        1: "partner: whoever sits opposite",
        2: "your partner, opposite",
        3: "partner: AI 1 (good)",
    }
    alone = [{**one, "side": one["number"]} for one in seats]
    assert table_pages.partners_of({"seats": alone, "viewerSeat": None}) == {}


LAY_OUT = """async ([module, chains]) => {
  const { layOut } = await import(module);
  return chains.map(([chain, width]) => layOut(chain, width));
}"""


def test_no_tile_of_a_chain_lies_on_another(browser: Browser, site: Served) -> None:
    """Tiles of a chain never overlap or leave the table, however the chain grew and however narrow the table is."""
    choose = random.Random(55)
    chains = [(_chain(choose, length), width) for width in (14, 15, 16, 21, 28) for length in (1, 2, 9, 20, 38, 55)]
    module = _static_address(site, "table/chain.js")
    with new_tab(browser) as tab:
        tab.page.goto(_address(site, "/tables"))
        laid = tab.page.evaluate(LAY_OUT, [module, chains])
    for (chain, width), layout in zip(chains, laid, strict=True):
        boxes = [_box(one) for one in layout["placed"]]
        for at, (left, top, right, bottom) in enumerate(boxes):
            assert left >= -0.5
            assert right <= width + 0.5
            for other in boxes[:at]:
                beside = left >= other[2] or other[0] >= right or top >= other[3] or other[1] >= bottom
                assert beside, (width, chain, boxes[at], other)
        for ghost in map(_box, layout["ends"].values()):
            for box in boxes:
                assert ghost[0] >= box[2] or box[0] >= ghost[2] or ghost[1] >= box[3] or box[1] >= ghost[3], (
                    width,
                    chain,
                )


def _chain(choose: random.Random, length: int) -> list[dict[str, Any]]:
    """A chain of a random game: tiles added at random ends, a double now and then but never two side by side."""
    chain = [{"tile": [0, 0], "double": choose.random() < 0.3, "turn": 1}]
    for turn in range(2, length + 1):
        is_left = choose.random() < 0.5
        neighbour = chain[0 if is_left else -1]
        laid = {"tile": [0, 0], "double": not neighbour["double"] and choose.random() < 0.3, "turn": turn}
        chain.insert(0 if is_left else len(chain), laid)
    return chain


def _box(one: dict[str, Any]) -> tuple[float, float, float, float]:
    """The edges of a tile, in units of half a tile."""
    is_lying = (one["dx"] != 0) != one["across"]
    wide, high = (1, 0.5) if is_lying else (0.5, 1)
    return one["x"] - wide, one["y"] - high, one["x"] + wide, one["y"] + high


def _static_address(site: Served, name: str) -> str:
    """The address of a static file, which its content is part of."""
    found = re.search(r"/static/\w+/", site.http.get("/tables").text)
    assert found is not None
    return found[0] + name


def test_a_stream_goes_on_after_the_position_that_a_browser_had(site: Served) -> None:
    """Each event comes once, also for a browser that names the position by itself."""
    AtTable(site, "resumed", "flor").open("doscientos-100")
    with site.http.stream("GET", "/tables/resumed/stream") as stream:
        first = next(json.loads(line[6:]) for line in stream.iter_lines() if line.startswith("data: "))
    assert first["__typename"] == "TableSnapshot"
    player = AtTable(site, "resumed", "flor")
    player.sit(0)
    with site.http.stream("GET", "/tables/resumed/stream", headers={"Last-Event-ID": first["position"]}) as stream:
        messages = _heard(stream.iter_lines(), str(player.look()["position"]))
    assert [message["__typename"] for message in messages] == ["SeatTaken", "SeatReady"]


def test_a_stream_ends_with_its_session(site: Served) -> None:
    """After signing out, a browser gets no more events; it asks again with the rights that it has then."""
    seated = begin(site, "ended", "dora", "eva", ruleset="doscientos-100", competition="CASUAL")
    mover = seated[seated[0].look()["hand"]["toMove"]]
    cookie = cookie_of(site, mover.sub, "player")
    sessions = engine(site.league.database.url)
    with site.http.stream("GET", "/tables/ended/stream", headers={"Cookie": f"league={cookie}"}) as stream:
        lines = stream.iter_lines()
        first = next(json.loads(line[6:]) for line in lines if line.startswith("data: "))
        assert first["table"]["viewerSeat"] is not None
        WebSessions(sessions).end(cookie)
        mover.play()
        rest = [line for line in lines if line.startswith(("event: ", "data: "))]
    sessions.dispose()
    assert rest[0] == "event: refused"
    assert json.loads(rest[1][6:])["code"] == "UNAUTHENTICATED"
    assert len(rest) == 2


def test_a_move_of_another_site_is_refused(site: Served) -> None:
    """Another site cannot make moves with a player's cookie."""
    answer = site.http.post("/tables/watched/moves/leave", headers={"Origin": "https://other.example"})
    assert answer.status_code == 403


@pytest.mark.parametrize("sent", [{}, {"hand": "one"}, {"hand": "1", "turn": "1", "tile": "6"}, {"tile": "6-6-6"}])
def test_a_move_that_is_none_is_refused(site: Served, sent: dict[str, str]) -> None:
    """Any malformed move is refused as the client's fault."""
    answer = site.http.post("/tables/watched/moves/play", data=sent, headers={"Origin": _address(site, "")})
    assert answer.status_code in (400, 422)


def test_players_are_invited_by_name(site: Served) -> None:
    """Players are invited by name; a name that nobody has is refused beside its control."""
    headers = {"Cookie": f"league={cookie_of(site, 'ana', 'player')}", "Origin": _address(site, "")}
    typed = {"ruleset": "cuban-150", "mode": "ONE_ON_ONE", "competition": "CASUAL", "listed": "no"}
    asked = site.http.post("/tables/open", data={**typed, "invited.1": "Nadie"}, headers=headers)
    assert asked.status_code == 422
    assert 'id="invited.1-error"' in asked.text
    opened = site.http.post("/tables/open", data={**typed, "invited.0": "bea", "invited.4": "CIRA"}, headers=headers)
    table = opened.headers["Location"].rpartition("/")[2]
    assert [AtTable(site, table, sub).look() is not None for sub in ("bea", "cira", "dora")] == [True, True, False]


def test_a_refusal_without_a_module_is_said_on_the_page(site: Served) -> None:
    """Without JavaScript, a refused form returns to the table with the API's sentence."""
    AtTable(site, "plain", "flor").open("doscientos-100")
    answer = site.http.post("/tables/plain/moves/sit", data={"seat": "0"}, headers={"Origin": _address(site, "")})
    assert answer.status_code == 422
    assert 'role="alert"' in answer.text
