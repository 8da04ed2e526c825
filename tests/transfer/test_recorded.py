"""Recorded seasons: all of a file or nothing, checked against itself, and every bad line by its number and field."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from threading import get_ident
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from leagues import league_at

from league.application.bootstrap import League
from league.application.stream_states import StreamStates
from league.domain.collected_refusals import SeasonRefused
from league.domain.match import CorrectHand, HandTranscribed, MatchState, OpenMatch
from league.domain.match_refusals import SeriesLocked
from league.domain.player import ErasePlayer, MergePlayers, MovePlayer, RegisterPlayer, RenamePlayer
from league.domain.refusals import NotFound, Refusal
from league.domain.result import ScoredMatch, result_of
from league.eventlog import codec
from league.eventlog.recorder import Recorder
from league.eventlog.store import EventStore
from league.rulebook import shipped_edition
from league.transfer import recorded_season
from league.transfer.match_import import ImportNote, ImportReport
from league.transfer.recorded_season import import_season

EXAMPLE = Path(__file__).parents[2] / "examples" / "cuban-2026"
NOW = datetime(2026, 11, 20, tzinfo=UTC)
Line = dict[str, Any]


def lines_of(name: str, count: int) -> list[Line]:
    with (EXAMPLE / name).open(encoding="utf-8") as file:
        return [json.loads(line) for line, _ in zip(file, range(count), strict=False)]


RECORDED = lines_of("matches.jsonl", 15)
PLAYERS = lines_of("players.jsonl", 99)

HAND: Line = {
    "starter": 0,
    "dealt": None,
    "plays": None,
    "ended": {"by": "domino", "seat": 0, "tile": [4, 1], "fits_both_ends": False, "ends_equal": False,
              "blocks_too": False},
    "leftover": [[], [[9, 9], [8, 8], [7, 7]]],
    "passes": {"opening_pass": False, "corridos": [], "drew": []},
}  # fmt: skip
BLOCK: Line = {
    "starter": 0,
    "ended": {"by": "block", "locker": 1, "tile": [4, 1]},
    "leftover": [[[5, 5]], [[9, 9], [8, 8], [7, 7]]],
}
PLAIN: Line = {
    "match": "x-1",
    "ruleset": "cuban-150",
    "mode": "1v1",
    "competition": "competitive",
    "played_at": "2026-02-03T20:15:00+00:00",
    "seats": ["p001", "p002"],
    "starting_draw": [[9, 3], [5, 5]],
    "hands": [HAND],
    "announced": {"winner": 0, "score": [48, 0]},
}


def with_value(line: Line, path: str, value: Any) -> Line:
    """The line with one value, at a dotted path, replaced or added."""
    changed = copy.deepcopy(line)
    *parents, last = path.split(".")
    at: Any = changed
    for key in parents:
        at = at[int(key)] if isinstance(at, list) else at[key]
    if isinstance(at, list):
        at[int(last)] = value
    else:
        at[last] = value
    return changed


def season(folder: Path, matches: list[Line | str], players: list[Line | str] | None = None) -> Path:
    """A folder with a recorded season; a line may be given as text."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, lines in (("players.jsonl", PLAYERS if players is None else players), ("matches.jsonl", matches)):
        texts = [line if isinstance(line, str) else json.dumps(line, ensure_ascii=False) for line in lines]
        (folder / name).write_text("".join(text + "\n" for text in texts), encoding="utf-8")
    return folder


@pytest.fixture
def league(database_url: str) -> Iterator[League]:
    with league_at(database_url) as opened:
        opened.create("Liga", "UTC", "test")
        yield opened


def take(league: League, folder: Path, *, dry_run: bool = False) -> ImportReport:
    return import_season(folder, league.store, lambda: NOW, "test", dry_run=dry_run)


def bad_lines(league: League, folder: Path) -> list[tuple[str, int, str | None, str]]:
    """What a dry run lists: file, line, field and reason."""
    refused = take(league, folder, dry_run=True).refused
    return [(bad.file, bad.line, bad.refusal.field, bad.refusal.message) for bad in refused]


def state(store: EventStore, match: str) -> MatchState:
    return StreamStates(store, NOW).match(match)


def result(store: EventStore, match: str) -> ScoredMatch:
    played = state(store, match).played
    assert played is not None
    return result_of(played, shipped_edition().rulesets[played.ruleset])


# ---------------------------------------------------------------- what is taken in


def test_a_season_is_stored_whole(league: League, tmp_path: Path) -> None:
    """Every player, match, hand and transcript; the hands give what the tables announced."""
    report = take(league, season(tmp_path, RECORDED))
    assert (report.players_added, report.matches_added, report.refused) == (len(PLAYERS), 15, ())
    assert report.hands_added == sum(len(line["hands"]) for line in RECORDED)
    assert report.notes == []
    assert report.position == league.store.head()
    for line in RECORDED:
        stored = result(league.store, line["match"])
        assert stored.status == "completed"
        assert (stored.winner, list(stored.score or ())) == (line["announced"]["winner"], line["announced"]["score"])


def test_events_of_an_import_say_so(league: League, tmp_path: Path) -> None:
    """Every event of a match has its source, actor and time of play."""
    take(league, season(tmp_path, RECORDED[:1]))
    stored = league.store.load("match:c-0001")
    assert {(event.source, event.actor) for event in stored} == {("import", "test")}
    assert {event.played_at for event in stored} == {datetime(2026, 1, 1, 16, 45, tzinfo=UTC)}
    assert sum(isinstance(event.event, HandTranscribed) for event in stored) == len(RECORDED[0]["hands"])


def test_what_is_past_enters_the_series_and_is_never_refused_for_it(league: League, tmp_path: Path) -> None:
    """Competitive matches take their places in their month, also beyond the limit; the next one is refused."""
    lines = [{**PLAIN, "match": f"x-{number}"} for number in range(5)]
    lines.append({**PLAIN, "match": "y-1", "competition": "casual"})
    take(league, season(tmp_path, lines))
    entered = league.store.load("series:1v1:2026-02:p001:p002")
    assert [event.event.match for event in entered] == [f"x-{number}" for number in range(5)]
    assert {(event.source, event.actor, event.played_at) for event in entered} == {
        ("import", "test", datetime.fromisoformat(PLAIN["played_at"]))
    }
    began = datetime(2026, 2, 20, tzinfo=UTC)
    opening = OpenMatch("z-1", "cuban-150", "1v1", "competitive", ("p001", "p002"), None, began)
    with pytest.raises(SeriesLocked):
        league.dispatcher.send(opening, "test")
    take(league, season(tmp_path, [*lines, {**PLAIN, "match": "x-9"}]))
    assert len(league.store.load("series:1v1:2026-02:p001:p002")) == 6


def test_importing_twice_stores_nothing_twice(league: League, tmp_path: Path) -> None:
    """Lines that are stored word for word are skipped."""
    first = take(league, season(tmp_path, RECORDED))
    second = take(league, tmp_path)
    assert (second.players_added, second.matches_added, second.events) == (0, 0, 0)
    assert (second.players_skipped, second.matches_skipped) == (len(PLAYERS), 15)
    assert second.position == first.position == league.store.head()


def test_a_season_may_come_in_parts(league: League, tmp_path: Path) -> None:
    """First five matches, then all fifteen: ten are new."""
    take(league, season(tmp_path, RECORDED[:5]))
    report = take(league, season(tmp_path, RECORDED))
    assert (report.matches_added, report.matches_skipped) == (10, 5)


def test_the_order_of_the_lines_does_not_matter(league: League, tmp_path: Path) -> None:
    """Written down backwards, the same matches are stored."""
    take(league, season(tmp_path, RECORDED[::-1]))
    for line in RECORDED:
        stored = result(league.store, line["match"])
        assert list(stored.score or ()) == line["announced"]["score"]


def test_a_dry_run_stores_nothing_and_tells_what_would_be(league: League, tmp_path: Path) -> None:
    """A dry run stores nothing and gives the same report, except for the position."""
    before = league.store.head()
    report = take(league, season(tmp_path, RECORDED), dry_run=True)
    assert (league.store.head(), report.position) == (before, before)
    done = take(league, tmp_path)
    report.position = done.position
    assert report == done


def test_progress_is_reported_line_by_line(league: League, tmp_path: Path) -> None:
    """Lines checked, of all lines."""
    report: list[tuple[int, int]] = []
    import_season(
        season(tmp_path, RECORDED[:3]), league.store, lambda: NOW, "test", progress=lambda n, of: report.append((n, of))
    )
    total = len(PLAYERS) + 3
    assert report == [(number, total) for number in range(1, total + 1)]


def test_a_line_twice_in_a_file_is_stored_once(league: League, tmp_path: Path) -> None:
    """The second is skipped like one that was stored before."""
    report = take(league, season(tmp_path, [PLAIN, PLAIN], [*PLAYERS, PLAYERS[0]]))
    assert (report.matches_added, report.matches_skipped, report.players_skipped) == (1, 1, 1)


def test_hands_may_be_known_by_facts_only(league: League, tmp_path: Path) -> None:
    """Tiles or pips, and nothing at all but how the hand ended."""
    pips = {"ended": {"by": "domino", "seat": 1}, "leftover": [40, 0]}
    bare = {"ended": {"by": "block"}}
    by_tiles_alone = {"ended": {"by": "domino"}, "leftover": [[[2, 2]], []]}
    report = take(league, season(tmp_path, [with_value(PLAIN, "hands", [HAND, BLOCK, pips, bare, by_tiles_alone])]))
    assert report.refused == ()
    stored = state(league.store, "x-1").played
    assert stored is not None
    assert [hand.seat for hand in stored.hands] == [0, 1, 1, None, 1]
    assert [hand.winner for hand in result(league.store, "x-1").hands] == [0, 0, 1, None, 1]
    assert stored.hands[1].opening_pass is None
    assert stored.hands[1].drew == ()


def test_a_match_may_be_known_by_its_result_only(league: League, tmp_path: Path) -> None:
    """No hands: winner and score as announced, the score perhaps unknown."""
    first = {**PLAIN, "hands": [], "announced": {"winner": 1, "score": [20, 151]}}
    second = {**PLAIN, "match": "x-2", "hands": [], "announced": {"winner": 1, "score": None}}
    take(league, season(tmp_path, [first, second]))
    assert (result(league.store, "x-1").status, result(league.store, "x-1").score) == ("announced", (20, 151))
    assert (result(league.store, "x-2").winner, result(league.store, "x-2").score) == (1, None)


def test_a_side_that_gave_up_is_recorded(league: League, tmp_path: Path) -> None:
    """A forfeit is recorded with and without hands, with the hands' score or else the announced one."""
    ahead = {**PLAIN, "forfeited_by": 0, "announced": None}
    announced = {**ahead, "match": "x-2", "hands": [], "announced": {"winner": 1, "score": [140, 20]}}
    bare = {**ahead, "match": "x-3", "hands": [], "forfeited_by": 1}
    nobody = {**PLAIN, "match": "x-4", "forfeited_by": None}
    report = take(league, season(tmp_path, [ahead, announced, bare, nobody]))
    assert (report.refused, report.notes) == ((), [ImportNote("x-4", "cut short")])
    found = [result(league.store, f"x-{number}") for number in range(1, 5)]
    assert [(one.status, one.winner, one.score) for one in found] == [
        ("forfeited", 1, (48, 0)),
        ("forfeited", 1, (140, 20)),
        ("forfeited", 0, None),
        ("cut_short", 0, (48, 0)),
    ]
    assert take(league, tmp_path).matches_skipped == 4


def test_who_gave_up_outweighs_what_was_announced(league: League, tmp_path: Path) -> None:
    """The announced winner is evidence: it is stored, and the difference is noted."""
    report = take(league, season(tmp_path, [{**PLAIN, "forfeited_by": 0}]))
    assert (result(league.store, "x-1").winner, result(league.store, "x-1").status) == (1, "forfeited")
    assert [note.text for note in report.notes] == ["the side that gave up was announced as the winner"]
    assert take(league, tmp_path).matches_skipped == 1


def test_keys_that_are_not_known_may_be_missing(league: League, tmp_path: Path) -> None:
    """Starting draw, announcement and passes may be missing."""
    line = {key: value for key, value in PLAIN.items() if key not in ("starting_draw", "announced")}
    take(league, season(tmp_path, [line]))
    played = state(league.store, "x-1").played
    assert played is not None
    assert (played.starting_draw, played.announced) == (None, None)


def test_casual_and_special_matches_are_taken_as_such(league: League, tmp_path: Path) -> None:
    """Casual and special matches are imported with their own competition."""
    take(league, season(tmp_path, [RECORDED[4], RECORDED[9]]))
    kinds = [state(league.store, line["match"]).played.competition for line in (RECORDED[4], RECORDED[9])]
    assert kinds == ["casual", "special"]


def test_every_family_of_rules_can_be_recorded(league: League, tmp_path: Path) -> None:
    """Three individuals with a boneyard, Dominican passes and a chiva without a score."""
    seats = [p["player"] for p in PLAYERS[:4]]
    base = {**PLAIN, "starting_draw": None, "announced": None}
    drew = {"opening_pass": False, "corridos": [], "drew": [0]}
    hand = {"starter": 1, "ended": {"by": "domino", "seat": 1}, "leftover": [60, 0, 50], "passes": drew}
    three = {**base, "ruleset": "doscientos-100", "mode": "individuals", "seats": seats[:3], "hands": [hand]}
    passes = {"opening_pass": True, "corridos": [3, 3], "drew": None}
    hand = {"starter": 0, "ended": {"by": "domino", "seat": 0}, "leftover": [0, 10, 5, 6], "passes": passes}
    four = {**base, "match": "x-2", "ruleset": "dominican-200", "mode": "2v2", "seats": seats, "hands": [hand]}
    report = {"winner": 1, "score": None}
    chiva = {**base, "match": "x-3", "ruleset": "chiva-4", "hands": [], "announced": report}
    report = take(league, season(tmp_path, [three, four, chiva]))
    assert report.refused == ()
    assert result(league.store, "x-1").score == (0, 110, 0)
    assert result(league.store, "x-2").score == (26, 50)
    assert result(league.store, "x-3").winner == 1


def test_the_offset_of_a_time_is_read(league: League, tmp_path: Path) -> None:
    """Half past eleven in Havana is the next day in UTC."""
    take(league, season(tmp_path, [{**PLAIN, "played_at": "2026-01-31T23:30:00-05:00"}]))
    played = state(league.store, "x-1").played
    assert played is not None
    assert played.began_at == datetime(2026, 2, 1, 4, 30, tzinfo=UTC)
    assert take(league, tmp_path).matches_skipped == 1


# ---------------------------------------------------------------- what is noted


def test_a_hand_after_the_end_is_kept_counts_for_nothing_and_is_noted(league: League, tmp_path: Path) -> None:
    """The match is over with hand 1; hand 2 is in the log."""
    last = with_value(HAND, "leftover.1", 150)
    line = {**PLAIN, "hands": [last, HAND], "announced": {"winner": 0, "score": [150, 0]}}
    report = take(league, season(tmp_path, [line]))
    stored = result(league.store, "x-1")
    assert (report.hands_added, stored.score, stored.last_hand) == (2, (150, 0), 1)
    assert [hand.counted for hand in stored.hands] == [True, False]
    assert [(note.match, note.text) for note in report.notes] == [
        ("x-1", "hand 2 was played after the match had ended, and counts for nothing")
    ]


@pytest.mark.parametrize(
    ("announced", "status", "note"),
    [
        ({"winner": 0, "score": [48, 0]}, "cut_short", "cut short"),
        (None, "open", "open"),
        ({"winner": 1, "score": [48, 150]}, "cut_short", "its hands give another winner than the announced one"),
        ({"winner": 0, "score": [150, 0]}, "cut_short", "announced [150, 0]; its hands give [48, 0]"),
    ],
)
def test_a_match_that_an_organiser_may_want_to_see_is_noted(
    league: League, tmp_path: Path, announced: Line | None, status: str, note: str
) -> None:
    """Cut short, still open, or announced otherwise than its hands say."""
    report = take(league, season(tmp_path, [{**PLAIN, "announced": announced}]))
    assert result(league.store, "x-1").status == status
    assert note in [noted.text for noted in report.notes]


def test_a_hand_without_a_winner_is_noted(league: League, tmp_path: Path) -> None:
    """Nobody can tell who won the block."""
    report = take(league, season(tmp_path, [{**PLAIN, "hands": [HAND, {"ended": {"by": "block"}}]}]))
    assert "hand 2 has no winner" in [note.text for note in report.notes]


# ---------------------------------------------------------------- stored already, otherwise


def test_a_changed_line_is_refused_with_the_difference(league: League, tmp_path: Path) -> None:
    """What is stored and what is written, by its place."""
    take(league, season(tmp_path, [PLAIN]))
    changed = with_value(PLAIN, "hands.0.leftover.1", [[9, 9], [8, 8]])
    head = league.store.head()
    ((file, number, field, message),) = bad_lines(league, season(tmp_path, [RECORDED[0], changed]))
    assert (file, number, field) == ("matches.jsonl", 2, "hands.0.leftover.1")
    assert "[[7,7],[8,8],[9,9]]" in message
    assert "[[8,8],[9,9]] is written" in message
    with pytest.raises(SeasonRefused):
        take(league, tmp_path)
    assert league.store.head() == head


def test_a_line_may_name_a_merged_player_by_any_id(league: League, tmp_path: Path) -> None:
    """It is stored already, whichever id it was stored under; but nobody plays against themselves."""
    take(league, season(tmp_path, [PLAIN]))
    before, (one, other) = tmp_path / "before", PLAIN["seats"]
    before.mkdir()
    league.dispatcher.send(RegisterPlayer("other", "Other"), "test")
    league.dispatcher.send(MergePlayers("other", one), "test")
    again = take(league, season(before, [with_value(PLAIN, "seats", ["other", other])]))
    assert (again.matches_added, again.matches_skipped) == (0, 1)
    both = with_value(with_value(PLAIN, "seats", [one, "other"]), "match", "m-both")
    assert [field for *_, field, _ in bad_lines(league, season(before, [both]))] == ["seats.1"]


@pytest.mark.parametrize(
    ("path", "value", "at"),
    [
        ("competition", "casual", "competition"),
        ("played_at", "2026-02-03T20:16:00+00:00", "played_at"),
        ("seats", ["p003", "p002"], "seats.0"),
        ("starting_draw", None, "starting_draw"),
        ("announced.score", [48, 1], "announced.score.1"),
        ("announced", None, "announced"),
        ("forfeited_by", 1, "forfeited_by"),
        ("hands", [HAND, HAND], "hands"),
        ("hands.0.starter", 1, "hands.0.starter"),
    ],
)
def test_any_difference_of_a_line_is_named_by_its_field(
    league: League, tmp_path: Path, path: str, value: object, at: str
) -> None:
    """The path is one of the line, as for any other bad line."""
    ((_, number, field, message),) = bad_lines(league, season(tmp_path, [PLAIN, with_value(PLAIN, path, value)]))
    assert (number, field) == (2, at)
    assert "is stored" in message


def test_a_match_that_was_corrected_since_is_still_the_recorded_one(league: League, tmp_path: Path) -> None:
    """The line is skipped, and the correction stays."""
    take(league, season(tmp_path, [PLAIN]))
    played = state(league.store, "x-1").played
    assert played is not None
    facts = played.hands[0]
    league.dispatcher.send(CorrectHand("x-1", 1, type(facts)(0, "domino", 0, ((), 50)), "typo"), "test")
    assert take(league, tmp_path).matches_skipped == 1
    assert result(league.store, "x-1").score == (50, 0)


def test_a_player_under_another_name_is_refused_with_both_names(league: League, tmp_path: Path) -> None:
    """Known as one, written as the other."""
    take(league, season(tmp_path, []))
    other = {**PLAYERS[1], "name": "Somebody Else"}
    ((file, number, field, message),) = bad_lines(league, season(tmp_path, [], [PLAYERS[0], other]))
    assert (file, number, field) == ("players.jsonl", 2, "player")
    assert PLAYERS[1]["name"] in message
    assert "Somebody Else" in message


def test_a_player_under_two_names_in_one_file_is_refused(league: League, tmp_path: Path) -> None:
    """The second line contradicts the first."""
    first, second = {**PLAYERS[0]}, {**PLAYERS[0], "name": "Somebody Else"}
    ((_, number, _, message),) = bad_lines(league, season(tmp_path, [], [first, second]))
    assert number == 2
    assert PLAYERS[0]["name"] in message
    assert "Somebody Else" in message


def test_a_player_who_was_renamed_since_is_refused_with_both_names(league: League, tmp_path: Path) -> None:
    """The season knows the old name."""
    take(league, season(tmp_path, []))
    league.dispatcher.send(RenamePlayer("p001", "A New Name"), "test")
    ((_, number, _, message),) = bad_lines(league, tmp_path)
    assert number == 1
    assert "A New Name" in message
    assert PLAYERS[0]["name"] in message


def test_a_player_in_another_region_is_refused_with_both_regions(league: League, tmp_path: Path) -> None:
    """A player in another region is refused with the league's region and the line's."""
    take(league, season(tmp_path, []))
    league.dispatcher.send(MovePlayer("p001", "Granma"), "test")
    ((_, number, field, message),) = bad_lines(league, tmp_path)
    assert (number, field) == (1, "region")
    assert "Granma" in message
    assert PLAYERS[0]["region"] in message


def test_space_around_a_name_or_region_makes_no_other_player(league: League, tmp_path: Path) -> None:
    """Imported twice, the second time nothing is new."""
    take(league, season(tmp_path, [], [{"player": "p900", "name": " Ana ", "region": " Granma "}]))
    assert take(league, tmp_path).players_skipped == 1


# ---------------------------------------------------------------- bad lines

FIRST = RECORDED[0]["hands"][0]
"""A hand of four with its turns: seat 0 starts with 8-9 and goes out with 0-4."""


def four(path: str, value: Any) -> Line:
    """The recorded match of four with one value changed."""
    return with_value({**RECORDED[0], "match": "x-4"}, path, value)


def plain(path: str, value: Any) -> Line:
    """The plain match with one value changed."""
    return with_value(PLAIN, path, value)


def doscientos(hand: Line, seats: int = 4) -> Line:
    """A match of `doscientos-200` with one hand."""
    players = [player["player"] for player in PLAYERS[:seats]]
    mode = {2: "1v1", 3: "individuals", 4: "2v2"}[seats]
    return {**PLAIN, "ruleset": "doscientos-200", "mode": mode, "seats": players, "starting_draw": None,
            "hands": [hand], "announced": None}  # fmt: skip


def without(line: Line, key: str) -> Line:
    return {name: value for name, value in line.items() if name != key}


ELEVEN = [[0, half] for half in range(10)] + [[1, 1]]

BAD: list[tuple[Line | str, str, str]] = [
    # not a line of a season at all
    ('{"match": "x-1", ', "(line)", "not JSON"),
    ("nonsense", "(line)", "not JSON"),
    ("[]", "(line)", "Expected `object`"),
    ("null", "(line)", "Expected `object`"),
    ("{}", "(line)", "missing required field"),
    (without(PLAIN, "seats"), "(line)", "missing required field `seats`"),
    # keys and types
    ({**PLAIN, "colour": 1}, "(line)", "unknown field `colour`"),
    (plain("hands.0.winner", 0), "hands.0", "unknown field `winner`"),
    (plain("hands.0.ended.points", 9), "hands.0.ended", "unknown field `points`"),
    (plain("hands.0.passes.knocks", []), "hands.0.passes", "unknown field `knocks`"),
    (plain("announced.scores", []), "announced", "unknown field `scores`"),
    (plain("match", 7), "match", "Expected `str`"),
    (plain("match", "a b"), "match", "is not an id"),
    (plain("match", ""), "match", "is not an id"),
    (plain("mode", "3v3"), "mode", "Invalid enum value '3v3'"),
    (plain("competition", "friendly"), "competition", "Invalid enum value 'friendly'"),
    (plain("played_at", "yesterday"), "played_at", "Invalid"),
    (plain("played_at", "2026-02-03T20:15:00"), "played_at", "timezone"),
    (plain("played_at", 5), "played_at", "Expected `datetime`"),
    (plain("hands", None), "hands", "Expected `array`"),
    (plain("hands.0.starter", "0"), "hands.0.starter", "Expected `int"),
    (plain("hands.0.starter", True), "hands.0.starter", "Expected `int"),
    (plain("hands.0.ended.by", "magic"), "hands.0.ended.by", "Invalid enum value 'magic'"),
    (plain("hands.0.leftover.1", [[9, 9, 9]]), "hands.0.leftover.1.0", "length 2"),
    (plain("hands.0.leftover.1", "many"), "hands.0.leftover.1", "Expected"),
    (plain("hands.0.leftover.1", 1.5), "hands.0.leftover.1", "Expected"),
    # time, ruleset, players
    (plain("played_at", "2027-01-01T00:00:00+00:00"), "played_at", "is in the future"),
    (plain("ruleset", "canasta"), "ruleset", "there is no ruleset 'canasta'"),
    (plain("seats", ["p001", "nobody"]), "seats.1", "there is no player 'nobody'"),
    (plain("seats", ["p001", "p001"]), "seats.1", "cannot play against or with themselves"),
    (plain("seats", ["p001", "p002", "p003"]), "seats", "1v1 is played by 2 players, not by 3"),
    (plain("mode", "individuals"), "mode", "Cuban, 150 is played one on one or in pairs, not each on their own"),
    (plain("starting_draw", [[9, 3]]), "starting_draw", "2 tiles, one for each seat, not 1"),
    (plain("starting_draw", [[9, 3], [3, 9]]), "starting_draw.1", "is named twice"),
    (plain("starting_draw", [[9, 3], [3, 10]]), "starting_draw.1", "no tile [3, 10]"),
    # announced
    (plain("announced.winner", 2), "announced.winner", "there is no side 2"),
    (plain("announced.score", [1, 2, 3]), "announced.score", "2 entries, one for each side, not 3"),
    (plain("announced.score", [48, -1]), "announced.score.1", "a score is 0 to"),
    ({**PLAIN, "hands": [], "announced": {"winner": 0, "score": [1, 150]}}, "announced.winner", "higher score"),
    # a forfeit
    (plain("forfeited_by", 2), "forfeited_by", "there is no side 2: the sides are 0 to 1"),
    (plain("forfeited_by", -1), "forfeited_by", "there is no side -1"),
    (plain("forfeited_by", True), "forfeited_by", "Expected `int"),
    ({**PLAIN, "ruleset": "doscientos-200", "mode": "individuals", "seats": ["p001", "p002", "p003"], "hands": [],
      "starting_draw": None, "announced": None, "forfeited_by": 3}, "forfeited_by", "the sides are 0 to 2"),
    # facts of a hand
    (plain("hands.0.leftover.1", [[9, 10]]), "hands.0.leftover.1.0", "no tile [9, 10] in a double-nine set"),
    (plain("hands.0.leftover.1", [[9, 8], [8, 9]]), "hands.0.leftover.1.1", "is named twice"),
    (plain("hands.0.leftover.1", ELEVEN), "hands.0.leftover.1", "cannot hold 11"),
    (plain("hands.0.leftover.0", [[2, 2]]), "hands.0.leftover.0", "went out and cannot hold tiles"),
    (plain("hands.0.leftover.1", []), "hands.0.leftover.1", "holds no tile although seat 0 went out"),
    (plain("hands.0.leftover", [[]]), "hands.0.leftover", "2 entries, one for each seat, not 1"),
    (plain("hands.0.leftover.1", 400), "hands.0.leftover.1", "400 pips"),
    (plain("hands.0.leftover.1", -3), "hands.0.leftover.1", "-3 pips"),
    (plain("hands.0.starter", 2), "hands.0.starter", "there is no seat 2"),
    ({**PLAIN, "hands": [{"ended": {"by": "domino"}, "leftover": [3, 9]}]}, "hands.0.ended.seat", "needs the seat"),
    (plain("hands.0.ended.seat", 4), "hands.0.ended.seat", "there is no seat 4"),
    (plain("hands.0.ended.locker", 1), "hands.0.ended.locker", "has no locker"),
    (plain("hands.0.ended.tile", [9, 9]), "hands.0.leftover.1.0", "is named twice, here and at ended.tile"),
    (plain("hands.0.ended.ends_equal", True), "hands.0.ended.ends_equal", "either end before"),
    (plain("hands.0.passes.corridos", [0, 7]), "hands.0.passes.corridos.1", "there is no seat 7"),
    (plain("hands.0.passes.drew", [1]), "hands.0.passes.drew", "no seat draws"),
    ({**PLAIN, "hands": [with_value(BLOCK, "ended.seat", 1)]}, "hands.0.ended.seat", "seat that locked as `locker`"),
    ({**PLAIN, "hands": [with_value(BLOCK, "leftover.1", [[1, 4]])]}, "hands.0.leftover.1.0", "is named twice"),
    ({**PLAIN, "hands": [with_value(BLOCK, "leftover.0", [])]}, "hands.0.leftover.0", "the hand was blocked"),
    ({**PLAIN, "hands": [with_value(BLOCK, "ended.blocks_too", False)]}, "hands.0.ended.blocks_too", "blocked by its"),
    ({**PLAIN, "hands": [HAND, with_value(HAND, "ended.seat", 9)]}, "hands.1.ended.seat", "there is no seat 9"),
    (doscientos({"ended": {"by": "domino", "seat": 0}, "leftover": [0, 5, 6, [[6, 7]]]}),
     "hands.0.leftover.3.0", "no tile [6, 7] in a double-six set"),
    (doscientos({"ended": {"by": "domino", "seat": 0}, "passes": {"drew": [1]}}), "hands.0.passes.drew", "4 seats"),
    (doscientos({"ended": {"by": "domino", "seat": 0}, "passes": {"drew": [1, 1]}}, 2),
     "hands.0.passes.drew", "twice"),
    (doscientos({"ended": {"by": "domino", "seat": 0}, "leftover": [0, 60, 60, 60]}), "hands.0.leftover", "180 pips"),
    # turns
    (four("hands.0.plays", None), "hands.0.plays", "known together or not at all"),
    (four("hands.0.dealt", None), "hands.0.dealt", "known together or not at all"),
    (four("hands.0.dealt.0.0", [9, 12]), "hands.0.dealt.0.0", "no tile [9, 12]"),
    (four("hands.0.dealt.0", [*FIRST["dealt"][0], [9, 9]]), "hands.0.dealt.0", "seat 0 is dealt 10 tiles, not 11"),
    (four("hands.0.dealt.1.0", FIRST["dealt"][0][0]), "hands.0.dealt.1.0", "is named twice, here and at dealt.0.0"),
    (four("hands.0.dealt", FIRST["dealt"][:3]), "hands.0.dealt", "4 hands, one for each seat, not 3"),
    (four("hands.0.plays.0.1", [9, 9]), "hands.0.plays.0.tile", "seat 0 does not hold [9, 9]"),
    (four("hands.0.plays.0.2", "left"), "hands.0.plays.0.where", "the first tile goes on no end"),
    (four("hands.0.plays.1.2", "up"), "hands.0.plays.1.2", "Invalid enum value 'up'"),
    (four("hands.0.plays.1.2", "right"), "hands.0.plays.1.tile", "does not meet the right end"),
    (four("hands.0.plays.1.0", 2), "hands.0.plays.1.seat", "it was the turn of seat 1"),
    (four("hands.0.plays.1", [1, None, None]), "hands.0.plays.1", "passed although it could play"),
    (four("hands.0.plays.1", [1, [3, 3], "draw"]), "hands.0.plays.1", "no seat draws"),
    (four("hands.0.plays", FIRST["plays"][:9]), "hands.0.plays", "the hand is not over"),
    (four("hands.0.plays", [*FIRST["plays"], [1, None, None]]), f"hands.0.plays.{len(FIRST['plays'])}", "gone out"),
    (four("hands.0.plays", []), "hands.0.plays", "no turn was taken"),
    # what is written beside the turns contradicts them
    (four("hands.0.starter", 1), "hands.0.starter", "written as 1, but the turns give 0"),
    (four("hands.0.ended.seat", 1), "hands.0.ended.seat", "written as 1, but the turns give 0"),
    (four("hands.0.ended", {"by": "block", "locker": 0}), "hands.0.ended.by", 'the turns give "domino"'),
    (four("hands.0.ended.tile", [4, 4]), "hands.0.ended.tile", "the turns give [0,4]"),
    (four("hands.0.ended.fits_both_ends", True), "hands.0.ended.fits_both_ends", "the turns give false"),
    (four("hands.0.ended.ends_equal", True), "hands.0.ended.ends_equal", "the turns give false"),
    (four("hands.0.ended.blocks_too", True), "hands.0.ended.blocks_too", "the turns give false"),
    (four("hands.0.leftover.3", [[2, 8]]), "hands.0.leftover.3", "the turns give [[2,9]]"),
    (four("hands.0.leftover.3", 12), "hands.0.leftover.3", "written as 12, but the turns give 11"),
    (four("hands.0.leftover", FIRST["leftover"][:3]), "hands.0.leftover", "written as 3, but the turns give 4"),
    (four("hands.0.passes", {"opening_pass": True}), "hands.0.passes.opening_pass", "the turns give false"),
    (four("hands.0.passes", {"corridos": [1]}), "hands.0.passes.corridos", "the turns give []"),
    (four("hands.0.passes", {"drew": [1]}), "hands.0.passes.drew", "the turns give []"),
]  # fmt: skip
"""A bad line of `matches.jsonl`, the field that is named, and words of the reason."""

BAD_PLAYERS: list[tuple[Line | str, str, str]] = [
    ('{"player"', "(line)", "not JSON"),
    ({"player": "p901"}, "(line)", "missing required field `name`"),
    ({"player": "p901", "name": "Ana", "age": 9}, "(line)", "unknown field `age`"),
    ({"player": 5, "name": "Ana"}, "player", "Expected `str`"),
    ({"player": "p 901", "name": "Ana"}, "player", "is not an id"),
    ({"player": "p901", "name": "  "}, "name", "1 to 100 characters"),
    ({"player": "p901", "name": "x" * 101}, "name", "1 to 100 characters"),
    ({"player": "p901", "name": "Ana", "region": 5}, "region", "Expected `str"),
    ({"player": "p901", "name": "Ana", "region": "x" * 101}, "region", "at most 100"),
]  # fmt: skip


def test_every_bad_line_of_matches_is_listed_with_its_number_and_field(league: League, tmp_path: Path) -> None:
    """A dry run goes through all of them; good lines between them are taken as good."""
    lines: list[Line | str] = []
    for number, (line, at, _) in enumerate(BAD):
        own = isinstance(line, dict) and at != "match" and "match" in line
        lines += [{**PLAIN, "match": f"good-{number}"}, {**line, "match": f"bad-{number}"} if own else line]
    found: dict[int, tuple[str | None, str]] = {}
    for _, number, field, message in bad_lines(league, season(tmp_path, lines)):
        found.setdefault(number, (field, message))
    wrong = []
    for number, (_, at, saying) in enumerate(BAD):
        field, message = found.pop(2 * number + 2, (None, "was not refused"))
        if field != at or saying not in message:
            wrong.append(f"{at}: {saying} -- but: {field}: {message}")
    assert not wrong, "\n".join(wrong)
    assert found == {}


def test_every_bad_line_of_players_is_listed_with_its_number_and_field(league: League, tmp_path: Path) -> None:
    """Every bad line of players is listed with number and field, and nothing of the file is stored."""
    lines = [line for line, _, _ in BAD_PLAYERS]
    head = league.store.head()
    found = bad_lines(league, season(tmp_path, [], [*lines, PLAYERS[0]]))
    assert [(file, number) for file, number, _, _ in found] == [
        ("players.jsonl", number) for number in range(1, len(lines) + 1)
    ]
    for (_, _, field, message), (_, at, saying) in zip(found, BAD_PLAYERS, strict=True):
        assert field == at
        assert saying in message
    with pytest.raises(SeasonRefused):
        take(league, tmp_path)
    assert league.store.head() == head


def test_one_bad_line_and_nothing_of_the_season_is_stored(league: League, tmp_path: Path) -> None:
    """The refusal has every bad line; the league is as before."""
    head = league.store.head()
    broken = plain("seats", ["p001", "nobody"])
    with pytest.raises(SeasonRefused) as caught:
        take(league, season(tmp_path, [*RECORDED, broken, '{"'], [*PLAYERS, "?"]))
    assert [(bad.file, bad.line) for bad in caught.value.lines] == [
        ("players.jsonl", len(PLAYERS) + 1), ("matches.jsonl", 16), ("matches.jsonl", 17)
    ]  # fmt: skip
    assert "players.jsonl line" in caught.value.message
    assert "and 2 more faults" in caught.value.message
    assert league.store.head() == head


def test_an_import_is_not_refused_for_what_changed_while_it_was_read(
    league: League, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A player who is unknown when the lines are read, and registered before the refusal."""

    class Slow(recorded_season.SeasonPlan):
        def __init__(self, *given: Any) -> None:
            super().__init__(*given)
            monkeypatch.undo()
            league.dispatcher.send(RegisterPlayer("nobody", "Nobody"), "test")

    monkeypatch.setattr(recorded_season, "SeasonPlan", Slow)
    assert take(league, season(tmp_path, [plain("seats", ["p001", "nobody"])])).matches_added == 1


def test_lines_are_numbered_as_an_editor_does(league: League, tmp_path: Path) -> None:
    """An empty line is no bad line, but it is a line."""
    ((_, number, _, _),) = bad_lines(league, season(tmp_path, [PLAIN, "", "  ", plain("ruleset", "canasta")]))
    assert number == 4


def test_a_file_that_is_not_text_is_a_bad_line(league: League, tmp_path: Path) -> None:
    """Bytes that are no UTF-8 are refused, not raised."""
    folder = season(tmp_path, [PLAIN])
    (folder / "matches.jsonl").write_bytes(b'{"match": "\xff\xfe"}\n')
    ((_, number, _, message),) = bad_lines(league, folder)
    assert number == 1
    assert "not JSON" in message


def test_numbers_beyond_all_measure_are_refused(league: League, tmp_path: Path) -> None:
    """What no table can hold is a bad line, not a crash later on."""
    huge = 10**30
    lines: list[Line | str] = [
        {**PLAIN, "hands": [], "announced": {"winner": 0, "score": [huge, 0]}},
        plain("hands.0.leftover.1", huge),
        plain("hands.0.starter", huge),
        {**PLAIN, "hands": [], "announced": {"winner": 0, "score": [2**31, 0]}},
    ]
    assert [number for _, number, _, _ in bad_lines(league, season(tmp_path, lines))] == [1, 2, 3, 4]


def test_a_moment_before_all_time_is_refused(league: League, tmp_path: Path) -> None:
    """The first day of the calendar, east of Greenwich, is no moment in UTC."""
    lines: list[Line | str] = [plain("played_at", "0001-01-01T00:00:00+14:00")]
    ((_, number, field, _),) = bad_lines(league, season(tmp_path, lines))
    assert (number, field) == (1, "played_at")


def test_a_null_character_is_refused_wherever_it_stands(league: League, tmp_path: Path) -> None:
    """No text in PostgreSQL can hold one."""
    lines: list[Line | str] = [plain("match", "x\x00"), plain("seats", ["p001", "p\x00"]), plain("ruleset", "c\x00")]
    people: list[Line | str] = [{"player": "p\x00901", "name": "Ana"}, {"player": "p901", "name": "A\x00a"}]
    found = bad_lines(league, season(tmp_path, lines, [*PLAYERS, *people]))
    assert [(number, field) for _, number, field, _ in found] == [
        (len(PLAYERS) + 1, "player"), (len(PLAYERS) + 2, "name"), (1, "match"), (2, "seats.1"), (3, "ruleset")
    ]  # fmt: skip


def test_a_missing_file_is_named(league: League, tmp_path: Path) -> None:
    """A folder that is not there, or one without matches."""
    with pytest.raises(NotFound, match=r"players\.jsonl"):
        take(league, tmp_path / "nowhere")
    (season(tmp_path, []) / "matches.jsonl").unlink()
    with pytest.raises(NotFound, match=r"matches\.jsonl"):
        take(league, tmp_path)


def test_an_empty_season_is_nothing(league: League, tmp_path: Path) -> None:
    """No lines, no events."""
    report = take(league, season(tmp_path, [], []))
    assert (report.events, report.matches_added, report.position) == (0, 0, league.store.head())


def test_a_season_for_a_league_that_is_not_there_is_refused(database_url: str, tmp_path: Path) -> None:
    """Every match needs the rules of its time."""
    with EventStore(database_url, codec) as store, pytest.raises(Refusal, match="league init"):
        import_season(season(tmp_path, [PLAIN]), store, lambda: NOW, "test")


@pytest.mark.heavy
@given(st.data())
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_broken_value_raises_anything_but_a_refusal(league: League, tmp_path: Path, data: st.DataObject) -> None:
    """Whatever is in the place of a value, the line is taken or refused."""
    junk = st.sampled_from(
        [None, True, -1, 0, 3, 99, 10**20, 1.5, "", "x", "\x00", [], [[]], [0, 1], [[0, 0]], [[9, 9], [9, 9]], {},
         {"by": "block"}, [None, None], ["p001", "p003"], [[-1, 0]], "2026-02-30T00:00:00+00:00"]
    )  # fmt: skip
    path = data.draw(st.sampled_from(sorted(paths_of(PLAIN))))
    report = take(league, season(tmp_path, [with_value(PLAIN, path, data.draw(junk))]), dry_run=True)
    assert report.matches_added + len({bad.line for bad in report.refused}) == 1


def paths_of(value: Any, at: str = "") -> Iterator[str]:
    """Every dotted path of a line."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, below in items:
        path = f"{at}.{key}".lstrip(".")
        yield path
        yield from paths_of(below, path)


def test_a_long_season_costs_as_many_queries_as_a_short_one(
    league: League, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the lines name is loaded at once, and what is loaded already is not asked for again."""
    statements: list[str] = []
    select = Recorder.select

    def counting(recorder: Recorder, query: str, parameters: list[Any]) -> list[Any]:
        if get_ident() == this_thread:  # a background thread of an earlier test may still be ending
            statements.append(query)
        return select(recorder, query, parameters)

    this_thread = get_ident()
    monkeypatch.setattr(Recorder, "select", counting)
    costs = []
    for count in (1, 15):
        statements.clear()
        take(league, season(tmp_path / str(count), RECORDED[:count]), dry_run=True)
        costs.append(len(statements))
    assert costs[0] == costs[1] < 12, statements


# ---------------------------------------------------------------- every fault of a line


def test_every_fault_of_a_line_is_listed(league: League, tmp_path: Path) -> None:
    """Unknown players, a wrong tile in one hand and a wrong seat in another, and an announcement: all at once."""
    hands = [with_value(HAND, "leftover.1", [[9, 10], [8, 8], [8, 8]]), HAND, with_value(HAND, "starter", 7)]
    line = {**PLAIN, "seats": ["p001", "nobody"], "hands": hands, "announced": {"winner": 5, "score": [1, 2, 3]}}
    found = bad_lines(league, season(tmp_path, [line]))
    assert {number for _, number, _, _ in found} == {1}
    assert {field for _, _, field, _ in found} == {
        "seats.1", "announced.winner", "announced.score", "hands.0.leftover.1.0", "hands.0.leftover.1.2",
        "hands.2.starter",
    }  # fmt: skip


def test_every_key_and_value_that_does_not_fit_is_listed(league: League, tmp_path: Path) -> None:
    """Unknown keys, missing ones and values of another type, in the line and in its hands."""
    line = without(with_value(with_value(PLAIN, "hands.0.colour", 1), "hands.0.starter", "x"), "seats")
    found = bad_lines(league, season(tmp_path, [{**line, "mode": 3}], [{"name": 5, "age": 9}]))
    assert {(file, field, message.split(",")[0]) for file, _, field, message in found} == {
        ("players.jsonl", "(line)", "Object contains unknown field `age`"),
        ("players.jsonl", "(line)", "Object missing required field `player`"),
        ("players.jsonl", "name", "Expected `str`"),
        ("matches.jsonl", "(line)", "Object missing required field `seats`"),
        ("matches.jsonl", "mode", "Expected `str`"),
        ("matches.jsonl", "hands.0", "Object contains unknown field `colour`"),
        ("matches.jsonl", "hands.0.starter", "Expected `int`"),
    }


def test_every_difference_from_the_turns_is_listed(league: League, tmp_path: Path) -> None:
    """Every difference from the turns is listed, not only the first."""
    line = with_value(four("hands.0.starter", 1), "hands.0.ended.ends_equal", True)
    assert [field for _, _, field, _ in bad_lines(league, season(tmp_path, [line]))] == [
        "hands.0.starter", "hands.0.ended.ends_equal"
    ]  # fmt: skip


def test_every_difference_from_what_is_stored_is_listed(league: League, tmp_path: Path) -> None:
    """Every difference of a line from the stored match is listed."""
    take(league, season(tmp_path, [PLAIN]))
    changed = with_value({**PLAIN, "competition": "casual"}, "hands.0.starter", 1)
    found = bad_lines(league, season(tmp_path, [changed]))
    assert [field for _, _, field, _ in found] == ["competition", "hands.0.starter"]


def test_erased_players_are_refused_seat_by_seat_beside_the_other_faults(league: League, tmp_path: Path) -> None:
    """Each erased player by the seat, and a player whom the league does not know beside them."""
    take(league, season(tmp_path, []))
    for erased in ("p001", "p003"):
        league.dispatcher.send(ErasePlayer(erased), "test")
    line = {**PLAIN, "mode": "individuals", "seats": ["p002", "p001", "p003", "p998"], "starting_draw": None}
    found = bad_lines(league, season(tmp_path, [{**line, "hands": [], "announced": None}], []))
    assert [(field, message.split(":")[0]) for _, _, field, message in found if (field or "").startswith("seats")] == [
        ("seats.1", "player 'p001' is erased"),
        ("seats.2", "player 'p003' is erased"),
        ("seats.3", "there is no player 'p998'"),
    ]
    assert all(field is not None for _, _, field, _ in found)


def test_a_key_that_is_written_twice_is_refused(league: League, tmp_path: Path) -> None:
    """A repeated key is refused at any depth of the line, even if both values are equal."""
    text = json.dumps(PLAIN).replace('"mode": "1v1"', '"mode": "1v1", "mode": "1v1"')
    text = text.replace('"by": "domino"', '"by": "block", "by": "domino"')
    found = bad_lines(league, season(tmp_path, [text], ['{"player": "p1", "player": "p2", "name": "Ana"}']))
    assert [(file, field, message) for file, _, field, message in found] == [
        ("players.jsonl", "player", "is written more than once"),
        ("matches.jsonl", "mode", "is written more than once"),
        ("matches.jsonl", "hands.0.ended.by", "is written more than once"),
    ]


def test_a_turn_with_more_than_seat_tile_and_end_is_refused(league: League, tmp_path: Path) -> None:
    """A turn with further values is refused: nothing of a line is ignored."""
    turn = [*FIRST["plays"][1], {"points": 500}]
    ((_, _, field, message),) = bad_lines(league, season(tmp_path, [four("hands.0.plays.1", turn)]))
    assert field == "hands.0.plays.1"
    assert "at most length 3" in message


@pytest.mark.parametrize("depth", [999, 1_001, 100_000])
def test_json_that_is_nested_too_deeply_is_refused(league: League, tmp_path: Path, depth: int) -> None:
    """Deeply nested JSON is refused with its file and line, like any other bad line."""
    deep = "[" * depth + "]" * depth
    found = bad_lines(league, season(tmp_path, ['{"match": ' + deep + "}"], [deep]))
    assert {(file, number) for file, number, _, _ in found} == {("players.jsonl", 1), ("matches.jsonl", 1)}


def test_what_is_sent_is_not_echoed_whole(league: League, tmp_path: Path) -> None:
    """An id, a key, a key written twice and a value of a million characters."""
    million = "x" * 1_000_000
    lines: list[Line | str] = [
        {**PLAIN, "match": million},
        {**PLAIN, million: 1},
        {**PLAIN, "seats": ["p001", million]},
        f'{{"{million}": 1, "{million}": 2}}',
    ]
    with pytest.raises(SeasonRefused) as caught:
        take(league, season(tmp_path, lines, [*PLAYERS, {"player": million, "name": million}]))
    assert {bad.line for bad in caught.value.lines if bad.file == "matches.jsonl"} == {1, 2, 3, 4}
    for bad in caught.value.lines:
        assert len(str(bad)) < 2_000
        assert len(bad.refusal.field or "") < 1_000
    assert "is not an id" in caught.value.lines[0].refusal.message


@pytest.mark.parametrize(
    "line", [without(PLAIN, "competition"), {**PLAIN, "competition": None}], ids=["missing", "null"]
)
def test_a_match_of_an_unknown_competition_is_competitive(league: League, tmp_path: Path, line: Line) -> None:
    """A match without a competition is competitive, as in the API."""
    assert take(league, season(tmp_path, [line])).refused == ()
    played = state(league.store, "x-1").played
    assert played is not None
    assert played.competition == "competitive"
    assert take(league, season(tmp_path, [PLAIN])).matches_skipped == 1


SHEET: Line = {
    **PLAIN,
    "mode": "2v2",
    "seats": ["p001", "p002", "p003", "p004"],
    "starting_draw": None,
    "hands": [
        {"ended": {"by": "domino"}, "stated_winner": 0, "side_leftover": [None, 35], "stated_capicua": True,
         "passes": {"corridos_by_side": [1, 2]}},
        {"ended": {"by": "block"}, "side_leftover": [20, None]},
        {"ended": {"by": "block", "locker": 1}, "side_leftover": [20, 30], "stated_winner": 1},
    ],
    "announced": {"winner": 0, "score": [65, 0]},
}  # fmt: skip


def test_a_season_as_a_club_writes_it(league: League, tmp_path: Path) -> None:
    """It is scored as far as it goes; the report says what is not judged, and what the facts deny. Again: skipped."""
    folder = season(tmp_path, [SHEET])
    report = take(league, folder)
    assert report.matches_added == 1
    assert {key: one.hands for key, one in report.not_judged.items()} == {
        ("winner", "unknown", "side_leftover.1"): 1, ("leftover", "unknown", "side_leftover.1"): 1,
        ("winner", "facts_hold", "stated_winner"): 1, ("capicua_blocks", "unknown", "ended.blocks_too"): 1,
    }  # fmt: skip
    assert take(league, folder).matches_skipped == 1
    other = with_value(SHEET, "hands.0.side_leftover", [None, 36])
    assert [bad[2:] for bad in bad_lines(league, season(tmp_path, [other]))] == [
        ("hands.0.side_leftover.1", "35 is stored, 36 is written")
    ]


@pytest.mark.parametrize(
    ("path", "value", "at", "says"),
    [
        ("hands.0.stated_winner", None, "hands.0.ended.seat", "a domino needs the seat that went out"),
        ("hands.0.stated_winner", 2, "hands.0.stated_winner", "there is no side 2"),
        ("hands.0.leftover", [3, None, 4, None], "hands.0.stated_winner", "every seat of the stated side holds pips"),
        ("hands.1.side_leftover", [None, 400], "hands.1.side_leftover.1", "impossible"),
        ("hands.1.leftover", [3, 5, 4, 6], "hands.1.side_leftover.0", "the seats of this side hold 7 pips, not 20"),
        ("hands.0.passes.corridos", [1], "hands.0.passes.corridos_by_side", "by seat give 0, 1 by side"),
    ],
)
def test_a_sheet_that_contradicts_itself_is_refused(
    league: League, tmp_path: Path, path: str, value: Any, at: str, says: str
) -> None:
    """A sheet that contradicts itself is refused with the field and the reason."""
    ((_, number, field, message),) = bad_lines(league, season(tmp_path, [with_value(SHEET, path, value)]))
    assert (number, field, says in message) == (1, at, True), message


def test_figures_of_sides_agree_with_the_turns(league: League, tmp_path: Path) -> None:
    """Figures of sides are checked against the turns; statements are stored."""
    line = next(line for line in RECORDED if line["hands"] and line["hands"][0].get("plays"))
    hand = line["hands"][0] | {"stated_winner": 0, "side_leftover": [0, 1]}
    bad = bad_lines(league, season(tmp_path, [{**line, "hands": [hand]}]))
    assert bad[0][2] in ("hands.0.side_leftover.0", "hands.0.side_leftover.1")
    assert "but the turns give" in bad[0][3]
