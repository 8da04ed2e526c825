"""A picture as it is stored, and what makes one out of a file from outside."""

from __future__ import annotations

from msgspec import Struct

from league.infra.decoding import DecodingTask

MEDIA_TYPE = "image/jpeg"


class BadPicture(Exception):
    """A file that is no picture of a known kind, is cut off, or has too many pixels. The message is for people."""


class Picture(Struct, frozen=True):
    """A picture as it is stored: a JPEG without metadata, upright."""

    content: bytes
    width: int
    height: int
    media_type: str = MEDIA_TYPE


def cleaning_of(content: bytes) -> DecodingTask:
    """What a process has to do to make a Picture of a file. It may raise BadPicture."""
    return DecodingTask("league.infra.picture_cleaning:cleaned", content)
