"""Facts of explanations in words: names for seats and sides, values in the language that is spoken."""

from __future__ import annotations

from zoneinfo import ZoneInfo

import pytest

from league.explanations.explanation import ChangedFact, Fact
from league.wording.facts import (
    TERM_LABELS,
    TERMS,
    FactContext,
    change_in_words,
    clause_in_words,
    fact_in_words,
    label_of,
    rule_in_words,
    unit_in_words,
)
from league.wording.language import speaking

NAMES = {"ana": "Ana R.", "bea": "Bea L.", "ana+coc": "Ana R. & Coc M."}
TABLE = FactContext(NAMES, {0: "ana", 1: "bea"}, ZoneInfo("America/Havana"))


@pytest.mark.parametrize(
    ("fact", "label", "value"),
    [
        (Fact("seat 1", "side 1", "bea"), "jugador 2 de la mesa", "Bea L."),
        (Fact("went_out", "seat 0", "ana"), "dominó", "Ana R."),
        (Fact("stated_winner", "side 0", "ana+coc"), "ganador según la hoja", "Ana R. & Coc M."),
        (Fact("side_that_won", "0", "ana+coc"), "gana", "Ana R. & Coc M."),
        (Fact("leftover of side 0", "1 pips", "ana+coc"), "en la mano de Ana R. & Coc M.", "1 punto"),
        (Fact("leftover of seat 1", "9 pips: 4-5", "bea"), "en la mano de Bea L.", "9 puntos: 4-5"),
        (Fact("corridos", "1, 0, 3"), "pases corridos", "Bea L., Ana R., el puesto 3"),
        (Fact("drew", "none"), "fueron al pozo", "nadie"),
        (Fact("ended_by", "block"), "terminó por", "tranque"),
        (Fact("next_above", "1962.5, rank 3", "bea"), "justo encima, Bea L.", "1962.5, posición 3"),
        (Fact("began_at", "2026-11-23T02:05:00+00:00"), "empezó", "22 nov 2026, 21:05"),
        (Fact("own_rating", "1500.0"), "puntuación propia", "1500"),
        (Fact("photo", "p-1"), "foto", "p-1"),
    ],
)
def test_a_fact_names_people_and_speaks_the_language(fact: Fact, label: str, value: str) -> None:
    """If the player is known, no seat or side appears by number."""
    with speaking("es"):
        said = fact_in_words(fact, TABLE)
    assert (said.label, said.value) == (label, value)


def test_a_corrected_fact_says_what_it_was() -> None:
    """The sentence names the player, the value before and the value now."""
    changed = ChangedFact("leftover of side 0", "72 pips", "27 pips", "ana+coc")
    assert change_in_words(changed, TABLE) == "left with Ana R. & Coc M.: 72 pips, now 27 pips"


def test_a_rule_that_was_not_judged_has_words() -> None:
    """The words do not need the values that the reason has."""
    with speaking("es"):
        assert [rule_in_words(rule) for rule in ("capicua_blocks", "viajera", "winner")] == [
            "la capicúa además trancó la cadena", "viajera", "quién ganó la mano",
        ]  # fmt: skip


def test_terms_units_and_clauses_have_words() -> None:
    """Every term but the modes has a short name; titles within a source text stay."""
    assert set(TERM_LABELS) == set(TERMS) - {"1v1", "2v2"}
    with speaking("es"):
        assert [label_of("differential"), unit_in_words("recoveries_50")] == ["diferencia", "remontadas"]
        assert clause_in_words("Dominican text 2.1; CDS text 4, high K") == "texto dominicano 2.1; texto CDS 4, K alta"
