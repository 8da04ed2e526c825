"""Secrets of hands at live tables, sealed until the hand ends: with a key that the league's secret gives, never stored.

The key of a hand is HKDF-SHA-256 of the secret for live tables (`LEAGUE_TABLE_SECRET`), with the stream and the number
of the hand as its info. Without that secret, or with another one, a sealed value cannot be opened.
"""

from __future__ import annotations

import base64
import os
from collections.abc import Iterable
from typing import Any

import msgspec
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from league.domain.sentences import say

NONCE_BYTES = 12
KEY_BYTES = 32


class NoTableSecret(Exception):
    """A hand is shuffled on a server that has no secret for live tables."""


def seal(body: bytes, fields: Iterable[str], stream: str, secret: str | None) -> bytes:
    """`body` (a JSON object that names its hand) with `fields` sealed. Raises NoTableSecret."""
    if secret is None:
        raise NoTableSecret(say("LEAGUE_TABLE_SECRET is not set"))
    document = msgspec.json.decode(body)
    cipher, place = AESGCM(_key(secret, stream, document["hand"])), _place(stream, document["hand"])
    for field in fields:
        if document.get(field) is not None:
            nonce = os.urandom(NONCE_BYTES)
            sealed = cipher.encrypt(nonce, document[field].encode(), place)
            document[field] = base64.b64encode(nonce + sealed).decode("ascii")
    return msgspec.json.encode(document)


def unseal(body: bytes, fields: Iterable[str], stream: str, secret: str | None) -> bytes:
    """`body` as it was before `seal`; fields that the secret does not open are null."""
    document = msgspec.json.decode(body)
    for field in fields:
        if document.get(field) is not None:
            document[field] = None if secret is None else _open(document, field, stream, secret)
    return msgspec.json.encode(document)


def _open(document: dict[str, Any], field: str, stream: str, secret: str) -> str | None:
    sealed, hand = base64.b64decode(document[field]), document["hand"]
    try:
        opened = AESGCM(_key(secret, stream, hand)).decrypt(
            sealed[:NONCE_BYTES], sealed[NONCE_BYTES:], _place(stream, hand)
        )
    except InvalidTag:
        return None
    return opened.decode()


def _key(secret: str, stream: str, hand: int) -> bytes:
    return HKDF(SHA256(), KEY_BYTES, salt=None, info=_place(stream, hand)).derive(secret.encode())


def _place(stream: str, hand: int) -> bytes:
    return f"{stream}|hand {hand}".encode()
