"""The fields of a replay's form: every number of the edition in force, and the rulebook made from them."""

from __future__ import annotations

import json

import pytest
from starlette.datastructures import FormData

from league.console.admin.rule_fields import LISTS, document_of, groups_of
from league.console.controls import FieldErrors
from league.domain.rulebook import canonical, differences, parse_rulebook
from league.rulebook import shipped_edition
from league.wording.rulebook import SECTIONS, ruleset_lines, section_lines

RULES = shipped_edition()
EDITION = {
    "document": json.loads(canonical(RULES)),
    **{
        section: [{"setting": f"{section}.{key}", "decides": what} for key, what, _ in section_lines(RULES, section)]
        for section in SECTIONS
    },
    "rulesets": [
        {
            "name": name,
            "title": rules.title,
            "inWords": [{"setting": k, "decides": w} for k, w, _ in ruleset_lines(rules)],
        }
        for name, rules in sorted(RULES.rulesets.items())
    ],
}
FIELDS = [field for group in groups_of(EDITION) for field in group.fields]


def typed(**changed: str) -> FormData:
    """The form as a browser sends it, with some fields changed."""
    lists = " ".join(field.setting for field in FIELDS if field.is_list)
    return FormData({**{field.setting: field.value for field in FIELDS}, **changed, LISTS: lists, "season": "s1"})


def test_fields_that_nobody_changes_are_the_edition_in_force() -> None:
    """There are fields for every part: rating, series, badges, boards, and each ruleset with its bonuses."""
    assert {field.setting.partition(".")[0] for field in FIELDS} == {*SECTIONS, "rulesets"}
    assert {"rulesets.dominican-200.bonuses.chuchazo", "badges.streak"} <= {field.setting for field in FIELDS}
    assert differences(RULES, parse_rulebook(document_of(typed()), RULES)) == []


def test_a_changed_field_changes_its_setting_alone() -> None:
    """A list of one number stays a list. A decimal comma is read, too."""
    changed = {"badges.streak": "4", "rating.modifier.pollona.value": "0,25", "rulesets.cuban-150.target": "200"}
    found = differences(RULES, parse_rulebook(document_of(typed(**changed)), RULES))
    assert [key for key, _, _ in found] == sorted(changed)


@pytest.mark.parametrize(
    ("setting", "text"), [("badges.streak", "3, 5"), ("boards.active_days", "1; 2"), ("series.limit", "")]
)
def test_what_is_no_number_is_refused_beside_its_field(setting: str, text: str) -> None:
    """Refused are lists with commas, lists for a single number, and empty fields."""
    with pytest.raises(FieldErrors) as refused:
        document_of(typed(**{setting: text}))
    assert list(refused.value.errors) == [setting]
