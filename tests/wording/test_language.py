"""The languages: which one is chosen, and what it says."""

from __future__ import annotations

import asyncio
import pickle
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from markupsafe import Markup

from league.api.graphql.threads import in_thread, without_thread
from league.console.templates import sentence
from league.domain.sentences import in_zone, say, say_count
from league.tables.domain.commands_and_events import TileDrawn, TilePlayed, TurnPassed
from league.tables.domain.moves import in_words
from league.tables.domain.refusals import TurnTaken
from league.tables.domain.state import TurnEvent
from league.wording.language import language, one_stop, preferred, speak, speaking, spoken
from league.wording.matches import joined


@pytest.mark.parametrize(
    ("accepted", "chosen"),
    [
        ("", "en"),
        ("es", "es"),
        ("es-DO,es;q=0.9,en;q=0.8", "es"),
        ("en-US, es;q=0.9", "en"),
        ("fr, es;q=0.3, de;q=0.9", "es"),
        ("fr, *;q=0.1", "en"),
        ("en;q=0.2, ES ; q=0.7", "es"),
        ("es;q=0", "en"),
        ("es;q=x", "en"),
        (";;;,=", "en"),
        ("fr," * 1000 + "es", "en"),
    ],
)
def test_the_language_that_a_client_prefers_is_spoken(accepted: str, chosen: str) -> None:
    """The known language with the highest weight is spoken, or the default if the header names none or is too long."""
    assert preferred(accepted, "en") == chosen


def test_the_default_is_the_one_of_the_league() -> None:
    """The default serves clients without a preference, and those that accept anything."""
    assert [preferred(accepted, "es") for accepted in ("", "fr", "*", "en")] == ["es", "es", "es", "en"]


def test_a_sentence_survives_another_process() -> None:
    """The template, the values and the count survive."""
    inner = say_count("{count} match", "{count} matches", 3)
    sentence = pickle.loads(pickle.dumps(say("there are {what}", what=inner)))  # noqa: S301  # our own
    assert (sentence, sentence.values["what"].counted) == ("there are 3 matches", 3)


def test_a_name_is_never_translated() -> None:
    """Only sentences are translated, even if a name equals a text of the catalogue."""
    with speaking("es"):
        assert spoken("Options") == "Options"


def test_threads_and_tasks_speak_the_language_of_their_request() -> None:
    """This holds for requests that read the database in a thread, and for those on the event loop."""

    async def asked(wanted: str) -> list[str]:
        speak(wanted)  # type: ignore[arg-type]  # one of ours
        await asyncio.sleep(0)
        return [language(), await in_thread(language), await without_thread(language)]

    async def both() -> list[list[str]]:
        return await asyncio.gather(asked("es"), asked("en"))

    with ThreadPoolExecutor(1) as own:  # a context of its own
        assert own.submit(lambda: asyncio.run(both())).result() == [["es"] * 3, ["en"] * 3]


@pytest.mark.parametrize(
    ("move", "said"),
    [
        (TilePlayed(1, 4, 1, (7, 9), "left", "player"), "el puesto 1 jugó [7, 9]"),
        (TilePlayed(1, 4, 1, (7, 9), "left", "ai"), "la IA jugó [7, 9] por el puesto 1"),
        (TilePlayed(1, 4, 1, (7, 9), "left", "clock"), "el puesto 1 jugó [7, 9] porque se le acabó el tiempo"),
        (TurnPassed(1, 4, 1, "no_play"), "el puesto 1 pasó"),
        (TurnPassed(1, 4, 1, "timeout"), "el puesto 1 pasó porque se le acabó el tiempo"),
        (TileDrawn(1, 4, 1), "el puesto 1 robó una ficha"),
    ],
)
def test_what_was_done_in_a_turn_that_is_over_is_said_in_spanish(move: TurnEvent, said: str) -> None:
    """It is translated on its own, and in the refusal of a late move."""
    refused = TurnTaken(1, 4, in_words(move))
    with speaking("es"):
        assert spoken(refused.what) == said
        assert refused.said(spoken).endswith(f": {said}")


@pytest.mark.parametrize(
    ("name", "row"),
    [("Inés", "Ana e Inés"), ("Íñigo", "Ana e Íñigo"), ("Hilda", "Ana e Hilda"), ("Ygnacio", "Ana e Ygnacio"),
     ("Yolanda", "Ana y Yolanda"), ("Iago", "Ana y Iago"), ("Hiedra", "Ana y Hiedra"), ("Luis", "Ana y Luis")],
)  # fmt: skip
def test_names_in_a_row(name: str, row: str) -> None:
    """Spanish says `e` before a name that begins with the sound of i."""
    assert joined(["Ana", name]) == f"Ana and {name}"
    with speaking("es"):
        assert joined(["Ana", name]) == row


def test_a_sentence_that_ends_with_a_name_has_one_full_stop() -> None:
    """This holds for linked names, too. Three dots and paths stay as they are."""
    with speaking("es"):
        assert spoken(say("The table waits for {name}.", name="Luis M.")) == "La mesa espera a Luis M."
        assert spoken(say("The table waits for {name}.", name="Luis")) == "La mesa espera a Luis."
    assert (
        one_stop('See <a href="/p"><bdi>Luis M.</bdi></a>. Nothing.')
        == 'See <a href="/p"><bdi>Luis M.</bdi></a> Nothing.'
    )
    linked = sentence("The table waits for {name}.", name=Markup("<bdi>{}</bdi>").format("<Luis> M."))
    assert linked == "The table waits for <bdi>&lt;Luis&gt; M.</bdi>"
    assert one_stop("wait... or ../data") == "wait... or ../data"


def test_a_time_is_said_by_the_clock_that_it_is_told_by() -> None:
    """The league's zone is not named. Without a zone the offset is shown. A format in the sentence holds."""
    moment = datetime(2026, 11, 23, 2, 5, tzinfo=UTC)
    sentence = say("it ends at {end}", end=moment)
    with speaking("es"):
        assert spoken(in_zone(sentence, ZoneInfo("America/Havana"))) == "termina el 22 nov 2026, 21:05"
    assert spoken(in_zone(sentence, ZoneInfo("America/Havana"))) == "it ends at Nov 22, 2026, 21:05"
    assert spoken(sentence) == "it ends at Nov 23, 2026, 02:05 UTC"
    assert spoken(say("{end:%H}h", end=moment)) == "02h"
    nested = say("{why}!", why=say("{end}", end=moment.replace(second=7)))
    assert spoken(in_zone(nested, ZoneInfo("America/Havana"))) == "Nov 22, 2026, 21:05:07!"
