"""Colours of a club: which are taken, and which text can be read on them."""

from __future__ import annotations

import pytest
from given import Given

from league.domain.colours import contrast, text_on
from league.domain.league import ChangeSettings, LeagueCreated, LeagueState, SettingsChanged, evolve
from league.domain.refusals import InvalidInput

CREATED = LeagueCreated("Liga", "UTC")


def test_text_can_be_read_on_every_colour() -> None:
    """Black or white reaches the contrast of WCAG AA on all colours."""
    steps = [f"{value:02x}" for value in range(0, 256, 15)]
    colours = [f"#{red}{green}{blue}" for red in steps for green in steps for blue in steps]
    assert min(contrast(text_on(colour), colour) for colour in colours) >= 4.5
    assert (text_on("#ffd400"), text_on("#14573f")) == ("#000000", "#ffffff")
    assert contrast("#ffffff", "#000000") == pytest.approx(21)


def test_colours_are_chosen_and_removed() -> None:
    """An empty text removes a colour or the logo; what is not named stays."""
    chosen = Given(CREATED).then_when(ChangeSettings(colour="#B3261E", second_colour="#f2c230", logo="ab"))
    assert chosen.events[1:] == (SettingsChanged(None, None, None, None, "#b3261e", "#f2c230", "ab"),)
    state = LeagueState()
    for event in (*chosen.events, SettingsChanged(None, None, second_colour="", logo="")):
        state = evolve(state, event)
    assert (state.name, state.colour, state.second_colour, state.logo) == ("Liga", "#b3261e", None, None)


@pytest.mark.parametrize("colour", ["red", "#fff", "#12345g", "#1234567", "url(//x)", "#12345\uff16"])
def test_what_is_no_colour_is_refused(colour: str) -> None:
    """The refusal names the field, and an example."""
    given = Given(CREATED)
    given.when(ChangeSettings(colour=colour)).refused(InvalidInput, "colour", "is not a colour")
    given.when(ChangeSettings(second_colour=colour)).refused(InvalidInput, "second_colour", "#b3261e")
