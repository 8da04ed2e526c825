"""Texts that the log takes from people, and those that it refuses."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from league.domain import league, members, player
from league.domain.texts_and_times import UnreadableText, check_readable, escaped, escaped_in_json, faults_of_text
from league.eventlog.records import AppendRequest

CONTROLS = [*map(chr, range(0x20)), "\x7f", *map(chr, range(0x80, 0xA0)), "\u2028", "\u2029"]
REVERSING = ["\u202a", "\u202b", "\u202c", "\u202d", "\u202e", "\u2066", "\u2067", "\u2068", "\u2069"]
INVISIBLE = [
    "\u200b",
    "\u3164",
    "\xad",
    "\u2060",
    "\ufeff",
    "\u115f\u1160",
    "\u2800",
    "\u200e\u200f",
    "\u0301",
    "\ufe0f",
]
ON = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize("character", CONTROLS + REVERSING)
def test_a_name_with_a_control_is_refused_by_its_field_and_code_point(character: str) -> None:
    with pytest.raises(UnreadableText) as refused:
        player.register_player(player.RegisterPlayer("ana", f"Ana{character}R."), player.PlayerState())
    assert refused.value.field == "name"
    assert refused.value.character == f"U+{ord(character):04X}"
    assert refused.value.character in refused.value.message


@pytest.mark.parametrize("name", INVISIBLE)
def test_a_name_that_shows_nothing_is_refused(name: str) -> None:
    with pytest.raises(UnreadableText, match="only invisible") as refused:
        player.register_player(player.RegisterPlayer("ana", name), player.PlayerState())
    assert refused.value.is_blank


@pytest.mark.parametrize(
    "name",
    [
        "José Ángel Tejada",
        "Jose\u0301",
        "O'Neill",
        "👩\u200d👧 Ana",
        "❤\ufe0f",
        "محمد",  # letters of its script
        "می\u200cخواهم",  # noqa: RUF001  # letters of its script
        "דוד\u200f (5)",  # letters of its script
        "김\u3164민",
        "李",
    ],
)
def test_names_of_all_scripts_and_emoji_stay(name: str) -> None:
    [registered] = player.register_player(player.RegisterPlayer("ana", name), player.PlayerState())
    assert registered == player.PlayerRegistered(name, None)


@pytest.mark.parametrize("invisible", ["\u200b", "\xad", "\u2060", "\ufeff"])
def test_what_no_name_needs_is_removed_from_new_names(invisible: str) -> None:
    """Nobody can register a second player whose name looks equal; names in the log can be mended."""
    written = f"{invisible}An{invisible}a {invisible}"
    known = player.PlayerState()
    assert player.register_player(player.RegisterPlayer("ana", written, written), known) == [
        player.PlayerRegistered("Ana", "Ana")
    ]
    old = player.PlayerState(registered=True, name=written, region=written)
    assert player.rename_player(player.RenamePlayer("ana", written), old) == [player.PlayerRenamed("Ana")]
    assert player.move_player(player.MovePlayer("ana", written), old) == [player.PlayerMoved("Ana")]
    [opened] = league.open_season(league.OpenSeason("s", written, ON, None), {})
    assert opened == league.SeasonOpened("s", "Ana", ON, None)


@pytest.mark.parametrize(
    ("field", "command"),
    [
        ("region", lambda bad: player.register_player(player.RegisterPlayer("a", "Ana", bad), player.PlayerState())),
        ("name", league.check_name),
        ("name", lambda bad: league.open_season(league.OpenSeason("s", bad, ON, None), {})),
        ("subject", lambda bad: members.add_member(members.AddMember("m", bad, ("scorekeeper",), None), {}, None)),
        ("player", lambda bad: player.check_id("player", bad)),
    ],
)
def test_each_free_text_is_refused_by_its_field(field: str, command: Callable[[str], Any]) -> None:
    with pytest.raises(player.InvalidInput) as refused:
        command("a\x1b[2J")
    assert refused.value.field == field
    command("abc")


def test_a_reason_may_have_lines_but_no_escapes() -> None:
    check_readable("reason", "The tile fell.\r\n\tWe counted again.", with_lines=True)
    with pytest.raises(UnreadableText, match="U\\+001B"):
        check_readable("reason", "ok\x1b[2J", with_lines=True)


@given(st.text())
def test_a_text_that_is_taken_is_shown_as_it_is(text: str) -> None:
    if not any(faults_of_text("name", text)):
        assert escaped(text) == text
    assert not [one for one in escaped(text) if one in {*CONTROLS, *REVERSING} - {"\n", "\r", "\t"}]
    assert escaped(escaped(text)) == escaped(text)


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_json_with_escapes_has_the_same_values(text: str) -> None:
    document = escaped_in_json(json.dumps(text, ensure_ascii=False))
    assert json.loads(document) == text


@pytest.mark.parametrize(
    ("field", "given_"), [("actor", ("a\x1b", "manual")), ("idempotencyKey", ("a", "manual", "k\u202e"))]
)
def test_a_request_with_a_control_is_refused(field: str, given_: tuple[str, ...]) -> None:
    """Its author and its key are in the log as they were sent."""
    with pytest.raises(UnreadableText) as refused:
        AppendRequest(*given_)
    assert refused.value.field == field
