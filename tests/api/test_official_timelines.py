"""Earlier rules over the API: official timelines, candidates that bring one back, previews, and replays anew."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from api_server import Served, served, token
from leagues import announced, at_once, catch_up, found, league_at, own_database, send

from league.application import replay_requests
from league.application.replay_folding import fold_replay
from league.eventlog.records import AppendRequest

ADMIN, PLAYER = token("admin"), token("player")
LISTED = """{ officialTimelines { totalCount nodes { position how title reason adoptedBy isInForce canComeBack
  timeline { start edition { number } } addedRulesets { name }
  changes { from to changes { setting before after } } } } }"""
CALM = "[rating.k]\nprovisional = 32"


@pytest.fixture
def played(postgres: str) -> Iterator[Served]:
    """A served league of a few matches."""
    with own_database(postgres) as url:
        with league_at(url) as league:
            found(league)
            for number in range(4):
                send(league, announced(f"m{number}", ("ana", "bea", "cira", "dora")[number % 3 :][:2], number))
            catch_up(league)
        with served(url) as server:
            yield server


def do(played: Served, mutation: str, **given: Any) -> Any:
    kind = mutation[0].upper() + mutation[1:]
    fields = "... on RulesSuccess { position } ... on ReplaySuccess { replay { number title reason } }"
    text = f"""mutation ($input: {kind}Input!) {{ it: {mutation}(input: $input) {{
      {fields if mutation not in ("promoteReplay", "rollBack") else "... on RulesSuccess { position }"}
      ... on UserError {{ code message field }} }} }}"""
    if mutation not in ("promoteReplay", "rollBack"):
        text = text.replace("... on RulesSuccess { position } ", "")
    answer = played.ask(text, ADMIN, input=given)["it"]
    if "position" in answer:
        played.follow(answer["position"])
    return answer


def computed(played: Served, mutation: str = "startReplay", **given: Any) -> int:
    """A replay that is asked for, and folded at once."""
    number: int = do(played, mutation, **given)["replay"]["number"]
    fold_replay(played.league.database.url, number)
    return number


def preview(played: Served, number: int, fields: str = "fingerprint playersMoved") -> Any:
    text = f"""query ($n: Int!) {{ previewPromotion(replay: $n) {{
      ... on PromotionPreview {{ {fields} }} ... on UserError {{ code message }} }} }}"""
    return played.ask(text, ADMIN, n=number)["previewPromotion"]


def listed(played: Served, bearer: str | None = ADMIN) -> list[Any]:
    nodes: list[Any] = played.ask(LISTED, bearer)["officialTimelines"]["nodes"]
    return nodes


def test_the_list_says_who_adopted_what_and_what_would_come_back(played: Served) -> None:
    """Latest first. The author is for admins and auditors; everybody reads the reason."""
    number = computed(played, document=CALM, title="Calmer")
    do(played, "promoteReplay", replay=number, reason="they climb too fast")
    newest, founding = listed(played)
    assert (newest["how"], newest["title"], newest["reason"], newest["adoptedBy"]) == (
        "PROMOTION", "Calmer", "they climb too fast", "kim",
    )  # fmt: skip
    assert (newest["isInForce"], newest["canComeBack"], newest["changes"]) == (True, False, [])
    assert (founding["how"], founding["isInForce"], founding["canComeBack"]) == ("ADOPTION", False, True)
    assert founding["timeline"] == [{"start": None, "edition": {"number": 1}}]
    change = {"setting": "rating.k.provisional", "before": "32", "after": "40"}
    assert founding["changes"] == [{"from": None, "to": None, "changes": [change]}]
    for bearer in (None, PLAYER):
        seen = listed(played, bearer)[0]
        assert (seen["reason"], seen["adoptedBy"]) == ("they climb too fast", None)


@pytest.mark.heavy
def test_rules_are_brought_back_by_a_replay_or_at_once(played: Served) -> None:
    """Both are rollbacks in the list; equal rules are in force wherever they stand in it."""
    do(played, "promoteReplay", replay=computed(played, document=CALM), reason="r")
    founding = listed(played)[-1]["position"]
    number = computed(played, restore=founding)
    asked = "query ($n: Int!) { replay(number: $n) { restores { position } rules { number } } }"
    assert played.ask(asked, ADMIN, n=number)["replay"] == {"restores": {"position": founding}, "rules": {"number": 1}}
    do(played, "promoteReplay", replay=number, reason="back")
    calm = listed(played)[1]["position"]
    assert do(played, "rollBack", to=calm, reason="no")["position"]
    now = listed(played)
    assert [(one["how"], one["reason"], one["isInForce"], one["canComeBack"]) for one in now] == [
        ("ROLLBACK", "no", True, False), ("ROLLBACK", "back", False, True),
        ("PROMOTION", "r", True, False), ("ADOPTION", None, False, True),
    ]  # fmt: skip
    refused = do(played, "rollBack", to=calm, reason="no")
    assert refused["code"] == "ALREADY_IN_FORCE"
    unknown = do(played, "rollBack", to=str(int(calm) + 1), reason="no")
    assert (unknown["code"], unknown["field"]) == ("NOT_FOUND", ["to"])
    assert do(played, "startReplay", restore=calm)["code"] == "ALREADY_IN_FORCE"


@pytest.mark.heavy
@pytest.mark.also_on_server
def test_a_promotion_stores_only_what_its_preview_said(played: Served) -> None:
    """After a match the fingerprint no longer holds; the preview is for those who may promote."""
    number = computed(played, document=CALM)
    seen = preview(played, number, "fingerprint playersMoved changes { changes { setting } } moves { competitorId }")
    assert [change["setting"] for change in seen["changes"][0]["changes"]] == ["rating.k.provisional"]
    assert len(seen["moves"]) == seen["playersMoved"] > 0
    played.follow(str(send(played.league, announced("late", ("eva", "flor"), 0.5))))
    refused = do(played, "promoteReplay", replay=number, reason="r", previewed=seen["fingerprint"])
    assert refused["code"] == "PREVIEW_OUTDATED"
    fresh = preview(played, number)
    assert fresh["playersMoved"] == seen["playersMoved"] + 2
    assert do(played, "promoteReplay", replay=number, reason="r", previewed=fresh["fingerprint"])["position"]
    assert preview(played, number)["code"] == "RUN_OFFICIAL"
    assert preview(played, 999)["code"] == "NOT_FOUND"
    error = played.error("{ previewPromotion(replay: 1) { __typename } }", PLAYER)
    assert error["extensions"]["code"] == "FORBIDDEN"


@pytest.mark.heavy
@pytest.mark.also_on_server
def test_of_two_promotions_at_once_the_other_says_what_to_do(played: Served) -> None:
    """The other one stores nothing. A comparison with a replay that is dropped meanwhile is null."""
    numbers = [computed(played, document=CALM), computed(played, document="[rating.k]\nprovisional = 36")]
    spare = computed(played, document="[rating.k]\nprovisional = 38")
    answers = at_once(*(lambda n=n: do(played, "promoteReplay", replay=n, reason="r") for n in numbers))  # type: ignore[misc]
    [refused] = [answer for answer in answers if "code" in answer]
    assert (refused["code"], "compute it again" in refused["message"]) == ("RUN_OUTDATED", True)
    assert [one["how"] for one in listed(played)] == ["PROMOTION", "ADOPTION"]
    moves = played.ask("{ promotions { totalCount } }", ADMIN)
    assert moves["promotions"]["totalCount"] == 1
    asked = "query ($n: Int!, $m: Int!) { replay(number: $n) { difference(against: $m) { warning } } }"
    assert played.ask(asked, ADMIN, n=numbers[0], m=spare)["replay"]["difference"] is not None
    replay_requests.drop(played.league, spare, AppendRequest("root", "manual"))
    assert played.ask(asked, ADMIN, n=numbers[0], m=spare)["replay"]["difference"] is None


@pytest.mark.heavy
def test_a_replay_is_computed_again_and_another_starts_from_its_rules(played: Served) -> None:
    """It keeps its title and reason. A document changes what it starts from, not the edition in force."""
    first = computed(played, document=CALM, title="Calmer", reason="try it")
    do(played, "promoteReplay", replay=computed(played, document="rating.cap = false"), reason="r")
    assert preview(played, first)["code"] == "RUN_OUTDATED"
    again = do(played, "computeReplayAgain", replay=first)["replay"]
    assert (again["title"], again["reason"]) == ("Calmer", "try it")
    fold_replay(played.league.database.url, again["number"])
    assert preview(played, again["number"])["playersMoved"] > 0
    assert do(played, "computeReplayAgain", replay=999)["field"] == ["replay"]
    onward = computed(played, replay=first, document="[rating.k]\nstandard = 18")
    asked = """query ($n: Int!) { replay(number: $n) { rules { number difference(against: 1) { setting after } } } }"""
    rules = played.ask(asked, ADMIN, n=onward)["replay"]["rules"]
    assert rules["number"] is None
    assert {one["setting"]: one["after"] for one in rules["difference"]} == {
        "rating.k.provisional": "32", "rating.k.standard": "18",
    }  # fmt: skip


def test_the_rules_of_a_replay_are_read_before_it_is_folded(played: Served) -> None:
    """No run has stored its edition yet."""
    number = do(played, "startReplay", document=CALM)["replay"]["number"]
    asked = """query ($n: Int!) { replay(number: $n) { rules { number title document rulesets { name }
      inWords(section: RATING) { setting } } } }"""
    rules = played.ask(asked, ADMIN, n=number)["replay"]["rules"]
    assert rules["document"]["rating"]["k"]["provisional"] == 32
    assert rules["inWords"]
    assert rules["rulesets"]
