"""Settings added after edition 1: editions that do not use them keep their hash and their stored form."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal

import msgspec
import pytest
from given import EDITION
from hypothesis import given
from hypothesis import strategies as st
from msgspec import inspect
from msgspec.structs import replace

from league.domain.rulebook import (
    AdoptTimeline,
    EditionAdopted,
    EditionPublished,
    PublishEdition,
    RulebookState,
    adopt_timeline,
    canonical,
    content_hash,
    differences,
    evolve,
    parse_rulebook,
    publish_edition,
    to_document,
)
from league.domain.rulebook_defaults import ADDED_AFTER_EDITION_1, LEFT_OUT_AT_DEFAULT, in_one_form, written_out
from league.domain.rules import (
    Bonuses,
    CapBySign,
    DifferentialTerm,
    KFactors,
    LiveTableRules,
    Rulebook,
    RulebookSection,
    Ruleset,
    SeriesRules,
)
from league.domain.timeline import EditionSpan
from league.eventlog.codec import decode_body, encode_body

ROOT = Path(__file__).parents[2]
REVISIONS = ROOT / "examples" / "revisions"
GOLDEN = ROOT / "tests" / "eventlog" / "golden" / "edition-published-1.json"

HASHES = {
    "caribbean-play": "3193b461837caf4a87b1b85fa08b35e9e040cffbd12ea29e1ddb733d61b94569",
    "caribbean-ratings": "ee7e85ad77a6e9f648fd92a10d75daa098cacd3d1423b55a1cb92bf50d31deb5",
    "cuban-play": "897828f32aec00ac381b0096eeaa79d473466284bc80098446ec7cf269b01b2b",
    "cuban-ratings": "423a1a6704f9321bccdb29d9a92d31a0e3d3f735647b819ff4d68442eac01de2",
    "dominican-play": "d948568c408a529464fd94e155a59b4c812b4fc3c515586ca385548a86e6e6d3",
    "dominican-ratings": "2bbc35d51e32ebb69a94693009675e50e963f6af27baf180eb1c3da43ae9f68f",
}
"""The hash of each revision in `examples/revisions` over edition 1, from before any setting was added."""
EDITION_1 = "94b86c0cc1a947055bea3e8a89ed8a7bfd3e04b7cca445ade6e4a9427c0f33a6"


def revised(text: str) -> Rulebook:
    """Edition 1 with what a text changes."""
    return parse_rulebook(text, EDITION)


# ---------------------------------------------------------------- hashes that stay


def test_edition_1_keeps_its_hash() -> None:
    """The hash that leagues have stored since edition 1 was written."""
    assert content_hash(EDITION) == EDITION_1


@pytest.mark.parametrize("revision", HASHES)
def test_a_published_revision_keeps_its_hash(revision: str) -> None:
    """Each example revision over edition 1 has the hash that it had before any setting was added."""
    assert content_hash(revised((REVISIONS / f"{revision}.toml").read_text(encoding="utf-8"))) == HASHES[revision]


def test_every_revision_of_the_examples_has_its_hash_here() -> None:
    """A new example is compared too."""
    assert {path.stem for path in REVISIONS.glob("*.toml")} == set(HASHES)


@pytest.mark.parametrize(
    ("text", "hash_"),
    [
        ("rating.cap = false", "0beb187327ec7501f153bf51bcae4b93a5890c51426a9d4512c83b0275693543"),
        ("rating.cap = 0.5", "67cf9aa70ee20bc34f822998fb449665a5105486c265ca5ab6e90166783980b0"),
        ("rating.provisional_below = 20", "3b0198eec7b93789d5c382dd959e079709213d8a43dddccaa556d8f61a7a6079"),
        ("series.limit = 3", "1894fb75bd544b523b53e467f4e54e0ae052898e02767cd9fef7263eba596f77"),
        (
            "rating.modifier.differential.points_by_ruleset = { dominican-500 = 25 }",
            "b9c4a2f87574645d301f22a624631f4ae1c4c40aff5a03fefb54c452af813d96",
        ),
    ],
)
def test_a_change_of_an_old_setting_keeps_its_hash(text: str, hash_: str) -> None:
    """The sections that have grown hash as before when only their old settings change."""
    assert content_hash(revised(text)) == hash_


def test_a_default_of_edition_1_is_hashed() -> None:
    """`points_by_ruleset = {}` is a default too, but an older one: it stays in the hashed bytes."""
    assert b'"points_by_ruleset":{}' in canonical(EDITION)


# ---------------------------------------------------------------- new settings at their default


@pytest.mark.parametrize(
    "text",
    [
        'series.competitions = ["competitive", "special"]',
        'series.competitions = ["special", "competitive"]',
        "rating.k.provisional_below = 30",
        "rating.cap = { below = 1, above = 1.0 }",
        "rulesets.cuban-150.live = {}",
        'rulesets.cuban-150.live = { turn_seconds = 30, on_timeout = "pass" }',
    ],
)
def test_a_setting_written_out_at_its_default_changes_nothing(text: str) -> None:
    """The edition is the same: its hash, its structure, its stored form and what it changes."""
    new = revised(text)
    assert content_hash(new) == EDITION_1
    assert new == EDITION
    assert encode_body(EditionPublished(1, EDITION_1, new)) == encode_body(EditionPublished(1, EDITION_1, EDITION))
    assert differences(EDITION, new) == []


@pytest.mark.parametrize(
    "text",
    [
        'series.competitions = ["competitive"]',
        'series.competitions = ["casual", "competitive", "special"]',
        "rating.k.provisional_below = 29",
        "rating.cap = { below = 0.5, above = 0.75 }",
        "rulesets.cuban-150.live.turn_seconds = 20",
    ],
)
def test_a_setting_beside_its_default_is_another_edition(text: str) -> None:
    """It has another hash, and its stored form gives it back."""
    new = revised(text)
    assert content_hash(new) != EDITION_1
    stored = encode_body(EditionPublished(2, content_hash(new), new))
    read = decode_body("edition-published/1", stored)
    assert (read.document, content_hash(read.document)) == (new, content_hash(new))
    assert msgspec.json.decode(canonical(new), type=Rulebook) == new


@pytest.mark.heavy
@given(st.decimals(0, 1_000, places=6))
def test_equal_halves_of_a_cap_hash_as_the_number(number: Decimal) -> None:
    """A cap with two equal numbers hashes as that number, parsed or as a structure."""
    plain = content_hash(revised(f"rating.cap = {number}"))
    assert content_hash(revised(f"rating.cap = {{ below = {number}, above = {number} }}")) == plain
    halves = replace(EDITION, rating=replace(EDITION.rating, cap=CapBySign(below=number, above=number)))
    assert content_hash(halves) == plain


@pytest.mark.heavy
@given(st.integers(0, 1_000))
def test_a_count_for_k_that_equals_the_shown_one_hashes_as_if_absent(below: int) -> None:
    """The two counts are one as long as they are equal."""
    one = revised(f"rating.provisional_below = {below}")
    both = revised(f"rating.provisional_below = {below}\nrating.k.provisional_below = {below}")
    assert (content_hash(both), both) == (content_hash(one), one)


@given(st.permutations(["casual", "competitive", "special"]), st.integers(1, 3))
def test_the_order_of_competitions_does_not_matter(order: list[str], length: int) -> None:
    """They are hashed sorted."""
    named = order[:length]
    one = revised(f"series.competitions = {json.dumps(named)}")
    assert content_hash(one) == content_hash(revised(f"series.competitions = {json.dumps(sorted(named))}"))
    assert list(one.series.competitions) == sorted(named)


def test_what_an_edition_changes_names_the_new_settings() -> None:
    """Each change has its key; a setting that the previous edition omits has its default."""
    text = 'series.competitions = ["competitive"]\nrating.cap = { below = 0.5, above = 1 }'
    assert differences(EDITION, revised(f"{text}\nrating.k.provisional_below = 20")) == [
        ("rating.cap", Decimal(1), None),
        ("rating.cap.above", None, Decimal(1)),
        ("rating.cap.below", None, Decimal("0.5")),
        ("rating.k.provisional_below", None, 20),
        ("series.competitions", ("competitive", "special"), ("competitive",)),
    ]


# ---------------------------------------------------------------- the list of added settings


def default_of(field: inspect.Field) -> Any:
    """The value in a document that leaves a setting out; for a section, the settings that differ from defaults."""
    default = field.default if field.default_factory is msgspec.NODEFAULT else field.default_factory()
    return to_document(default) if isinstance(default, RulebookSection) else default


def optional(kind: inspect.Type, at: str = "") -> dict[str, Any]:
    """Every setting with a default, by its dotted key; `*` is every item of a table by name, or of a list."""
    match kind:
        case inspect.StructType():
            found: dict[str, Any] = {}
            for field in kind.fields:
                key = f"{at}.{field.encode_name}" if at else field.encode_name
                if not field.required:
                    found[key] = default_of(field)
                found |= optional(field.type, key)
            return found
        case inspect.DictType():
            return optional(kind.value_type, f"{at}.*")
        case inspect.VarTupleType():
            return optional(kind.item_type, f"{at}.*")
        case inspect.UnionType():
            return {key: default for one in kind.types for key, default in optional(one, at).items()}
    return {}


HASHED_AT_DEFAULT = {"rating.modifier.differential.points_by_ruleset": {}}
"""Edition 1 was hashed with it."""


def test_every_optional_setting_is_an_old_one_or_on_the_list() -> None:
    """A setting that is added with a default but not listed would change the hash of edition 1."""
    assert optional(inspect.type_info(Rulebook)) == LEFT_OUT_AT_DEFAULT | HASHED_AT_DEFAULT


def completed(value: Any, kind: inspect.Type) -> Any:
    """A document with every default written out."""
    match kind:
        case inspect.StructType() if isinstance(value, dict):
            fields = {field.encode_name: field for field in kind.fields}
            whole = {key: default_of(field) for key, field in fields.items() if not field.required}
            return {key: completed(item, fields[key].type) for key, item in (whole | value).items()}
        case inspect.DictType() if isinstance(value, dict):
            return {key: completed(item, kind.value_type) for key, item in value.items()}
    return value


def test_the_list_alone_decides_what_stays_out_of_the_hash() -> None:
    """A document with every default written out is hashed as one that leaves them out."""
    document = to_document(EDITION)
    whole = completed(document, inspect.type_info(Rulebook))
    assert whole["rating"]["k"]["provisional_below"] is None
    assert whole["rulesets"]["cuban-150"]["bonuses"]["rounds"] == ()
    assert in_one_form(whole) == in_one_form(document)


class TimedRuleset(Ruleset, frozen=True, omit_defaults=False):
    """A ruleset with a setting that a later program could add."""

    on_timeout: Literal["loses", "draws"] = "loses"


class TimedRulebook(Rulebook, frozen=True):
    """An edition of such rulesets."""

    rulesets: dict[str, TimedRuleset]  # type: ignore[assignment]  # a made-up program


def test_a_setting_added_to_rulesets_keeps_the_hash_at_its_default(monkeypatch: pytest.MonkeyPatch) -> None:
    """Listed as `rulesets.*`, it stays out of the hash of edition 1, and is hashed where a ruleset sets it."""
    key = "rulesets.*.on_timeout"
    document = to_document(EDITION)
    timed = msgspec.convert(document, TimedRulebook)
    assert key in optional(inspect.type_info(TimedRulebook))
    assert content_hash(timed) != EDITION_1, "it is not listed"
    monkeypatch.setitem(ADDED_AFTER_EDITION_1, key, "loses")
    monkeypatch.setitem(LEFT_OUT_AT_DEFAULT, key, "loses")
    assert content_hash(timed) == EDITION_1
    assert all(ruleset["on_timeout"] == "loses" for ruleset in written_out(document)["rulesets"].values())
    document["rulesets"]["cuban-150"]["on_timeout"] = "draws"
    assert content_hash(msgspec.convert(document, TimedRulebook)) != EDITION_1
    assert written_out(document)["rulesets"]["cuban-150"]["on_timeout"] == "draws"


def test_the_log_stores_bonuses_and_added_settings_only_where_they_differ_from_their_default() -> None:
    """`omit_defaults` keeps the stored form of edition 1; a section whose default is stored does without it."""
    assert all(
        section.__struct_config__.omit_defaults for section in (KFactors, SeriesRules, Bonuses, Ruleset, LiveTableRules)
    )
    assert not DifferentialTerm.__struct_config__.omit_defaults


# ---------------------------------------------------------------- stored editions


def golden_body() -> bytes:
    body, *_ = json.loads(GOLDEN.read_text(encoding="utf-8"))
    return json.dumps(body).encode()


def test_an_edition_stored_before_the_settings_existed_decodes_and_keeps_its_hash() -> None:
    """The golden body of an earlier program, with the hash that it was published under."""
    published = decode_body("edition-published/1", golden_body())
    assert content_hash(published.document) == published.hash
    assert published.document.series.competitions == ("competitive", "special")
    assert published.document.rating.k_provisional_below == published.document.rating.provisional_below == 30


def test_a_published_edition_goes_by_its_stored_hash() -> None:
    """Even if this program would compute another hash, nothing is published twice."""
    stored = EditionPublished(1, "0" * 64, EDITION)
    state = evolve(evolve(RulebookState(), stored), EditionAdopted((EditionSpan(None, 1),)))
    other = revised("rating.cap = false")
    spans = ((None, "0" * 64, EDITION), (None, "1" * 64, other))
    assert adopt_timeline(AdoptTimeline(spans), state) == [
        EditionPublished(2, "1" * 64, other),
        EditionAdopted((EditionSpan(None, 1), EditionSpan(None, 2))),
    ]
    assert state.edition(1) == EDITION


def test_publishing_compares_with_stored_hashes() -> None:
    """A document whose hash no published edition has is a new edition."""
    state = evolve(RulebookState(), EditionPublished(1, "0" * 64, EDITION))
    assert publish_edition(PublishEdition(EDITION), state) == [EditionPublished(2, EDITION_1, EDITION)]
