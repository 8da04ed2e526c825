"""Candidates are named, shown and withdrawn; what cannot be shown is refused, and what is shown stays."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from leagues import announced, at, at_once, catch_up, league_at, official, revised, send

from league.application import candidates, replay_requests, storing
from league.application.bootstrap import League
from league.application.candidates import unfinished_replays
from league.application.replay_folding import fold_replay
from league.application.replay_requests import ReplaySpec
from league.cli.opening import reading
from league.domain.audit_trail import ReplayShown, ReplayWithdrawn, RunPromoted
from league.domain.candidates import NothingRevised, TooManyShown
from league.domain.refusals import InvalidInput, NotFound, Refusal
from league.domain.rulebook import AdoptEdition, PublishEdition
from league.domain.wrong_states import ReplayIsShown
from league.eventlog.records import AppendRequest
from league.infra.database import connect
from league.projections import runs
from league.projections.queries import catalogue
from league.projections.queries.candidates import shown_candidates
from league.projections.queries.snapshot import snapshot_of
from league.projections.replays.replay import ReplayPeriod
from league.rulebook import shipped_edition

ADMIN = AppendRequest("root", "manual")
WHY = "newcomers climb too fast"


@pytest.fixture
def league(league_url: str) -> Iterator[League]:
    """Two matches, projected."""
    with league_at(league_url) as made:
        send(made, announced("m0", ("ana", "bea"), 0), announced("m1", ("cira", "dora"), 1))
        catch_up(made)
        yield made


def asked(league: League, k: int = 32, **more: Any) -> int:
    """The number of a candidate that waits for a worker."""
    return replay_requests.start(league, ReplaySpec(revised(f"rating.k.provisional = {k}"), **more), ADMIN).number


def folded(league: League, k: int = 32) -> int:
    number = asked(league, k)
    fold_replay(league.database.url, number)
    return number


def shown(league: League) -> list[int]:
    with connect(league.database.url) as conn:
        found = conn.execute("SELECT replay FROM shown_replays ORDER BY replay").fetchall()
    return [number for (number,) in found]


def refused(league: League, number: int) -> str:
    """The code with which showing it is refused; nothing is stored."""
    head = league.store.head()
    with pytest.raises(Refusal) as error:
        candidates.show(league, number, WHY, ADMIN)
    assert league.store.head() == head
    return error.value.code


def test_showing_and_withdrawing_are_events(league: League) -> None:
    """Each has the reason, and showing the title; a name leaves no event, and each of them reaches the readers."""
    number = folded(league)
    before = generation(league)
    candidates.name(league, number, " Slower newcomers ", None)
    assert generation(league) == before, "nobody reads a draft from a cache"
    head = league.store.head()
    assert candidates.show(league, number, f" {WHY} ", ADMIN) == head + 1
    assert shown(league) == [number]
    assert candidates.withdraw(league, number, "nobody wants it", ADMIN) == head + 2
    assert shown(league) == []
    assert generation(league) == before + 2
    acts = [stored.event for stored in league.store.load("trail")][-2:]
    assert acts == [ReplayShown(number, "Slower newcomers", WHY), ReplayWithdrawn(number, "nobody wants it")]
    assert named(league, number) == ("Slower newcomers", WHY)
    candidates.name(league, number, None, "another reason")
    assert named(league, number) == (None, "another reason")


def test_the_title_and_the_reason_of_a_proposal_stay_what_its_event_says(league: League) -> None:
    """A new name is refused until it is withdrawn, and an equal replay that is asked for gives it none."""
    number = folded(league)
    candidates.show(league, number, WHY, ADMIN)
    with pytest.raises(ReplayIsShown, match="withdraw it first"):
        candidates.name(league, number, "Slower", "another reason")
    assert asked(league, title="Slower", reason="another reason") == number
    assert named(league, number) == (None, WHY)
    candidates.withdraw(league, number, WHY, ADMIN)
    assert asked(league, title="Slower") == number
    assert named(league, number) == ("Slower", WHY)


def test_a_candidate_that_is_renamed_while_it_is_shown_is_not_shown(
    league: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise its event would have the earlier title."""
    number, record = folded(league), storing.record

    def renamed_first(*given: Any) -> int:
        candidates.name(league, number, "Slower", None)
        return record(*given)

    monkeypatch.setattr(storing, "record", renamed_first)
    assert refused(league, number) == "CONFLICT"
    assert shown(league) == []


def named(league: League, number: int) -> Any:
    """The title and the reason that it has."""
    with connect(league.database.url) as conn:
        return conn.execute("SELECT title, reason FROM replays WHERE replay = %s", (number,)).fetchone()


def generation(league: League) -> int:
    with connect(league.database.url) as conn:
        return int(runs.first_value(conn, "SELECT number FROM generation"))


@pytest.mark.heavy
def test_what_is_not_there_to_be_read_is_not_shown(league: League) -> None:
    """Unknown, waiting, cancelled, dropped, outdated, without a revision, or shown already: each says what it is."""
    waiting, cancelled, dropped, outdated = asked(league, 31), asked(league, 33), folded(league, 34), folded(league, 35)
    replay_requests.cancel(league, cancelled, ADMIN)
    replay_requests.drop(league, dropped, ADMIN)
    known = replay_requests.start(league, ReplaySpec(None, known_at=league.dispatcher.clock()), ADMIN).number
    assert refused(league, 999) == "NOT_FOUND"
    assert refused(league, waiting) == "REPLAY_NOT_DONE"
    assert refused(league, cancelled) == "REPLAY_FAILED"
    assert refused(league, dropped) == "REPLAY_DROPPED"
    assert refused(league, known) == "NOT_A_CANDIDATE"
    candidates.show(league, outdated, WHY, ADMIN)
    assert refused(league, outdated) == "REPLAY_SHOWN"
    candidates.withdraw(league, outdated, WHY, ADMIN)
    with pytest.raises(Refusal) as again:
        candidates.withdraw(league, outdated, WHY, ADMIN)
    assert again.value.code == "REPLAY_DRAFT"
    send(league, PublishEdition(revised("rating.k.standard = 21")))
    send(league, AdoptEdition(2))
    catch_up(league)
    assert refused(league, outdated) == "RUN_OUTDATED"


@pytest.mark.heavy
@pytest.mark.also_on_server
def test_two_cannot_be_shown_in_the_third_place(league: League) -> None:
    """One is shown, the other is refused with the numbers of the three."""
    numbers = [folded(league, k) for k in (31, 32, 33, 34)]
    for number in numbers[:2]:
        candidates.show(league, number, WHY, ADMIN)
    answers = at_once(*(lambda number=number: candidates.show(league, number, WHY, ADMIN) for number in numbers[2:]))  # type: ignore[misc]
    [refusal] = [answer for answer in answers if isinstance(answer, Refusal)]
    assert isinstance(refusal, TooManyShown)
    assert list(refusal.shown) == shown(league)
    assert len(refusal.shown) == 3


@pytest.mark.heavy
def test_the_run_of_a_proposal_stays(league: League, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is neither pruned nor dropped, until it is withdrawn or becomes official."""
    monkeypatch.setattr(runs, "MOST_REPLAYS", 1)
    first = folded(league, 31)
    candidates.show(league, first, WHY, ADMIN)
    second, third = folded(league, 32), folded(league, 33)
    with connect(league.database.url) as conn:
        there = [number for number in (first, second, third) if runs.is_ready(conn, number)]
    assert there == [first, third]
    with pytest.raises(Refusal) as error:
        replay_requests.drop(league, first, ADMIN)
    assert error.value.code == "REPLAY_SHOWN"
    candidates.show(league, third, WHY, ADMIN)
    league.promoter.promote(third, ADMIN)
    assert shown(league) == [first]
    candidates.withdraw(league, first, WHY, ADMIN)
    replay_requests.drop(league, first, ADMIN)


@pytest.mark.heavy
def test_workers_fold_proposals_whose_runs_are_gone(league: League) -> None:
    """As after a restore. Until then they are not listed but keep their places; the reader's cache ends with the fold.

    A cancelled one is folded, too: whoever does not want it withdraws it.
    """
    numbers = [folded(league, k) for k in (31, 32, 33)]
    for number in numbers:
        candidates.show(league, number, WHY, ADMIN)
    draft = folded(league, 34)
    with connect(league.database.url, autocommit=True) as conn:
        conn.execute("UPDATE runs SET ready = false WHERE run = ANY(%s)", ([*numbers, draft],))
        runs.sweep(conn)
        conn.execute("UPDATE replays SET run = NULL, cancelled_at = now() WHERE replay = %s", (numbers[2],))
    assert listed(league) == []
    assert unfinished_replays(league.database.url) == numbers
    with pytest.raises(ReplayIsShown, match="withdraw it first"):
        replay_requests.cancel(league, numbers[0], ADMIN)
    assert refused(league, folded(league, 35)) == "TOO_MANY_SHOWN"
    for number in numbers:
        before = generation(league)
        fold_replay(league.database.url, number)
        assert generation(league) == before + 2, "one for its editions, one for its run"
    assert listed(league) == numbers
    assert refused(league, draft) == "REPLAY_DROPPED"


def test_proposals_wait_until_the_league_is_folded(league: League) -> None:
    """A worker that finds them while a restored league is not folded yet would fold them without rules."""
    number = folded(league)
    candidates.show(league, number, WHY, ADMIN)
    with connect(league.database.url, autocommit=True) as conn:
        conn.execute("UPDATE runs SET ready = false WHERE run = %s", (number,))
        runs.sweep(conn)
        conn.execute("UPDATE runs SET code = 'restored'")
    assert unfinished_replays(league.database.url) == []
    catch_up(league)
    assert unfinished_replays(league.database.url) == [number]


def test_what_a_proposal_says_is_read_from_its_event(league: League) -> None:
    """Whoever changes the title or the reason of a replay that is shown changes nothing that people see."""
    number = folded(league)
    candidates.name(league, number, "Slower", None)
    candidates.show(league, number, WHY, ADMIN)
    with connect(league.database.url) as conn:
        conn.execute("UPDATE replays SET title = 'Faster', reason = 'none'")
    with reading(league) as conn:
        snapshot = snapshot_of(conn, official(league.database.url))
        [(proposal, _)], replay = shown_candidates(snapshot), catalogue.replay(snapshot, number, drafts=False)
    assert replay is not None
    assert (proposal.title, proposal.reason) == (replay.title, replay.reason) == ("Slower", WHY)
    league.promoter.promote(number, ADMIN)
    [promoted] = [stored.event for stored in league.store.load("trail") if isinstance(stored.event, RunPromoted)]
    assert promoted.title == "Slower"


def listed(league: League) -> list[int]:
    """The numbers of the proposals, as everybody gets them."""
    with reading(league) as conn:
        return [row.replay for row, _ in shown_candidates(snapshot_of(conn, official(league.database.url)))]


@pytest.mark.heavy
def test_a_replay_that_was_official_is_never_a_draft_again(league: League) -> None:
    """However many were promoted after it, everybody may read it; a draft they may not."""
    numbers = []
    for k in (31, 32, 33):
        numbers.append(folded(league, k))
        league.promoter.promote(numbers[-1], ADMIN)
        catch_up(league)
    draft = folded(league, 34)
    with reading(league) as conn:
        snapshot = snapshot_of(conn, numbers[-1])
        found = [number for number in (*numbers, draft) if catalogue.replay(snapshot, number, drafts=False)]
    assert found == numbers


@pytest.mark.parametrize(("title", "reason", "field"), [
    ("t" * 121, None, "title"), ("a\u202eb", None, "title"), (None, "r" * 1001, "reason"), (None, "a\x00", "reason"),
])  # fmt: skip
def test_a_name_that_cannot_be_read_is_refused(
    league: League, title: str | None, reason: str | None, field: str
) -> None:
    """It is too long, or hides what it says."""
    with pytest.raises(InvalidInput) as error:
        candidates.name(league, asked(league), title, reason)
    assert error.value.at == field


def test_what_is_shown_has_a_reason(league: League) -> None:
    """Without one it is neither shown nor withdrawn."""
    number = folded(league)
    candidates.name(league, number, None, None)
    with pytest.raises(InvalidInput, match="reason"):
        candidates.show(league, number, " ", ADMIN)
    candidates.show(league, number, WHY, ADMIN)
    with pytest.raises(InvalidInput, match="reason"):
        candidates.withdraw(league, number, "", ADMIN)
    with pytest.raises(NotFound):
        candidates.name(league, 999, None, None)


def test_a_revision_that_changes_nothing_is_refused(league: League) -> None:
    """Its rules are in force for its whole period. As known at a moment it may be computed."""
    now = ReplaySpec(shipped_edition())
    for spec in (now, ReplaySpec(shipped_edition(), ReplayPeriod(at(0), at(1)))):
        with pytest.raises(NothingRevised):
            replay_requests.start(league, spec, ADMIN)
    known = ReplaySpec(shipped_edition(), known_at=league.dispatcher.clock())
    assert replay_requests.start(league, known, ADMIN).number
    send(league, PublishEdition(revised("rating.k.standard = 21")))
    send(league, AdoptEdition(2, at(1)))
    catch_up(league)
    with pytest.raises(NothingRevised):
        replay_requests.start(league, ReplaySpec(shipped_edition(), ReplayPeriod(None, at(1))), ADMIN)
    assert replay_requests.start(league, now, ADMIN).number
    in_force = revised("rating.k.standard = 21")
    with pytest.raises(NothingRevised, match="edition"):
        replay_requests.start(league, ReplaySpec(in_force, completes=in_force), ADMIN)


def test_a_repeated_request_is_answered_even_if_its_rules_are_in_force_by_now(league: League) -> None:
    """The key gives the first number."""
    keyed = AppendRequest("root", "manual", "key", "hash")
    spec = ReplaySpec(revised("rating.k.standard = 21"))
    number = replay_requests.start(league, spec, keyed).number
    send(league, PublishEdition(revised("rating.k.standard = 21")))
    send(league, AdoptEdition(2))
    catch_up(league)
    assert replay_requests.start(league, spec, keyed).number == number
