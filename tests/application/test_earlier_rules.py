"""Earlier rules: every official timeline can come back, with a preview, a reason, and the rulesets that are in use."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, LiteralString

import pytest
from databases import copy_of
from leagues import (
    SIX_MATCHES,
    announced,
    at,
    catch_up,
    caught_up_digest,
    digest,
    exported,
    league_at,
    official,
    rebuild,
    revised,
    send,
)

from league.application import candidates, promotion_preview, replay_requests
from league.application.bootstrap import League
from league.application.earlier_rules import (
    AdoptedTimeline,
    adopted_timelines,
    decide_alike,
    rules_to_bring_back,
    spans_that_differ,
)
from league.application.promotion_preview import fingerprint
from league.application.replay_folding import fold_replay
from league.application.replay_requests import ReplaySpec
from league.application.rulesets_in_use import added_rulesets, with_rulesets_in_use
from league.cli.opening import reading
from league.domain.audit_trail import ReplayStarted, RolledBack, RunPromoted
from league.domain.match import OpenMatch, RecordResult
from league.domain.refusals import InvalidInput, NotFound, WrongState
from league.domain.result import AnnouncedResult
from league.domain.rulebook import AdoptEdition, EditionPublished, content_hash
from league.domain.timeline import EditionSpan
from league.domain.wrong_states import (
    AlreadyInForce,
    NotACandidate,
    NothingToRollBack,
    PreviewIsOutdated,
    ReplayFailed,
    ReplayIsDropped,
    ReplayNotDone,
    RunIsOutdated,
)
from league.eventlog.records import AppendRequest
from league.infra.database import connect
from league.projections import runs
from league.projections.difference.totals import DifferenceFigures, totals
from league.projections.difference.two_runs import TwoRuns
from league.projections.folds.match_fold import HashedEdition, RulesTimeline
from league.projections.queries.candidates import revisions, shown_candidates
from league.projections.queries.snapshot import snapshot_of
from league.projections.replays.replay import ReplayPeriod, replay

ADMIN = AppendRequest("admin", "manual")
CALM, HOUSE = (
    "rating.k.provisional = 32",
    """
    [rulesets.house-100]
    extends = "cuban-150"
    title = "House rules to 100"
    target = 100
    """,
)


@pytest.fixture
def league(postgres: str) -> Iterator[League]:
    """Six matches, projected."""
    with copy_of(postgres, SIX_MATCHES) as url, league_at(url) as made:
        yield made


def promoted(league: League, text: str, period: ReplayPeriod = ReplayPeriod()) -> int:  # noqa: B008  # it is frozen
    """Promote revised rules. Returns the position of their adoption."""
    run = replay(league.database.url, revised(text), period)
    return league.promoter.promote(run, ADMIN, "for a test")


def adoptions(league: League) -> list[int]:
    """The positions of the adoptions, oldest first."""
    return [stored.position for stored in league.store.load("rulebook") if stored.name == "edition-adopted/1"]


def asked(league: League, spec: ReplaySpec) -> int:
    """A replay that is asked for and folded at once."""
    number = replay_requests.start(league, spec, ADMIN).number
    fold_replay(league.database.url, number)
    return number


def acts(league: League) -> list[Any]:
    return [stored.event for stored in league.store.load("trail")]


def play_under_house_rules(league: League) -> None:
    send(league, [OpenMatch("h1", "house-100", "1v1", "competitive", ("ana", "bea"), None, at(20))])
    send(league, [RecordResult("h1", AnnouncedResult(0, (100, 40)), at(21))])
    catch_up(league)


# ---------------------------------------------------------------- bringing timelines back


@pytest.mark.heavy
def test_every_earlier_timeline_can_come_back(league: League) -> None:
    """Directly, by the position of its adoption: the digest is the one of then, rebuilt or not."""
    digests = [digest(league.database.url)]
    for text, period in ((CALM, ReplayPeriod(at(2))), ("rating.cap = false", ReplayPeriod(None, at(3)))):
        promoted(league, text, period)
        digests.append(caught_up_digest(league))
    assert len(set(digests)) == 3
    for position, then in reversed(list(zip(adoptions(league), digests, strict=True))[:2]):
        league.promoter.roll_back(ADMIN, "it was better", position)
        assert caught_up_digest(league) == then
        assert rebuild(league) == then
    league.promoter.roll_back(ADMIN, "no, the newest", adoptions(league)[2])
    assert caught_up_digest(league) == digests[2]
    restored = [act.restores for act in acts(league) if isinstance(act, RolledBack)]
    assert restored == [adoptions(league)[index] for index in (1, 0, 2)]


@pytest.mark.heavy
def test_a_candidate_that_brings_rules_back_is_compared_and_promoted(league: League) -> None:
    """It is a replay like any other; its promotion is a rollback, with its title and reason."""
    url, first = league.database.url, digest(league.database.url)
    [founding] = adoptions(league)
    promoted(league, CALM)
    promoted(league, "rating.cap = false")
    number = asked(league, ReplaySpec(None, title="As we began", restores=founding))
    assert digest(url, number) == first != digest(url)
    assert isinstance(started := acts(league)[-1], ReplayStarted)
    assert (started.replay, started.restores) == (number, founding)
    league.promoter.promote(number, ADMIN, "nobody liked it")
    assert (official(url), caught_up_digest(league)) == (number, first)
    done = acts(league)[-1]
    assert isinstance(done, RolledBack)
    assert (done.run, done.title, done.reason, done.restores) == (number, "As we began", "nobody liked it", founding)


@pytest.mark.heavy
def test_the_same_rules_are_brought_back_by_one_replay(league: League) -> None:
    """It is found again while neither rules nor matches change. A replay that tries equal rules is no such replay."""
    [founding] = adoptions(league)
    promoted(league, CALM)
    tries_equal_rules = asked(league, ReplaySpec(revised("")))
    number = asked(league, ReplaySpec(None, restores=founding))
    assert number != tries_equal_rules
    promoted(league, "rating.cap = false")
    assert asked(league, ReplaySpec(None, restores=founding)) != number


@pytest.mark.heavy
def test_the_latest_rules_that_differ_come_back_without_a_position(league: League) -> None:
    """An adoption that changed nothing is passed over."""
    [founding] = adoptions(league)
    calm = promoted(league, CALM)
    send(league, AdoptEdition(2))  # it is in force already
    catch_up(league)
    assert league.promoter.preview_back().restores == founding
    league.promoter.roll_back(ADMIN)
    assert isinstance(done := acts(league)[-1], RolledBack)
    assert done.restores == founding
    catch_up(league)
    assert league.promoter.preview_back().restores == adoptions(league)[2] > calm


def test_what_cannot_come_back_is_refused(league: League) -> None:
    """Positions that adopted nothing are named with those that did; rules in force change nothing."""
    with pytest.raises(NothingToRollBack):
        league.promoter.roll_back(ADMIN)
    founding, calm = adoptions(league)[0], promoted(league, CALM)
    catch_up(league)
    for restore in (
        lambda position: league.promoter.roll_back(ADMIN, "r", position),
        lambda position: replay_requests.start(league, ReplaySpec(None, restores=position), ADMIN),
    ):
        with pytest.raises(AlreadyInForce):
            restore(calm)
        with pytest.raises(NotFound, match=f"there are {founding}, {calm}"):
            restore(founding + 1)


@pytest.mark.heavy
def test_rules_come_back_with_a_ruleset_that_is_in_use(league: League) -> None:
    """The match keeps its ruleset and its result. Afterwards these rules cannot come back: they are in force."""
    url, [founding] = league.database.url, adoptions(league)
    promoted(league, HOUSE + "\n[rating]\ncap = false")
    catch_up(league)
    play_under_house_rules(league)
    number = asked(league, ReplaySpec(None, restores=founding))
    league.promoter.promote(number, ADMIN, "back")
    incremental = caught_up_digest(league)
    assert {row["match"]: row["winner"] for row in exported(url, "matches")}["h1"] == 0
    assert rebuild(league) == incremental
    with pytest.raises(AlreadyInForce):
        league.promoter.roll_back(ADMIN, "again", founding)


@pytest.mark.heavy
def test_only_the_ruleset_that_was_played_is_added(league: League) -> None:
    """Another new one, under which nobody played, goes with the rules that had it."""
    [founding] = adoptions(league)
    promoted(league, HOUSE + HOUSE.replace("house-100", "unplayed") + "\n[rating]\ncap = false")
    catch_up(league)
    play_under_house_rules(league)
    league.promoter.roll_back(ADMIN, "back", founding)
    *_, published = (s.event for s in league.store.load("rulebook") if isinstance(s.event, EditionPublished))
    assert published.document.title == f"{revised('').title} + house-100"
    assert set(published.document.rulesets) == {*revised("").rulesets, "house-100"}
    assert rebuild(league) == caught_up_digest(league)


def test_a_ruleset_is_added_only_to_the_spans_that_get_it() -> None:
    """A later span that had it by itself adds nothing to the one before."""
    rules, held = timeline((None, ""), (2, HOUSE)), timeline((None, HOUSE))
    assert added_rulesets(rules, with_rulesets_in_use(held, rules, lambda _: [])) == {}
    back = with_rulesets_in_use(held, rules, lambda lost: lost.rulesets)
    assert set(added_rulesets(rules, back)) == {"house-100"}


@pytest.mark.heavy
def test_a_proposal_to_bring_rules_back_changes_no_ruleset_that_is_in_use(league: League) -> None:
    """Its run has the ruleset, and so have the changes that everybody reads, and the rules to start from."""
    [founding] = adoptions(league)
    promoted(league, HOUSE + "\n[rating]\ncap = false")
    catch_up(league)
    play_under_house_rules(league)
    number = asked(league, ReplaySpec(None, restores=founding))
    candidates.show(league, number, "it was better", ADMIN)
    with reading(league) as conn:
        snapshot = snapshot_of(conn, official(league.database.url))
        [(_, proposed)], of_replay = shown_candidates(snapshot), revisions(snapshot, [number])[number]
    assert [setting for setting, *_ in proposed.changes] == ["rating.cap"]
    assert of_replay.changes == proposed.changes
    assert "house-100" in replay_requests.rules_of(league, number).rulesets


@pytest.mark.heavy
def test_a_ruleset_that_is_played_after_the_candidate_was_computed_stops_its_promotion(league: League) -> None:
    """The refusal says what to do; computed again, the candidate has the ruleset."""
    [founding] = adoptions(league)
    promoted(league, HOUSE)
    catch_up(league)
    number = asked(league, ReplaySpec(None, restores=founding))
    play_under_house_rules(league)
    before, head = official(league.database.url), league.store.head()
    with pytest.raises(WrongState, match="house-100"):
        league.promoter.promote(number, ADMIN, "back")
    assert (official(league.database.url), league.store.head()) == (before, head)
    spec = replay_requests.spec_to_compute_again(league, number)
    with pytest.raises(AlreadyInForce):  # with the ruleset in use added, these rules are those in force
        asked(league, spec)


# ---------------------------------------------------------------- promoting what was previewed


def test_a_promotion_says_who_why_and_under_which_name(league: League) -> None:
    """The act has the name of the replay and the reason."""
    number = asked(league, ReplaySpec(revised(CALM), title="Calmer newcomers"))
    league.promoter.promote(number, ADMIN, "they climb too fast")
    assert isinstance(done := acts(league)[-1], RunPromoted)
    assert (done.run, done.title, done.reason) == (number, "Calmer newcomers", "they climb too fast")


@pytest.mark.heavy
def test_a_promotion_is_refused_if_its_figures_have_changed_since_the_preview(league: League) -> None:
    """Nothing is stored. With the fingerprint of a new preview it goes through."""
    number = asked(league, ReplaySpec(revised(CALM)))
    seen = league.promoter.preview(number)
    send(league, announced("late", ("eva", "flor"), 0.5))
    catch_up(league)
    before, head = official(league.database.url), league.store.head()
    with pytest.raises(PreviewIsOutdated):
        league.promoter.promote(number, ADMIN, "r", seen.fingerprint)
    assert (official(league.database.url), league.store.head()) == (before, head)
    now = league.promoter.preview(number)
    assert now.figures.players_moved == seen.figures.players_moved + 2
    league.promoter.promote(number, ADMIN, "r", now.fingerprint)
    assert official(league.database.url) == number


def test_a_promotion_is_refused_if_the_listed_moves_are_no_longer_those_that_were_read(league: League) -> None:
    """Even if all figures are equal: each row that a preview lists, as it is printed, is part of what was read."""
    number = asked(league, ReplaySpec(revised(CALM)))
    seen = league.promoter.preview(number)
    rows = list(seen.moves)
    rows[-1] = rows[-1]._replace(value_after=rows[-1].value_after + 0.2)  # type: ignore[operator]  # both have it
    prints = [fingerprint(seen.rules_before, seen.rules_after, seen.figures, moves) for moves in (seen.moves, rows)]
    assert prints[0] == seen.fingerprint != prints[1]
    rows[-1] = seen.moves[-1]._replace(value_after=seen.moves[-1].value_after + 1e-9)  # type: ignore[operator]
    assert fingerprint(seen.rules_before, seen.rules_after, seen.figures, rows) == seen.fingerprint


@pytest.mark.heavy
def test_the_rules_and_figures_of_a_preview_are_of_one_moment(league: League, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rules that are adopted while the figures are counted are not in it."""
    url, number = league.database.url, asked(league, ReplaySpec(revised(CALM)))
    before = league.promoter.preview(number).rules_before.hashes()

    def count_slowly(conn: Any, two: TwoRuns) -> DifferenceFigures:
        found = totals(conn, two)
        with connect(url) as other:
            runs.set_timeline(other, two.first, timeline((None, ""), (2, "rating.cap = false")))
        return found

    monkeypatch.setattr(promotion_preview, "totals", count_slowly)
    assert league.promoter.preview(number).rules_before.hashes() == before


@pytest.mark.heavy
def test_a_match_that_has_only_begun_leaves_the_preview_as_it_is(league: League) -> None:
    """A league in which people play can still promote what an admin has read."""
    number = asked(league, ReplaySpec(revised(CALM)))
    seen = league.promoter.preview(number)
    send(league, [OpenMatch("open", "cuban-150", "1v1", "competitive", ("eva", "flor"), None, at(20))])
    catch_up(league)
    league.promoter.promote(number, ADMIN, "r", seen.fingerprint)
    assert official(league.database.url) == number


@pytest.mark.heavy
def test_a_rollback_is_refused_if_other_rules_have_come_since_its_preview(league: League) -> None:
    """What was previewed stays what is stored."""
    promoted(league, CALM)
    seen = league.promoter.preview_back()
    promoted(league, "rating.cap = false")
    with pytest.raises(PreviewIsOutdated):
        league.promoter.roll_back(ADMIN, "r", seen.restores, seen.fingerprint)


def test_a_preview_lists_those_who_move_most_by_points(league: League) -> None:
    """Both runs stand at the same position, so that only the rules make a difference."""
    number = asked(league, ReplaySpec(revised(CALM)))
    send(league, announced("late", ("eva", "flor"), 0.5))
    catch_up(league)
    preview = league.promoter.preview(number)
    changes = [abs(row.value_after - row.value_before) for row in preview.moves]  # type: ignore[operator]  # both have it
    assert changes == sorted(changes, reverse=True)
    assert {row.id for row in preview.moves} == {"ana", "bea", "cira", "dora", "eva", "flor"}
    [span] = spans_that_differ(preview.rules_before, preview.rules_after)
    assert (span.start, span.end, span.after) == (None, None, content_hash(revised(CALM)))


STATES: dict[str, tuple[LiteralString, type[WrongState]]] = {
    "waiting": ("UPDATE replays SET attempts = 0 WHERE replay = %s", ReplayNotDone),
    "running": ("UPDATE replays SET attempts = 1 WHERE replay = %s", ReplayNotDone),
    "cancelled": ("UPDATE replays SET cancelled_at = now() WHERE replay = %s", ReplayFailed),
    "failed": ("UPDATE replays SET failure = 'no room' WHERE replay = %s", ReplayFailed),
    "dropped": ("UPDATE replays SET run = replay WHERE replay = %s", ReplayIsDropped),
}
"""What makes a replay without a run so, and the refusal of its promotion."""


@pytest.mark.parametrize("state", STATES)
def test_promoting_a_replay_without_a_run_says_what_became_of_it(league: League, state: str) -> None:
    """Each state is named, with what to do."""
    change, refusal = STATES[state]
    number = replay_requests.start(league, ReplaySpec(revised(CALM)), ADMIN).number
    with connect(league.database.url) as conn:
        conn.execute(change, (number,))
    with pytest.raises(refusal, match="no room" if state == "failed" else f"replay {number} is {state}"):
        league.promoter.promote(number, ADMIN, "r")


def known_now(league: League, candidate: Any = None) -> int:
    """A replay of what is known now, folded at once."""
    moment = league.store.read_after(league.store.head() - 1, 1)[0].recorded_at
    return asked(league, ReplaySpec(candidate, known_at=moment))


@pytest.mark.parametrize("candidate", [None, revised(CALM)])
def test_a_replay_of_what_was_known_is_never_promoted(league: League, candidate: Any) -> None:
    """Neither a promotion nor its preview folds anything into it: it still shows what was known then."""
    url = league.database.url
    number = known_now(league, candidate)
    send(league, announced("late", ("eva", "flor"), 0.5))
    catch_up(league)
    then, before = digest(url, number), official(url)
    with pytest.raises(NotACandidate, match="known at a moment"):
        league.promoter.preview(number)
    with pytest.raises(NotACandidate):
        league.promoter.promote(number, ADMIN, "r")
    assert (digest(url, number), official(url)) == (then, before)


@pytest.mark.heavy
def test_a_rollback_leaves_what_was_known_under_the_earlier_rules_as_it_is(league: League) -> None:
    """It folds a run of its own."""
    url = league.database.url
    number, then = known_now(league), digest(url)
    send(league, announced("late", ("eva", "flor"), 0.5))
    promoted(league, CALM)
    catch_up(league)
    league.promoter.roll_back(ADMIN, "back")
    assert digest(url, number) == then
    assert official(url) != number


@pytest.mark.heavy
def test_a_replay_that_can_be_promoted_is_not_answered_with_one_that_cannot(league: League) -> None:
    """Even while both would have equal results."""
    number = known_now(league, revised(CALM))
    other = asked(league, ReplaySpec(revised(CALM)))
    assert other != number
    assert known_now(league, revised(CALM)) == number
    league.promoter.promote(other, ADMIN, "r")
    assert official(league.database.url) == other


# ---------------------------------------------------------------- computing again


@pytest.mark.heavy
def test_an_outdated_replay_is_computed_again_on_the_rules_of_today(league: League) -> None:
    """It has the same rules, span, title and reason, and can be promoted."""
    period = ReplayPeriod(at(2), at(5))
    stale = asked(league, ReplaySpec(revised(CALM), period, title="Calm", reason="try it"))
    promoted(league, "rating.cap = false", ReplayPeriod(at(5)))
    catch_up(league)
    with pytest.raises(RunIsOutdated, match="compute it again"):
        league.promoter.promote(stale, ADMIN, "r")
    spec = replay_requests.spec_to_compute_again(league, stale)
    assert (spec.candidate, spec.period, spec.title, spec.reason) == (revised(CALM), period, "Calm", "try it")
    again = asked(league, spec)
    assert again > stale
    league.promoter.promote(again, ADMIN, "r")


def test_a_replay_in_work_is_not_computed_again(league: League) -> None:
    """Its figures are on their way."""
    number = replay_requests.start(league, ReplaySpec(revised(CALM)), ADMIN).number
    with pytest.raises(ReplayNotDone):
        replay_requests.spec_to_compute_again(league, number)
    with pytest.raises(NotFound):
        replay_requests.spec_to_compute_again(league, 99)


@pytest.mark.heavy
def test_a_replay_starts_from_the_rules_of_another(league: League) -> None:
    """A candidate gives its own, a timeline that comes back its latest edition; a replay without rules gives none."""
    [founding] = adoptions(league)
    promoted(league, CALM)
    catch_up(league)
    candidate = replay_requests.start(league, ReplaySpec(revised("rating.cap = false")), ADMIN).number
    back = replay_requests.start(league, ReplaySpec(None, restores=founding), ADMIN).number
    moment = league.store.read_after(league.store.head() - 1, 1)[0].recorded_at
    known = replay_requests.start(league, ReplaySpec(None, known_at=moment), ADMIN).number
    assert content_hash(replay_requests.rules_of(league, candidate)) == content_hash(revised("rating.cap = false"))
    assert content_hash(replay_requests.rules_of(league, back)) == content_hash(revised(""))
    with pytest.raises(InvalidInput, match="revises no rules"):
        replay_requests.rules_of(league, known)


# ---------------------------------------------------------------- timelines compared


def timeline(*spans: tuple[float | None, str]) -> RulesTimeline:
    """Editions with these settings from these hours on."""
    editions = {number: HashedEdition(text, revised(text)) for number, (_, text) in enumerate(spans, 1)}
    return RulesTimeline(
        tuple(EditionSpan(None if hour is None else at(hour), number) for number, (hour, _) in enumerate(spans, 1)),
        editions,
    )


def test_rules_that_differ_only_in_titles_decide_alike() -> None:
    """Over every span of play time."""
    first, titled = timeline((None, "")), timeline((None, 'title = "The same rules"'))
    assert decide_alike(first, titled)
    assert decide_alike(titled, timeline((None, ""), (2, 'title = "Once more"')))
    assert not decide_alike(first, timeline((None, ""), (2, CALM), (5, "")))


def test_only_rulesets_in_use_stay() -> None:
    """Whether one is in use is asked for each span that lacks it."""
    first, house = timeline((None, "")), timeline((None, HOUSE))
    adopted = [AdoptedTimeline(3, first), AdoptedTimeline(9, house)]
    asked_for: list[Any] = []

    def nobody(lost: Any) -> list[str]:
        asked_for.append((lost.start, lost.end, [*lost.rulesets]))
        return []

    assert rules_to_bring_back(adopted, None, nobody).rules.hashes() == first.hashes()
    assert asked_for == [(None, None, ["house-100"])]
    with pytest.raises(NothingToRollBack):
        rules_to_bring_back(adopted, None, lambda lost: lost.rulesets)
    assert adopted_timelines([]) == []
