"""Which fields are cacheable, and why the others are fresh."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from graphql import GraphQLInterfaceType, GraphQLObjectType, get_named_type, is_abstract_type

import league.api
from league.api.graphql.executing.answer_cache import is_cacheable, may_be_cached
from league.api.schema import core

CLOCK, VIEWER = "depends on the time of day", "depends on the viewer"
LOG = "reads the log, or what the log has beyond the read side"
OTHER_TABLES = "reads tables that change without an event"
COMPUTED = "computes something from what was given, with the rules of the log"

FRESH = {
    "BoardPlace.explanation": LOG,
    "Competitor.series": CLOCK,
    "EarnedBadge.event": LOG,
    "EarnedBadge.explanation": LOG,
    "Hand.explanation": LOG,
    "Hand.hasTranscript": LOG,
    "Hand.photos": VIEWER,
    "Hand.review": OTHER_TABLES,
    "Hand.transcript": LOG,
    "Night.here": VIEWER,
    "Player.reviewedPlay": VIEWER,
    "Team.reviewedPlay": VIEWER,
    "JournalEntry.event": LOG,
    "Notice.correctionReason": VIEWER,
    "Notice.event": LOG,
    "Promotion.event": LOG,
    "JournalEntry.text": LOG,
    "LateMatch.event": LOG,
    "Match.event": LOG,
    "Match.explanation": LOG,
    "Match.log": LOG,
    "Match.photos": VIEWER,
    "Match.proof": VIEWER,
    "Match.scoreHand": COMPUTED,
    "Match.scoreNotes": COMPUTED,
    "Match.table": VIEWER,
    "Member.position": LOG,
    "MonthClosing.event": LOG,
    "Photo.score": VIEWER,
    "Player.position": LOG,
    "Player.series": CLOCK,
    "Query.checkNames": VIEWER,
    "Query.deriveFacts": COMPUTED,
    "Query.disputes": VIEWER,
    "Query.headToHead": CLOCK,
    "League.head": LOG,
    "League.lagSeconds": LOG,
    "Query.event": VIEWER,
    "Query.member": VIEWER,
    "Query.members": VIEWER,
    "Query.merges": VIEWER,
    "Query.nameTwins": VIEWER,
    "Query.photo": VIEWER,
    "Query.preview": VIEWER,
    "Query.previewHouseRules": VIEWER,
    "Query.previewMerge": VIEWER,
    "Query.previewRound": COMPUTED,
    "Query.previewTimeZone": VIEWER,
    "Query.previewUndoMerge": VIEWER,
    "Query.officialTimelines": LOG,
    "Query.previewPromotion": VIEWER,
    "Query.replay": OTHER_TABLES,
    "Query.replays": OTHER_TABLES,
    "Query.rulesReview": OTHER_TABLES,
    "Query.scoreHand": COMPUTED,
    "Query.signedHead": OTHER_TABLES,
    "Query.signedHeads": OTHER_TABLES,
    "Query.table": VIEWER,
    "Query.tables": VIEWER,
    "Query.lastBackup": VIEWER,
    "Query.trail": VIEWER,
    "Query.viewer": VIEWER,
    "Query.whatIf": VIEWER,
    "Query.whatIfHand": VIEWER,
    "Query.whatIfNot": VIEWER,
    "RatingChange.event": LOG,
    "RatingChange.explanation": LOG,
    "Replay.difference": OTHER_TABLES,
    "Replay.restores": LOG,
    "Replay.rules": OTHER_TABLES,
    "Replay.title": OTHER_TABLES,
    "Replay.author": VIEWER,
    "Replay.changes": OTHER_TABLES,
    "Proposal.replay": OTHER_TABLES,
    "Replay.requestedBy": VIEWER,
    "SeriesMonth.encounters": CLOCK,
    "SeriesStanding.explanation": LOG,
    "Subscription.boardsChanged": "says what has changed since the message before",
    "Subscription.matchesChanged": "goes on from a position of its own",
    "Subscription.photoChanged": VIEWER,
    "Subscription.replayChanged": OTHER_TABLES,
    "Subscription.tableChanged": VIEWER,
    "Subscription.tournamentsChanged": "says what has changed since the message before",
    "Table.finishedHands": LOG,
    "Team.series": CLOCK,
    "Tournament.asksDevices": "follows from the settings of this server",
    "Tournament.ownTable": VIEWER,
    "TournamentRound.draft": VIEWER,
    "TournamentRound.proofOfCommitment": VIEWER,
    "TournamentBye.why": "asks a worker for what is not there",
    "TournamentBye.whyState": "asks a worker for what is not there",
    "TournamentTable.why": "asks a worker for what is not there",
    "TournamentTable.whyState": "asks a worker for what is not there",
}
"""Each fresh field that a document of cacheable fields can reach, and why it is fresh."""


def reachable() -> Iterator[tuple[str, bool]]:
    """The fields of queries and subscriptions, and whether they are cacheable, without the fields below a fresh one."""
    waiting, seen = [core.query_type, core.subscription_type], set()
    while waiting:
        parent = waiting.pop()
        if parent in seen or not isinstance(parent, GraphQLObjectType | GraphQLInterfaceType):
            continue
        seen.add(parent)
        for name, field in parent.fields.items():
            may = may_be_cached(field.extensions["strawberry-definition"])
            yield f"{parent.name}.{name}", may
            kind = get_named_type(field.type)
            if may:
                waiting += [kind, *(core.get_possible_types(kind) if is_abstract_type(kind) else ())]


def test_each_field_is_cacheable_or_is_fresh_for_a_reason() -> None:
    """Declare a new field `@cacheable`, or list it here with the reason why it is not."""
    assert sorted(name for name, may in reachable() if not may) == sorted(FRESH)


def test_a_document_is_cacheable_if_all_of_its_fields_are() -> None:
    """The fields of fragments count, and behind an interface the fields of each type."""
    wanted = "query A { board { places { nodes { ...P } } } } fragment P on BoardPlace { rank player { displayName } }"
    assert is_cacheable(core, wanted, "A")
    assert is_cacheable(core, "{ __typename __schema { types { name } } }", None)
    fresh = "{ board { places { nodes { ...P } } } } fragment P on BoardPlace { explanation { value } }"
    assert not is_cacheable(core, fresh, None)
    assert not is_cacheable(core, '{ node(id: "x") { ... on Match { proof } } }', None)
    assert not is_cacheable(core, "{ board { kind } league { head } }", None)


CLOCKS = re.compile(r"import .*\bclock\b|\b(?:datetime\.now|utcnow|time\.time)\(")
READ_A_CLOCK = {
    "api/auth/tokens.py",
    "api/graphql/executing/context.py",
    "api/graphql/live/open_sessions.py",
    "api/graphql/executing/rate_limits.py",
    "api/graphql/executing/read_from.py",
    "tables/api/live_tables.py",
}
"""None of them answers a field."""


def test_resolvers_have_the_clock_of_their_context_only() -> None:
    """A cacheable answer has no clock, so a clock of its own would not be noticed."""
    api = Path(league.api.__file__).parent
    files = (*api.rglob("*.py"), *api.parent.glob("*/api/*.py"))
    found = {str(file.relative_to(api.parent)) for file in files if CLOCKS.search(file.read_text())}
    assert found == READ_A_CLOCK


def test_mutations_are_not_cached() -> None:
    """Whatever they select."""
    assert not is_cacheable(core, 'mutation { voidMatch(input: {match: "m", reason: "r"}) { __typename } }', None)
