"""Drafts and proposals over the API and on pages: who reads them, and that others see nothing of a draft."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import httpx
import pytest
from api_server import Served, served, subscribe, token
from desk import cookie_of
from leagues import announced, catch_up, found, league_at, own_database, revised, send
from waiting import LIMIT, wait_until

from league.api.graphql.shaping.relay import global_id
from league.application import candidates, replay_requests
from league.application.bootstrap import League
from league.application.replay_folding import fold_replay
from league.application.replay_requests import ReplaySpec
from league.console.site import create_site
from league.domain.candidates import LONGEST_TITLE
from league.domain.rulebook import content_hash
from league.domain.rules import Rulebook
from league.domain.texts_and_times import LONGEST_REASON
from league.eventlog.records import AppendRequest
from league.infra.database import connect

ADMIN = AppendRequest("ana", "manual")
UNKNOWN = 99
"""A number with as many digits as that of the draft has after `FIRST`."""
FIRST = 10
READERS = {
    "anonymous": None, "player": token("player", sub="ana"), "scorekeeper": token("scorekeeper"),
    "auditor": token("auditor"), "admin": token("admin"),
}  # fmt: skip
READ_DRAFTS = ("auditor", "admin")
PROPOSED_RULES = revised("rating.cap = false\nrating.k.standard = 21")
DRAFT_RULES = revised('title = "Secret draft"\nrating.k.provisional = 33')


@dataclass
class Candidates:
    """A served league with a replay of each kind, by number."""

    site: Served
    first: int
    """The run that was official until the promotion."""
    official: int
    draft: int
    proposal: int
    known: int
    """A replay of what was known at a moment."""


def folded(league: League, candidate: Rulebook | None, **more: Any) -> int:
    number = replay_requests.start(league, ReplaySpec(candidate, **more), ADMIN).number
    fold_replay(league.database.url, number)
    return number


@pytest.fixture(scope="module")
def there(embedded_server: str) -> Iterator[Candidates]:
    """A league after a promotion, with a draft, a proposal, and what was known at a moment."""
    with own_database(embedded_server) as url:
        with league_at(url) as league:
            found(league)
            send(league, announced("m0", ("ana", "bea"), 0))
            moment = league.dispatcher.clock()
            send(league, announced("m1", ("bea", "ana"), 1), announced("m2", ("cira", "ana"), 2))
            catch_up(league)
            with connect(url) as conn:  # numbers of two digits, like the unknown one
                conn.execute("SELECT setval(pg_get_serial_sequence('runs', 'run'), %s, false)", (FIRST,))
            promoted = folded(league, revised("rating.k.standard = 21"))
            league.promoter.promote(promoted, ADMIN)
            catch_up(league)
            draft, proposal = (
                folded(league, DRAFT_RULES, title="Secret draft", reason="Secret reason"),
                folded(league, PROPOSED_RULES),
            )
            candidates.show(league, proposal, "caps are unfair", ADMIN)
            known = folded(league, None, known_at=moment)
        with served(url, create=create_site) as site:
            site.follow(str(site.league.store.head()))  # pages tell the position, which must not move between two
            wait_until(lambda: "?since=" in site.http.get("/").text)  # and tell none before the process listens
            yield Candidates(site, 1, promoted, draft, proposal, known)


REPLAY = "number state title isShown changes { setting } run { position } difference { totals { playersMoved } }"
READ = "query ($n: Int!) @readFrom(run: $n) { board { places { nodes { value } } } timeline { edition { title } } }"
QUESTIONS = {
    "replay": f"query ($n: Int!) {{ replay(number: $n) {{ {REPLAY} }} }}",
    "difference against it": """query ($n: Int!, $of: Int!) {
      replay(number: $of) { difference(against: $n) { warning } } }""",
    "node": "query ($id: ID!) { node(id: $id) { __typename id ... on Replay { number title } } }",
    "nodes": "query ($id: ID!) { nodes(ids: [$id]) { __typename id ... on Replay { number state } } }",
    "@readFrom": READ,
    "an explanation against it": """query ($n: Int!) {
      ratingChange(match: "m1", of: "ana") { explanation { against(run: $n) { total } } } }""",
}  # fmt: skip


def asked(there: Candidates, question: str, number: int, bearer: str | None) -> httpx.Response:
    text = QUESTIONS[question]
    variables: dict[str, Any] = {"n": number} if "$n" in text else {"id": global_id("Replay", str(number))}
    if "$of" in text:
        variables["of"] = there.proposal
    response: httpx.Response = there.site.post(text, bearer, **variables)
    return response


def of_unknown(text: str, number: int) -> str:
    """What is said of the unknown number, as if it were another one. Hashes in addresses may have its digits."""
    of = global_id("Replay", str(UNKNOWN)), global_id("Replay", str(number))
    return re.sub(rf"(?<![0-9a-f]){UNKNOWN}(?![0-9a-f])", str(number), text.replace(*map(str, of)))


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("reader", READERS)
def test_a_draft_is_there_for_admins_and_auditors_only(there: Candidates, reader: str, question: str) -> None:
    """Others get, byte by byte, what an unknown number gives. A proposal, and what was official, everybody reads."""
    bearer = READERS[reader]
    draft, unknown = (asked(there, question, number, bearer) for number in (there.draft, UNKNOWN))
    as_unknown = draft.text == of_unknown(unknown.text, there.draft) and draft.status_code == unknown.status_code
    assert as_unknown == (reader not in READ_DRAFTS), draft.text
    shown = asked(there, question, there.proposal, bearer)
    assert shown.text != of_unknown(unknown.text, there.proposal)
    assert "errors" not in shown.json()
    for number in (there.official, there.known):
        assert "errors" not in asked(there, question, number, bearer).json()
    before = there.site.post(READ, bearer, n=there.first).json()
    assert "errors" not in before, "it was official"


@pytest.mark.parametrize("reader", READERS)
def test_lists_leave_drafts_out(there: Candidates, reader: str) -> None:
    """They do not count them either."""
    found = there.site.ask(
        "{ replays { totalCount nodes { number } } proposals { number title reason author { playerId } } }",
        READERS[reader],
    )
    readable = {there.official, there.proposal, there.known} | ({there.draft} if reader in READ_DRAFTS else set())
    assert {node["number"] for node in found["replays"]["nodes"]} == readable
    assert found["replays"]["totalCount"] == len(readable)
    [proposal] = found["proposals"]
    assert proposal == {
        "number": there.proposal, "title": "M is kept between minus and plus 1 → off", "reason": "caps are unfair",
        "author": {"playerId": "ana"},
    }  # fmt: skip


@pytest.mark.parametrize("reader", READERS)
def test_a_draft_is_followed_by_those_who_may_read_it(there: Candidates, reader: str) -> None:
    """Others hear what they would hear of an unknown number."""

    def heard(number: int) -> str:
        with there.site.socket(READERS[reader]) as socket:
            subscribe(socket, "subscription ($n: Int!) { replayChanged(number: $n) { number state } }", n=number)
            return str(socket.recv(LIMIT))

    is_hidden = heard(there.draft) == of_unknown(heard(UNKNOWN), there.draft)
    assert is_hidden == (reader not in READ_DRAFTS)
    assert "DONE" in heard(there.proposal)


def test_no_answer_of_an_admin_comes_to_others(there: Candidates) -> None:
    """An admin asks, then others send an equal request. They share cached answers and persisted documents."""
    text = QUESTIONS["node"]
    ids = {"id": str(global_id("Replay", str(there.draft)))}
    address = f"/graphql?{httpx.QueryParams({'query': text, 'variables': json.dumps(ids)})}"
    admin = there.site.http.get(address, headers={"Authorization": f"Bearer {READERS['admin']}"})
    assert admin.json()["data"]["node"]["number"] == there.draft
    assert (admin.headers["Cache-Control"], admin.headers.get("ETag")) == ("no-store", None)
    for _ in range(2):
        assert there.site.http.get(address).json()["data"] == {"node": None}


def test_the_rules_of_a_draft_are_not_found_by_their_hash(there: Candidates) -> None:
    """Whoever guesses a draft cannot make sure of it; the rules of a proposal everybody reads."""
    of_draft, of_proposal = (str(global_id("Edition", content_hash(rules))) for rules in (DRAFT_RULES, PROPOSED_RULES))
    node = "query ($id: ID!) { node(id: $id) { ... on Edition { title } } }"
    for reader, bearer in READERS.items():
        found = there.site.ask(node, bearer, id=of_draft)["node"]
        assert (found is not None) == (reader in READ_DRAFTS)
        assert there.site.ask(node, bearer, id=of_proposal)["node"] is not None


def test_a_player_reads_what_happens_to_them(there: Candidates) -> None:
    """Their own ratings in both runs, by mode; others have none."""
    text = "query ($n: Int!) { replay(number: $n) { difference { mine { competitorId mode before rankAfter } } } }"
    mine = there.site.ask(text, READERS["player"], n=there.proposal)["replay"]["difference"]["mine"]
    assert [(row["competitorId"], row["mode"]) for row in mine] == [("ana", "ONE_ON_ONE"), ("ana", "OVERALL")]
    assert there.site.ask(text, n=there.proposal)["replay"]["difference"]["mine"] == []
    assert there.site.ask(text, READERS["scorekeeper"], n=there.proposal)["replay"]["difference"]["mine"] == []


# ---------------------------------------------------------------- naming, showing, withdrawing

FIELDS = "... on ReplaySuccess { replay { number title ownTitle reason isShown } }"
TOO_MANY = "... on TooManyShownError { shown { number title } }"


@pytest.mark.heavy
def test_a_candidate_is_named_shown_and_withdrawn(there: Candidates) -> None:
    """The answers have it; the fourth is refused with the three that are shown, and so is a change of nothing."""
    site, admin = there.site, READERS["admin"]

    def do(mutation: str, **given: Any) -> Any:
        fields = FIELDS + (TOO_MANY if mutation == "showReplay" else "")
        return site.do(mutation, admin, fields, **given)

    started = do("startReplay", document="rating.k.standard = 22", title="Mine", reason="try it")["replay"]
    number = started.pop("number")
    assert started == {"title": "Mine", "ownTitle": "Mine", "reason": "try it", "isShown": False}
    assert do("showReplay", replay=number, reason="now")["code"] == "REPLAY_NOT_DONE"
    fold_replay(site.league.database.url, number)
    assert do("nameReplay", replay=number, reason="why")["replay"]["title"] == "K of all others 21 → 22"
    shown = do("showReplay", replay=number, reason="now", idempotencyKey="s1")
    assert shown["replay"]["isShown"]
    assert do("showReplay", replay=number, reason="now", idempotencyKey="s1")["position"] == shown["position"]
    others = [do("startReplay", document=f"rating.k.standard = {k}")["replay"]["number"] for k in (23, 24)]
    for other in others:
        fold_replay(site.league.database.url, other)
    assert do("showReplay", replay=others[0], reason="now")["replay"]["isShown"]
    refused = do("showReplay", replay=others[1], reason="now")
    assert (refused["code"], refused["field"]) == ("TOO_MANY_SHOWN", ["replay"])
    assert [one["number"] for one in refused["shown"]] == [there.proposal, number, others[0]]
    assert do("dropReplay", replay=number)["code"] == "REPLAY_SHOWN"
    for one in (number, others[0]):
        assert do("withdrawReplay", replay=one, reason="no")["replay"]["isShown"] is False
    assert do("withdrawReplay", replay=number, reason="no")["code"] == "REPLAY_DRAFT"
    empty = ({"document": ""}, {"document": "rating.k.standard = 21"}, {"edition": 2})
    for given in empty:
        refused = do("startReplay", **given)
        assert (refused["code"], refused["field"]) == ("NOTHING_REVISED", [*given])
    for one in (number, *others):
        assert "Success" in do("dropReplay", replay=one)["__typename"]


# ---------------------------------------------------------------- pages


def page(there: Candidates, path: str, role: str | None) -> httpx.Response:
    cookie = {} if role is None else {"Cookie": f"league={cookie_of(there.site, 'ana', role)}"}
    return there.site.http.get(path, headers={"Accept-Language": "en", **cookie})


OF_REPLAYS = (
    "/admin/replays/{}", "/admin/replays/{}/moves.csv", "/matches/m1/changes/ana/runs?replay={}",
    "/matches/m1?replay={}", "/players/ana?replay={}", "/boards/global?replay={}",
)  # fmt: skip
"""Addresses of pages and files that read a replay."""
ROLES = (None, "scorekeeper", "auditor")
"""Who sees least, who writes and reads no drafts, and who reads drafts: answers of the API are tried for every role."""


@pytest.mark.heavy
@pytest.mark.parametrize("role", ROLES)
def test_pages_of_a_draft_are_there_for_admins_and_auditors_only(there: Candidates, role: str | None) -> None:
    """Others get the page of an unknown number, and its picture is for nobody."""
    for path in OF_REPLAYS:
        draft, unknown = (page(there, path.format(number), role) for number in (there.draft, UNKNOWN))
        same = draft.text == of_unknown(unknown.text, there.draft) and draft.status_code == unknown.status_code
        assert same == (role not in READ_DRAFTS), (path, draft.text)
        assert page(there, path.format(there.proposal), role).status_code == 200
    assert page(there, f"/admin/replays/{there.draft}/picture.png", role).status_code == 404
    for path in ("/", "/proposals", "/admin/replays"):
        text = page(there, path, role).text
        assert ("Secret" in text) == (path == "/admin/replays" and role in READ_DRAFTS)
        assert f'/admin/replays/{there.proposal}"' in text


@pytest.mark.heavy
def test_the_page_of_a_proposal_is_to_be_shared(there: Candidates) -> None:
    """Chats get its reason and its picture. It leads members to the proposals, and tells players what happens."""
    shown = page(there, f"/admin/replays/{there.proposal}", None)
    assert '<meta property="og:description" content="caps are unfair">' in shown.text
    [picture] = re.findall(r'<meta property="og:image" content="[^"]*?(/admin/replays/[^"]*)"', shown.text)
    drawn = there.site.http.get(picture)
    assert (drawn.status_code, drawn.headers["Content-Type"]) == (200, "image/png")
    assert drawn.headers["Cache-Control"] == "no-store", "it may be withdrawn at any time"
    assert "What happens to me" not in shown.text
    assert 'href="/proposals"' in shown.text
    assert "What happens to me" in page(there, f"/admin/replays/{there.proposal}", "player").text
    assert "What happens to me" in page(there, "/proposals", "player").text
    assert "og:image" not in page(there, f"/admin/replays/{there.draft}", "admin").text


BY_ANA = 'By <a href="/players/ana"'


@pytest.mark.heavy
def test_the_pages_of_replays_name_who_asked_for_them(there: Candidates) -> None:
    """Everybody learns the author of a proposal; that of another replay only those who may read details of the log."""
    for role in ROLES:
        reads_details = role in READ_DRAFTS
        shown, known = (page(there, f"/admin/replays/{number}", role).text for number in (there.proposal, there.known))
        assert BY_ANA in shown
        assert (BY_ANA in known) == reads_details
        listed = page(there, "/admin/replays", role).text
        assert listed.count(BY_ANA) == (4 if reads_details else 1)


def test_the_form_of_a_new_replay_takes_as_much_as_is_stored(there: Candidates) -> None:
    """Its title and its reason may be as long as those of the form that names it."""
    text = page(there, "/admin/replays/new", "admin").text
    longest = dict(re.findall(r'<input[^>]* name="(title|reason)"[^>]* maxlength="([0-9]+)"', text))
    assert longest == {"title": str(LONGEST_TITLE), "reason": str(LONGEST_REASON)}
