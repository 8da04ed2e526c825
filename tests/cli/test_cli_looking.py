"""`league explain` and `league board`: numbers, why they are so, and who is meant by a name."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands import League
from leagues import announced, league_at, send
from terminals import type_in

from league.domain.match import VoidMatch

pytestmark = pytest.mark.usefixtures("own_environment")


@pytest.mark.usefixtures("imported_season")
def test_explain_says_every_term(league: League) -> None:
    """`explain` prints the terms of a change, and as JSON numbers that make up the rating after it."""
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


@pytest.mark.usefixtures("imported_season")
def test_explain_takes_a_team_in_any_order(league: League) -> None:
    """A team is named by its two players, in either order."""
    teams = [json.loads(line) for line in league("export", "changes").out.splitlines()]
    change = next(row for row in teams if row["subject"] == "team")
    turned = "+".join(reversed(change["id"].split("+")))
    assert league("explain", change["match"], turned, "--json").document["subject"] == change["id"]


@pytest.mark.usefixtures("imported_season")
def test_explain_refuses_who_did_not_play(league: League) -> None:
    """There is nothing to explain about a player who was not in the match."""
    said = league("explain", "c-0001", "nobody", "--json")
    assert said.code == 2
    assert said.document["refused"]["code"] == "NOT_FOUND"


@pytest.mark.usefixtures("imported_season")
def test_board_prints_places_with_moves_and_regions(league: League) -> None:
    """The first places are printed. Inactive players appear only on request."""
    said = league("board", "1v1", "--first", 3)
    assert said.code == 0
    title, heads, *places = [line.strip() for line in said.out.splitlines()]
    assert (title, heads.split()) == ("One on one", ["rank", "week", "player", "region", "rating", "matches"])
    assert all(places[:3])
    assert not places[3]
    assert league("board", "capicuas").out.startswith("Capicúas")


@pytest.mark.usefixtures("imported_season")
def test_board_as_json_around_a_player_and_as_of_a_moment(league: League) -> None:
    """The JSON has unrounded values, and with a region only its players."""
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
    """The sentence has examples of how a time is written."""
    said = league("board", "--as-of", wrong)
    text = " ".join(said.err.replace("│", " ").split())
    assert said.code == 2
    assert f"'{wrong}' is not a time; write it as 2026-03-01, 2026-03-01T14:30 or 2026-03-01T14:30-05:00." in text
    assert "%Y" not in text


@pytest.mark.usefixtures("imported_season")
def test_board_refuses_who_does_not_stand_there(league: League) -> None:
    """The command ends with the exit code of a refusal."""
    said = league("board", "--around", "nobody")
    assert (said.code, "nobody" in said.err) == (2, True)


@pytest.mark.usefixtures("players")
def test_explain_takes_names_and_says_that_a_match_was_voided(league: League, database_url: str) -> None:
    """A name may be typed without accents. A voided match changes no rating."""
    assert league("explain", "m1", "inigo", "--json").document["subject"] == "p1"
    with league_at(database_url) as made:
        send(made, VoidMatch("m1", "never played"))
    said = league("explain", "m1", "inigo")
    assert (said.code, "has no rating change by the match against Ana: it was voided" in said.out) == (0, True)
    assert "never played" in said.out


@pytest.mark.heavy
@pytest.mark.usefixtures("players")
def test_board_takes_names_and_says_what_it_hides(league: League) -> None:
    """`--around` takes a name, an unknown region lists the known ones, dashes and inactive players are explained."""
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
    """It also says how to see all rows. A list that is printed whole says nothing."""
    assert (
        "1 of 3 are shown; league board 1v1 --all --first 3 shows all"
        in league("board", "1v1", "--all", "--first", 1).out
    )
    assert "are shown" not in league("board", "1v1", "--all").out
    cut = league("board", "1v1", "--all", "--first", 1, "--json").document
    assert (cut["total"], len(cut["places"])) == (3, 1)


@pytest.mark.heavy
@pytest.mark.usefixtures("players")
def test_a_board_is_written_as_pictures(league: League, tmp_path: Path) -> None:
    """The board is written as a PNG and as a page. If a file cannot be written, the error names its option."""
    files = [tmp_path / "board.png", tmp_path / "board.html"]
    said = league("board", "--all", "--png", files[0], "--html", files[1], "--json")
    assert (said.code, set(said.document["written"])) == (0, {str(file) for file in files})
    assert files[0].read_bytes().startswith(b"\x89PNG")
    assert "Íñigo" in files[1].read_text(encoding="utf-8")
    refused = league("board", "--png", tmp_path / "none" / "board.png")
    assert (refused.code, "png: cannot write" in refused.err) == (2, True)


@pytest.mark.usefixtures("players")
@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("explain m1 nobody", "player: there is no player 'nobody'"),
        ("explain m1 ana", "player: 'ana' may be one of 2: Ana (p2), last match Mar 1, 2026; Ana (p3), last match"),
        ("explain m1 evva", "player: there is no player 'evva'; close to it: Eva (p4), last match"),
        ("explain m2 p1+p1", "player: 'p1+p1' is neither a player nor a pair"),
        ("explain p1-p1 p1", "match: there is no match 'p1-p1'"),
        (
            "explain standing 2026-14 p1",
            "'2026-14' is not a month; an example is 2026-03; games are in 2026-03",
        ),
        (
            "board series --month 2026-14",
            "'2026-14' is not a month; an example is 2026-03; games are in 2026-03",
        ),
        ("rules show --edition 7", "there is no edition 7; the only one is 1"),
        ("trail --player nobody", "player: there is no player 'nobody'"),
    ],
)
def test_what_is_not_there_is_refused_with_what_is(league: League, command: str, reason: str) -> None:
    """This holds for players, shared names, pairs of one, matches, months and editions."""
    said = league(*command.split())
    assert (said.code, said.out) == (2, "")
    assert reason in said.err


@pytest.mark.usefixtures("players")
def test_which_of_two_is_asked_at_a_terminal(
    league: League, monkeypatch: pytest.MonkeyPatch, database_url: str
) -> None:
    """Players are listed with id and last match, matches with sides and time. An unknown name gets close ones."""
    type_in(monkeypatch, "7", "2")
    said = league("explain", "m2", "ana", "--json")
    assert said.document["subject"] == "p3"
    assert "  1  Ana (p2), last match Mar 1, 2026\n  2  Ana (p3), last match Mar 1, 2026\n" in said.err
    type_in(monkeypatch, "1")
    assert league("trail", "--player", "evva", "--json").code == 0
    with league_at(database_url) as made:
        send(made, announced("m4", ("p1", "p4"), 24 * 41))
    type_in(monkeypatch, "1")
    said = league("explain", "Íñigo - Eva", "p1", "--json")
    assert said.document["match"] == "m4"
    assert "  1  m4: Íñigo - Eva, cuban-150, Apr 11, 2026" in said.err
