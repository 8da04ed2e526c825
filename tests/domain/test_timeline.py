"""Which edition holds when: a timeline, and an edition laid over a span of it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from league.domain.timeline import EditionSpan, Timeline, edition_at, overlay

START = datetime(2026, 1, 1, tzinfo=UTC)


def day(number: int) -> datetime:
    return START + timedelta(days=number)


ONE: Timeline = (EditionSpan(None, 1),)


def test_an_edition_holds_from_its_start_on() -> None:
    """The moment itself belongs to the new edition."""
    timeline = overlay(ONE, 2, day(5), None)
    assert edition_at(timeline, day(5) - timedelta(microseconds=1)) == 1
    assert edition_at(timeline, day(5)) == 2
    assert edition_at(timeline, day(500)) == 2


def test_an_edition_with_an_end_gives_way_to_what_held_there() -> None:
    """The end itself belongs to the edition after it."""
    timeline = overlay(ONE, 2, day(5), day(9))
    assert timeline == (EditionSpan(None, 1), EditionSpan(day(5), 2), EditionSpan(day(9), 1))
    assert edition_at(timeline, day(9)) == 1


def test_an_edition_may_hold_from_the_beginning_until_a_day() -> None:
    """None is without bound."""
    assert overlay(ONE, 2, None, day(3)) == (EditionSpan(None, 2), EditionSpan(day(3), 1))


def test_an_edition_without_bounds_replaces_everything() -> None:
    """It replaces every edition that held before."""
    assert overlay(overlay(ONE, 2, day(1), day(5)), 3, None, None) == (EditionSpan(None, 3),)


def test_neighbours_that_say_the_same_are_one_span() -> None:
    """Adopting edition 1 where edition 1 holds changes nothing."""
    assert overlay(ONE, 1, day(1), day(5)) == ONE
    assert overlay(overlay(ONE, 2, day(1), day(5)), 2, day(5), day(9)) == (
        EditionSpan(None, 1), EditionSpan(day(1), 2), EditionSpan(day(9), 1)
    )  # fmt: skip


def test_the_time_zone_of_a_moment_does_not_matter() -> None:
    """A moment finds the same edition with any offset."""
    from datetime import timezone  # noqa: PLC0415

    havana = day(5).astimezone(timezone(timedelta(hours=-5)))
    assert edition_at(overlay(ONE, 2, day(5), None), havana) == 2


DAYS = st.one_of(st.none(), st.integers(0, 12))
OVERLAYS = st.lists(
    st.tuples(st.integers(1, 4), DAYS, DAYS).filter(lambda o: o[1] is None or o[2] is None or o[1] < o[2]), max_size=8
)


@given(OVERLAYS)
def test_overlays_agree_with_painting_one_day_after_the_other(
    overlays: list[tuple[int, int | None, int | None]],
) -> None:
    """Each overlay paints its edition over its days; what was painted last on a day holds."""
    painted, timeline = dict.fromkeys(range(-1, 14), 1), ONE
    for edition, start, end in overlays:
        timeline = overlay(timeline, edition, None if start is None else day(start), None if end is None else day(end))
        for number in painted:
            if (start is None or number >= start) and (end is None or number < end):
                painted[number] = edition
    assert {number: edition_at(timeline, day(number)) for number in painted} == painted
    assert {number: edition_at(timeline, day(number) + timedelta(hours=23)) for number in painted} == painted


@given(OVERLAYS)
def test_a_timeline_is_in_order_and_says_nothing_twice(overlays: list[tuple[int, int | None, int | None]]) -> None:
    """It starts at None, ascends, and no two neighbours are the same edition."""
    timeline = ONE
    for edition, start, end in overlays:
        timeline = overlay(timeline, edition, None if start is None else day(start), None if end is None else day(end))
    first, *others = timeline
    assert first.start is None
    starts = [span.start for span in others]
    assert None not in starts
    assert starts == sorted(set(starts))
    assert all(a.edition != b.edition for a, b in zip(timeline, others, strict=False))
