"""Why the log does not take an append: another writer was faster, or the key of a request is in use."""

from __future__ import annotations

from league.domain.sentences import say


class Overtaken(Exception):
    """Another writer was faster: decide the command on `stream` again."""

    def __init__(self, stream: str, reason: str) -> None:
        super().__init__(f"{stream} {reason}")
        self.stream = stream


class VersionConflict(Overtaken):
    """`stream` is no longer at version `expected`."""

    def __init__(self, stream: str, expected: int) -> None:
        super().__init__(stream, f"is no longer at version {expected}")
        self.expected = expected


class KeyTaken(Exception):
    """This actor has used this idempotency key with a different input."""

    def __init__(self, actor: str, key: str) -> None:
        super().__init__(say("the key {key!r} of {actor} belongs to another request", key=key, actor=actor))
        self.actor = actor
        self.key = key


class KeyDestroyed(Overtaken):
    """The key of this stream is destroyed: commands decided before an erasure cannot be stored after it."""

    def __init__(self, stream: str) -> None:
        super().__init__(stream, say("has no key any more: it was erased"))
