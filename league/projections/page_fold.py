"""Fold 1 of a run: takes the next events from the log, and makes rows of them.

The projector takes pages of new events. A rebuild takes longer parts, whose matches `scored_matches` scores in
parallel.
"""

from collections.abc import Callable, Container, Iterator

from msgspec import Struct

from league.domain.disputes import NOT_SCORED
from league.domain.league import MonthClosed, MonthReopened, SettingsChanged
from league.domain.match import HandCorrected, MatchReopened, MatchState, MatchVoided
from league.domain.player import Aliases, MergeUndone, PlayersMerged
from league.domain.rulebook import EditionAdopted
from league.domain.timeline import Timeline
from league.eventlog.records import LoggedEvent, match_after
from league.projections import runs
from league.projections.folds.match_fold import RulesTimeline, all_read_as
from league.projections.runs import Conn, first_value
from league.projections.writers import catalogue
from league.projections.writers.catalogue import aliases_of, facts_of_moved, move_match_players
from league.projections.writers.league_rows import FoldCause
from league.projections.writers.match_rows import (
    TouchedMatches,
    competitors_in,
    facts_in_pages,
    first_decided,
    load_facts,
    store_facts,
    store_matches,
    store_reviews,
)
from league.projections.writers.scored_matches import LogPart, Score, store_scored

MERGES = (PlayersMerged, MergeUndone)
PUBLISHING = (MonthClosed, MonthReopened)
OWN_PAGE = (EditionAdopted, HandCorrected, MatchReopened, MatchVoided, *MERGES)
"""Events that get a page of their own, so that the journal can record the effect of each."""

Progress = Callable[[int, int], None]
"""Called with (position reached, position of the head)."""


class FoldedPage(Struct, frozen=True):
    """The result of fold 1 for a page of the log."""

    reached: int
    """The position of the page's last event."""
    touched: TouchedMatches
    """The work for fold 2."""
    publishing: LoggedEvent | None
    """The event that closes or reopens a month, if one ends the page."""
    rules: RulesTimeline
    """The rules that apply after the page."""
    cause: FoldCause
    """The cause for the journal."""
    alone: LoggedEvent | None = None
    """The event of the page, if it has a page of its own."""


class PageFold:
    """Applies fold 1 to the next page or part of the log, and stores what it makes of matches in a run."""

    def __init__(self, conn: Conn, run: int, rules: RulesTimeline) -> None:
        self._conn, self._run, self._rules = conn, run, rules

    def take_page(self, page: list[LoggedEvent], reached: int) -> FoldedPage:
        """Apply fold 1 to the page up to its first event of `OWN_PAGE`, or to that event alone if it comes first.

        `reached`: the position up to which the page has all events that folds read.
        """
        first = next((n for n, stored in enumerate(page) if isinstance(stored.event, OWN_PAGE)), None)
        alone = page[0] if first == 0 else None
        if first is not None:
            page = page[: max(first, 1)]
            reached = page[-1].position
        publishing = next((stored for stored in page if isinstance(stored.event, PUBLISHING)), None)
        if publishing is not None:
            # A month's published list reflects the log up to here.
            reached = publishing.position
            page = [stored for stored in page if stored.position <= reached]
        events: dict[str, list[LoggedEvent]] = {}
        others = []
        for stored in page:
            kind, _, id_ = stored.stream.partition(":")
            if kind == "match":
                events.setdefault(id_, []).append(stored)
            elif stored is not publishing:  # applied after the folds
                others.append(stored)
        before = aliases_of(self._conn)
        timeline = catalogue.apply(self._conn, others)
        merged = any(isinstance(each.event, MERGES) for each in others)
        aliases = aliases_of(self._conn) if merged else before
        moved = any(isinstance(each.event, SettingsChanged) and each.event.time_zone is not None for each in others)
        states, new = self._take_facts(events, reached, aliases)
        # What players say about a result does not move it.
        states = {match_id: state for match_id, state in states.items() if _scores(events[match_id])}
        touched = TouchedMatches() if timeline is None else self._adopt(timeline, states, aliases)
        touched = touched.and_also(store_matches(self._conn, self._run, states, self._rules, new, aliases))
        competitors = competitors_in(all_read_as(states, aliases))
        if merged:
            again, whose = self._move(before, aliases, states, new)
            touched, competitors = touched.and_also(again), competitors | whose
        if moved:
            # Months begin at other times now, so every match may belong to another month.
            touched = touched.and_also(TouchedMatches(first_decided(self._conn, self._run)))
        runs.set_position(self._conn, self._run, reached)
        kind = "correction" if touched.corrected else "match"
        kind = "adoption" if timeline is not None else "merge" if merged else kind
        match = next(iter(states)) if len(states) == 1 else None
        cause = FoldCause(kind, _last_move(page), match, competitors)
        return FoldedPage(reached, touched, publishing, self._rules, cause, alone)

    def take_part(
        self,
        others: Iterator[LoggedEvent],
        position: int,
        head: int,
        score: Score,
        size: int,
        progress: Progress | None,
    ) -> FoldedPage:
        """Apply fold 1 to the log up to `head`, or to the next event before it that closes or reopens a month.

        `others`: the events up to `head` outside the streams of matches. `size`: the number of positions that are
        scored at once.
        """
        aliases_before, zone_before = aliases_of(self._conn), _time_zone(self._conn)
        ahead = _UpToPublishing(others)
        timeline = catalogue.apply(self._conn, ahead)
        reached = head if ahead.publishing is None else ahead.publishing.position
        aliases = aliases_of(self._conn)
        touched = TouchedMatches() if timeline is None else self._adopt(timeline, (), aliases)
        competitors: frozenset[str] = frozenset()
        if aliases != aliases_before:
            again, competitors = self._move(aliases_before, aliases, (), ())
            touched = touched.and_also(again)
        if _time_zone(self._conn) != zone_before:
            # Months begin at other times now, so every match may belong to another month.
            touched = touched.and_also(TouchedMatches(first_decided(self._conn, self._run)))
        last = ahead.last_move
        for scored in score(LogPart(self._run, position, reached, self._rules, aliases), size):
            touched = touched.and_also(store_scored(self._conn, self._run, scored))
            competitors, last = competitors | scored.competitors, max(last, scored.last)
            if progress is not None:
                progress(scored.until, head)
        runs.set_position(self._conn, self._run, reached)
        kind = "correction" if touched.corrected else "match"
        kind = "adoption" if timeline is not None else "merge" if aliases != aliases_before else kind
        return FoldedPage(reached, touched, ahead.publishing, self._rules, FoldCause(kind, last, None, competitors))

    def _take_facts(
        self, events: dict[str, list[LoggedEvent]], position: int, aliases: Aliases
    ) -> tuple[dict[str, MatchState], set[str]]:
        """Store the facts of the matches that these events change, and find out which matches are new."""
        if not events:
            return {}, set()
        known = load_facts(self._conn, events)
        after = ((match_id, match_after(its, known.get(match_id))) for match_id, its in events.items())
        states = store_facts(self._conn, after, known, position, aliases)
        store_reviews(self._conn, states, known)
        return states, events.keys() - known.keys()

    def _adopt(self, timeline: Timeline, but: Container[str], aliases: Aliases) -> TouchedMatches:
        """Change to another timeline: score again every match whose edition has changed.

        `but`: the matches of this page, which are scored with its other matches.
        """
        before, self._rules = self._rules, RulesTimeline(timeline, catalogue.published(self._conn))
        runs.set_timeline(self._conn, self._run, self._rules)
        touched = TouchedMatches(rules=True)
        if not before.timeline:
            return touched
        for states in facts_in_pages(self._conn):
            moved = {
                match_id: state
                for match_id, state in states.items()
                if match_id not in but
                and state.played
                and before.at(state.played.began_at).hash != self._rules.at(state.played.began_at).hash
            }
            touched = touched.and_also(store_matches(self._conn, self._run, moved, self._rules, set(), aliases))
        return touched

    def _move(
        self, before: Aliases, after: Aliases, states: Container[str], new: Container[str]
    ) -> tuple[TouchedMatches, frozenset[str]]:
        """After a merge or its undoing, store again the matches whose players are now read under other ids.

        Returns also all competitors in them. `states`: the matches of this page, which are already stored. `new`: the
        matches of this page that were not stored before it.
        """
        touched, competitors = TouchedMatches(), frozenset[str]()
        for page in facts_of_moved(self._conn, before, after, stored=before):
            moved = {match_id: state for match_id, state in page.items() if match_id not in new}
            move_match_players(self._conn, moved, before, after)
            competitors |= competitors_in(all_read_as(moved, before)) | competitors_in(all_read_as(moved, after))
            again = {match_id: state for match_id, state in moved.items() if match_id not in states}
            touched = touched.and_also(store_matches(self._conn, self._run, again, self._rules, (), after))
        return touched, competitors


class _UpToPublishing:
    """Iterates over the next events, up to the event that closes or reopens a month, which is left out."""

    def __init__(self, events: Iterator[LoggedEvent]) -> None:
        self._events = events
        self.publishing: LoggedEvent | None = None
        """The event at which the iteration ended; None before that, and at the end of the log."""
        self.last_move = 0
        """The position of the last event so far that may move ratings."""

    def __iter__(self) -> Iterator[LoggedEvent]:
        for stored in self._events:
            if isinstance(stored.event, PUBLISHING):
                self.publishing = stored
                return
            if _moves(stored):
                self.last_move = stored.position
            yield stored


def _scores(events: list[LoggedEvent]) -> bool:
    """Whether the events of a match may change its score, or whether it is decided."""
    return any(not isinstance(stored.event, NOT_SCORED) for stored in events)


def _moves(stored: LoggedEvent) -> bool:
    """Whether an event may move ratings."""
    if stored.stream.startswith("match:"):
        return not isinstance(stored.event, NOT_SCORED)
    return isinstance(stored.event, (EditionAdopted, *MERGES))


def _last_move(page: list[LoggedEvent]) -> int:
    """The position of the last event of a page that may move ratings."""
    return max((stored.position for stored in page if _moves(stored)), default=0)


def _time_zone(conn: Conn) -> str | None:
    zone: str | None = first_value(conn, "SELECT time_zone FROM league")
    return zone
