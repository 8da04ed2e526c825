"""What players say to each other at a table: heard by the others of the table, unless they have muted who says it."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest
from api_server import Served
from table_clients import AtTable, begin, moment, outcome

from league.tables.api import live_tables
from league.tables.api.live_tables import MOST
from league.tables.application.presence_and_talk import CHANNEL, PHRASES


def say(player: AtTable, phrase: str) -> Any:
    """The answer of the API to a phrase."""
    return outcome(player, "sayPhrase", phrase=phrase)


def test_the_catalogue_has_both_languages(small: Served) -> None:
    """At least twenty phrases."""
    phrases = small.ask("{ phrases { key es en } }")["phrases"]
    assert len(phrases) >= 20
    assert all(phrase["es"] and phrase["en"] for phrase in phrases)
    assert [phrase["key"] for phrase in phrases] == [key.replace("-", "_").upper() for key in PHRASES]


@pytest.mark.heavy
def test_the_players_of_a_table_hear_each_other_and_spectators_do_not(small: Served) -> None:
    """Beside the events, with the position of the last one; nothing of it is stored."""
    ana, bea = begin(small, "talk", "ana", "bea", competition="CASUAL")
    cira, head = AtTable(small, "talk", "cira"), small.league.store.head()
    with ana.following() as hers, bea.following() as beas, cira.following() as watching:
        position = [moment(socket)["position"] for socket in (hers, beas, watching)][-1]
        assert say(ana, "GIVE_WATER") is None
        for socket in (hers, beas):
            said = moment(socket)
            assert (said["__typename"], said["seat"], said["position"]) == ("PhraseSaid", 0, position)
            assert said["phrase"] == {"key": "GIVE_WATER", **PHRASES["give-water"]._asdict()}
        assert small.league.store.head() == head
        mover = (ana, bea)[ana.look()["hand"]["toMove"]]
        mover.play()
        assert moment(watching)["__typename"] == "TilePlayed"  # and no phrase before it


@pytest.mark.heavy
def test_a_muted_player_is_not_heard_by_who_muted_them(small: Served) -> None:
    """Until they are unmuted; others hear them all the time."""
    ana, bea = begin(small, "muted", "cira", "dora", competition="CASUAL")
    with ana.following() as hers, bea.following() as beas:
        moment(hers), moment(beas)
        assert outcome(bea, "mutePlayer", player="cira") is None
        assert say(ana, "ON_FIRE") is None
        assert say(bea, "THANKS") is None
        assert [moment(hers)["phrase"]["key"] for _ in range(2)] == ["ON_FIRE", "THANKS"]
        assert moment(beas)["phrase"]["key"] == "THANKS"
        assert outcome(bea, "unmutePlayer", player="cira") is None
        assert say(ana, "ANOTHER") is None
        assert moment(beas)["phrase"]["key"] == "ANOTHER"


def test_only_players_of_the_table_speak_and_not_too_much(small: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """They cannot mute themselves, nor somebody who sits at another table."""
    monkeypatch.setattr(live_tables, "WITHIN", 3600.0)
    eva, _ = begin(small, "quiet", "eva", "flor", competition="CASUAL")
    assert say(AtTable(small, "quiet", "bea"), "HELLO") == "NOT_SEATED"
    assert say(AtTable(small, "quiet", "eva", "admin"), "HELLO") == "FORBIDDEN"
    assert say(AtTable(small, "nowhere", "eva"), "HELLO") == "NOT_FOUND"
    assert outcome(eva, "mutePlayer", player="bea") == "NOT_FOUND"
    assert outcome(eva, "mutePlayer", player="eva") == "INVALID"
    assert [say(eva, "HELLO") for _ in range(MOST + 1)] == [None] * MOST + ["TOO_TALKATIVE"]


def test_mutes_are_counted_as_phrases_are(small: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise one client could keep the database busy with them."""
    monkeypatch.setattr(live_tables, "WITHIN", 3600.0)
    _, flor = begin(small, "busy", "dora", "flor", competition="CASUAL")
    changes = ["mutePlayer", "unmutePlayer"] * 3
    said = [outcome(flor, change, player="dora") for change in changes]
    assert said == [None] * MOST + ["TOO_TALKATIVE"] * (len(changes) - MOST)


def test_a_notification_that_is_no_phrase_is_passed_over(small: Served) -> None:
    """Any program with access to the database may send one; tables are heard of as before."""
    ana, _ = begin(small, "noise", "ana", "bea", competition="CASUAL")
    with ana.following() as hers, psycopg.connect(small.league.database.url, autocommit=True) as conn:
        moment(hers)
        unknown = '{"table": "noise", "seat": 0, "phrase": "none", "at": "2026-01-01T00:00:00Z", "deaf": []}'
        for payload in ("nonsense", "{}", unknown):
            conn.execute("SELECT pg_notify(%s, %s)", [CHANNEL, payload])
        assert say(ana, "HELLO") is None
        assert moment(hers)["phrase"]["key"] == "HELLO"
