"""A rulebook as a document: what it may say, how it is merged, and the hash by which it is known."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest
from comparisons import Compared
from given import EDITION
from hypothesis import given
from hypothesis import strategies as st

import league.rulebook
from league.domain.collected_refusals import Faults, InvalidRulebook, RulebookFault
from league.domain.refusals import InvalidInput
from league.domain.rulebook import (
    _without_inherited,
    canonical,
    content_hash,
    differences,
    parse_rulebook,
    rulebook_from,
    to_document,
)
from league.domain.rulebook_check import leaves
from league.domain.rules import Bonuses, Rulebook

RULEBOOK = Path(league.rulebook.__file__).parent
OWN = """
[rulesets.matanzas-120]
extends = "cuban-150"
title = "Matanzas, 120"
target = 120
"""


def revised(text: str) -> Rulebook:
    """Edition 1 with what a text changes."""
    return parse_rulebook(text, EDITION)


# ---------------------------------------------------------------- what is refused, by its key


@pytest.mark.parametrize(
    ("text", "at", "saying"),
    [
        ("colour = 1", "colour", "is not a setting"),
        ("[rating]\nkfactor = 1", "rating.kfactor", "is not a setting"),
        ("[rating.k]\nslow = 1", "rating.k.slow", "is not a setting"),
        ("[rulesets.cuban-150]\nbonuses = { tip = 1 }", "rulesets.cuban-150.bonuses.tip", "is not a setting"),
        ("[rating.modifier]\nviajera = { value = 0.1, counts = 1 }", "rating.modifier.viajera.counts", "not a setting"),
        ("title = 3", "title", "must be text, not 3"),
        ("rulesets = 5", "rulesets", "must be a table, not 5"),
        ("[rulesets]\ncuban-150 = 5", "rulesets.cuban-150", "must be a table"),
        ("[rating]\nk = 5", "rating.k", "must be a table"),
        ("[rating]\nscale = 400.5", "rating.scale", "must be a whole number of at least 1, not 400.5"),
        ("[rating]\nscale = 0", "rating.scale", "of at least 1, not 0"),
        ("[rating]\nprovisional_below = -1", "rating.provisional_below", "of at least 0, not -1"),
        ("[rating]\nstart = 2026-01-01", "rating.start", "must be a number, not a date"),
        ("[rating.modifier]\npollona = { value = [] }", "rating.modifier.pollona.value", "number, not a list"),
        ("[rulesets.cuban-150]\ntarget = 0", "rulesets.cuban-150.target", "of at least 1"),
        ("[rulesets.cuban-150]\ntarget = true", "rulesets.cuban-150.target", "not true"),
        ('[rulesets.cuban-150]\nblock_tie = "coin"', "rulesets.cuban-150.block_tie", "not the text 'coin'"),
        ('[rulesets.cuban-150]\nset = "double-twelve"', "rulesets.cuban-150.set", "one of double-nine, double-six"),
        ('[rulesets.cuban-150]\nmodes = ["3v3"]', "rulesets.cuban-150.modes[0]", "must be one of"),
        ("[rulesets.cuban-150]\nmodes = []", "rulesets.cuban-150.modes", "at least one mode"),
        ("[rulesets.cuban-150]\ntiles_each = 14", "rulesets.cuban-150.tiles_each", "more than the set"),
        ('[rulesets.cuban-150]\ncapicua_void_on = ["x"]', "rulesets.cuban-150.capicua_void_on[0]", "must be one of"),
        ("[rulesets.dominican-500-bonus]\nbonuses = { rounds = [1, -5] }",
         "rulesets.dominican-500-bonus.bonuses.rounds[1]", "from 0 to 10000, not -5"),
        ('[rating.modifier]\nviajera = { value = 0.1, count = "day" }', "rating.modifier.viajera.count", "hand, match"),
        ("[rating.modifier]\nrecovery = [{ behind = 50 }]", "rating.modifier.recovery[0].value", "is missing"),
        ("[rating.modifier.differential]\npoints_by_ruleset = { canasta = 5 }",
         "rating.modifier.differential.points_by_ruleset.canasta", "no such ruleset"),
        ('[rating.k]\ncasual = "10"', "rating.k.casual", "must be a number, not the text '10'"),
        ('[rulesets.own]\ntitle = "Own"', "rulesets.own.description", "is missing"),
        ("[rulesets.cubann-150]\ntarget = 100", "rulesets.cubann-150", "the nearest is cuban-150"),
        ('[rulesets.own]\nextends = "canasta"', "rulesets.own.extends", "there is no ruleset 'canasta'"),
        ('[rulesets.own]\nextends = "own"', "rulesets.own.extends", "extends itself"),
        ("[rulesets.own]\nextends = 5", "rulesets.own.extends", "there is no ruleset 5"),
        ("title = ", "(file)", "not TOML"),
    ],
)  # fmt: skip
def test_a_wrong_key_or_value_is_refused_by_its_path(text: str, at: str, saying: str) -> None:
    """Unknown keys, wrong types and impossible values name the key."""
    with pytest.raises(InvalidRulebook) as caught:
        revised(text)
    assert caught.value.field == at
    assert saying in caught.value.message


def test_rulesets_that_extend_each_other_are_refused() -> None:
    """Two rulesets that extend each other have no beginning."""
    with pytest.raises(InvalidRulebook, match="extends itself"):
        revised('[rulesets.own]\nextends = "other"\n[rulesets.other]\nextends = "own"')


@pytest.mark.parametrize("value", ["nan", "inf", "-inf"])
def test_a_number_that_is_none_is_refused(value: str) -> None:
    """TOML knows `nan` and `inf`; no rule does."""
    with pytest.raises(InvalidRulebook) as caught:
        revised(f"[rating]\nstart = {value}")
    assert caught.value.field == "rating.start"


def test_extends_names_one_ruleset() -> None:
    """A list of them is refused, like any other wrong type."""
    with pytest.raises(InvalidRulebook) as caught:
        revised('[rulesets.own]\nextends = ["cuban-150"]')
    assert caught.value.field == "rulesets.own.extends"


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("[rating]\ncap = true", "rating.cap"),
        ("[rating.k]\nstandard = 1001", "rating.k.standard"),
        ("[rating.modifier.pollona]\nvalue = 101", "rating.modifier.pollona.value"),
        ("[rating.modifier]\nrecovery = [{ behind = 50, value = 1e309 }]", "rating.modifier.recovery[0].value"),
        ("[rating.modifier]\nrecovery = [{ behind = 50, value = nan }]", "rating.modifier.recovery[0].value"),
        ("[boards]\nactive_days = 1000000", "boards.active_days"),
        ("[rating.modifier.pollona]\nvalue = 1e-999999999", "rating.modifier.pollona.value"),
        ("[rating.modifier.pollona]\nvalue = 0.1234567890123", "rating.modifier.pollona.value"),
        ("[rulesets.dominican-200.bonuses]\npase_corrido = 1000000", "rulesets.dominican-200.bonuses.pase_corrido"),
        (f"[rating]\nstart = {'9' * 401}", "rating.start"),
        (f"[rating]\nstart = {'9' * 5001}", "(file)"),
        ("a = " + "[" * 5000 + "]" * 5000, "(file)"),
        ('title = "a\\u0000b"', "title"),
        ('[rulesets." "]\nextends = "cuban-150"', "rulesets. "),
        ('[rulesets."a+b"]\nextends = "cuban-150"', "rulesets.a+b"),
        ("[rating]\ncap = -1", "rating.cap"),
        ("[rating]\ncap = { below = -0.5, above = 0.75 }", "rating.cap.below"),
        ("[rating]\ncap = { below = 0.5 }", "rating.cap.above"),
        ("[rating]\ncap = { below = 0.5, above = true }", "rating.cap.above"),
        ('[rating]\ncap = "1.0"', "rating.cap"),
        ("[rating.k]\nprovisional_below = -1", "rating.k.provisional_below"),
        ("[rating.k]\nprovisional_below = 2.5", "rating.k.provisional_below"),
        ("[series]\ncompetitions = []", "series.competitions"),
        ('[series]\ncompetitions = "casual"', "series.competitions"),
        ('[series]\ncompetitions = ["casual", "casual"]', "series.competitions[1]"),
        (
            "[badges]\nrecoveries = [{ behind = 50, thresholds = [1] }, { behind = 50, thresholds = [9] }]",
            "badges.recoveries[1].behind",
        ),
        ("[rating.overall]\nmain_weight = 7", "rating.overall.main_weight"),
        ("[rating.overall]\nmain_weight = -0.1", "rating.overall.main_weight"),
        ("[rating.overall]\nbalanced_share = 1.5", "rating.overall.balanced_share"),
    ],
)
def test_a_number_that_no_league_can_mean_is_refused(text: str, at: str) -> None:
    """A cap is a number from 0 or `false`, a share lies between 0 and 1."""
    with pytest.raises(InvalidRulebook) as caught:
        revised(text)
    assert caught.value.field == at


def test_false_switches_off_what_a_base_has_and_an_edition_may_leave_out() -> None:
    """A bonus, the points of a step in one ruleset, the other K for newcomers; nothing that an edition needs."""
    stepped = revised("rating.k.provisional_below = 20\nrating.modifier.differential.points_by_ruleset.chiva-4 = 1")
    text = (
        "rating.k.provisional_below = false\nrating.modifier.differential.points_by_ruleset.chiva-4 = false\n"
        "rulesets.dominican-200.bonuses.chuchazo = false\nrulesets.cuban-150.bonuses.capicua = false"
    )
    changed = [key for key, _, _ in differences(league.rulebook.shipped_edition(), parse_rulebook(text, stepped))]
    assert changed == ["rulesets.dominican-200.bonuses.chuchazo"]
    with pytest.raises(InvalidRulebook) as caught:
        revised("series.limit = false")
    assert caught.value.field == "series.limit"


def test_a_rulebook_of_its_own_has_to_say_everything() -> None:
    """Without an edition to change, a missing section is named."""
    with pytest.raises(InvalidRulebook) as caught:
        parse_rulebook('title = "Mine"')
    assert caught.value.field == "rulesets"


MANY_FAULTS = """
colour = "red"
title = 3

[rulesets.cuban-150]
modes = []
block_tie = "coin"

[rulesets.chiva-4]
tiles_each = 9

[rulesets.own]
extends = "canasta"

[rating]
kfactor = 1
cap = -1
scale = 0

[rating.k]
casual = "10"
special = 5000

[rating.modifier]
pollona = { value = 101 }
recovery = [{ behind = 50 }, { behind = 100, value = nan }]

[series]
limit = 2000
competitions = ["casual", "friendly", "casual"]
"""


def test_all_faults_are_named_at_once() -> None:
    """Unknown keys, missing keys, wrong types and impossible values of every section, each once."""
    with pytest.raises(InvalidRulebook) as caught:
        revised(MANY_FAULTS)
    assert {problem.at: problem.reason for problem in caught.value.problems} == {
        "rulesets.own.extends": "there is no ruleset 'canasta'",
        "rating.modifier.recovery[1].value": "must be a finite number",
        "title": "must be text, not 3",
        "rulesets.cuban-150.block_tie": "must be one of locker, next_starts, no_score, previous_winner, starter,"
        " starting_draw, not the text 'coin'",
        "rating.scale": "must be a whole number of at least 1, not 0",
        "rating.k.casual": "must be a number, not the text '10'",
        "rating.modifier.recovery[0].value": "is missing",
        "rating.kfactor": "is not a setting",
        "series.limit": "must be a whole number from 1 to 1000, not 2000",
        "series.competitions[1]": "must be one of casual, competitive, special, not the text 'friendly'",
        "colour": "is not a setting",
        "rulesets.cuban-150.modes": "must name at least one mode",
        "rulesets.chiva-4.tiles_each": "4 hands of 9 are more than the set",
        "rating.cap": "must be a number from 0, false for no cap, or a number each for below and above",
        "rating.k.special": "must be a K from 0 to 1000",
        "rating.modifier.pollona.value": "must be a term of M from -100 to 100",
        "series.competitions[2]": "is named twice",
    }
    assert len(caught.value.problems) == 17


def test_points_of_a_ruleset_that_extends_no_ruleset_are_no_second_fault() -> None:
    """The ruleset is there; only what it extends is not."""
    with pytest.raises(InvalidRulebook) as caught:
        revised(
            '[rulesets.own]\nextends = "canasta"\n'
            "[rating.modifier.differential]\npoints_by_ruleset = { own = 5, other = 5 }"
        )
    assert [problem.at for problem in caught.value.problems] == [
        "rulesets.own.extends",
        "rating.modifier.differential.points_by_ruleset.other",
    ]


@pytest.mark.parametrize("value", ["true", '"1.0"', "[]", "2026-01-01"])
def test_a_cap_of_a_wrong_type_is_told_what_a_cap_can_be(value: str) -> None:
    """`false` means no cap; `true` means nothing."""
    with pytest.raises(InvalidRulebook, match="must be a number, false or a table, not"):
        revised(f"[rating]\ncap = {value}")


def refused(faults: int) -> str:
    """The message about an edition with so many unknown settings."""
    with pytest.raises(InvalidRulebook) as caught:
        revised("\n".join(f"unknown_{number:05} = 1" for number in range(faults)))
    assert len(caught.value.problems) == faults
    return caught.value.message


def test_a_message_names_the_first_faults_and_counts_the_others() -> None:
    """10,000 faults make no longer a message than 10 and a count."""
    assert refused(10_000) == f"{refused(10)}; and 9990 more"


def test_a_message_about_several_refusals_names_the_first_and_counts_the_others() -> None:
    """The message about several faults of one input names the first and counts the others."""
    ten, many = (Faults(tuple(InvalidInput(f"at.{n:05}", "is wrong") for n in range(count))) for count in (10, 10_000))
    assert many.message == f"{ten.message}; and 9990 more"


def test_inherited_faults_are_found_without_comparing_each_fault_with_each() -> None:
    """The comparisons grow with the number of faults, not with its square."""
    Compared.comparisons = 0
    faults = tuple(
        RulebookFault(Compared(f"rulesets.own.unknown_{number}"), "is not a setting") for number in range(1000)
    )
    assert len(_without_inherited(faults, {"own": "cuban-150"})) == 1000
    assert Compared.comparisons < 10_000


def test_a_fault_of_a_parent_is_named_once() -> None:
    """A fault is reported at its ruleset only, not at the rulesets that extend it."""
    text = (RULEBOOK / "edition-1.toml").read_text(encoding="utf-8").replace("target = 200\n", "target = 0\n")
    with pytest.raises(InvalidRulebook) as caught:
        parse_rulebook(text)
    parents = {problem.at for problem in caught.value.problems}
    assert parents == {"rulesets.doscientos-200.target", "rulesets.dominican-200.target"}


plain = st.none() | st.booleans() | st.integers(-2, 2) | st.decimals(-2, 2, places=1) | st.text(max_size=3)
wrong = st.recursive(plain | st.just(Decimal("nan")), lambda one: st.lists(one, max_size=2) | st.dictionaries(
    st.text(max_size=3), one, max_size=2
))  # fmt: skip


@pytest.mark.heavy
@given(st.data())
def test_a_document_is_either_read_or_refused(data: st.DataObject) -> None:
    """Another value at any key: every fault has a key of its own, and a document without a fault can be read."""
    document = to_document(EDITION)
    key, _ = data.draw(st.sampled_from(leaves("", document)))
    *path, name = key.split(".")[: data.draw(st.integers(1, 5))]
    section = document
    for part in path:
        section = section[part]
    section[name] = data.draw(wrong)
    try:
        read = rulebook_from(document)
    except InvalidRulebook as refused:
        keys = [problem.at for problem in refused.problems]
        assert keys
        assert len(set(keys)) == len(keys)
    else:
        assert rulebook_from(to_document(read)) == read


# ---------------------------------------------------------------- merging


def test_a_revision_names_only_what_it_changes() -> None:
    """Everything else stays as it was."""
    new = revised("[rating]\ncap = false\n[rating.k]\nprovisional = 32\n[rulesets.cuban-150]\ntarget = 200")
    assert differences(EDITION, new) == [
        ("rating.cap", Decimal(1), False),
        ("rating.k.provisional", Decimal(40), Decimal(32)),
        ("rulesets.cuban-150.target", 150, 200),
    ]


def test_a_list_is_replaced_whole() -> None:
    """Only tables are merged."""
    new = revised("[rulesets.dominican-500-bonus]\nbonuses = { rounds = [10] }")
    assert new.rulesets["dominican-500-bonus"].bonuses.rounds == (10,)
    assert new.rulesets["dominican-500-bonus"].bonuses.capicua == 50


def test_nothing_changed_is_the_same_edition() -> None:
    """An empty revision."""
    assert revised("") == EDITION


def test_a_ruleset_may_extend_another() -> None:
    """It names only what differs; other rulesets stay."""
    new = revised(OWN)
    own = new.rulesets["matanzas-120"]
    assert (own.target, own.title, own.set) == (120, "Matanzas, 120", "double-nine")
    assert {name for name in new.rulesets if name not in EDITION.rulesets} == {"matanzas-120"}


def test_a_ruleset_may_extend_one_that_extends_another() -> None:
    """dominican-500-bonus says rounds, dominican-500 the opening pass, dominican-200 the rest."""
    assert EDITION.rulesets["dominican-500-bonus"].bonuses == Bonuses(
        opening_pass=25, pase_corrido=25, capicua=50, chuchazo=50, rounds=(100, 75, 50, 25)
    )


def test_a_revision_of_a_parent_leaves_its_published_children_alone() -> None:
    """In a published edition every ruleset is complete."""
    new = revised("[rulesets.dominican-200]\nbonuses = { capicua = 30 }")
    assert new.rulesets["dominican-200"].bonuses.capicua == 30
    assert new.rulesets["dominican-500"].bonuses.capicua == 50


def test_an_edition_is_the_same_after_it_was_written_down() -> None:
    """Its document gives it back."""
    assert rulebook_from(to_document(EDITION)) == EDITION


# ---------------------------------------------------------------- hash


def test_the_hash_does_not_depend_on_the_spelling_of_a_number() -> None:
    """0.10 is 0.1, and 20.0 is 20."""
    base = content_hash(EDITION)
    assert content_hash(revised("[rating.modifier]\ncapicua = { value = 0.10 }")) == base
    assert content_hash(revised("[rating.k]\nstandard = 20.0")) == base
    assert content_hash(revised("[rating]\nstart = 1.5e3")) == base


def test_the_hash_does_not_depend_on_the_order_of_keys() -> None:
    """A document with its keys in reverse order has an equal hash."""

    def backwards(value: object) -> object:
        return {key: backwards(value[key]) for key in reversed(value)} if isinstance(value, dict) else value

    document = backwards(to_document(EDITION))
    assert content_hash(rulebook_from(document)) == content_hash(EDITION)


def test_the_hash_depends_on_everything_else() -> None:
    """A number, a choice, a word."""
    texts = ["[rating]\ncap = false", '[rulesets.cuban-150]\nblock_tie = "starter"', 'title = "Other"', OWN,
             "[rulesets.cuban-150]\ntarget = 151", "[rating.modifier]\ncapicua = { value = 0.11 }"]  # fmt: skip
    assert len({content_hash(EDITION), *(content_hash(revised(text)) for text in texts)}) == len(texts) + 1


@pytest.mark.heavy
@given(st.decimals("0", "99999", places=4), st.integers(0, 6))
def test_equal_numbers_have_one_spelling(value: Decimal, zeros: int) -> None:
    """Trailing zeros and exponents do not change the hash."""
    spelled = [f"{value}{'0' * zeros}", f"{value:E}", str(value.normalize())]
    editions = [revised(f"[rating]\nstart = {text if set(text) & set('.E') else text + '.0'}") for text in spelled]
    assert len({canonical(edition) for edition in editions}) == 1


# ---------------------------------------------------------------- edition 1


def test_edition_1_has_every_ruleset() -> None:
    """Ten of them, each whole."""
    assert set(EDITION.rulesets) == {
        "cuban-150", "doscientos-100", "doscientos-200", "caribbean-500-bonus", "partnership-6", "chiva-4",
        "dominican-200", "dominican-250", "dominican-500", "dominican-500-bonus",
    }  # fmt: skip


def test_every_choice_of_edition_1_says_what_it_is() -> None:
    """Title and description are there for people."""
    for rules in EDITION.rulesets.values():
        assert rules.title
        assert rules.description.endswith(".")
