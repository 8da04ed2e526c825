"""`league tune`: rules fitted to the history, as files and as JSON; what it lacks is named."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from commands import League
from leagues import part_of_season

pytestmark = [pytest.mark.usefixtures("own_environment")]
QUICK = ("--candidates", "6", "--held-out", "1", "--workers", "1")


@pytest.fixture
def imported(league: League, tmp_path: Path) -> League:
    """The first months of the recorded season."""
    league("import", part_of_season(tmp_path / "season", 150))
    return league


@pytest.mark.heavy
def test_it_writes_settings_a_page_and_a_picture(imported: League, tmp_path: Path) -> None:
    """The settings can be replayed; the three sentences are printed, and stand in the page."""
    files = ("--out", "rules.toml", "--html", "page.html", "--png", "picture.png")
    told = imported("tune", *QUICK, *files)
    assert told.code == 0, told.err
    assert "settings and was judged on" in " ".join(told.out.split())
    assert "`league replay --rules rules.toml`" in " ".join(told.out.split())
    assert (tmp_path / "picture.png").read_bytes().startswith(b"\x89PNG")
    assert "was judged on" in (tmp_path / "page.html").read_text(encoding="utf-8")
    replayed = imported("replay", "--rules", "rules.toml", "--json").document["totals"]["verdict"]
    assert replayed["kind"] == "fitted", "the fit has read the months that are judged"
    assert replayed["sentence"].startswith("No verdict: these rules were fitted on these very months.")
    said = imported("tune", *QUICK, "--json").document
    assert said["document"] == (tmp_path / "rules.toml").read_text(encoding="utf-8"), "a seed gives the same again"
    assert len(said["sentences"]) == 3
    assert replayed["second_fitted"]["held_out"] == said["verdict"]


def test_bad_input_is_named(imported: League) -> None:
    """Bad input is refused before the search begins."""
    for arguments, said in (
        (("--range", "rating.k.standard=60..10"), "upside down"),
        (("--held-out", "40"), "hold out fewer (`--held-out`)"),
        (("--out", "nowhere/rules.toml"), "there is no folder nowhere"),
        (("--objective", "luck"), "objective"),
    ):
        told = imported("tune", *arguments)
        assert told.code != 0, arguments
        assert said in " ".join(told.err.split()), arguments


def test_a_league_without_a_match_is_named(league: League) -> None:
    """There is nothing to fit rules to."""
    league("init", "--name", "Liga", "--time-zone", "UTC")
    told = league("tune")
    assert told.code != 0
    assert "without a match" in " ".join(told.err.split())


def test_the_missing_extra_is_named(league: League, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message says how to install the extra."""
    league("init", "--name", "Liga", "--time-zone", "UTC")
    for name in [name for name in sys.modules if name.startswith(("league.lab.fitting", "league.lab.cli.tuned"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "cmaes", None)
    told = league("tune")
    assert told.code != 0
    assert "pip install 'domino-league[lab]'" in " ".join(told.err.split())
