"""`league explain`, `player`, `board`, `standings`, `history`: what players come back for."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from commands import MATCHES, League, matches_of
from leagues import announced, league_at, part_of_season, send

from league.domain.match import VoidMatch

pytestmark = pytest.mark.usefixtures("own_environment")


def test_explain_says_every_term(league: League, season: Path) -> None:
    """`explain` prints the terms of a change, and as JSON numbers that make up the rating after it."""
    league("import", season)
    change = json.loads(league("export", "changes").out.splitlines()[0])
    said = league("explain", change["match"], change["id"], "--json").document
    term = {term["name"]: term["value"] for term in said["terms"]}
    assert said["value"] == change["after"]
    assert {name: term[name] for name in ("before", "k", "outcome", "expected")} == {
        name: change[name] for name in ("before", "k", "outcome", "expected")
    }
    assert change["position"] in [event["position"] for event in said["events"]]
    shown = league("explain", change["match"], change["id"])
    assert shown.code == 0
    assert "before + k * ((outcome + M) - expected)" in shown.out


def test_explain_takes_a_team_in_any_order(league: League, season: Path) -> None:
    """A team is named by its two players, in either order."""
    league("import", season)
    teams = [json.loads(line) for line in league("export", "changes").out.splitlines()]
    change = next(row for row in teams if row["subject"] == "team")
    turned = "+".join(reversed(change["id"].split("+")))
    assert league("explain", change["match"], turned, "--json").document["subject"] == change["id"]


def test_explain_refuses_who_did_not_play(league: League, season: Path) -> None:
    """There is nothing to explain about a player who was not in the match."""
    league("import", season)
    said = league("explain", "c-0001", "nobody", "--json")
    assert said.code == 2
    assert said.document["refused"]["code"] == "NOT_FOUND"


def test_player_as_of_a_moment_is_who_they_were(league: League, season: Path) -> None:
    """After the last match of a league that has only its first half, and as of that moment in the whole league."""
    league("import", part_of_season(season.parent / "half", MATCHES // 2))
    half = matches_of(season.parent / "half")
    ids = sorted({player for match in half for player in match["seats"]})[:3]
    before = {id_: league("player", id_, "--json").document for id_ in ids}
    league("import", season)
    moment = max(match["played_at"] for match in half)
    for id_ in ids:
        then = league("player", id_, "--as-of", moment, "--json").document
        assert then.pop("as_of") is not None
        assert then.pop("next_badges") == []  # how far one is on the way is only known of now
        assert then == {name: value for name, value in before[id_].items() if name not in ("as_of", "next_badges")}


@pytest.mark.usefixtures("players")
def test_player_prints_a_page(league: League) -> None:
    """Found by an id, or by a name whatever its case and accents."""
    page = league("player", "p1")
    assert page.code == 0
    for text in ("Íñigo (p1)", "2 (67%)", "Form of Íñigo, the latest first: L W W", "2 won (Mar 1, 2026)", "m3"):
        assert text in page.out
    assert league("player", "inigo").out == page.out
    document = league("player", "p1", "--json").document
    assert (document["totals"]["matches"], document["totals"]["pollonas"]) == (3, 1)
    assert [rating["mode"] for rating in document["ratings"]] == ["1v1", "2v2", "overall"]
    assert [(one["id"], one["matches"]) for one in document["opponents"]] == [("p2", 2), ("p4", 2)]
    assert document["ranks"] == {"pollonas": 1}
    assert "3 of 10  matches-10   10 matches played" in page.out


@pytest.mark.usefixtures("players")
def test_a_filtered_page_of_a_player_says_so(league: League) -> None:
    """In its title; ratings, ranks and badges, which no filter divides, are left out."""
    page = league("player", "p1", "--mode", "1v1", "--month", "2026-03").out
    assert "Íñigo (p1), mode 1v1, month 2026-03" in page
    assert "Ratings" not in page
    assert "badges" not in league("player", "p1", "--mode", "1v1", "--json").document


@pytest.mark.usefixtures("players")
def test_player_counts_the_matches_that_are_asked_for(league: League) -> None:
    """Of a mode, a season or a month of the league's time zone; of a team; against somebody."""

    def matches(*arguments: str) -> int:
        return int(league("player", *arguments, "--json").document["totals"]["matches"])

    assert matches("p1", "--mode", "1v1") == 2
    assert matches("p1", "--season", "s1") == matches("p1", "--month", "2026-04") == 1
    assert matches("p3+p1") == matches("Íñigo+p3") == 1
    met = league("player", "p1", "--against", "Eva", "--json").document
    assert (met["a"]["totals"]["matches"], met["a"]["totals"]["wins"], met["b"]["totals"]["wins"]) == (2, 1, 1)
    assert "Eva against Íñigo" in league("player", "p4", "--against", "p1").out


@pytest.mark.usefixtures("players")
@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["nobody"], "player: there is no player 'nobody'"),
        (["ana"], "player: 'ana' may be one of 2: Ana (p2), last match Mar 1, 2026; Ana (p3), last match Mar 1, 2026"),
        (["p1+p1"], "player: 'p1+p1' is neither a player nor a pair"),
        (["p1+p4"], "player: there is no match played together by 'Íñigo & Eva'"),
        (["p1", "--against", "p1"], "against: 'p1' cannot play against or with themselves"),
        (["p1", "--month", "2026-13"], "'2026-13' is not a month"),
        (["p1", "--season", "s9"], "season: there is no season 's9'"),
    ],
)
def test_player_refuses_what_it_cannot_find(league: League, arguments: list[str], reason: str) -> None:
    """An unknown player, an ambiguous name, an impossible pair, an unknown month and an unknown season."""
    said = league("player", *arguments)
    assert (said.code, said.out) == (2, "")
    assert reason in said.err


@pytest.mark.usefixtures("players")
def test_history_says_why_a_rating_moved(league: League, database_url: str) -> None:
    """The latest move first, as a table or as JSON; Eva did not play the match that is voided."""
    league("history", "Eva")
    with league_at(database_url) as made:
        send(made, VoidMatch("m1", "never played"))
    said = league("history", "Eva", "--mode", "1v1", "--first", "1")
    assert "How the rating of Eva came about" in said.out
    assert "Match m1, played by others, was voided" in " ".join(said.out.split())
    moves = league("history", "p4", "--mode", "1v1", "--json").document["moves"]
    assert [(move["cause"], move["match"]) for move in moves] == [("ripple", "m1"), ("match", "m3")]
    assert moves[0]["before"] == moves[1]["after"]
    lost = " ".join(league("history", "Íñigo", "--mode", "1v1").out.split())
    assert re.search(r"m3: lost \d+-\d+ against Eva", lost), lost
    scores = [tuple(map(int, one)) for one in re.findall(r"lost (\d+)-(\d+)", lost)]
    assert all(own < theirs for own, theirs in scores), "their own points come first"
    unknown = league("history", "nobody")
    assert (unknown.code, unknown.out) == (2, "")


def test_board_prints_places_with_moves_and_regions(league: League, season: Path) -> None:
    """The first places, for people; who has not played for long only when asked for."""
    league("import", season)
    said = league("board", "1v1", "--first", 3)
    assert said.code == 0
    title, heads, *places = [line.strip() for line in said.out.splitlines()]
    assert (title, heads.split()) == ("One on one", ["rank", "week", "player", "region", "rating", "matches"])
    assert all(places[:3])
    assert not places[3]
    assert league("board", "capicuas").out.startswith("Capicúas")


def test_board_as_json_around_a_player_and_as_of_a_moment(league: League, season: Path) -> None:
    """The same for scripts, unrounded; of a region only its own."""
    league("import", season)
    everybody = league("board", "--all", "--first", 100, "--json").document["places"]
    names = [place["id"] for place in everybody]
    around = league("board", "--all", "--around", names[7], "--json").document["places"]
    assert [place["id"] for place in around] == names[2:13]
    region = everybody[0]["region"]
    theirs = league("board", "--all", "--region", region, "--first", 100, "--json").document["places"]
    assert [place["id"] for place in theirs] == [p["id"] for p in everybody if p["region"] == region]
    before = league("board", "--all", "--as-of", "2000-01-01", "--json").document
    assert (before["as_of"][:10], before["places"]) == ("2000-01-01", [])


@pytest.mark.parametrize("wrong", ["yesterday", "2026-13-01", "01/03/2026"])
def test_a_time_that_is_none_is_refused_in_one_sentence(league: League, wrong: str) -> None:
    """With examples of how it is written."""
    said = league("board", "--as-of", wrong)
    text = " ".join(said.err.replace("│", " ").split())
    assert said.code == 2
    assert f"'{wrong}' is not a time; write it as 2026-03-01, 2026-03-01T14:30 or 2026-03-01T14:30-05:00." in text
    assert "%Y" not in text


def test_board_refuses_who_does_not_stand_there(league: League, season: Path) -> None:
    """The exit code of a refusal."""
    league("import", season)
    said = league("board", "--around", "nobody")
    assert (said.code, "nobody" in said.err) == (2, True)


@pytest.mark.usefixtures("players")
def test_explain_takes_names_and_says_that_a_match_was_voided(league: League, database_url: str) -> None:
    """By a name without its accents; a voided match changes no rating."""
    assert league("explain", "m1", "inigo", "--json").document["subject"] == "p1"
    with league_at(database_url) as made:
        send(made, VoidMatch("m1", "never played"))
    said = league("explain", "m1", "inigo")
    assert (said.code, "has no rating change by the match against Ana: it was voided" in said.out) == (0, True)
    assert "never played" in said.out


@pytest.mark.usefixtures("players")
def test_board_takes_names_and_says_what_it_hides(league: League) -> None:
    """Around a player by name; an unknown region names those there are; a dash and inactive players are explained."""
    around = league("board", "1v1", "--all", "--around", "inigo", "--first", 1, "--json").document["places"]
    assert [place["id"] for place in around] == ["p4", "p1", "p2"]
    region = league("board", "--region", "Cuba")
    assert (region.code, "there are no regions" in region.err) == (2, True)
    assert "- provisional: fewer than 30 rated matches" in league("board", "1v1").out
    series = league("board", "series", "--month", "2026-03", "--json").document
    assert [(place["id"], place["rank"], place["value"]) for place in series["places"]] == [
        ("p1", 1, 505),
        ("p2", 2, 495),
    ]
    assert "only the series" in league("board", "1v1", "--month", "2026-03").err


@pytest.mark.usefixtures("players")
def test_a_list_that_is_cut_says_how_many_rows_it_has(league: League) -> None:
    """And how to see them; a list that is printed whole does not."""
    assert (
        "1 of 3 are shown; league board 1v1 --all --first 3 shows all"
        in league("board", "1v1", "--all", "--first", 1).out
    )
    assert "are shown" not in league("board", "1v1", "--all").out
    cut = league("board", "1v1", "--all", "--first", 1, "--json").document
    assert (cut["total"], len(cut["places"])) == (3, 1)
    assert "1 of 3 are shown" in league("history", "p1", "--first", 1).out
    assert league("history", "p1", "--json").document["total"] == 3


@pytest.mark.usefixtures("players")
def test_standings_of_a_month_until_it_is_closed_and_corrected(league: League, database_url: str) -> None:
    """A month that is over says so; what was published stays, with names, and what changed since is printed."""
    assert "Series 2026-04, 1v1 (over)" in league("standings").out, "the latest month with games"
    assert "over, not closed: `league close-month 2026-03`" in league("standings", "2026-03").out
    assert league("standings", "2026-03", "--published").code == 2
    closed = league("close-month", "--all-ended").out.splitlines()
    assert [line[:25] for line in closed] == ["The series of 2026-03 is ", "The series of 2026-04 is "]
    assert "Every month that has ended" in league("close-month", "--all-ended").out
    with league_at(database_url) as made:
        send(made, VoidMatch("m1", "never played"))
        send(made, announced("m4", ("p1", "p3"), 30, competition="casual"))
    now = league("standings", "2026-03")
    assert "Changed since it was published" in now.out
    assert "Count zero, voided: m1" in now.out
    assert "casual" not in now.out
    published = league("standings", "2026-03", "--published").out
    assert "as published" in published
    places = [line.split()[:2] for line in published.splitlines() if line.startswith("   ")]
    assert places == [["1", "Íñigo"], ["2", "Ana"]]
    document = league("standings", "2026-03", "--json").document
    assert document["standings"] == []
    assert [(place["name"], place["total"]) for place in document["published"]] == [("Íñigo", 505), ("Ana", 495)]
    assert [row["name"] for row in document["corrections"]] == ["Íñigo", "Ana"]
    assert {"match": "m4", "reason": "casual"} in document["counting_zero"]


@pytest.mark.usefixtures("players")
def test_standings_around_a_player(league: League) -> None:
    """By name; competitors without a game that counts are not listed."""
    around = league("standings", "2026-04", "--around", "eva", "--first", 1, "--json").document["standings"]
    assert [(place["name"], place["rank"]) for place in around] == [("Eva", 1), ("Íñigo", 2)]
    assert league("standings", "2026-04", "--around", "p2").code == 2


@pytest.mark.usefixtures("players")
def test_boards_standings_and_players_are_written_as_pictures(league: League, tmp_path: Path) -> None:
    """As a PNG and as a page; a file that cannot be written is refused by its option."""
    for name, command in {"board": ["board", "--all"], "standings": ["standings"], "player": ["player", "p1"]}.items():
        files = [tmp_path / f"{name}.png", tmp_path / f"{name}.html"]
        said = league(*command, "--png", files[0], "--html", files[1], "--json")
        assert (said.code, set(said.document["written"])) == (0, {str(file) for file in files})
        assert files[0].read_bytes().startswith(b"\x89PNG")
        assert "Íñigo" in files[1].read_text(encoding="utf-8")
    refused = league("board", "--png", tmp_path / "none" / "board.png")
    assert (refused.code, "png: cannot write" in refused.err) == (2, True)


@pytest.mark.usefixtures("players")
def test_an_empty_month_names_the_one_with_games(league: League) -> None:
    """And the command that prints it."""
    said = league("standings", "2031-01")
    assert said.code == 0
    assert "league standings 2026-04 --mode 1v1" in said.out or "league standings 2026-03 --mode 1v1" in said.out
