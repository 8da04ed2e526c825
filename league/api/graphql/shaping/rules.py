"""The enums of rules and of terms; each value is an entry of the registries of the domain."""

from enum import Enum

import strawberry

from league.api.graphql.enums import word
from league.wording.not_judged import RULES
from league.wording.reasons import K_RULES
from league.wording.terms import MODIFIER_RULES, SCORING_RULES, TERMS

BEGINS_WITH_A_LETTER = {"1v1": "ONE_ON_ONE", "2v2": "TWO_ON_TWO"}
"""As names of GraphQL do."""


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


@strawberry.enum(description="A rule that gives points in a hand or at the end of a match. New rules may be added.")
class ScoringRule(Enum):
    _ignore_ = "name text"
    for name, text in SCORING_RULES.items():
        vars()[name.upper()] = word(name, description=_sentence(text))


@strawberry.enum(description="A rule that adds to the performance modifier M. New rules may be added.")
class ModifierRule(Enum):
    _ignore_ = "name text"
    for name, text in MODIFIER_RULES.items():
        vars()[name.upper()] = word(name, description=_sentence(text))


@strawberry.enum(description="The rule that chose K, by what it is for.")
class KRule(Enum):
    _ignore_ = "name text"
    for name, text in K_RULES.items():
        vars()[name.upper()] = word(name, description=_sentence(text))


@strawberry.enum(description="What was not judged.")
class NotJudgedRule(Enum):
    _ignore_ = "name text"
    for name, text in RULES.items():
        vars()[name.upper()] = word(name, description=_sentence(text))


@strawberry.enum(description="A term of an explanation. New terms may be added.")
class TermName(Enum):
    _ignore_ = "name text"
    for name, text in TERMS.items():
        vars()[BEGINS_WITH_A_LETTER.get(name, name.upper())] = word(name, description=_sentence(text))
