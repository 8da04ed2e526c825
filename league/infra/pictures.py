"""A stored picture, and the decoding task that makes one from a file from outside."""

from __future__ import annotations

from msgspec import Struct

from league.infra.decoding import DecodingTask

MEDIA_TYPE = "image/jpeg"


class BadPicture(Exception):
    """A file that is no picture of a known kind, is cut off, or has too many pixels. The message is for people."""


class Picture(Struct, frozen=True):
    """A picture in the form that is stored: an upright JPEG without metadata."""

    content: bytes
    width: int
    height: int
    media_type: str = MEDIA_TYPE


def cleaning_of(content: bytes) -> DecodingTask:
    """The task of making a Picture from a file. Its function may raise BadPicture."""
    return DecodingTask("league.infra.picture_cleaning:cleaned", content)
