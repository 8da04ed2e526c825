"""Sheets of clubs on the command line: previewed, imported, exported and refused by their cells."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands import League

MATCHES = "fecha;lado 1;lado 2;puntos 1;puntos 2;partida\n14/11/2025;Nora/Olga;Pía y Rosa;200;95;m1\n"
HANDS = "partida;mano;final;cierra;quedan 2;capicúa\nm1;1;dominó;nora;35;x\n"


@pytest.mark.heavy
def test_an_evening_goes_in_and_out_again(league: League) -> None:
    """A preview stores nothing and names who would move; what is exported is known when it is imported again."""
    league("init", "--name", "Club", "--time-zone", "America/Santo_Domingo")
    Path("m.csv").write_text(MATCHES, encoding="utf-8")
    Path("h.csv").write_text(HANDS, encoding="utf-8")
    command = ("import", "m.csv", "--hands", "h.csv", "--rules", "dominican-200", "--register")
    preview = league(*command, "--preview")
    assert preview.code == 0
    assert "would add 1 match with 1 hand" in " ".join(preview.out.split())
    assert "New player: Nora" in preview.out

    report = json.loads(league(*command, "--json").out)
    assert (report["matches_added"], report["hands_added"], report["players_added"]) == (1, 1, 4)

    exported = league("--language", "es", "export", "sheet", "--hands", "hands.csv")
    assert exported.out.splitlines()[0].startswith("fecha,reglas,tipo,lado 1,")
    Path("back.csv").write_text(exported.out, encoding="utf-8")
    again = json.loads(league("import", "back.csv", "--hands", "hands.csv", "--json").out)
    assert (again["matches_added"], again["matches_skipped"]) == (0, 1)


@pytest.mark.heavy
def test_a_preview_names_rows_and_lists_what_was_not_judged_once(league: League) -> None:
    """The preview never shows the id that the league makes for a row, and lists rows once for all rules."""
    league("init", "--name", "Club", "--time-zone", "America/Santo_Domingo")
    rows = [f"{day}/10/2025;Nora/Olga;Pía y Rosa;1500;95" for day in range(1, 14)]
    Path("m.csv").write_text("\n".join(["fecha;lado 1;lado 2;puntos 1;puntos 2", *rows]), encoding="utf-8")
    said = league("import", "m.csv", "--rules", "dominican-200", "--register", "--preview").out
    assert "m.csv 2: 1500 points are more than a match to 200 can end with" in said
    assert said.count("row 2; row 3") == 1
    assert "row 11; 3 more matches, because" in said
    assert "  viajera: the hands of the match\n" in said
    assert " s-" not in said


def test_a_refused_sheet_says_where(league: League) -> None:
    """Faults name sheet, row and column, in JSON too. Options of sheets are refused for a folder."""
    league("init", "--name", "Club", "--time-zone", "America/Santo_Domingo")
    Path("m.csv").write_text(MATCHES.replace("14/11", "31/02"), encoding="utf-8")
    refused = league("import", "m.csv", "--rules", "dominican-200", "--register")
    assert refused.code != 0
    assert "m.csv A2: fecha: there is no day '31/02/2025'" in refused.err
    fault = json.loads(league("import", "m.csv", "--dry-run", "--json").out)["refused"]["faults"][0]
    assert (fault["sheet"], fault["row"], fault["column"], fault["field"]) == ("m.csv", 2, "A", "fecha")
    assert "is for sheets" in league("import", ".", "--register").err
    assert "no file 'none.csv'" in league("import", "none.csv").err


def test_a_template_has_headings_in_the_language_that_is_spoken(league: League) -> None:
    assert league("sheet-template").out.startswith("date,rules,kind,side 1,")
    assert league("--language", "es", "sheet-template", "--hands").out.startswith("partida,mano,sale,final,")
