"""Questions to a person: yes and no in both languages."""

from __future__ import annotations

import io
import sys

import pytest

from league.cli.terminal import confirmed
from league.domain.sentences import Language
from league.wording.language import speaking


@pytest.mark.parametrize(("spoken", "hint"), [("en", "[y/N]"), ("es", "[s/N]")])
def test_yes_and_no_are_understood_in_both_languages(
    spoken: Language, hint: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Both languages are always understood. Enter means no, and any other answer is asked again."""
    answers = {"s": True, "Si": True, "SÍ": True, "y": True, "Yes": True, "n": False, "No": False, "": False}
    monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{answer}\n" for answer in ["quizás", *answers])))
    with speaking(spoken):
        assert [confirmed("¿?") for _ in answers] == list(answers.values())
    said = capsys.readouterr().err
    assert said.count(f"¿? {hint}:") == len(answers) + 1
