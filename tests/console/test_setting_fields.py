"""The controls of the settings of an edition: each by the type of its setting, and the rulebook made from them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from starlette.datastructures import FormData

from league.console.admin.rule_fields import RuleFields
from league.console.admin.typed_rules import PART, document_of
from league.console.controls import FieldErrors
from league.domain.rulebook import canonical, differences, parse_rulebook
from league.domain.rulebook_check import leaves
from league.domain.rulebook_defaults import written_out
from league.domain.rules import Rulebook
from league.rulebook import shipped_edition
from league.wording.rulebook import SECTIONS

RULES = shipped_edition()
OFF = parse_rulebook(
    "rating.cap = false\n[rulesets.dominican-200.bonuses]\nchuchazo = false\n[badges]\nstreak = []", RULES
)
BY_SIGN = parse_rulebook("rating.cap = { below = 0.5, above = 0.75 }\nrating.k.provisional_below = 20", RULES)


def answered(rules: Rulebook) -> dict[str, Any]:
    """An edition as the API answers it."""
    return {"document": json.loads(canonical(rules))}


def form_of(rules: Rulebook, /, *unticked: str, **changed: str) -> FormData:
    """The form of an edition as a browser sends it, with some controls changed."""
    titles = {name: ruleset.title for name, ruleset in rules.rulesets.items()}
    sections = RuleFields(answered(rules), answered(RULES), str).sections(titles)
    typed: dict[str, str] = {}
    for one in (one for section in sections for one in section.fields):
        inside = [*one.fields, *(cell for row in one.rows for cell in row)]
        plain = [field for field in (one, *inside) if field.kind not in ("choices", "switch", "rows", "table", "")]
        typed |= {field.name: "" for field in plain} | dict(one.typed)
        typed |= {name: text for field in inside for name, text in field.typed.items()}
    typed = {name: text for name, text in {**typed, **changed}.items() if name not in unticked}
    return FormData([*typed.items(), *((PART, section.part) for section in sections), ("season", "s1")])


def changes(form: FormData, base: Rulebook = RULES) -> dict[str, Any]:
    """The settings that the document of a form changes."""
    return {key: after for key, _, after in differences(base, parse_rulebook(document_of(form), base))}


@pytest.mark.parametrize("rules", [RULES, OFF, BY_SIGN])
def test_controls_that_nobody_changes_are_the_edition_from_which_they_start(rules: Rulebook) -> None:
    """With all that is off, and over whatever edition is in force."""
    assert changes(form_of(rules), rules) == {}
    assert parse_rulebook(document_of(form_of(rules)), RULES) == rules


def test_a_number_of_a_ruleset_tells_the_range_of_the_rulesets_that_score_alike() -> None:
    """In place of the limits of all numbers. Hints leave out the keys of the document."""
    fields = RuleFields(answered(RULES), answered(RULES), str)
    hints = {one.setting.path[-1]: one.hint for one in fields.ruleset("dominican-200", "Dominican").fields}
    assert "usually from 100 to 500" in hints["target"]
    assert "rulesets." not in " ".join(hints.values())
    of_hands = {one.setting.path[-1]: one.hint for one in fields.ruleset("partnership-6", "Six").fields}
    assert "usually" not in of_hands["target"]


def test_every_setting_has_a_control_with_words() -> None:
    """No setting is left to TOML, and none shows its key in place of words."""
    titles = {name: ruleset.title for name, ruleset in RULES.rulesets.items()}
    sections = RuleFields(answered(RULES), answered(RULES), str).sections(titles)
    fields = [field for section in sections for field in section.fields]
    tables = ("rating.cap.", "rating.modifier.differential.points_by_ruleset.")
    document = written_out({"rulesets": answered(RULES)["document"]["rulesets"]})
    settings = leaves("", answered(RULES)["document"] | document)
    wanted = {key for key, value in settings if value != {} and not key.startswith(tables)}
    assert wanted - {field.name for field in fields} == {"title"}
    assert {field.label for field in fields if field.label.lower() == field.setting.path[-1]} <= {
        "Pollonas",
        "Viajeras",
    }
    assert {section.part for section in sections} == {*SECTIONS, *(f"rulesets.{name}" for name in titles)}


@pytest.mark.parametrize(
    ("unticked", "changed", "after"),
    [
        ((), {"badges.streak": "4"}, {"badges.streak": (4,)}),
        ((), {"rating.modifier.pollona.value": "0,25"}, {"rating.modifier.pollona.value": "0.25"}),
        ((), {"rating.cap.off": "yes"}, {"rating.cap": False}),
        ((), {"rulesets.dominican-200.bonuses.chuchazo.off": "yes"},
         {"rulesets.dominican-200.bonuses.chuchazo": None}),
        (("rulesets.cuban-150.bonuses.capicua.off",), {"rulesets.cuban-150.bonuses.capicua": "30"},
         {"rulesets.cuban-150.bonuses.capicua": 30}),
        ((), {"rating.cap": "", "rating.cap.below": "0.5", "rating.cap.above": "1"},
         {"rating.cap": None, "rating.cap.below": "0.5", "rating.cap.above": "1"}),
        ((), {"rulesets.cuban-150.block_tie": "locker"}, {"rulesets.cuban-150.block_tie": "locker"}),
        (("series.competitions.special",), {}, {"series.competitions": ("competitive",)}),
        ((), {"rating.modifier.differential.points_by_ruleset.cuban-150": "15"},
         {"rating.modifier.differential.points_by_ruleset.cuban-150": 15}),
        ((), {"rulesets.dominican-500-bonus.bonuses.rounds": "100 50"},
         {"rulesets.dominican-500-bonus.bonuses.rounds": (100, 50)}),
    ],
)  # fmt: skip
def test_a_changed_control_changes_its_setting_alone(
    unticked: tuple[str, ...], changed: dict[str, str], after: dict[str, Any]
) -> None:
    """Numbers with a comma, lists, choices, boxes, tables; what is off and comes on again."""
    found = changes(form_of(RULES, *unticked, **changed))
    assert {
        key: value if isinstance(value, bool | int | tuple | None) else str(value) for key, value in found.items()
    } == after


def test_the_cap_comes_on_again_with_the_number_that_it_had() -> None:
    """The form of an edition without a cap suggests the one of the edition in force."""
    assert str(changes(form_of(OFF, "rating.cap.off"), OFF)["rating.cap"]) == "1"


def test_rows_are_added_and_removed() -> None:
    """The steps of M: the last row is a new one, and an empty row is left out."""
    steps = RULES.rating.modifier.recovery
    name = f"rating.modifier.recovery.{len(steps)}"
    added = parse_rulebook(document_of(form_of(RULES, **{f"{name}.behind": "190", f"{name}.value": "0.4"})), RULES)
    assert [(step.behind, str(step.value)) for step in added.rating.modifier.recovery[-1:]] == [(190, "0.4")]
    emptied = {"rating.modifier.recovery.0.behind": "", "rating.modifier.recovery.0.value": ""}
    fewer = parse_rulebook(document_of(form_of(RULES, **emptied)), RULES)
    assert fewer.rating.modifier.recovery == steps[1:]


@pytest.mark.parametrize(
    ("unticked", "setting", "text"),
    [
        ((), "badges.streak", "3, 5"),
        ((), "boards.active_days", "1; 2"),
        ((), "series.limit", ""),
        ((), "rating.cap.below", "1"),
        (("rulesets.cuban-150.bonuses.capicua.off",), "rulesets.cuban-150.bonuses.capicua", ""),
        ((), "rating.modifier.recovery.0.value", "much"),
    ],
)
def test_what_cannot_be_read_is_refused_beside_its_control(unticked: tuple[str, ...], setting: str, text: str) -> None:
    """A list with commas, a list for a number, nothing where a number must be, two caps at once."""
    with pytest.raises(FieldErrors) as refused:
        document_of(form_of(RULES, *unticked, **{setting: text}))
    assert [name for name in refused.value.errors if setting.startswith(name)] == [*refused.value.errors]
