"""Secrets of hands: sealed with a key of the stream and the hand, opened with the same secret of the league only."""

from __future__ import annotations

import json

import pytest

from league.eventlog.sealing import NoTableSecret, seal_hand, unseal_hand

KEY, OTHER = "a secret of the tables of this league", "a secret of the tables of another league"
BODY = b'{"hand":3,"commitment":"9f86","secret":"00ff00ff00ff"}'


def sealed(secret: str = KEY, stream: str = "table:t") -> bytes:
    return seal_hand(BODY, ("secret",), stream, secret)


def test_a_sealed_secret_is_opened_with_the_same_key() -> None:
    """Nothing else in the body is changed."""
    body = sealed()
    assert b"00ff00ff00ff" not in body
    assert json.loads(body)["commitment"] == "9f86"
    assert json.loads(unseal_hand(body, ("secret",), "table:t", KEY)) == json.loads(BODY)


def test_equal_secrets_are_not_sealed_alike() -> None:
    """Each has a nonce of its own."""
    assert sealed() != sealed()


@pytest.mark.parametrize("secret", [OTHER, None])
def test_without_the_key_a_secret_is_null(secret: str | None) -> None:
    """The rest of the body can still be read."""
    opened = json.loads(unseal_hand(sealed(), ("secret",), "table:t", secret))
    assert opened == {"hand": 3, "commitment": "9f86", "secret": None}


def test_a_sealed_secret_belongs_to_its_hand() -> None:
    """Moved to another table, or to another hand, it is not opened."""
    assert json.loads(unseal_hand(sealed(), ("secret",), "table:u", KEY))["secret"] is None
    moved = json.dumps({**json.loads(sealed()), "hand": 4}).encode()
    assert json.loads(unseal_hand(moved, ("secret",), "table:t", KEY))["secret"] is None


def test_nothing_is_sealed_without_a_key() -> None:
    """Rather than to be stored in clear."""
    with pytest.raises(NoTableSecret):
        seal_hand(BODY, ("secret",), "table:t", None)
