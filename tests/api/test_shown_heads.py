"""Signed heads and proofs over the API: heads for everybody, a proof for those who may see who wrote the events."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from api_server import Served, token
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from leagues import UNGUARDED, announced, send
from msgspec.structs import replace
from psycopg import connect as connect_as_owner

from league.audit.proofs import check_proof
from league.audit.signed_heads import LogHead, is_genuine, raw, read_heads

KEY = Ed25519PrivateKey.generate()
HEAD = "position hash root signedAt key signature peaks document"
HEADS = f"""query ($first: Int, $after: String, $last: Int, $before: String) {{
  signedHeads(first: $first, after: $after, last: $last, before: $before) {{
    totalCount pageInfo {{ hasNextPage endCursor hasPreviousPage startCursor }} nodes {{ {HEAD} }} }} }}"""
PROOF = "query ($id: ID!, $position: BigInt) @readFrom(afterPosition: $position) { match(id: $id) { proof } }"


@pytest.fixture(scope="module")
def heads(small: Served) -> list[LogHead]:
    """Four heads with a match between each and the next; the match `late` is behind the last one."""
    league, found = replace(small.league, key=KEY), list[LogHead]()
    assert small.ask("{ signedHead { position } signedHeads { totalCount } }") == {
        "signedHead": None,
        "signedHeads": {"totalCount": 0},
    }
    for number in range(4):
        head = league.sign_head()
        assert head is not None
        found.append(head)
        send(league, announced("late" if number == 3 else f"m{number}", ("ana", "bea"), number))
    return found


def read(shown: Any) -> LogHead:
    """The head of a document, which says the same as the fields beside it."""
    (head,) = read_heads(shown["document"].encode())
    assert json.loads(shown["document"])["peaks"] == shown["peaks"]
    assert [head.position, head.hash, head.root] == [
        int(shown["position"]), bytes.fromhex(shown["hash"]), bytes.fromhex(shown["root"])
    ]  # fmt: skip
    assert [head.key.hex(), head.signature.hex()] == [shown["key"], shown["signature"]]
    return head


def test_heads_are_for_everybody(small: Served, heads: list[LogHead]) -> None:
    """The last one, and all of them page by page in both directions; each is genuine and can be stored."""
    assert read(small.ask(f"{{ signedHead {{ {HEAD} }} }}")["signedHead"]) == heads[-1]
    page = small.ask(HEADS, first=3)["signedHeads"]
    assert page["totalCount"] == 4
    assert [read(node) for node in page["nodes"]] == heads[:0:-1]
    assert page["pageInfo"]["hasNextPage"]
    rest = small.ask(HEADS, first=3, after=page["pageInfo"]["endCursor"])["signedHeads"]
    assert [read(node) for node in rest["nodes"]] == heads[:1]
    assert not rest["pageInfo"]["hasNextPage"]
    back = small.ask(HEADS, last=2, before=rest["pageInfo"]["startCursor"])["signedHeads"]
    assert [read(node) for node in back["nodes"]] == heads[2:0:-1]
    assert all(map(is_genuine, heads))


def test_a_cursor_of_another_list_is_refused(small: Served) -> None:
    """So are bytes that are none."""
    assert small.error(HEADS, first=1, after="WzEsMl0")["extensions"]["code"] == "INVALID_CURSOR"
    assert small.error(HEADS, first=1, after="WzEsIngiXQ")["extensions"]["code"] == "INVALID_CURSOR"


@pytest.mark.parametrize(
    ("role", "sub", "given"),
    [
        ("auditor", "x", True),
        ("admin", "x", True),
        ("player", "ana", True),
        ("player", "cira", False),
        ("scorekeeper", "ana", False),
        (None, "", False),
    ],
)
def test_a_proof_is_for_auditors_and_those_who_sat_there(
    small: Served, heads: list[LogHead], role: str | None, sub: str, given: bool
) -> None:
    """The proof has the author of each event, and is self-contained: all events of the match under the last head."""
    bearer = None if role is None else token(role, sub=sub)
    proof = small.ask(PROOF, bearer, id="m1", position=str(heads[-1].position))["match"]["proof"]
    assert (proof is not None) == given
    if proof is not None:
        head, events = check_proof(proof.encode(), [raw(KEY.public_key())], datetime.now(UTC))
        assert head == heads[-1]
        assert [(event.stream, event.name) for event in events] == [
            ("match:m1", stored.name) for stored in small.league.store.load("match:m1")
        ]


def test_what_no_head_signs_yet_has_no_proof(small: Served, heads: list[LogHead]) -> None:
    """It is null, as for a match that is known; the next head will sign it."""
    position = str(small.league.store.head())
    assert heads
    assert small.ask(PROOF, token("auditor"), id="late", position=position)["match"] == {"proof": None}


def test_what_somebody_changed_has_no_proof(small: Served, heads: list[LogHead]) -> None:
    """The answer says so instead of a file that proves nothing."""
    change = "UPDATE stored_events SET state = {} WHERE originator_id = 'match:m0'"
    with connect_as_owner(small.league.database.url, autocommit=True) as superuser:
        superuser.execute(UNGUARDED)
        superuser.execute(change.format("state || ' '").encode())
        try:
            error = small.error(PROOF, token("auditor"), id="m0", position=str(heads[-1].position))
        finally:
            superuser.execute(change.format("substr(state, 1, octet_length(state) - 1)").encode())
    assert error["extensions"]["code"] == "BAD_REQUEST"
    assert "not what was signed" in error["message"]
