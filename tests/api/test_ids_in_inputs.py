"""Inputs and arguments that name an object take its global id, or its id in the league."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from api_server import Served, token
from graphql import GraphQLInputObjectType, GraphQLInterfaceType, GraphQLObjectType, get_named_type

from league.api.graphql.shaping.mutations import NEW_ID
from league.api.graphql.shaping.relay import global_id
from league.api.schema import core
from league.domain.members import RequestAccess

ADMIN = token("admin")
NO_NODES = {"EndSessionsInput.tokenId", "RevokeTokenInput.tokenId"}
"""Tokens are not objects of the schema."""


def given() -> Iterator[tuple[str, str, Any]]:
    """Each argument and each field of an input: where it is, its name, and what it is."""
    for kind in core.type_map.values():
        if isinstance(kind, GraphQLInputObjectType):
            yield from ((f"{kind.name}.{name}", name, item) for name, item in kind.fields.items())
        elif isinstance(kind, GraphQLObjectType | GraphQLInterfaceType) and not kind.name.startswith("__"):
            for field, item in kind.fields.items():
                yield from ((f"{kind.name}.{field}({name})", name, one) for name, one in item.args.items())


def test_what_names_an_object_is_an_id() -> None:
    """A field is recognized by its name or its description; an id that the mutation makes is a text."""
    node = core.get_type("Node")
    assert isinstance(node, GraphQLInterfaceType)
    kinds = {kind.name[0].lower() + kind.name[1:] for kind in core.get_possible_types(node)}
    named = {name for kind in kinds for name in (kind, f"{kind}s", f"{kind}Id", f"{kind}Ids", "id", "ids")}
    texts = [
        where
        for where, name, item in given()
        if get_named_type(item.type).name == "String"
        and (name in named or re.search(r"\bids?\b", item.description))
        and not item.description.startswith(NEW_ID)
        and where not in NO_NODES
    ]
    assert texts == []


FACTS = {"ended": {"by": "DOMINO", "seat": 0}, "leftover": [{"tiles": []}, None]}
RULES = {"ruleset": "cuban-150", "mode": "ONE_ON_ONE"}
ROUND = {"tournament": "copa", "round": 1}
INPUTS: list[tuple[str, dict[str, Any], str]] = [
    *(
        (mutation, {"memberId": "~none", **more}, "Member")
        for mutation, more in [
            ("changeMember", {"roles": ["ADMIN"]}), ("removeMember", {}), ("grantAccess", {"roles": ["ADMIN"]}),
            ("declineAccess", {}), ("makeSignInLink", {}),
        ]
    ),
    ("addMember", {"subject": "kim", "roles": ["ADMIN"], "player": "~none"}, "Player"),
    ("changeMember", {"memberId": "lee", "player": "~none"}, "Player"),
    ("grantAccess", {"memberId": "mia", "roles": ["PLAYER"], "player": "~none"}, "Player"),
    ("renamePlayer", {"player": "~none", "name": "Ana"}, "Player"),
    ("movePlayer", {"player": "~none", "region": "Granma"}, "Player"),
    ("erasePlayer", {"player": "~none"}, "Player"),
    ("mergePlayers", {"keep": "~none", "drop": "bea"}, "Player"),
    ("mergePlayers", {"keep": "ana", "drop": "~none"}, "Player"),
    ("undoMerge", {"keep": "~none", "drop": "fay"}, "Player"),
    ("undoMerge", {"keep": "ana", "drop": "~none"}, "Player"),
    ("openMatch", {**RULES, "seats": ["ana", "~none"]}, "Player"),
    ("setReviewConsent", {"player": "~none", "consents": True}, "Player"),
    ("playersCame", {"players": ["~none"]}, "Player"),
    ("playerLeft", {"player": "~none"}, "Player"),
    ("openMatchTonight", {**RULES, "seats": ["eva", "~none"]}, "Player"),
    *(
        (mutation, {"match": "~none", **more}, "Match")
        for mutation, more in [
            ("endMatch", {}), ("recordResult", {"announced": {"winner": 0}}), ("forfeitMatch", {"side": 0}),
            ("correctResult", {"announced": {"winner": 0}, "reason": "r"}),
            ("reopenMatch", {"reason": "r"}), ("voidMatch", {"reason": "r"}), ("confirmResult", {"player": "ana"}),
            ("disputeResult", {"player": "ana", "reason": "r"}), ("withdrawDispute", {"dispute": 1}),
            ("rejectDispute", {"dispute": 1, "reason": "r"}), ("recordHand", {"facts": FACTS}),
            ("correctHand", {"hand": 1, "facts": FACTS, "reason": "r"}), ("requestReview", {"hand": 1}),
            ("openTableOfMatch", {}), ("openRematch", {}),
        ]
    ),
    ("disputeResult", {"match": "done", "player": "~none", "reason": "r"}, "Player"),
    ("confirmResult", {"match": "done", "player": "~none"}, "Player"),
    ("confirmResults", {"matches": ["~none"]}, "Match"),
    ("recordHand", {"match": "open", "facts": FACTS, "photos": ["~none"]}, "Photo"),
    ("correctHand", {"match": "open", "hand": 1, "facts": FACTS, "reason": "r", "photos": ["~none"]}, "Photo"),
    ("confirmPhoto", {"photo": "~none"}, "Photo"),
    ("correctPhotoCount", {"photo": "~none", "pips": 3}, "Photo"),
    ("erasePhoto", {"photo": "~none", "reason": "r"}, "Photo"),
    ("closeSeason", {"season": "~none", "end": "2027-01-01T00:00:00Z"}, "Season"),
    ("startReplay", {"document": "", "season": "~none"}, "Season"),
    ("openTable", {**RULES, "listed": False, "invited": ["~none"]}, "Player"),
    *(
        (mutation, {"table": "~none", **more}, "Table")
        for mutation, more in [
            ("closeTable", {}), ("takeSeat", {"seat": 0}), ("seatAi", {"seat": 0}), ("leaveSeat", {}), ("sayReady", {}),
            ("contributeSeed", {"hand": 1, "contribution": "00" * 32}), ("acceptReshuffle", {"hand": 1}),
            ("declineReshuffle", {"hand": 1}), ("playTile", {"hand": 1, "turn": 1, "tile": [6, 6]}),
            ("sayPhrase", {"phrase": "HELLO"}), ("mutePlayer", {"player": "bea"}), ("unmutePlayer", {"player": "bea"}),
        ]
    ),
    *(
        (mutation, {"tournament": "~none", **more}, "Tournament")
        for mutation, more in [
            ("changeTournamentPlan", {"plan": {"name": "Copa", "format": "FIXTURES", "ruleset": "cuban-150"}}),
            ("enterTournament", {"competitors": [{"players": ["ana"]}]}),
            ("checkInToTournament", {"competitors": ["ana"]}),
            ("claimAbsence", {"competitor": "ana", "round": 1}), ("confirmAbsence", {"competitor": "ana", "round": 1}),
            ("requestBye", {"competitor": "ana", "round": 1}), ("takeBackBye", {"competitor": "ana", "round": 1}),
            ("withdrawFromTournament", {"competitor": "ana"}), ("returnToTournament", {"competitor": "ana"}),
            ("drawRound", {}), ("publishRound", {"round": 1}), ("openFixture", {"round": 1, "table": 1}),
            ("withdrawRound", {"round": 1, "reason": "r"}),
            ("changePairings", {"round": 1, "tables": [], "reason": "r"}),
            ("recordAbsence", {"round": 1, "table": 1, "sides": [0]}),
            ("replaceTournamentMatch", {"round": 1, "table": 1, "reason": "r"}), ("closeRound", {"round": 1}),
            ("confirmRound", {"round": 1}), ("endTournament", {}),
            ("commitToDrawing", {"competitor": "ana", "commitment": "00" * 32}),
            ("contributeToDrawing", {"round": 2, "drawing": 1, "competitor": "ana", "contribution": "00" * 32}),
        ]
    ),
    ("mutePlayer", {"table": "t", "player": "~none"}, "Player"),
    ("unmutePlayer", {"table": "t", "player": "~none"}, "Player"),
    ("enterTournament", {"tournament": "copa", "competitors": [{"players": ["~none"]}]}, "Player"),
    ("enterTournament", {"tournament": "copa", "competitors": [{"players": ["eva"], "replaces": "~none"}]}, "Player"),
    ("enterTournament", {"tournament": "copa", "competitors": [{"players": ["eva"], "replaces": "~none+one"}]}, "Team"),
    *(
        (mutation, {"tournament": "copa", "competitor": competitor, **more}, kind)
        for mutation, more in [
            ("claimAbsence", {"round": 1}), ("confirmAbsence", {"round": 1}), ("requestBye", {"round": 1}),
            ("takeBackBye", {"round": 1}),
            ("withdrawFromTournament", {}), ("returnToTournament", {}),
            ("commitToDrawing", {"commitment": "00" * 32}),
            ("contributeToDrawing", {"round": 2, "drawing": 1, "contribution": "00" * 32}),
        ]
        for competitor, kind in [("~none", "Player"), ("~none+one", "Team")]
    ),
    ("checkInToTournament", {"tournament": "copa", "competitors": ["ana", "~none"]}, "Player"),
    ("checkInToTournament", {"tournament": "copa", "competitors": ["~none+one"]}, "Team"),
    ("drawRound", {"tournament": "copa", "again": "r", "meetings": [{"one": "~none", "other": "bea"}]}, "Player"),
    ("drawRound", {"tournament": "copa", "again": "r", "meetings": [{"one": "ana", "other": "~none"}]}, "Player"),
    ("drawRound", {"tournament": "copa", "again": "r", "meetings": [{"one": "ana", "other": "~none+one"}]}, "Team"),
    ("changePairings", {**ROUND, "tables": [{"table": 1, "sides": [["~none"], ["ana"]]}], "reason": "r"}, "Player"),
    ("changePairings", {**ROUND, "tables": [{"table": 1, "sides": [["~none+one"], ["ana"]]}], "reason": "r"}, "Team"),
]  # fmt: skip
"""Inputs of mutations. The id that begins with `~` is one that no object of that kind has; all others are known."""
NOT_BY_AN_ADMIN = {
    "takeSeat", "leaveSeat", "sayReady", "contributeSeed", "acceptReshuffle", "declineReshuffle", "playTile",
    "sayPhrase", "mutePlayer", "unmutePlayer", "commitToDrawing", "contributeToDrawing",
    "claimAbsence", "confirmAbsence",
}  # fmt: skip
"""What only a player does."""
ANSWERS = {
    "unmutePlayer": "... on MuteSuccess { playerId }",
    "confirmResults": "... on ConfirmationsSuccess { answers { refusal { message } } }",
}
"""Fields of the success of mutations that do not fail for an unknown id."""


@pytest.fixture(scope="module")
def club(small: Served) -> Served:
    """A league in which all is known that the inputs name."""
    small.do("registerPlayer", ADMIN, playerId="fay", name="Fay")
    small.do("mergePlayers", ADMIN, keep="eva", drop="fay")
    for match in ("open", "done"):
        small.do("openMatch", ADMIN, matchId=match, **RULES, competition="CASUAL", seats=["ana", "bea"])
    small.do("recordHand", ADMIN, match="open", facts={**FACTS, "leftover": [{"tiles": []}, {"pips": 9}]})
    small.do("recordResult", ADMIN, match="done", announced={"winner": 0})
    small.do("addMember", ADMIN, subject="lee@club", memberId="lee", roles=["SCOREKEEPER"])
    small.league.dispatcher.send(RequestAccess("mia", "mia@club", "Mia"), "mia")
    small.do("openTable", ADMIN, tableId="t", **RULES, competition="CASUAL")
    small.do("takeSeat", token("player", sub="ana"), table="t", seat=0)
    plan = {"name": "Copa", "format": "FIXTURES", "mode": "ONE_ON_ONE", "ruleset": "cuban-150"}
    small.do("planTournament", ADMIN, tournamentId="copa", plan=plan)
    for player in ("ana", "bea", "cira", "dora"):
        small.do("enterTournament", ADMIN, tournament="copa", competitors=[{"players": [player]}])
    drawn = small.do("drawRound", ADMIN, tournament="copa")
    assert drawn["__typename"] == "TournamentSuccess", drawn
    return small


def with_id(value: Any, id_: str) -> Any:
    """An input with an id in the place of the one that begins with `~`."""
    if isinstance(value, dict):
        return {name: with_id(one, id_) for name, one in value.items()}
    if isinstance(value, list):
        return [with_id(one, id_) for one in value]
    return id_ if isinstance(value, str) and value.startswith("~") else value


def paths(value: Any) -> Iterator[str]:
    """The path of the unknown id in an input."""
    if isinstance(value, dict):
        yield from (f"{name}.{path}".rstrip(".") for name, one in value.items() for path in paths(one))
    elif isinstance(value, list):
        yield from (path for one in value for path in paths(one))
    elif isinstance(value, str) and value.startswith("~"):
        yield ""


@pytest.mark.parametrize(("mutation", "given", "kind"), INPUTS)
def test_an_input_takes_both_ids(club: Served, mutation: str, given: dict[str, Any], kind: str) -> None:
    """An unknown id gets the same answer in either form, which names the id of the league."""
    local = {"Team": "none+one"}.get(kind, "none")
    own = "none" if str(given.get("competitor")).startswith("~") else "ana"
    bearer = token("player", sub=own) if mutation in NOT_BY_AN_ADMIN else ADMIN
    of = f"{mutation[0].upper()}{mutation[1:]}Input!"
    asked = f"... on UserError {{ code message field }} {ANSWERS.get(mutation, '')}"
    query = f"mutation ($input: {of}) {{ it: {mutation}(input: $input) {{ {asked} }} }}"
    ids = (local, global_id(kind, local))
    said = [club.ask(query, bearer, input=with_id(given, id_))["it"] for id_ in ids]
    assert said[0] == said[1]
    assert f"'{local}'" in str(said[0])


def test_every_id_of_an_input_is_tried() -> None:
    """Each field of the input of a mutation that is an ID, also of an object within it."""
    core_mutations = core.mutation_type
    assert core_mutations is not None

    def ids(kind: Any) -> Iterator[str]:
        for name, item in kind.fields.items():
            of = get_named_type(item.type)
            if of.name == "ID":
                yield name
            elif isinstance(of, GraphQLInputObjectType):
                yield from (f"{name}.{path}" for path in ids(of))

    wanted = {
        (mutation, path)
        for mutation, field in core_mutations.fields.items()
        for path in ids(get_named_type(field.args["input"].type))
    }
    tried = {(mutation, path) for mutation, given, _ in INPUTS for path in paths(given)}
    assert wanted - tried == set()


QUESTIONS: list[tuple[str, str, str]] = [
    ("p001", "Player", "player(id: $id) { name }"),
    ("p001+p002", "Team", "team(id: $id) { displayName }"),
    ("c-0001", "Match", "match(id: $id) { status }"),
    ("p001", "Player", "matches(filter: {competitor: $id}) { totalCount }"),
    ("p001", "Player", 'matches(filter: {competitor: "p002", opponent: $id}) { totalCount }'),
    ("p001", "Player", 'headToHead(a: "p002", b: $id) { a { __typename } }'),
    ("p001", "Player", 'headToHead(a: $id, b: "p002") { a { __typename } }'),
    ("c-0006", "Match", 'ratingChange(match: $id, of: "p001") { before }'),
    ("p001", "Player", 'ratingChange(match: "c-0006", of: $id) { before }'),
    ("p001", "Player", "teams(filter: {player: $id}) { totalCount }"),
    ("p001", "Player", "trail(filter: {player: $id}) { totalCount }"),
    ("c-0001", "Match", "trail(filter: {match: $id}) { totalCount }"),
    ("p001", "Player", "board(includeInactive: true) { around(of: $id) { __typename } }"),
    ("p001", "Player", "tables(filter: {player: $id}) { totalCount }"),
    ("p001", "Player", "tournaments(filter: {player: $id}) { totalCount }"),
    ("p001", "Player", 'previewMerge(keep: $id, drop: "p002") { ... on UserError { message } __typename }'),
    ("p001", "Player", 'previewMerge(drop: $id, keep: "p002") { ... on UserError { message } __typename }'),
    ("p001", "Player", 'previewUndoMerge(keep: $id, drop: "p002") { ... on UserError { message } __typename }'),
    ("p001", "Player", 'previewUndoMerge(drop: $id, keep: "p002") { ... on UserError { message } __typename }'),
    ("p001", "Player", 'whatIfNot(match: "c-0006", player: $id) { __typename ... on UserError { message } }'),
    ("c-0006", "Match", 'whatIfNot(match: $id, player: "p001") { __typename ... on UserError { message } }'),
]
"""Known ids, their kind, and what they are asked for."""


@pytest.mark.parametrize(("local", "kind", "question"), QUESTIONS)
def test_an_argument_takes_both_ids(season: Served, local: str, kind: str, question: str) -> None:
    """The answer is the same, and there is one."""
    query = f"query ($id: ID!) {{ it: {question} }}"
    by_local, by_global = (season.ask(query, ADMIN, id=id_)["it"] for id_ in (local, global_id(kind, local)))
    assert by_local == by_global
    assert by_local is not None
