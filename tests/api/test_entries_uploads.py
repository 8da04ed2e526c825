"""Entries of a tournament as a sheet over HTTP: a preview, faults by cell, and a key that is answered once."""

from __future__ import annotations

import io
from typing import Any

import httpx
import pytest
from api_server import Served, token
from openpyxl import Workbook

KEEPER = token("scorekeeper")
SHEET = "player,partner,table\nAna,Bea,2\nCira / Dora,,\n"


@pytest.fixture
def copa(small: Served, request: pytest.FixtureRequest) -> str:
    """A tournament of pairs."""
    id_ = request.node.originalname.replace("_", "-")[-40:]
    plan = {"name": "Copa", "format": "SWISS", "mode": "TWO_ON_TWO", "ruleset": "cuban-150", "rounds": 2}
    answer = small.do("planTournament", KEEPER, tournamentId=id_, plan=plan)
    assert answer["__typename"] == "TournamentSuccess", answer
    return id_


def send(
    small: Served, tournament: str, content: str | bytes, role: str = "scorekeeper", **fields: str
) -> httpx.Response:
    sent = content if isinstance(content, bytes) else content.encode()
    files = {"file": ("entries.csv", sent, "text/csv")}
    headers = {"Authorization": f"Bearer {token(role, sub='ana' if role == 'player' else 'kim')}"}
    return small.http.post("/entries", files=files, data={"tournament": tournament, **fields}, headers=headers)


def entered(small: Served, tournament: str, answer: Any) -> list[str]:
    small.follow(answer["position"])
    seen = small.ask("query ($id: ID!) { tournament(id: $id) { entries { nodes { competitorId } } } }", id=tournament)
    return [one["competitorId"] for one in seen["tournament"]["entries"]["nodes"]]


def test_a_sheet_is_previewed_and_entered_once(small: Served, copa: str) -> None:
    """A preview stores nothing; the same key gets the first position, with another sheet it is refused."""
    head = small.league.store.head()
    preview = send(small, copa, SHEET, preview="true").json()
    assert preview["rows"] == [
        {"row": 2, "competitorId": "ana+bea", "playerIds": ["ana", "bea"], "names": ["Ana", "Bea"], "fixedTable": 2},
        {"row": 3, "competitorId": "cira+dora", "playerIds": ["cira", "dora"], "names": ["Cira", "Dora"],
         "fixedTable": None},
    ]  # fmt: skip
    assert (small.league.store.head(), preview["position"]) == (head, str(head))

    first = send(small, copa, SHEET, idempotencyKey="e1").json()
    again = send(small, copa, SHEET, idempotencyKey="e1").json()
    assert (first, small.league.store.head()) == (again, head + 2)
    assert entered(small, copa, first) == ["ana+bea", "cira+dora"]
    reused = send(small, copa, "player,partner\nEva,Flor\n", idempotencyKey="e1")
    assert (reused.status_code, reused.json()["errors"][0]["extensions"]["code"]) == (409, "KEY_REUSED")
    twice = send(small, copa, "player,partner\nEva,Ana\n").json()["errors"][0]["extensions"]
    assert [(one["column"], one["row"], one["code"]) for one in twice["faults"]] == [("B", 2, "ALREADY_EXISTS")]


def test_a_sheet_that_is_sent_again_gets_its_first_answer_whatever_has_changed(small: Served, copa: str) -> None:
    """A player of it has another name by now, and somebody else has theirs: the answer has those who entered."""
    small.do("registerPlayer", KEEPER, playerId="zoe", name="Zoe")
    sheet = "player,partner,table\nAna,Bea,\nZoe,Cira,3\n"
    first = send(small, copa, sheet, idempotencyKey=f"first {copa}").json()
    small.do("renamePlayer", KEEPER, player="zoe", name="Zoe Prieto")
    again = send(small, copa, sheet, idempotencyKey=f"first {copa}").json()
    assert again["position"] == first["position"]
    assert [one["names"] for one in again["rows"]] == [["Ana", "Bea"], ["Cira", "Zoe Prieto"]]
    small.do("registerPlayer", KEEPER, playerId="zoe2", name="Zoe")
    again = send(small, copa, sheet, idempotencyKey=f"first {copa}").json()
    assert [one["playerIds"] for one in again["rows"]] == [["ana", "bea"], ["cira", "zoe"]]
    assert [{**one, "names": []} for one in again["rows"]] == [{**one, "names": []} for one in first["rows"]]
    other = send(small, copa, sheet, idempotencyKey=f"first {copa}", names='{"Zoe": "zoe"}')
    assert (other.status_code, other.json()["errors"][0]["extensions"]["code"]) == (409, "KEY_REUSED")


def test_every_fault_of_a_sheet_has_its_cell_and_nobody_enters(small: Served, copa: str) -> None:
    """Unknown names with the closest ones, which may be said to be meant; what the plan forbids, too."""
    head = small.league.store.head()
    wrong = "player,partner,table\nAnna,Bea,\nCira,,\nDora,Eva,0\nDora,Eva,x\n"
    for preview in ("true", "false"):
        refused = send(small, copa, wrong, preview=preview)
        found = refused.json()["errors"][0]["extensions"]
        assert (refused.status_code, found["code"], found["count"]) == (422, "SHEET_REFUSED", 4)
        cells = [f"{one['column']}{one['row']}" for one in found["faults"]]
        assert sorted(cells) == ["A2", "A3", "C4", "C5"]
        [unknown] = [one for one in found["faults"] if "name" in one]
        assert (unknown["name"], unknown["closest"][0]) == ("Anna", {"playerId": "ana", "name": "Ana"})
    assert small.league.store.head() == head
    meant = send(small, copa, "player,partner\nAnna,Bea\n", names='{"Anna": "ana"}').json()
    assert entered(small, copa, meant) == ["ana+bea"]


@pytest.mark.heavy
def test_a_workbook_is_read_by_a_process_of_its_own(small: Served, copa: str) -> None:
    """Its first sheet; a file that only begins like one is refused."""
    book, content = Workbook(), io.BytesIO()
    for row in (("jugador", "pareja", "mesa"), ("Ana", "Bea", 3)):
        book.active.append(row)
    book.save(content)
    assert entered(small, copa, send(small, copa, content.getvalue()).json()) == ["ana+bea"]
    broken = send(small, copa, content.getvalue()[:200])
    assert (broken.status_code, broken.json()["errors"][0]["extensions"]["code"]) == (422, "SHEET_REFUSED")


def test_a_player_is_refused_before_the_file_is_read(small: Served) -> None:
    """Players enter by themselves, never with a sheet: no body is looked at, not even one that is no form."""
    refused = small.http.post("/entries", content="no form", headers={"Authorization": f"Bearer {token('player')}"})
    assert (refused.status_code, refused.json()["errors"][0]["extensions"]["code"]) == (403, "FORBIDDEN")


def test_what_is_no_fault_of_a_cell_is_said_once(small: Served, copa: str) -> None:
    """A tournament that is unknown or not named, a field, a new player, a role, and too many rows."""
    for refused, status, field in (
        (send(small, "nothing", SHEET), 404, ["tournament"]),
        (send(small, "", SHEET), 422, ["tournament"]),
        (send(small, copa, SHEET, register="true"), 422, ["register"]),
        (send(small, copa, SHEET, role="player"), 403, None),
        (send(small, copa, SHEET, role="auditor"), 403, None),
    ):
        extensions = refused.json()["errors"][0]["extensions"]
        assert (refused.status_code, extensions.get("field")) == (status, field), refused.text
    long = send(small, copa, "player\n" + "Ana / Bea\n" * 1_001)
    [fault] = long.json()["errors"][0]["extensions"]["faults"]
    assert fault["message"] == "the sheet has more than 1000 rows"


def test_names_that_are_said_to_be_new_are_registered(small: Served, copa: str) -> None:
    """They enter in the same save, and a repeated request registers nobody again. A wrong name has its cell."""
    names = {"names": '{"Nueva": null, "Otra": null}', "idempotencyKey": f"new {copa}"}
    preview = send(small, copa, "player\nNueva / Ana\n", preview="true", **names).json()
    assert [one["name"] for one in preview["registered"]] == ["Nueva"]
    first = send(small, copa, "player\nNueva / Ana\n", **names).json()
    again = send(small, copa, "player\nNueva / Ana\n", **names).json()
    assert (again, len(first["registered"])) == (first, 1)
    new = first["registered"][0]["playerId"]
    assert entered(small, copa, first) == ["+".join(sorted(("ana", new)))]
    head = small.league.store.head()
    long = "N" * 200
    refused = send(small, copa, f"player\nBea / Cira\n{long} / Dora\n", names=f'{{"{long}": null}}')
    faults = refused.json()["errors"][0]["extensions"]["faults"]
    assert ({fault["row"] for fault in faults}, small.league.store.head()) == ({3}, head), faults
