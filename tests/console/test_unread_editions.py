"""Editions that a process has not read yet, such as those of replays never promoted, change no answer and no page."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from random import Random
from typing import Any

import psycopg
import pytest
from api_server import Served, served
from databases import copy_of
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from leagues import SIXTY_MATCHES, adopt, catch_up, keep_candidates, league_at, revised, send
from random_documents import random_document

from league.api.graphql.executing.reader import OpenSnapshots
from league.api.schema import core
from league.console.pages import written
from league.console.site import PAGES, create_site
from league.domain.rulebook import PublishEdition, canonical, content_hash
from league.domain.rules import Rulebook
from league.infra.database import connect
from league.projections.boards import board
from league.projections.boards.board import AlteredEdition, rulebook_of
from league.projections.replays.replay import ReplayPeriod, replay
from league.projections.writers.catalogue import load_edition
from league.rulebook import shipped_edition

OTHER_RULES = tuple(
    f"rating.k.provisional = {32 + n}\nrating.provisional_below = {n}\nboards.active_days = {1 + n}\n"
    f"series.limit = {2 + n}"
    for n in range(3)
)
"""Each moves players off boards, locks pairs earlier and is named in explanations."""


@pytest.fixture(autouse=True, scope="module")
def _no_snapshot_is_taken_over() -> Iterator[None]:
    """No request takes a snapshot over: what that has read before would hide a process that has read nothing."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(OpenSnapshots, "put_back", lambda *_: False)
        yield


@contextmanager
def having_read(editions: Mapping[str, Rulebook]) -> Iterator[None]:
    """The process remembers these editions, by their hashes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(board, "_rulebooks", dict(editions))
        yield


@pytest.fixture(scope="module")
def one_edition(embedded_server: str) -> Iterator[Served]:
    """The first 60 matches of the recorded season with pages."""
    with copy_of(embedded_server, SIXTY_MATCHES) as url, served(url, create=create_site) as server:
        yield server


@pytest.fixture(scope="module")
def three_editions(embedded_server: str) -> Iterator[Served]:
    """The season with a second edition in force for a part of it, and a third one that is only published."""
    with copy_of(embedded_server, SIXTY_MATCHES) as url:
        with league_at(url) as league:
            adopt(league, "rating.k.provisional = 48\nseries.limit = 5", *_middle_of_season(url))
            send(league, PublishEdition(revised("rating.k.provisional = 56")))
            catch_up(league)
        with served(url, create=create_site) as server:
            yield server


def _middle_of_season(url: str) -> Sequence[Any]:
    with connect(url) as conn:
        return conn.execute("SELECT began_at FROM matches ORDER BY began_at LIMIT 2 OFFSET 20").fetchall()[0] + (None,)


# ---------------------------------------------------------------- one read that exchanged the rules

K = '{ ratingChange(match: "c-0001", of: "p005") { explanation { terms { name settings { key value } } } } }'
OPPONENTS = '{ player(id: "p004") { series { opponents(first: 1) { totalCount } } } }'


def provisional_k(server: Served) -> list[object]:
    """The setting as the explanation of a rating change names it."""
    terms = server.ask(K)["ratingChange"]["explanation"]["terms"]
    return [s["value"] for term in terms for s in term["settings"] if s["key"] == "rating.k.provisional"]


@pytest.mark.heavy
@pytest.mark.parametrize("first", ["explanation", "opponents"])
def test_reading_opponents_does_not_exchange_the_rules(embedded_server: str, first: str) -> None:
    """With a replay under other rules, an explanation names the rules of its own edition, whatever was read before."""
    with copy_of(embedded_server, SIXTY_MATCHES) as url:
        replay(url, revised(OTHER_RULES[0]), ReplayPeriod())
        with served(url) as server, having_read({}):
            if first == "explanation":
                assert provisional_k(server) == ["40"]
            assert server.ask(OPPONENTS)["player"]["series"]["opponents"]["totalCount"] > 0
            assert provisional_k(server) == ["40"]


# ---------------------------------------------------------------- any read, in any order

ARGUMENTS = {
    "Query.player": '(id: "p004")',
    "Query.team": '(id: "p005+p016")',
    "Query.match": '(id: "c-0001")',
    "Query.badge": '(key: "matches-10")',
    "Query.board": "(kind: ONE_ON_ONE)",
    "Query.headToHead": '(a: "p004", b: "p005")',
    "Query.ratingChange": '(match: "c-0001", of: "p005")',
    "Query.matches": "(first: 3)",
    "Query.players": "(first: 3)",
    "Board.places": "(first: 4)",
    "Player.rating": "(mode: ONE_ON_ONE)",
    "Player.series": '(month: "2026-01")',
    "SeriesEntry.opponents": "(first: 3)",
}
ABOUT_RULES = (
    K,
    OPPONENTS,
    "{ board(kind: ONE_ON_ONE) { places { totalCount nodes { rank value matches } } } }",
    "{ board(kind: GLOBAL) { places { totalCount nodes { rank value matches } } } }",
    '{ player(id: "p004") { badgeProgress { best } series(month: "2026-01") { opponents { totalCount } } } }',
    '{ headToHead(a: "p004", b: "p005") { series(month: "2026-01") { winsLeft locked mayMeet } } }',
    '{ badge(key: "matches-10") { holders(first: 3) { nodes { edition { hash document } } } } }',
)
PLACES = {
    "matches": {"id": "c-0001", "number": "1", "of": "p005"},
    "players": {"id": "p004", "other": "p005"},
    "series": {"month": "2026-01", "of": "p004"},
    "badges": {"key": "matches-10"},
    "boards": {"kind": "global"},
    "rules": {"name": "cuban-150"},
}
"""Parameters of addresses that lead somewhere, by the first part of the address."""


def paths() -> Iterator[str]:
    """An address of each page."""
    for page in PAGES:
        given = PLACES.get(page.path.split("/")[1], {})
        filled = written({name: given.get(name, "1") for name in re.findall(r"{(\w+)(?::\w+)?}", page.path)})
        yield re.sub(r"{(\w+)(?::\w+)?}", lambda found, by=filled: by[found[1]], page.path)  # type: ignore[misc]


DOCUMENTS = st.randoms(use_true_random=False).map(lambda random: random_document(random, core, ARGUMENTS, depth=5))
READS = st.sampled_from(ABOUT_RULES) | DOCUMENTS | st.sampled_from(sorted(paths()))


def read(server: Served, what: str, number: int) -> str:
    """The answer to a document or the page at an address, without parts that differ each time."""
    if what.startswith("/"):
        answer = server.http.get(what)
        assert answer.status_code < 500, (what, answer.text)
        return _without_chance(answer.text)
    answer = server.post(f"# {number}, so that no kept answer is sent\n{what}")
    assert "INTERNAL" not in answer.text, (what, answer.text)
    assert "RATE_LIMITED" not in answer.text
    assert what not in ABOUT_RULES or "errors" not in answer.json(), answer.text
    return str(answer.text)


def _without_chance(html: str) -> str:
    return re.sub(r'nonce="[^"]*"|data-changes="[^"]*"|name="(?:token|key|idempotency\w*)" value="[^"]*"', "", html)


def all_editions(url: str) -> dict[str, Rulebook]:
    """Every edition of the league, read one by one."""
    with psycopg.connect(url) as conn:
        hashes = [hash_ for (hash_,) in conn.execute("SELECT hash FROM editions ORDER BY hash")]
    with connect(url) as conn:
        found = {hash_: load_edition(conn, hash_) for hash_ in hashes}
    return {hash_: edition.rulebook for hash_, edition in found.items() if edition is not None}


@pytest.mark.heavy
@pytest.mark.parametrize("league", ["one_edition", "three_editions"])
@given(
    candidates=st.lists(st.sampled_from(OTHER_RULES), max_size=3, unique=True),
    reads=st.lists(READS, min_size=1, max_size=4),
    random=st.randoms(use_true_random=False),
)
@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_a_process_has_read_changes_no_answer(
    request: pytest.FixtureRequest, league: str, candidates: list[str], reads: list[str], random: Random
) -> None:
    """With 0 to 3 candidates and after any reads, the answers equal those of a process that knows all editions."""
    server: Served = request.getfixturevalue(league)
    url = server.league.database.url
    with connect(url) as conn:
        conn.execute("DELETE FROM editions WHERE edition IS NULL")
    keep_candidates(url, *candidates)
    known = all_editions(url)
    with having_read(known):
        expected = [read(server, what, 0) for what in reads]
    some = {hash_: rulebook for hash_, rulebook in known.items() if random.random() < 0.5}
    with having_read(some):
        assert [read(server, what, 1) for what in reads] == expected
        assert board._rulebooks.items() <= known.items()


@pytest.mark.heavy
def test_every_page_of_a_process_that_has_read_nothing_answers(three_editions: Served) -> None:
    """Every page answers with three candidate editions in the league."""
    keep_candidates(three_editions.league.database.url, *OTHER_RULES)
    for path in paths():
        with having_read({}):
            read(three_editions, path, 2)


# ---------------------------------------------------------------- a document that is not the edition's


def test_another_document_is_never_kept_under_a_hash() -> None:
    """The error names both hashes; the edition's own document is read afterwards."""
    own, other = shipped_edition(1), revised(OTHER_RULES[0])
    with having_read({}):
        with pytest.raises(AlteredEdition) as raised:
            rulebook_of(content_hash(own), canonical(other))
        assert (raised.value.hash, raised.value.found) == (content_hash(own), content_hash(other))
        assert board._rulebooks == {}
        assert rulebook_of(content_hash(own), canonical(own)) == own


@pytest.mark.heavy
def test_an_altered_edition_is_an_error_of_the_server_and_logged(
    embedded_server: str, capfd: pytest.CaptureFixture[str]
) -> None:
    """The answer has no number of other rules; the log names the edition."""
    own, other = shipped_edition(1), revised(OTHER_RULES[0])
    with copy_of(embedded_server, SIXTY_MATCHES) as url, served(url) as server, having_read({}):
        with connect(url) as conn:
            conn.execute("UPDATE editions SET document = %s WHERE hash = %s", (canonical(other), content_hash(own)))
        assert server.error(K)["extensions"]["code"] == "INTERNAL"
        assert board._rulebooks == {}
    logged = capfd.readouterr().err
    assert "AlteredEdition" in logged
    assert content_hash(own) in logged
