"""Ids as parts of addresses. An id may have a slash, which servers and browsers take for the end of a part."""

_WRITTEN = {"~": "~7E", "/": "~2F", "\\": "~5C"}
_DOTS = {".": "~2E", "..": "~2E~2E"}
"""Browsers leave out parts that are one dot or two."""


def segment_of(value: str) -> str:
    """An id as a part of an address."""
    return _DOTS.get(value) or "".join(_WRITTEN.get(character, character) for character in value)


def id_of(segment: str) -> str:
    """The id that a part of an address holds."""
    for character, written in (("/", "~2F"), ("\\", "~5C"), (".", "~2E"), ("~", "~7E")):
        segment = segment.replace(written, character)
    return segment
