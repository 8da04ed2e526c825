"""The pages that make rules official: a promotion with its preview, earlier rules brought back, and replays anew."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from typing import Any

import pytest
from api_server import Served, served, token
from databases import copy_of
from leagues import SMALL_LEAGUE, announced, send
from rule_pages import Boss, controls_of, hidden

from league.application.replay_folding import fold_replay
from league.console.site import create_site

ADMIN = token("admin", sub="boss")


@pytest.fixture
def site(embedded_server: str) -> Iterator[Served]:
    """A league of six players and four matches, with pages."""
    with copy_of(embedded_server, SMALL_LEAGUE) as url, served(url, create=create_site) as server:
        pairs = (("ana", "bea"), ("cira", "dora"), ("bea", "cira"), ("eva", "flor"))
        server.follow(str(send(server.league, *(announced(f"r{n}", pair, n) for n, pair in enumerate(pairs)))))
        yield server


def reason_of(site: Served) -> Any:
    query = "{ officialTimelines(first: 1) { nodes { how reason timeline { edition { number } } } } }"
    return site.ask(query, ADMIN)["officialTimelines"]["nodes"][0]


@pytest.mark.heavy
def test_a_promotion_shows_what_changes_once_more_and_takes_a_reason(site: Served) -> None:
    """Rules, figures and who moves. Without a reason, or after a match, it is shown again and stores nothing."""
    boss = Boss(site)
    number = boss.start(document="rating.k.provisional = 32", title="Calmer")
    path = f"/admin/replays/{number}/promote"
    page = boss.get(path)
    for words in ("Calmer", "rating.k.provisional", "<td>40</td>", "6 players get another rating.", "The 6 who move"):
        assert words in page
    seen = hidden(page, "previewed")
    refused = boss.post(path, reason="", previewed=seen)
    assert (refused.status_code, "Say why, in 1 to 1000 characters" in unescape(refused.text)) == (422, True)
    site.follow(str(send(site.league, announced("late", ("ana", "flor"), 0.5))))
    outdated = boss.post(path, reason="They climb too fast", previewed=seen)
    assert outdated.status_code == 422
    assert "look at it again" in outdated.text
    assert 'value="They climb too fast"' in outdated.text
    assert reason_of(site)["how"] == "ADOPTION"
    stored = boss.post(path, reason="They climb too fast", previewed=hidden(outdated.text, "previewed"))
    assert (stored.status_code, stored.headers["Location"]) == (303, f"/admin/replays/{number}?stored=official")
    assert "These rules are official now." in boss.get(stored.headers["Location"])
    assert reason_of(site) == {
        "how": "PROMOTION", "reason": "They climb too fast", "timeline": [{"edition": {"number": 2}}],
    }  # fmt: skip
    assert "is official" in boss.get(path)
    assert "Edition 2: Calmer" in boss.get("/admin/editions")


@pytest.mark.heavy
def test_an_edition_has_a_title_of_its_own(site: Served) -> None:
    """What somebody names it when it is promoted; otherwise what it changes, in the language of its reader."""
    boss = Boss(site)
    for document, title in (("rating.k.provisional = 32", ""), ("rating.cap = false", "No cap")):
        number = boss.start(document=document)
        assert boss.post(f"/admin/replays/{number}/promote", reason="try", title=title).status_code == 303
    editions = boss.get("/admin/editions")
    assert "Edition 2: K while provisional 40 → 32" in editions
    assert "Edition 3: No cap" in editions
    assert "Edición 2: K mientras es provisional 40 → 32" in Boss(site, "es").get("/admin/editions")
    journal = site.ask('{ player(id: "ana") { journal(first: 9, causes: [PROMOTION]) { nodes { text } } } }')
    told = " ".join(entry["text"] for entry in journal["player"]["journal"]["nodes"])
    assert "edition 2, “K while provisional 40 → 32”" in told
    assert "No cap" in boss.get("/")
    number = boss.start(document="rating.cap = 1.5")
    refused = boss.post(f"/admin/replays/{number}/promote", reason="try", title="x" * 121)
    assert (refused.status_code, "title has at most 120 characters" in refused.text) == (422, True)


@pytest.mark.heavy
def test_each_earlier_timeline_is_seen_compared_and_brought_back(site: Served) -> None:
    """In a league with its first rules there is no button. Rules in force, and twins, are not offered."""
    boss = Boss(site)
    empty = boss.get("/admin/replays/roll-back")
    assert "Nothing can come back" in empty
    assert "<button>See what would change" not in empty
    for document in ("rating.k.provisional = 32", "rating.cap = false"):
        number = boss.start(document=document)
        assert boss.post(f"/admin/replays/{number}/promote", reason="try").status_code == 303
    for edition, offered in ((1, 2), (2, 2), (3, 2)):
        page = boss.get("/admin/replays/roll-back")
        cards = re.findall(r'(?s)id="adoption-(\d+)".*?</section>', page)
        assert len(cards) == offered
        position = next(
            card
            for card in cards
            if f"Edition {edition}:" in page.split(f'id="adoption-{card}"')[1].split("</form>")[0]
        )
        number = boss.computed(boss.post("/admin/replays/roll-back", restore=position))
        shown = boss.get(f"/admin/replays/{number}")
        assert f'/admin/replays/{number}/promote">Bring these rules back' in shown
        promote = boss.get(f"/admin/replays/{number}/promote")
        assert ">Bring these rules back</button>" in promote
        back = boss.post(
            f"/admin/replays/{number}/promote", reason="it was better", previewed=hidden(promote, "previewed")
        )
        assert back.status_code == 303
        assert reason_of(site) == {
            "how": "ROLLBACK", "reason": "it was better", "timeline": [{"edition": {"number": edition}}],
        }  # fmt: skip
    assert boss.post("/admin/replays/roll-back", restore="x").status_code == 422
    assert "There is no adoption 2" in boss.post("/admin/replays/roll-back", restore="2").text


@pytest.mark.heavy
def test_a_ruleset_in_use_is_named_before_it_stays(site: Served) -> None:
    """The page says it where the rules are chosen, and again where they are brought back."""
    boss = Boss(site)
    house = '[rulesets.house]\nextends = "cuban-150"\ntitle = "House rules"\ntarget = 100\n[rating]\ncap = false'
    number = boss.start(document=house)
    page = boss.get(f"/admin/replays/{number}/promote")
    assert re.search(r"<summary>New ruleset House rules, with \d+ settings</summary>", page)
    assert "1 setting differs." in page
    boss.post(f"/admin/replays/{number}/promote", reason="try")
    site.do("openMatch", ADMIN, matchId="h1", ruleset="house", mode="ONE_ON_ONE", seats=["ana", "bea"])
    site.follow(str(site.league.store.head()))
    page = boss.get("/admin/replays/roll-back")
    assert "House rules stays: matches were played under it since." in page
    number = boss.computed(boss.post("/admin/replays/roll-back", restore=re.findall(r'id="adoption-(\d+)"', page)[0]))
    promote = boss.get(f"/admin/replays/{number}/promote")
    assert "House rules stays" in promote
    assert boss.post(f"/admin/replays/{number}/promote", reason="r").status_code == 303
    assert "Nothing can come back" not in boss.get("/admin/replays/roll-back")
    assert site.ask('{ match(id: "h1") { ruleset { title } } }')["match"]["ruleset"]["title"] == "House rules"


@pytest.mark.heavy
def test_an_outdated_or_cancelled_replay_has_a_button_that_computes_it_again(site: Served) -> None:
    """And none that promotes it; its page of the promotion says why, and has the button, too."""
    boss = Boss(site)
    stale, other = boss.start(document="rating.k.provisional = 32"), boss.start(document="rating.cap = false")
    assert "Compute again" not in boss.get(f"/admin/replays/{stale}")
    boss.post(f"/admin/replays/{other}/promote", reason="try")
    for path in (f"/admin/replays/{stale}", f"/admin/replays/{stale}/promote"):
        page = boss.get(path)
        assert "Compute again with these rules" in page
        assert ">Make" not in page.partition("<main")[2].replace("<h1>Make", "")
    assert f"Run {stale} is outdated: other rules were adopted since it was computed" in boss.get(
        f"/admin/replays/{stale}/promote"
    )
    key = hidden(boss.get(f"/admin/replays/{stale}"), "idempotencyKey")
    assert key != hidden(boss.get(f"/admin/replays/{stale}"), "idempotencyKey")
    first, tapped_twice = (boss.post(f"/admin/replays/{stale}/again", idempotencyKey=key) for _ in range(2))
    assert tapped_twice.headers["Location"] == first.headers["Location"]
    again = boss.computed(first)
    assert again > other
    assert "Make these rules official" in boss.get(f"/admin/replays/{again}")
    cancelled = boss.post("/admin/replays/new", rules="document", document="rating.k.standard = 17")
    number = int(cancelled.headers["Location"].rpartition("/")[2])
    assert "is waiting" in boss.get(f"/admin/replays/{number}/promote")
    boss.post(f"/admin/replays/{number}/cancel")
    assert "Compute again with these rules" in boss.get(f"/admin/replays/{number}")
    assert f"Replay {number} is cancelled" in boss.get(f"/admin/replays/{number}/promote")


@pytest.mark.heavy
def test_a_replay_of_what_was_known_has_no_button_that_promotes_it(site: Served) -> None:
    """The page of its promotion says why, and leaves it as it is."""
    boss, query = Boss(site), "{ replay(number: %d) { state run { position } } }"
    asked = "startReplay(input: {knownAt: $at}) { ... on ReplaySuccess { replay { number } } }"
    moment = site.league.store.read_after(site.league.store.head() - 2, 1)[0].recorded_at
    number = site.ask(f"mutation ($at: DateTime!) {{ it: {asked} }}", ADMIN, at=moment.isoformat())["it"]["replay"][
        "number"
    ]
    fold_replay(site.league.database.url, number)
    then = site.ask(query % number, ADMIN)
    assert then["replay"]["state"] == "DONE"
    assert f"/admin/replays/{number}/promote" not in boss.get(f"/admin/replays/{number}")
    assert "it shows what was known at a moment" in boss.get(f"/admin/replays/{number}/promote")
    assert site.ask(query % number, ADMIN) == then


@pytest.mark.heavy
def test_a_replay_starts_from_the_numbers_of_an_edition_or_of_another_replay(site: Served) -> None:
    """The fields have them, beside those in force; the new replay differs from them only where a field was changed."""
    boss = Boss(site)
    number = boss.start(document='rating.k.provisional = 32\n[rulesets.house]\nextends = "cuban-150"\ntarget = 100')
    address = f"/admin/replays/new?from=replay:{number}"
    page = boss.get(address)
    assert 'value="32" id="rating.k.provisional"' in page
    assert "now 40 · from 0 to 1000 · CDS text 4, high K<" in page
    assert 'title="rating.k.provisional"' in page
    assert "not in the rules in force · usually from 100 to 500<" in page
    assert 'value="100" id="rulesets.house.target"' in page
    answer = boss.post(address, **{**controls_of(page), "rules": "fields", "rating.k.standard": "17"})
    onward = boss.computed(answer)
    query = f"{{ replay(number: {onward}) {{ rules {{ difference(against: 1) {{ setting after }} }} }} }}"
    found = {one["setting"]: one["after"] for one in site.ask(query, ADMIN)["replay"]["rules"]["difference"]}
    assert (found["rating.k.provisional"], found["rating.k.standard"]) == ("32", "17")
    assert found["rulesets.house.target"] == "100"
    assert 'value="40" id="rating.k.provisional"' in boss.get("/admin/replays/new?from=edition:1")
    assert "no such edition or replay" in boss.get("/admin/replays/new?from=edition:9")


def test_an_edition_says_what_it_changes_against_the_one_before(site: Served) -> None:
    """The first one has none before it."""
    boss = Boss(site)
    assert "It is the first edition of this league" in boss.get("/admin/editions/1")
    number = boss.start(document="rating.k.provisional = 32")
    boss.post(f"/admin/replays/{number}/promote", reason="try")
    second = boss.get("/admin/editions/2")
    assert "What it changes against edition 1" in second
    assert '<a class="chip" href="?against=1" aria-current="true">Edition 1</a>' in second
    assert "It is the first edition of this league" in boss.get("/admin/editions/1")
    assert "What it changes against edition 2" in boss.get("/admin/editions/1?against=2")


def test_the_way_of_writing_rules_that_is_chosen_is_the_one_that_is_shown(site: Served) -> None:
    """Each has its section, and the style hides the others."""
    page = Boss(site).get("/admin/replays/new")
    [address] = re.findall('<link rel="stylesheet" href="([^"]*admin[^"]*)"', page)
    style = site.http.get(address).text
    ways = re.findall('<input type="radio" name="rules" value="([a-z]+)"', page)
    assert ways == ["fields", "edition", "document"]
    for way in ways:
        assert f'<section class="card chosen-{way}">' in page
        others = ", ".join(f".chosen-{other}" for other in ways if other != way)
        assert f'[name="rules"][value="{way}"]:checked) :is({others})' in style


@pytest.mark.heavy
def test_rules_that_were_undone_and_their_rollback_refer_to_each_other(site: Served) -> None:
    """On the first page, the pages of players and pairs who moved, and the notices. Rules that came back stand."""
    boss = Boss(site)
    site.follow(str(send(site.league, announced("pairs", ("ana", "cira", "bea", "dora"), 5))))

    def make_official(number: int) -> str:
        boss.post(f"/admin/replays/{number}/promote", reason="try")
        return str(
            site.ask("{ officialTimelines(first: 1) { nodes { position } } }", ADMIN)["officialTimelines"]["nodes"][0][
                "position"
            ]
        )

    def bring_back(position: str) -> str:
        return make_official(boss.computed(boss.post("/admin/replays/roll-back", restore=position)))

    [first] = [
        one["position"]
        for one in site.ask("{ officialTimelines { nodes { position } } }", ADMIN)["officialTimelines"]["nodes"]
    ]
    promoted = make_official(boss.start(document="rating.k.provisional = 32"))
    pages = (
        "/",
        "/notices",
        "/players/ana",
        "/teams/ana+bea",
        f"/notices/{promoted}",
        f"/notices/{promoted}/players/ana",
    )
    shown = {path: boss.get(path) for path in pages}
    assert all("Other rules are in force: K while provisional" in page for page in shown.values())
    assert not any("Undone on" in page for page in shown.values())
    undone = bring_back(first)
    link = f'<a href="/notices/{undone}">Undone on '
    assert [path for path in pages if link not in boss.get(path)] == []
    assert "by boss</a>" in re.sub("</?bdi>", "", boss.get(f"/notices/{promoted}"))
    assert f'It undid: <a href="/notices/{promoted}">' in boss.get(f"/notices/{undone}")
    again = bring_back(promoted)
    assert "Undone on" not in boss.get(f"/notices/{promoted}")
    assert f'<a href="/notices/{again}">Undone on ' in boss.get(f"/notices/{undone}")
