"""Stored reviews: what viewers see of them, what decisions have cost, and whether each review fits the log.

A review takes seconds, so a rebuild does not make all of them again. It keeps the reviews whose hand is unchanged, and
resets the others. Verification makes a few reviews again and compares them. It only counts reviews by an older version
of the judging code, because workers make those again anyway.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from functools import cache, partial
from itertools import groupby
from math import sqrt
from typing import Any, Literal, NamedTuple, TypeVar

import msgspec
from msgspec import Struct
from sqlalchemy import select, text

from league.application.bootstrap import clock
from league.application.stream_states import StreamStates
from league.domain.result import MatchFacts
from league.domain.rules import Mode
from league.domain.seating import CompetitorId, players_of
from league.domain.sentences import say, say_count
from league.eventlog.store import EventStore
from league.projections import tables as t
from league.projections.queries.matches import MatchWatch
from league.projections.queries.players import former_ids, names_of
from league.projections.queries.snapshot import Snapshot
from league.projections.row_part import RowPart, RowsAgain, SampledResults
from league.projections.runs import Conn
from league.review.commands import hands_under, make_requested
from league.review.decisions import TranscribedHand, decisions
from league.review.hand import FOUR, JUDGE, DecisionKind, HandResultParts, ReviewedMove, input_hash, review_hand
from league.review.options import SURE, WeighedDecision, WorthEstimate, counts_hands

CHANNEL = "league_reviews"
"""The channel on which each step of a review is announced."""

StoredStatus = Literal["waiting", "done", "impossible", "failed", "hidden"]

_ROW = text(
    "SELECT status, decisions, moves::text, parts::text FROM hand_reviews WHERE match_id = :match AND hand = :hand"
)
_PROGRESS = text(
    "SELECT hand, version, status, jsonb_array_length(moves) FROM hand_reviews WHERE match_id = :match ORDER BY hand"
)
_MOVES = msgspec.json.Decoder(tuple[ReviewedMove, ...])
_PARTS = msgspec.json.Decoder(tuple[HandResultParts, ...])


class StoredReview(Struct, frozen=True):
    """The review of a hand that somebody asked for."""

    status: StoredStatus
    move_count: int | None
    """Number of moves in the hand; None before the first one is reviewed."""
    moves: tuple[ReviewedMove, ...]
    """The moves that are reviewed, in order."""
    parts: tuple[HandResultParts, ...] | None
    """What made the result, by side; None before the review is done."""
    names: tuple[str, ...]
    """Names of the players, by seat."""
    mode: Mode


def stored_review(
    snapshot: Snapshot, match: str, hand: int, viewer: str | None, *, sees_all: bool
) -> StoredReview | None:
    """The review of a hand; None if none was requested, or if the run does not have the match yet.

    For a voided match the status is `impossible`, even if a review is stored. Other reviews are hidden from viewers who
    did not sit in the match, unless all its players consent. `viewer`: a player, by any of their ids; `sees_all`:
    whether the viewer may see all reviews.
    """
    row = snapshot.conn.execute(_ROW, {"match": match, "hand": hand}).one_or_none()
    m = t.matches.c
    of_match = select(m.mode, m.seats, m.status).where(m.run == snapshot.run, m.match_id == match)
    known = None if row is None else snapshot.conn.execute(of_match).one_or_none()
    if row is None or known is None:
        return None
    named = names_of(snapshot.conn, known.seats)
    names = tuple(named[player] for player in known.seats)
    if known.status == "voided":
        return StoredReview("impossible", None, (), None, names, known.mode)
    if not (sees_all or _sat(snapshot, viewer, known.seats) or consenting(snapshot, known.seats) >= {*known.seats}):
        return StoredReview("hidden", None, (), None, names, known.mode)
    return StoredReview(
        row.status,
        row.decisions,
        _MOVES.decode(row.moves),
        None if row.parts is None else _PARTS.decode(row.parts),
        names,
        known.mode,
    )


def _sat(snapshot: Snapshot, viewer: str | None, seats: Sequence[str]) -> bool:
    """Whether the viewer sat in a match, under any of their ids."""
    former = former_ids(snapshot, seats)
    return viewer is not None and any(viewer in {seat, *former[seat]} for seat in seats)


def _progress(snapshot: Snapshot, match: str) -> list[tuple[Any, ...]]:
    """The progress of the reviews of a match. Each row has the hand, version, status and number of reviewed moves."""
    return [tuple(row) for row in snapshot.conn.execute(_PROGRESS, {"match": match})]


OF_MATCH = MatchWatch(CHANNEL, _progress)


Key = TypeVar("Key", bound=Hashable)


class KindLosses(Struct, frozen=True):
    """What a seat's decisions of one kind have cost in a hand. A turn with only one possible play is no decision."""

    seat: int
    kind: DecisionKind
    decisions: int
    mistakes: int
    lost: float
    """Points of the hand."""


def losses_by_kind(moves: Iterable[ReviewedMove]) -> list[KindLosses]:
    """What the decisions of players have cost, by seat and kind. Plays chosen by an AI or the clock do not count."""
    groups: dict[tuple[int, DecisionKind], list[WeighedDecision]] = defaultdict(list)
    for move in moves:
        if len(move.weighed.options) > 1 and move.made_by not in {"ai", "clock"}:
            groups[move.seat, move.kind].append(move.weighed)
    return [
        KindLosses(seat, kind, len(of), sum(one.is_mistake for one in of), sum(one.loss.value for one in of))
        for (seat, kind), of in groups.items()
    ]


class HandLosses(Struct, frozen=True):
    """The stored losses of a seat in one hand by decisions of one kind, with the match and its month."""

    match: str
    hand: int
    seat: int
    kind: DecisionKind
    month: str
    """The month in which the match began, such as `2026-03`."""
    decisions: int
    mistakes: int
    lost: float
    """Points of the hand."""


class PlayFigure(Struct, frozen=True):
    """How much a group of decisions has cost."""

    hands: int
    decisions: int
    mistakes: int
    lost: WorthEstimate
    """Points of a hand lost per decision. The interval treats hands as independent, but not the decisions of a hand."""


class PlayFigures(Struct, frozen=True):
    """Figures of a player or a pair: for all decisions, by kind and by month."""

    total: PlayFigure | None
    """None before a hand is reviewed."""
    by_kind: dict[DecisionKind, PlayFigure]
    by_month: dict[str, PlayFigure]


def play_figures(losses: Iterable[HandLosses]) -> PlayFigures:
    """The figures that follow from these losses."""
    known = list(losses)
    of_all = _grouped(known, lambda _: True)
    by_kind, by_month = _grouped(known, lambda one: one.kind), _grouped(known, lambda one: one.month)
    return PlayFigures(of_all.get(True), by_kind, dict(sorted(by_month.items())))


def _grouped(losses: Iterable[HandLosses], key: Callable[[HandLosses], Key]) -> dict[Key, PlayFigure]:
    groups: dict[Key, list[HandLosses]] = defaultdict(list)
    for one in losses:
        groups[key(one)].append(one)
    return {of: _figure(group) for of, group in groups.items()}


def _figure(losses: list[HandLosses]) -> PlayFigure:
    """Points lost per decision. The interval is that of a ratio estimated from clusters; a cluster is a hand."""
    hands: dict[tuple[str, int], tuple[float, int]] = defaultdict(lambda: (0.0, 0))
    for one in losses:
        lost, decisions = hands[one.match, one.hand]
        hands[one.match, one.hand] = lost + one.lost, decisions + one.decisions
    total = sum(decisions for _, decisions in hands.values())
    mean = sum(lost for lost, _ in hands.values()) / total
    squares = sum((lost - mean * decisions) ** 2 for lost, decisions in hands.values())
    # One hand does not show how much hands differ, so its interval reaches from 0 to twice the value.
    clusters = len(hands)
    error = SURE * sqrt(squares * clusters / (clusters - 1)) / total if clusters > 1 else abs(mean)
    return PlayFigure(
        clusters, total, sum(one.mistakes for one in losses), WorthEstimate(mean, mean - error, mean + error)
    )


ADD = """
    INSERT INTO review_losses (match_id, hand, seat, kind, player_id, partner_id, decisions, mistakes, lost)
    VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s)
"""


def write_losses(
    conn: Conn, match: str, number: int, hand: TranscribedHand, seats: Sequence[str], moves: Sequence[ReviewedMove]
) -> None:
    """Write what the decisions of a hand have cost. Writes nothing if the ruleset counts no points."""
    if counts_hands(hand.ruleset):
        return
    for loss in losses_by_kind(moves):
        partner = seats[(loss.seat + 2) % FOUR] if hand.mode == "2v2" else None
        of = (match, number, loss.seat, loss.kind, seats[loss.seat], partner)
        conn.execute(ADD, (*of, loss.decisions, loss.mistakes, loss.lost))


_CONSENTING = text("SELECT player_id FROM review_consents WHERE player_id = ANY(:players)")
# Hands of voided and forfeited matches do not count. Months are those of the league's time zone.
_LOSSES = """
    SELECT l.match_id, l.hand, l.seat, l.kind, to_char(m.began_at AT TIME ZONE :zone, 'YYYY-MM'),
        l.decisions, l.mistakes, l.lost
    FROM review_losses AS l JOIN matches AS m ON m.run = :run AND m.match_id = l.match_id
        AND m.status NOT IN ('voided', 'forfeited')
    WHERE {whose}
"""
_OF_PLAYER = text(_LOSSES.format(whose="l.player_id = ANY(:one)"))
_OF_PAIR = text(
    _LOSSES.format(
        whose="(l.player_id = ANY(:one) AND l.partner_id = ANY(:other)"
        " OR l.player_id = ANY(:other) AND l.partner_id = ANY(:one))"
    )
)


class SeenPlay(Struct, frozen=True):
    """The figures of a player or a pair, as a viewer may see them."""

    consents: bool
    """Whether the player, or both players of the pair, let others see the figures."""
    figures: PlayFigures | None
    """None if the viewer may not see them."""


def seen_play(snapshot: Snapshot, competitor: str, viewer: str | None) -> SeenPlay:
    """The figures of a player or a pair. `viewer`: the player who asks, by any of their ids."""
    players = players_of(CompetitorId(competitor))
    former = former_ids(snapshot, players)
    ids = [[player, *former[player]] for player in players]
    consents = consenting(snapshot, players) == set(players)
    if not consents and not any(viewer in of_player for of_player in ids):
        return SeenPlay(consents, None)
    return SeenPlay(consents, play_figures(_losses(snapshot, ids)))


def consenting(snapshot: Snapshot, players: Collection[str]) -> frozenset[str]:
    """The players among these who let others see what reviews say about their play."""
    return frozenset(snapshot.conn.scalars(_CONSENTING, {"players": list(players)}))


def _losses(snapshot: Snapshot, ids: Sequence[list[str]]) -> list[HandLosses]:
    of = {"one": ids[0], "other": ids[-1], "run": snapshot.run, "zone": snapshot.zone}
    query = _OF_PLAYER if len(ids) == 1 else _OF_PAIR
    return [HandLosses(*row) for row in snapshot.conn.execute(query, of)]


SEED = 0
"""The seed of all reviews, so that a hand gets the same review each time."""
ATTEMPTS = 3
"""After this many processes that ended without a new move, a review fails."""
PAGE = 100
"""Reviews per page that a rebuild reads."""
SAMPLE = 3
"""Reviews that verification makes again."""

COLUMNS = "match_id, hand, status, attempts, decisions, moves::text, parts::text, edition, judge, input"
STORED = f"""
    SELECT {COLUMNS} FROM league.hand_reviews
    WHERE (match_id, hand) > (%s, %s) AND (match_id, hand) IN (SELECT match_id, hand FROM hand_reviews)
    ORDER BY match_id, hand LIMIT %s
"""  # noqa: S608  # constants
KEPT = ("moves", "decisions", "parts", "edition", "judge", "input", "version", "attempts", "requested_at")
KEEP = f"""
    UPDATE hand_reviews AS anew SET status = %s, ({", ".join(KEPT)}) = ROW({", ".join(f"old.{name}" for name in KEPT)})
    FROM league.hand_reviews AS old
    WHERE (anew.match_id, anew.hand) = (%s, %s) AND (old.match_id, old.hand) = (anew.match_id, anew.hand)
"""  # noqa: S608  # constants
# With a new version, a process that is reviewing the hand meanwhile stores nothing.
BEGIN_AGAIN = """
    UPDATE hand_reviews AS anew SET version = old.version + 1, requested_at = old.requested_at
    FROM league.hand_reviews AS old
    WHERE (anew.match_id, anew.hand) = (%s, %s) AND (old.match_id, old.hand) = (anew.match_id, anew.hand)
"""
KEEP_LOSSES = "INSERT INTO review_losses SELECT * FROM league.review_losses WHERE (match_id, hand) = (%s, %s)"
CHOSEN = f"""
    SELECT {COLUMNS} FROM hand_reviews WHERE status = 'done' AND judge = %s
    ORDER BY sha256(%s::bytea || convert_to(match_id || ' ' || hand, 'UTF8')), match_id, hand LIMIT %s
"""  # noqa: S608  # constants
UNCOMPARED = """
    SELECT count(*) FILTER (WHERE status = 'done' AND judge IS DISTINCT FROM %s),
           count(*) FILTER (WHERE status = 'failed')
    FROM hand_reviews
"""


class _StoredRow(NamedTuple):
    """A stored row of a review, with the columns `COLUMNS`."""

    match: str
    hand: int
    status: str
    attempts: int
    decisions: int | None
    moves: str
    parts: str | None
    edition: str | None
    judge: int | None
    input: str | None

    @property
    def is_of_older_judge(self) -> bool:
        return self.judge is None or self.judge < JUDGE


def _make(conn: Conn, log: EventStore) -> None:
    """Make the rows of requested reviews again. Results are kept if they belong to the hands in the log."""
    make_requested(conn, log)
    for match, reviews in groupby(_stored(conn), key=lambda review: review.match):
        hands_by = cache(partial(hands_under, match, states=StreamStates(log, clock())))
        for review in reviews:
            played, hands = hands_by(review.edition)
            hand = hands.get(review.hand)
            status = _status(review, hand, possible=hand is not None and played is not None and not played.voided)
            if status is None:
                conn.execute(BEGIN_AGAIN, (match, review.hand))
                continue
            conn.execute(KEEP, (status, match, review.hand))
            if status == "done":
                _make_losses(conn, review, hand, played)


def _sample(conn: Conn, log: EventStore, hash_: bytes) -> SampledResults:
    """Make a few reviews again, chosen by a hash, and compare them. Notes say how many reviews cannot be compared."""
    rows = conn.execute(CHOSEN, (JUDGE, hash_, SAMPLE)).fetchall()
    faults = [said for row in rows if (said := _fault_of(_StoredRow(*row), log)) is not None]
    older, failed = conn.execute(UNCOMPARED, (JUDGE,)).fetchone() or (0, 0)
    notes: list[str] = []
    if older:
        note = say_count(
            "{count} review is by an older version of what judges moves: it is not compared, and a worker makes it "
            "again",
            "{count} reviews are by older versions of what judges moves: they are not compared, and a worker makes "
            "them again",
            older,
        )
        notes.append(note)
    if failed:
        note = say_count(
            "{count} review has the status `failed`, and no event says why: delete its row in hand_reviews, and "
            "`league project --rebuild` has the hand reviewed again",
            "{count} reviews have the status `failed`, and no event says why: delete their rows in hand_reviews, and "
            "`league project --rebuild` has the hands reviewed again",
            failed,
        )
        notes.append(note)
    return SampledResults(faults, notes)


def _stored(conn: Conn) -> Iterator[_StoredRow]:
    after: tuple[str, int] = ("", 0)
    while rows := conn.execute(STORED, (*after, PAGE)).fetchall():
        yield from (_StoredRow(*row) for row in rows)
        after = rows[-1][:2]


def _status(review: _StoredRow, hand: TranscribedHand | None, *, possible: bool) -> str | None:
    """The status that follows from the content of a review; None if it has to begin again."""
    if review.parts is not None:
        return "done" if _fits(review, hand) else None
    match review.status:
        case "failed" if review.attempts > ATTEMPTS:
            return "failed"
        case "impossible" if not possible:
            return "impossible"
        case "waiting":
            return "waiting"
    return None


def _fits(review: _StoredRow, hand: TranscribedHand | None) -> bool:
    """Whether a result is complete and belongs to this hand.

    Results of an older version of the judging code are accepted, because it hashed hands differently. A newer version
    is not known here, so its review begins again.
    """
    if review.is_of_older_judge:
        return True
    try:
        moves = _MOVES.decode(review.moves)
        _PARTS.decode(review.parts or "")
    except msgspec.MsgspecError:
        return False
    return (
        hand is not None
        and (review.judge, review.input) == (JUDGE, input_hash(hand))
        and len(moves) == review.decisions == sum(1 for _decision in decisions(hand))
    )


def _make_losses(conn: Conn, review: _StoredRow, hand: TranscribedHand | None, played: MatchFacts | None) -> None:
    if review.is_of_older_judge:
        conn.execute(KEEP_LOSSES, (review.match, review.hand))
        return
    assert hand is not None, "the review is of this hand"
    assert played is not None, "it is of this match"
    write_losses(conn, review.match, review.hand, hand, played.seats, _MOVES.decode(review.moves))


def _fault_of(review: _StoredRow, log: EventStore) -> str | None:
    _played, hands = hands_under(review.match, review.edition, StreamStates(log, clock()))
    again = review_hand(hands[review.hand], SEED)
    if _MOVES.decode(review.moves) != again.moves:
        column = "moves"
    elif review.parts is None or _PARTS.decode(review.parts) != again.parts:
        column = "parts"
    else:
        return None
    return say(
        "table hand_reviews, row match {match}, hand {hand}: {column} is not what a review of the hand gives; delete "
        "the row, and `league project --rebuild` has the hand reviewed again",
        match=review.match,
        hand=review.hand,
        column=column,
    )


ROWS = RowPart(
    again=RowsAgain(("hand_reviews", "review_losses", "review_consents"), _make, _sample),
    bookkeeping={
        "hand_reviews.version": "how often the review began again: other rules or another version of the judging code "
        "cause it without an event",
        "hand_reviews.attempts": "processes started for the review since its last move",
        "hand_reviews.requested_at": "the order in which waiting reviews are done",
    },
)
