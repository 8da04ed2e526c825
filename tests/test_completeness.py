"""Every rule is complete: its setting, its entry with its source, and its words. What is missing is named."""

from __future__ import annotations

from collections.abc import Iterable
from types import UnionType
from typing import Any, Literal, get_args, get_origin, get_type_hints

import msgspec
import pytest

from league.api.graphql.leaf_types import KRule, ModifierRule, ScoringRule, TermName
from league.domain.bonuses import (
    BLOCK,
    BLOCK_SETTINGS,
    BOARD_TERMS,
    BONUSES,
    FAMILIES,
    HAND_TERMS,
    K_RULES,
    RATING_TERMS,
    SERIES_TERMS,
    HandFact,
)
from league.domain.rating import earned_in, formula_of, rate
from league.domain.result import Achievements
from league.domain.rulebook import to_document
from league.domain.rules import (
    BadgeRules,
    BoardRules,
    Bonuses,
    CountedTerm,
    KFactors,
    LiveTableRules,
    Modifier,
    RatingRules,
    Ruleset,
    SeriesRules,
)
from league.explanations.rating_changes import K_REASONS, MODIFIER_TERMS
from league.projections.folds.league_fold import RATED_MODES
from league.rulebook import shipped_edition
from league.wording import rulebook

EDITION = shipped_edition(1)


def agree(one: Iterable[str], where: str, other: Iterable[str], elsewhere: str) -> None:
    """Both name the same; else the failure says what is missing where."""
    first, second = list(one), list(other)
    missing = [f"{name!r} is in {where}, but not in {elsewhere}" for name in first if name not in second]
    missing += [f"{name!r} is in {elsewhere}, but not in {where}" for name in second if name not in first]
    assert not missing, "; ".join(missing)


def fields(section: type[msgspec.Struct]) -> list[str]:
    return [field.name for field in msgspec.structs.fields(section)]


def choices(kind: Any) -> list[str]:
    """The words between which a setting chooses; none for a number or a text."""
    if get_origin(kind) is Literal:
        return list(get_args(kind))
    return [choice for part in get_args(kind) for choice in choices(part)]


def leaves(section: type[msgspec.Struct], at: str = "") -> list[str]:
    """The dotted keys of all settings of a section."""
    found = []
    for name, kind in get_type_hints(section).items():
        if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
            found += leaves(kind, f"{at}{name}.")
            continue
        found.append(f"{at}{name}")
        for part in get_args(kind):
            # A setting may be a number or a section of its own.
            if get_origin(kind) is UnionType and issubclass(part, msgspec.Struct):
                found += leaves(part, f"{at}{name}.")
    return found


def is_setting(of: type[msgspec.Struct], key: str) -> bool:
    """Whether a section has a setting, or a section, under a dotted key."""
    return key in leaves(of) or any(leaf.startswith(f"{key}.") for leaf in leaves(of))


# ---------------------------------------------------------------- bonuses


def test_every_bonus_is_a_setting_and_an_entry() -> None:
    """`Bonuses` and the registry name the same bonuses."""
    agree(fields(Bonuses), "`Bonuses` of league/domain/rules.py", BONUSES, "`HAND_TERMS` of league/domain/bonuses.py")


@pytest.mark.parametrize("name", HAND_TERMS)
def test_every_term_of_a_hand_is_complete(name: str) -> None:
    """Its source, its words and the facts behind it are there, and its settings are settings of a ruleset."""
    term = HAND_TERMS[name]
    sources = [term.source] if isinstance(term.source, str) else [term.source.get(family, "") for family in BLOCK]
    missing = [what for what, there in (("source", all(sources)), ("label", term.label), ("facts", term.facts))
               if not there]  # fmt: skip
    missing += [f"setting {key!r} in Ruleset" for key in term.keys if not is_setting(Ruleset, key)]
    missing += [f"fact {fact!r} in HandFact" for fact in term.facts if fact not in get_args(HandFact)]
    assert not missing, f"the entry {name!r} of HAND_TERMS lacks: {', '.join(missing)}"


def test_every_family_has_its_rules_of_blocks() -> None:
    """The sections of the texts, and settings that a ruleset has."""
    agree({*FAMILIES.values(), "Caribbean"}, "the families", BLOCK, "BLOCK of league/domain/bonuses.py")
    assert all(is_setting(Ruleset, key) for key in BLOCK_SETTINGS)


# ---------------------------------------------------------------- the rating and the series


def test_every_term_of_the_modifier_has_its_source_and_its_words() -> None:
    """Each setting of `rating.modifier` has a source and words."""
    terms = fields(Modifier)
    agree(
        terms,
        "`Modifier` of league/domain/rules.py",
        MODIFIER_TERMS,
        "MODIFIER_TERMS of explanations/rating_changes.py",
    )
    parts = [name for name in RATING_TERMS if name not in ("before", "outcome", "expected", "cap")]
    agree(terms, "`Modifier` of league/domain/rules.py", parts, "RATING_TERMS of league/domain/bonuses.py")


def test_every_term_of_the_modifier_can_be_earned() -> None:
    """A match with every achievement, won against a much stronger side, earns each of them."""
    formula = formula_of(EDITION.rating)
    everything = Achievements(
        pollona=True, viajeras=1, capicuas=1, capicuas_blocking=1, trailed_by=1_000, blocks_won=1, critical_block=True
    )
    earned = earned_in(everything, 1_000, "cuban-150", formula)
    [winner, _] = rate([[(1500.0, 50)], [(2500.0, 50)]], 0, "competitive", earned, formula)
    agree(fields(Modifier), "`Modifier` of league/domain/rules.py", dict(winner.terms), "the terms that were earned")


def test_every_rule_of_k_has_its_source_and_its_words() -> None:
    """Each setting of `rating.k` has a source and words, apart from the count of provisional matches."""
    rules = [name for name in fields(KFactors) if name != "provisional_below"]
    agree(rules, "`KFactors` of league/domain/rules.py", K_RULES, "K_RULES of league/domain/bonuses.py")
    agree(rules, "`KFactors` of league/domain/rules.py", K_REASONS, "K_REASONS of explanations/rating_changes.py")


@pytest.mark.parametrize("clauses", [RATING_TERMS, K_RULES, SERIES_TERMS, BOARD_TERMS])
def test_every_clause_names_settings_that_there_are(clauses: dict[str, Any]) -> None:
    """And a section of a source text."""
    sections = {"rating": RatingRules, "series": SeriesRules, "boards": BoardRules, "badges": BadgeRules}
    for name, clause in clauses.items():
        assert clause.section, f"{name!r} has no section of a source text"
        for key in clause.settings:
            section, _, below = key.partition(".")
            assert is_setting(sections[section], below), f"{name!r} names {key!r}, which is no setting"


# ---------------------------------------------------------------- words


def test_every_rule_and_every_part_of_a_number_is_a_value_of_the_enums_of_the_api() -> None:
    """Under the name that it has in the registries, with what it is."""
    agree(HAND_TERMS, "HAND_TERMS", [one.value for one in ScoringRule], "the enum `ScoringRule`")
    agree(fields(Modifier), "`Modifier`", [one.value for one in ModifierRule], "the enum `ModifierRule`")
    agree(K_RULES, "K_RULES", [one.value for one in KRule], "the enum `KRule`")
    parts = {*HAND_TERMS, *RATING_TERMS, *SERIES_TERMS, *RATED_MODES, "rank", "provisional", "active"}
    assert parts <= {one.value for one in TermName}


def test_every_setting_of_a_ruleset_has_words() -> None:
    """Title, description, origin and the bonuses apart, and each choice that a setting has."""
    apart = ("title", "description", "bonuses", "made_from", "live")
    settings = [name for name in fields(Ruleset) if name not in apart]
    agree(settings, "`Ruleset` of league/domain/rules.py", rulebook.SETTINGS, "SETTINGS of wording/rulebook.py")
    agree(
        fields(LiveTableRules),
        "`LiveTableRules` of league/domain/rules.py",
        rulebook.LIVE,
        "LIVE of wording/rulebook.py",
    )
    kinds: dict[str, Any] = {}
    for section in (Ruleset, LiveTableRules, CountedTerm, RatingRules, SeriesRules):
        kinds |= get_type_hints(section)
    # Words for the other modes are those of matches.
    every = [f"{name} = {word}" for name in kinds if name != "modes" for word in choices(kinds[name])]
    worded = [f"{name} = {word}" for name, word in rulebook.CHOICES if name != "modes"]
    agree(every, "league/domain/rules.py", worded, "CHOICES of wording/rulebook.py")
    agree(choices(kinds["scoring"]), "`scoring`", rulebook.UNITS, "UNITS of wording/rulebook.py")


@pytest.mark.parametrize(
    ("section", "words", "table"),
    [
        (RatingRules, rulebook.RATING, "RATING"),
        (SeriesRules, rulebook.SERIES, "SERIES"),
        (BadgeRules, rulebook.BADGES, "BADGES"),
        (BoardRules, rulebook.BOARDS, "BOARDS"),
    ],
)
def test_every_number_of_the_other_sections_has_words(
    section: type[msgspec.Struct], words: dict[str, str], table: str
) -> None:
    """What it decides, as `league rules` prints it."""
    agree(leaves(section), f"`{section.__name__}` of league/domain/rules.py", words, f"{table} of wording/rulebook.py")


@pytest.mark.parametrize("name", EDITION.rulesets)
def test_every_ruleset_can_be_shown(name: str) -> None:
    """Line by line, its bonuses and the settings of live tables too."""
    ruleset = EDITION.rulesets[name]
    shown = {key for key, _, _ in rulebook.ruleset_lines(ruleset)}
    assert {f"bonuses.{key}" for key in to_document(ruleset.bonuses)} <= shown
    assert {f"live.{name}" for name in fields(LiveTableRules)} <= shown
