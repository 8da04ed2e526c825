"""`league match` and `league hand`: an evening of a club, entered by commands."""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Callable, Iterable
from typing import Any

import pytest
from commands import League, Said, head
from terminals import Terminal
from waiting import LIMIT

from league.cli import asking

pytestmark = [pytest.mark.heavy, pytest.mark.usefixtures("own_environment")]

NAMES = ("Ana Pérez", "Luis Gómez", "Rosa Núñez", "Juan Peña")
SIDES = ("ana perez & LUIS GÓMEZ", "Rosa Nuñez / Juan  Peña")


class Keyboard(io.StringIO):
    """What a person types at a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def club(league: League) -> Callable[..., Said]:
    """A league of four players, and a match of two pairs under `ruleset`; runs a command in it."""
    league("init", "--name", "Club", "--time-zone", "America/Santo_Domingo")
    for number, name in enumerate(NAMES):
        assert league("player", "add", name, "--id", f"p{number}").code == 0
    assert league("match", "open", *SIDES, "--ruleset", "dominican-200", "--id", "m1").code == 0
    return league


def test_a_match_is_opened_listed_and_shown(club: League) -> None:
    """By names; the number of partners gives the mode, the day and a number the id."""
    shown = club("match", "show", "m1", "--json").document
    assert [[one["id"] for one in side] for side in shown["sides"]] == [["p0", "p1"], ["p2", "p3"]]
    assert (shown["mode"], shown["status"], shown["score"]) == ("2v2", "open", [0, 0])
    opened = club(
        "match", "open", "Ana Pérez", "p2", "--ruleset", "cuban-150", "--played-at", "01/03/2026 23:30", "--json"
    )
    assert (opened.document["match"], opened.document["mode"]) == ("2026-03-01-1", "1v1")
    assert opened.document["began_at"] == "2026-03-02T03:30:00Z"
    again = club("match", "open", "p0", "p2", "--ruleset", "cuban-150", "--played-at", "2026-03-01T23:30", "--json")
    assert again.document["match"] == "2026-03-01-2"
    listed = club("match", "list", "--player", "rosa núñez", "--open", "--json").document
    assert [one["match"] for one in listed] == ["m1", "2026-03-01-2", "2026-03-01-1"]
    assert "say which of 2 matches is meant: 2026-03-01-2" in club("match", "show", "Ana Pérez vs rosa nunez").err


def test_the_pips_of_the_losers_and_what_the_sheet_claims_are_enough(club: League) -> None:
    """A side's total, a stated winner, a capicúa, a pase corrido of a side; what lacks is named; a key records once."""
    given = ("--ended", "domino", "--by", "ana", "--leftover", "rosa & juan=35", "--capicua", "--no-pase-corrido")
    before = club("hand", "--preview", "--json", *given).document
    said = club("hand", *given, "--key", "k1", "--yes", "--json").document
    assert {key: said[key] for key in before} == before
    assert (said["hand"], said["facts"]["side_leftover"], said["facts"]["stated_capicua"]) == (1, [None, 35], True)
    assert club("hand", *given, "--key", "k1", "--yes", "--json").document["position"] == said["position"]
    blocked = club(
        "hand", "--ended", "block", "--winner", "Rosa", "--leftover", "Ana=20", "--leftover", "Luis=[6|6] 3-1",
        "--pase-corrido", "Ana & Luis", "--yes",
    )  # fmt: skip
    assert "Stored hand 2 of m1" in blocked.out
    assert "Not judged, because these facts are not known:\n  opening pass" in blocked.out
    facts = club("match", "show", "m1", "--json").document["hands"][1]["facts"]
    assert (facts["leftover"], facts["side_corridos"]) == ([20, None, [[1, 3], [6, 6]], None], [1, 0])
    corrected = club(
        "hand", "correct", "ana perez & luis gomez - rosa nunez & juan pena", 1, "--leftover", "rosa & juan=53",
        "--reason", "swapped", "--yes",
    )  # fmt: skip
    assert corrected.code == 0
    facts = club("match", "show", "m1", "--json").document["hands"][0]["facts"]
    assert (facts["side_leftover"], facts["stated_capicua"], facts["seat"]) == ([None, 53], True, 0)


def test_a_match_ends_in_every_way(club: League, monkeypatch: pytest.MonkeyPatch) -> None:
    """Forfeited after a question, given a result, reopened, ended while a side leads; then it takes no hand."""
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    stopped = club("match", "forfeit", "m1", "--by", "Luis")
    assert (stopped.code, "Stopped. Nothing is stored." in stopped.err) == (1, True)
    result = club("match", "result", "m1", "--winner", "Ana & Luis", "--score", "200-135", "--json").document
    assert (result["status"], result["winner"], result["score"]) == ("announced", 0, [200, 135])
    assert club("match", "reopen", "m1", "--reason", "too early", "--json").document["status"] == "open"
    club("hand", "m1", "--ended", "domino", "--by", "Ana", "--leftover", "Rosa=3", "--leftover", "Juan=4", "--yes")
    ended = club("match", "end", "m1", "--json").document
    assert (ended["status"], ended["winner"], ended["score"]) == ("cut_short", 0, [7, 0])
    by_names = "Ana Pérez & Luis Gómez - Rosa Núñez & Juan Peña"
    assert club("explain", by_names, "ana perez", "--json").document["match"] == "m1"
    assert club("what-if-not", by_names, "ana perez").code == 0
    assert "MATCH_OVER" in club("hand", "m1", "--ended", "domino", "--by", "Ana", "--yes").err
    club("match", "reopen", "m1", "--reason", "they play on")
    assert club("match", "forfeit", "m1", "--by", "Luis", "--yes", "--json").document["winner"] == 1


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ("match open p0 p1 --ruleset cuban-15", "ruleset: there is no ruleset 'cuban-15'; there are "),
        ("match open p0 p1", "ruleset: name the ruleset with --ruleset; there are"),
        ("match open p0&p1 p2 --ruleset dominican-200", "sides: name two pairs"),
        ("match open p0&p1 p2&p0 --ruleset dominican-200", "sides: 'p0' is named twice"),
        ("match open p0&p1 p2&Anna --ruleset dominican-200", "there is no player 'Anna'; close to it: Ana Pérez"),
        ("match open p0 p1 --ruleset dominican-200", "mode: Dominican, 200 is played in pairs"),
        ("match open p0 p1 --ruleset cuban-150 --played-at 31/02/2026", "played_at: '31/02/2026' is not a time"),
        ("match open p0 p1 --ruleset cuban-150 --played-at 2999-01-01", "IN_THE_FUTURE"),
        ("match end m1 --score 3-4", "winner: a score needs the side that won"),
        ("match result m1 --winner Ana --score high", "score: 'high' is not a score"),
        ("match result m1 --winner Ana&Rosa", "winner: 'Ana&Rosa' are not one side"),
        ("match show m9", "match: there is no match 'm9'"),
        ("hand m1 --yes", "ended: say how the hand ended"),
        ("hand m1 --ended domino --yes", "ended.seat: a domino needs the seat that went out"),
        ("hand m1 --ended domino --by Pedro --yes", "by: 'Pedro' does not sit in the match: its players are Ana Pérez"),
        ("hand m1 --ended domino --by Ana --leftover 35 --yes", "leftover: '35' needs a player or a side before ="),
        ("hand m1 --ended domino --by Ana --leftover Rosa&Juan=999 --yes", "999 pips are impossible"),
        ("hand m1 --ended domino --by Ana --leftover Rosa=7-1 --yes", "there is no tile [7, 1] in a double-six set"),
        ("hand m1 --ended domino --by Ana --drew Ana --nobody-drew --yes", "drew: names players, and says that there"),
        ("hand m1 --ended domino --by Ana --hand 7 --yes", "hand 7 of match 'm1' is not the next one"),
        ("hand correct m1 1 --by Ana --reason r", "hand: there is no hand 1"),
    ],
)  # fmt: skip
def test_bad_input_is_refused(club: League, database_url: str, arguments: str, reason: str) -> None:
    """Each with the field and the reason; nothing is stored."""
    before = head(database_url)
    said = club(*arguments.split())
    assert (said.code, reason in said.err, said.err) == (2, True, said.err)
    assert head(database_url) == before


def test_without_a_match_the_open_one_is_meant(club: League, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of several the command asks at a terminal, and in a script lists them."""
    club("match", "open", "p0", "p1", "--ruleset", "cuban-150", "--id", "m2")
    assert (
        "say which of 2 matches is meant: m2: Ana Pérez - Luis Gómez" in club("hand", "--ended", "block", "--yes").err
    )
    answers = ["2", "d", "Pedro", "ana", "20 15", "6-6", "n", "n", "", "y"]
    monkeypatch.setattr(sys, "stdin", Keyboard("".join(f"{line}\n" for line in answers)))
    said = club("hand")
    assert said.code == 0
    assert "'Pedro' does not sit in the match" in said.err
    asked: Any = re.findall(r"^(.*?)(?: \(.*\))?: *$", said.err, re.MULTILINE)
    assert "Stored hand 1 of m1" in said.out, asked
    facts = club("match", "show", "m1", "--json").document["hands"][0]["facts"]
    assert (facts["leftover"], facts["closing"]["tile"], facts["opening_pass"]) == ([None, 20, None, 15], [6, 6], False)


def test_a_hand_is_recorded_by_questions_at_a_terminal(
    club: League, terminals: list[Terminal], database_url: str
) -> None:
    """Of 80 columns: an impossible answer is asked again; Ctrl-C stores nothing; then the points are shown first."""
    before = head(database_url)
    stopped = Terminal("hand", "m1")
    terminals.append(stopped)
    assert stopped.read_until(b"domino or block")
    stopped.type(b"d\n")
    assert stopped.read_until(b"not known): ")
    stopped.interrupt()
    stopped.read_until(b"no more")
    assert stopped.program.wait(LIMIT) == 1
    assert "Stopped. Nothing is stored." in stopped.text
    assert head(database_url) == before
    asked = (
        ("domino or block", "d"),
        ("Who went out?", "ana"),
        ("Left to Rosa", "999"),
        ("Left to Rosa", "35"),
        ("Last tile", ""),
        ("Capic\u00faa?", "y"),
        ("also block", ""),
        ("Opening pass", "n"),
        ("Pases corridos", "-"),
        ("[y/N]", "y"),
    )
    recorded = Terminal("hand", "m1")
    terminals.append(recorded)
    for question, answer in asked:
        assert recorded.read_until(question.encode()), recorded.text
        recorded.type(f"{answer}\n".encode())
    recorded.read_until(b"no more")
    assert recorded.program.wait(LIMIT) == 0
    for said in (
        "999 pips are impossible",
        "+35 Ana P\u00e9rez & Luis G\u00f3mez: leftover pips",
        "Stored hand 1 of m1",
    ):
        assert said in recorded.text
    longest = max(recorded.text.splitlines(), key=len)
    assert len(longest) <= 80, recorded.text
    assert club("match", "show", "m1", "--json").document["score"] == [85, 0]


def test_a_hand_is_corrected_by_questions_at_a_terminal(
    club: League, terminals: list[Terminal], database_url: str
) -> None:
    """Enter keeps what is recorded, and nothing changes; else changes and score are shown before they are stored."""
    club(
        "hand", "m1", "--ended", "domino", "--by", "ana", "--leftover", "rosa & juan=35", "--tile", "6-3", "--capicua",
        "--pase-corrido", "rosa", "--yes",
    )  # fmt: skip
    before = head(database_url)
    recorded: Any = club("match", "show", "m1", "--json").document["hands"][0]["facts"]
    asked = (
        ("(tranque)? [domino]", ""),
        ("Who went out? [Ana Pérez]", ""),
        ("Left to Rosa Núñez & Juan Peña (a total, or 20 15 for each) [35]", "53"),
        ("Last tile, such as 6-3 [3-6]", ""),
        ("Capicúa? [yes]", "maybe"),
        ("Capicúa? [yes]", "?"),
        ("Opening pass that scores?", ""),
        ("(A, A, B; -: none) [Rosa Núñez]", "juan, rosa"),
        ("Why is the hand corrected?", "misread"),
        ("Do it? [y/N]", "y"),
    )

    def answered(answers: Iterable[tuple[str, str]]) -> str:
        terminal = Terminal("hand", "correct", "m1", "1")
        terminals.append(terminal)
        for question, answer in answers:
            assert terminal.read_until(f"{question}:".encode()), terminal.text
            terminal.type(f"{answer}\n".encode())
        terminal.read_until(b"no more")
        assert terminal.program.wait(LIMIT) == 0, terminal.text
        return " ".join(terminal.text.split())

    enter = [(question, "") for question in dict.fromkeys(question for question, _answer in asked[:8])]
    assert enter[5][0].startswith("Opening pass")
    enter.insert(5, ("Did it also block the table?", ""))  # a capicúa that is kept may have blocked it
    assert "Nothing changes. Nothing is stored." in answered(enter)
    assert head(database_url) == before
    said = answered(asked)
    for line in (
        "enter y for yes or n for no",
        "left with Rosa Núñez & Juan Peña: 35 pips, now 53 pips",
        "capicúa on the score sheet: yes, now not known",
        "pases corridos: Rosa Núñez, now Juan Peña, Rosa Núñez",
        "+53 Ana Pérez & Luis Gómez: leftover pips",
    ):
        assert line in said, said
    assert said.index("now 53 pips") < said.index("Do it?")
    wanted = {**recorded, "side_leftover": [None, 53], "stated_capicua": None, "corridos": [3, 1]}
    facts = club("match", "show", "m1", "--json").document["hands"][0]["facts"]
    assert {**facts, "stated_capicua": facts.get("stated_capicua")} == wanted


def test_who_went_out_is_corrected_at_a_terminal(club: League, monkeypatch: pytest.MonkeyPatch) -> None:
    """The pips of the side that did not lose after all are forgotten, and a block has its own questions."""
    club("hand", "m1", "--ended", "domino", "--by", "ana", "--leftover", "rosa & juan=35", "--yes")

    def corrected(*answers: str) -> Any:
        monkeypatch.setattr(sys, "stdin", Keyboard("".join(f"{answer}\n" for answer in (*answers, "wrong", "y"))))
        said = club("hand", "correct", "m1", 1)
        assert said.code == 0, said.err
        return club("match", "show", "m1", "--json").document["hands"][0]

    hand = corrected("", "rosa", "12 9", "", "", "", "")
    assert (hand["winner"], hand["facts"]["seat"], hand["points"]) == (1, 1, [0, 21])
    assert (hand["facts"]["leftover"], hand["facts"].get("side_leftover")) == ([12, None, 9, None], None)
    hand = corrected("block", "?", "30", "20 10", "", "Rosa & Juan", "", "")
    assert (hand["winner"], hand["facts"]["ended_by"], hand["facts"]["seat"]) == (1, "block", None)
    assert hand["facts"]["leftover"] == [None, 20, None, 10]


def test_a_hand_that_somebody_else_corrects_meanwhile_is_not_overwritten(
    club: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who answers the last question has seen the hand as it was before."""
    club("hand", "m1", "--ended", "domino", "--by", "ana", "--leftover", "rosa & juan=35", "--yes")

    def correct(pips: int, *more: str) -> Said:
        return club("hand", "correct", "m1", 1, "--leftover", f"rosa & juan={pips}", "--reason", "wrong", *more)

    def confirmed(_question: str) -> bool:
        assert correct(40, "--yes").code == 0
        return True

    monkeypatch.setattr(asking, "confirmed", confirmed)
    refused = correct(50)
    assert refused.code == 2
    assert "somebody has changed the facts of hand 1" in " ".join(refused.err.split())
    assert club("match", "show", "m1", "--json").document["score"] == [40, 0]
    assert correct(50, "--yes").code == 0
