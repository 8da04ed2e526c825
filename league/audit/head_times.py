"""Whether signed heads can be of the time that they say, by the events and the other heads that a checker has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timedelta

from league.audit.signed_heads import Head
from league.domain.sentences import Sentence, say
from league.eventlog.hash_chain import microseconds, moment

MOST_APART = timedelta(minutes=5)
"""How far apart the clocks of those who sign and of those who check may be."""

_APART = MOST_APART // timedelta(microseconds=1)


def faults_of_time(
    heads: Iterable[Head], recorded: Mapping[int, int], now: datetime | None
) -> Iterator[tuple[Head, Sentence]]:
    """The genuine heads whose time cannot be true, each with the reason.

    `recorded`: by position, when the event there was recorded, or an earlier one; microseconds since 2000, as in the
    log. `now`: the clock of whoever checks; None: heads of the future are not looked for.
    """
    heads = list(heads)
    before_later = _later_than_a_later_one(heads)
    for head in heads:
        position, signed_at, event_at = head.position, microseconds(head.signed_at), recorded.get(head.position)
        if event_at is not None and signed_at < event_at - _APART:
            says = say(
                "the head at {position} is dated {signed_at}, but its event was recorded at {recorded_at}: more than "
                "{minutes} minutes later",
                position=position,
                signed_at=_utc(head.signed_at),
                recorded_at=_utc(moment(event_at)),
                minutes=MOST_APART // timedelta(minutes=1),
            )
            yield head, says
        elif now is not None and signed_at > microseconds(now) + _APART:
            says = say(
                "the head at {position} is dated {signed_at}, which is still to come: now it is {now}",
                position=position,
                signed_at=_utc(head.signed_at),
                now=_utc(now),
            )
            yield head, says
        elif (later := before_later.get(head)) is not None:
            says = say(
                "the head at {position} is dated {signed_at}, and the head at {later}, which its key signed later, "
                "{earlier}: one of the two times is wrong",
                position=position,
                signed_at=_utc(head.signed_at),
                later=later.position,
                earlier=_utc(later.signed_at),
            )
            yield head, says


def _later_than_a_later_one(heads: Iterable[Head]) -> dict[Head, Head]:
    """Heads whose time is after that of a head by the same key at a later position, each with the earliest of those."""
    found, earliest = dict[Head, Head](), dict[bytes, Head]()
    # Heads of one position come with the latest first, so none of them is later than one before it.
    for head in sorted(heads, key=lambda head: (head.position, head.signed_at), reverse=True):
        later = earliest.setdefault(head.key, head)
        if head.signed_at > later.signed_at:
            found[head] = later
        else:
            earliest[head.key] = head
    return found


def _utc(time: datetime) -> str:
    return f"{time:%Y-%m-%d %H:%M:%S.%f} UTC"
