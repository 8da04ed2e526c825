"""Replays over the API: asked for, followed, cancelled, read, promoted, rolled back and dropped."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest
from api_server import Served, heard, served, subscribe, token
from leagues import announced, at, catch_up, digest, found, league_at, own_database, send
from waiting import LIMIT

from league.application.jobs import Jobs
from league.application.replay_folding import fold_replay
from league.domain.league import OpenSeason

ADMIN = token("admin")
REVISED = "[rating.k]\nprovisional = 32"
REPLAY = "number state done total failure requestedBy from to knownAt run { number position isOfficial isOutdated }"
BOARD = "board { places(first: 5) { nodes { competitorId value } } }"


@pytest.fixture(scope="module")
def played(embedded_server: str) -> Iterator[Served]:
    """A served league of six players with a few matches."""
    with own_database(embedded_server) as url:
        with league_at(url) as league:
            found(league)
            send(league, OpenSeason("s1", "Spring", at(0), at(9)))
            for number in range(4):
                send(league, announced(f"m{number}", ("ana", "bea", "cira", "dora")[number % 3 :][:2], number))
            catch_up(league)
        with served(url) as server:
            yield server


@pytest.fixture
def worker(played: Served) -> Iterator[None]:
    """A worker of the served league."""
    ended = threading.Event()
    jobs = Jobs(played.league.database.url, None)
    thread = threading.Thread(target=jobs.work, args=(ended.is_set,))
    thread.start()
    yield
    ended.set()
    thread.join()


RULES = ("promoteReplay", "rollBack")
"""Mutations that change the rules, so that they answer with these."""


def do(played: Served, mutation: str, fields: str = f"replay {{ {REPLAY} }}", **given: Any) -> Any:
    kind = mutation[0].upper() + mutation[1:]
    success = "RulesSuccess" if mutation in RULES else "ReplaySuccess"
    text = f"""mutation ($input: {kind}Input!) {{ it: {mutation}(input: $input) {{
      ... on {success} {{ {fields} }} ... on UserError {{ code message field }} }} }}"""
    return played.ask(text, ADMIN, input=given)["it"]


def replay(played: Served, number: int, fields: str = REPLAY) -> Any:
    return played.ask(f"query ($n: Int!) {{ replay(number: $n) {{ {fields} }} }}", ADMIN, n=number)["replay"]


def folded(played: Served, **given: Any) -> Any:
    """A replay that is asked for, and folded at once."""
    number = do(played, "startReplay", **given)["replay"]["number"]
    fold_replay(played.league.database.url, number)
    now = replay(played, number)
    assert now["state"] == "DONE", now
    return now


# ---------------------------------------------------------------- asking, following, cancelling


@pytest.mark.heavy
@pytest.mark.usefixtures("worker")
def test_a_replay_is_followed_to_its_end(played: Served) -> None:
    """It waits, is done and tells the difference; the official league stays as it is; the list has it first."""
    before = played.ask(f"{{ {BOARD} }}")
    started = do(played, "startReplay", document=REVISED, **{"from": "2026-03-01T13:00:00Z"})["replay"]
    number = started["number"]
    assert (started["state"], started["from"]) == ("WAITING", "2026-03-01T13:00:00Z")
    states = []
    with played.socket(token("auditor", sub="aud")) as socket:
        subscribe(socket, f"subscription {{ replayChanged(number: {number}) {{ state done total requestedBy }} }}")
        while not states or states[-1]["state"] in ("WAITING", "RUNNING"):
            states.append(heard(socket, 30)["replayChanged"])
        assert '"complete"' in str(socket.recv(LIMIT))
    assert states[-1] == {"state": "DONE", "done": 8, "total": 8, "requestedBy": "kim"}
    difference = replay(played, number, "difference { moves { totalCount } totals { matchesChanged } }")["difference"]
    assert difference["moves"]["totalCount"] > 0 == difference["totals"]["matchesChanged"]
    assert played.ask(f"{{ {BOARD} }}") == before
    listed = played.ask("{ replays(first: 1) { nodes { number requestedBy } } }", ADMIN)["replays"]["nodes"]
    assert listed == [{"number": number, "requestedBy": "kim"}]


@pytest.mark.parametrize(
    ("given", "code", "field"),
    [
        ({"document": "[rating]\ncapp = 1"}, "INVALID_RULEBOOK", ["document"]),
        ({"document": "", "season": "none"}, "NOT_FOUND", ["season"]),
        ({"document": "", "season": "s1", "to": "2026-01-01T00:00:00Z"}, "INVALID", ["season"]),
        ({"document": "", "from": "2026-02-01T00:00:00Z", "to": "2026-01-01T00:00:00Z"}, "INVALID", ["to"]),
        ({}, "INVALID", ["document"]),
        ({"knownAt": "2026-02-01T00:00:00Z", "season": "s1"}, "INVALID", ["document"]),
        ({"replay": 1, "edition": 1}, "INVALID", ["replay"]),
        ({"replay": 99}, "NOT_FOUND", ["replay"]),
        ({"restore": 1, "edition": 1}, "INVALID", ["restore"]),
        ({"restore": 1}, "NOT_FOUND", ["restore"]),
        ({"edition": 9}, "NOT_FOUND", ["edition"]),
        ({"knownAt": "2999-01-01T00:00:00Z"}, "IN_THE_FUTURE", ["knownAt"]),
    ],
)
def test_a_replay_that_cannot_be_is_refused(played: Served, given: Any, code: str, field: list[str]) -> None:
    """Rules that are none, spans that are none, a moment that has not come."""
    said = do(played, "startReplay", **given)
    assert (said["code"], said["field"]) == (code, field)


def test_the_same_key_starts_one_replay(played: Served) -> None:
    """With a different input it starts none."""
    first = do(played, "startReplay", document=REVISED, season="s1", idempotencyKey="once")["replay"]
    again = do(played, "startReplay", document=REVISED, season="s1", idempotencyKey="once")["replay"]
    assert again["number"] == first["number"]
    assert do(played, "startReplay", document=REVISED, idempotencyKey="once")["code"] == "KEY_REUSED"
    do(played, "cancelReplay", replay=first["number"])


def test_a_cancelled_replay_says_so(played: Served) -> None:
    """It has no run to be dropped or promoted; a second time does nothing."""
    number = do(played, "startReplay", document=REVISED)["replay"]["number"]
    for _ in range(2):
        assert do(played, "cancelReplay", replay=number)["replay"]["state"] == "CANCELLED"
    for mutation, given in (("dropReplay", {}), ("promoteReplay", {"reason": "r"})):
        refused = do(played, mutation, replay=number, **given)
        assert refused["code"] == "REPLAY_FAILED"
        assert f"Replay {number} is cancelled" in refused["message"]
    unknown = do(played, "cancelReplay", replay=999)
    assert (unknown["code"], unknown["field"]) == ("NOT_FOUND", ["replay"])
    assert replay(played, 999) is None


def test_following_a_replay_that_is_not_there_is_an_error(played: Served) -> None:
    """It gets an error, not silence."""
    with played.socket() as socket:
        subscribe(socket, "subscription { replayChanged(number: 999) { state } }")
        assert "There is no replay 999" in str(socket.recv(LIMIT))


# ---------------------------------------------------------------- promoting, going back, dropping


@pytest.mark.heavy
def test_promoted_rolled_back_and_dropped(played: Served) -> None:
    """Everybody reads the run, then the one before, then the run is gone; a run of other rules is outdated."""
    url = played.league.database.url
    before, shown = digest(url), f"position replay {{ {REPLAY} }}"
    one, other = folded(played, document=REVISED), folded(played, document="rating.cap = false")
    given = {"replay": one["number"], "reason": "calmer", "idempotencyKey": "go"}
    promoted = do(played, "promoteReplay", shown, **given)
    assert (promoted["replay"]["state"], promoted["replay"]["run"]["isOfficial"]) == ("PROMOTED", True)
    assert digest(url) != before
    again = do(played, "promoteReplay", shown, **given)
    assert again["position"] == promoted["position"]
    assert replay(played, other["number"])["run"]["isOutdated"]
    assert do(played, "promoteReplay", replay=other["number"], reason="r")["code"] == "RUN_OUTDATED"
    assert do(played, "dropReplay", replay=one["number"])["code"] == "RUN_OFFICIAL"

    assert do(played, "rollBack", reason=" ")["field"] == ["reason"]
    back = do(played, "rollBack", "timeline { start edition { number } }", reason="too calm")
    assert back["timeline"] == [{"start": None, "edition": {"number": 1}}]
    assert digest(url) == before
    assert replay(played, one["number"])["state"] == "DONE"
    assert "a rollback would need it" in do(played, "dropReplay", replay=one["number"])["message"]
    dropped = do(played, "dropReplay", replay=other["number"])["replay"]
    assert (dropped["state"], dropped["run"]) == ("DROPPED", None)


# ---------------------------------------------------------------- reading another run


def test_a_query_reads_another_run_in_all_its_fields(played: Served) -> None:
    """Boards, ratings, explanations and the timeline are those of the run."""
    run = folded(played, document="rating.k.provisional = 30")["run"]["number"]
    fields = """{ board { places(first: 9) { nodes { competitorId value } } } timeline { edition { hash } }
      player(id: "ana") { rating(mode: ONE_ON_ONE) { value } } ratingChange(match: "m0", of: "ana") { k after } }"""
    official, revised = played.ask(fields), played.ask(f"query @readFrom(run: {run}) {fields}", ADMIN)
    assert (official["ratingChange"]["k"], revised["ratingChange"]["k"]) == (40, 30)
    for part in ("board", "timeline", "player"):
        assert official[part] != revised[part]
    values = {place["competitorId"]: place["value"] for place in revised["board"]["places"]["nodes"]}
    assert values.get("ana", revised["player"]["rating"]["value"]) == revised["player"]["rating"]["value"]


def test_what_was_known_is_read_once_it_is_folded(played: Served) -> None:
    """The error says how to start a replay, then which replay is in progress; then the query returns data."""
    # The read side is at the head again when the late match can be read.
    wanted = '{ player(id: "ana") { ratings { value matches } } }'
    before = played.ask(wanted)
    league = played.league
    moment = league.store.read_after(league.store.head() - 1, 1)[0].recorded_at.isoformat()
    position = send(league, announced("late", ("ana", "eva"), 0.25))
    assert played.ask(f'query @readFrom(afterPosition: "{position}") {wanted}') != before
    asked = f'query @readFrom(knownAt: "{moment}") {wanted}'
    said = played.error(asked)
    assert (said["extensions"]["code"], said["extensions"]["replay"]) == ("NOT_FOLDED", None)
    assert "startReplay" in said["message"]
    number = do(played, "startReplay", knownAt=moment)["replay"]["number"]
    said = played.error(asked)
    assert (said["extensions"]["replay"], f"replay {number} is in progress" in said["message"]) == (number, True)
    fold_replay(league.database.url, number)
    assert played.ask(asked) == before


@pytest.mark.parametrize(
    ("directive", "says"),
    [
        ("(run: 999)", "There is no run 999."),
        ('(run: 1, knownAt: "2026-01-01T00:00:00Z")', "not both"),
        ("(run: 1, afterPosition: 1)", "not both"),
        ('(afterPosition: 0, knownAt: "2026-01-01T00:00:00Z")', "not both"),
        ('(knownAt: "2999-01-01T00:00:00Z")', "future"),
        ('(knownAt: "2020-01-01T00:00:00Z")', "nothing had been recorded"),
    ],
)
def test_a_run_that_cannot_be_read_is_a_request_error(played: Served, directive: str, says: str) -> None:
    """None of this number, two arguments at once, moments after now and before the league."""
    said = played.error(f"query @readFrom{directive} {{ {BOARD} }}")
    assert says in said["message"]
    assert said["extensions"]["code"] == "BAD_REQUEST"


# ---------------------------------------------------------------- as of a moment of play


def test_ratings_and_standings_as_they_stood(season: Served) -> None:
    """Each change of a player's history is the rating as of its moment; the overall one is the board's."""
    player = season.ask("{ board { places(first: 1) { nodes { competitorId } } } }")["board"]["places"]["nodes"][0]
    id_ = player["competitorId"]
    history = season.ask(
        "query ($id: ID!) { player(id: $id) { ratingHistory(first: 5) { nodes { mode after decidedAt } } } }", id=id_
    )["player"]["ratingHistory"]["nodes"]
    for change in history:
        asked = season.ask(
            "query ($id: ID!, $at: DateTime!, $mode: RatingMode!) { player(id: $id) { rating(mode: $mode, asOf: $at)"
            " { value } overall: rating(mode: OVERALL, asOf: $at) { value } }"
            " board(asOf: $at) { around(of: $id, radius: 0) { places { value } } } }",
            id=id_, at=change["decidedAt"], mode=change["mode"],
        )  # fmt: skip
        assert asked["player"]["rating"]["value"] == change["after"]
        assert [place["value"] for place in asked["board"]["around"]["places"]] == [asked["player"]["overall"]["value"]]
    nothing = season.ask(
        'query ($id: ID!) { player(id: $id) { ratings(asOf: "2020-01-01T00:00:00Z") { value } } }', id=id_
    )
    assert nothing == {"player": {"ratings": []}}
    month = history[-1]["decidedAt"][:7]
    standings = "query ($m: String!, $at: DateTime) { seriesMonth(month: $m) { standings(asOf: $at) { totalCount } } }"
    now, then = (
        season.ask(standings, m=month, at=moment)["seriesMonth"]["standings"]["totalCount"]
        for moment in (None, "2020-01-01T00:00:00Z")
    )
    assert now > 0 == then
