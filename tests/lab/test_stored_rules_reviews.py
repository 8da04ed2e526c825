"""Reviews of the rules that a league stores: one for the latest closing, taken up again after a kill."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from typing import Any

import pytest
from api_server import Served, served, token
from databases import copy_of
from dramatiq import Message
from dramatiq.brokers.stub import StubBroker
from leagues import CUBAN_SEASON, revised

from league.application.work_part import JobSettings
from league.domain.league import CloseMonth, ReopenMonth
from league.domain.rulebook import AdoptEdition, PublishEdition
from league.domain.rules import Rulebook
from league.infra.database import connect
from league.lab import make_rules_review, work
from league.lab.make_rules_review import review_rules_after
from league.lab.rules_review import RulesReview
from league.lab.stored_rules_reviews import ATTEMPTS, SENT_AGAIN_AFTER, ClosedMonth
from league.lab.work import RulesReviewJobs

pytestmark = pytest.mark.heavy

ADMIN = token("admin")
REVIEW = """query ($month: String) { rulesReview(month: $month) { month status sentences position found {
  matches firstMonth lastMonth favourites { matches expected won low high } meanRatings { mode before after }
  fit { settings tried judged { kind matches } } } } }"""


@pytest.fixture
def season(embedded_server: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    """The recorded Cuban season, with a search that tries few settings."""
    monkeypatch.setattr(make_rules_review, "MOST_CANDIDATES", 20)
    with copy_of(embedded_server, CUBAN_SEASON) as url, served(url) as server:
        yield server


def jobs_of(season: Served, *, reviews_rules: bool = True) -> RulesReviewJobs:
    """The jobs of a worker."""
    settings = JobSettings(reviews_rules=reviews_rules)
    return RulesReviewJobs(season.league.database.url, StubBroker(), settings, threading.Event())


def sent_by(jobs: RulesReviewJobs) -> list[ClosedMonth]:
    """The closings that a search sends to workers."""
    jobs.send_unfinished_again()
    queue = jobs.broker.queues[jobs.queue]
    return [ClosedMonth(*Message.decode(queue.get_nowait()).args) for _ in range(queue.qsize())]


def close(season: Served, month: str) -> None:
    """Close a month."""
    season.follow(str(season.league.dispatcher.send(CloseMonth(month), "ana")))


def review(season: Served, closed: ClosedMonth, *, has_lab: bool = True) -> None:
    """Review the rules as a worker does."""
    review_rules_after(season.league.database.url, closed, has_lab=has_lab)


def told(season: Served, month: str | None = None) -> Any:
    """The review as an admin reads it."""
    return season.ask(REVIEW, ADMIN, month=month)["rulesReview"]


def months_of(season: Served) -> list[str]:
    """The months with matches, the first one first."""
    with connect(season.league.database.url) as conn:
        return [month for (month,) in conn.execute("SELECT DISTINCT month FROM standings ORDER BY month").fetchall()]


def test_a_month_is_reviewed_under_the_rules_of_its_end(season: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rules that begin later, as house rules do, are not reviewed yet."""
    monkeypatch.setattr(make_rules_review, "LEAST_MATCHES", 50)
    rules = season.league.dispatcher.send
    rules(PublishEdition(revised("rating.k.standard = 77")), "ana")
    rules(AdoptEdition(2, datetime(2030, 1, 1, tzinfo=UTC)), "ana")
    close(season, months_of(season)[-1])
    (closed,) = sent_by(jobs_of(season))

    def only_look(_columns: Any, _rules: Any, base: Rulebook, _zone: Any) -> RulesReview:
        raise LookupError(base.rating.k.standard)

    monkeypatch.setattr(make_rules_review, "review", only_look)
    with pytest.raises(LookupError, match="20"):
        review(season, closed)


def test_a_closed_month_is_reviewed(season: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once, and again only when it is closed again. Nothing of the league changes."""
    monkeypatch.setattr(make_rules_review, "LEAST_MATCHES", 50)
    assert told(season) is None
    assert sent_by(jobs_of(season)) == []
    first, last = months_of(season)[0], months_of(season)[-1]
    for month in (first, last):
        close(season, month)
    assert told(season)["status"] == "UNSTARTED"
    assert "`league worker`" in told(season)["sentences"][0]
    (closed,) = sent_by(jobs_of(season))
    assert closed.month == last
    assert told(season)["status"] == "WAITING"
    head = season.league.store.head()
    review(season, closed)
    found = told(season)
    assert found["status"] == "DONE"
    assert len(found["sentences"]) == 3
    assert int(found["position"]) == head
    assert found["found"]["lastMonth"] == last
    assert sent_by(jobs_of(season)) == []
    assert told(season, first)["status"] == "UNSTARTED", "the months before the last closing get no review"

    season.follow(str(season.league.dispatcher.send(ReopenMonth(last), "ana")))
    assert told(season)["month"] == first
    close(season, last)
    assert told(season)["status"] == "UNSTARTED", "that review belonged to the earlier closing"
    (anew,) = sent_by(jobs_of(season))
    assert anew.position > closed.position
    review(season, closed)
    assert told(season)["status"] == "WAITING", "a message of the earlier closing does nothing"
    review(season, anew)
    assert told(season)["found"] == found["found"], "the same matches give the same review"


def test_a_review_gives_its_lock_back_before_its_connection_ends(
    season: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PostgreSQL may notice later that a session has ended, and the next review must find the lock free."""
    url = season.league.database.url
    with ExitStack() as open_meanwhile:

        @contextmanager
        def left_open(url: str, **given: Any) -> Iterator[Any]:
            yield open_meanwhile.enter_context(connect(url, **given))

        monkeypatch.setattr(make_rules_review, "connect", left_open)
        review(season, ClosedMonth(months_of(season)[-1], 1))
        with connect(url) as conn:
            assert conn.execute(make_rules_review.LOCK, (make_rules_review.LOCK_SPACE,)).fetchone() == (True,)


def test_a_small_league_and_a_worker_without_the_lab_say_why_not(
    season: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker that has the extra takes the review up."""
    month = months_of(season)[0]
    close(season, month)
    (closed,) = sent_by(jobs_of(season))
    review(season, closed)
    assert told(season)["status"] == "FEW_MATCHES"
    assert "it takes 500 rated matches" in told(season)["sentences"][0]
    assert sent_by(jobs_of(season)) == []

    season.follow(str(season.league.dispatcher.send(ReopenMonth(month), "ana")))
    close(season, month)
    monkeypatch.setattr(make_rules_review, "LEAST_MATCHES", 10)
    (closed,) = sent_by(jobs_of(season))
    review(season, closed, has_lab=False)
    assert told(season)["status"] == "NO_LAB"
    monkeypatch.setattr(work, "has_lab", lambda: False)
    assert sent_by(jobs_of(season)) == []
    monkeypatch.setattr(work, "has_lab", lambda: True)
    assert sent_by(jobs_of(season)) == [closed]


def test_a_review_that_waits_in_a_queue_is_not_sent_again_by_every_process_that_searches(season: Served) -> None:
    """Each sends it when it starts, since messages may be lost then; and after some minutes one of them does."""
    close(season, months_of(season)[0])
    one, other = jobs_of(season), jobs_of(season)
    (closed,) = sent_by(one)
    assert sent_by(other) == [closed]
    assert [sent_by(jobs) for jobs in (one, other, one, other)] == [[], [], [], []]
    with connect(season.league.database.url) as conn:
        conn.execute("UPDATE rules_reviews SET sent_at = sent_at - make_interval(secs => %s)", (SENT_AGAIN_AFTER + 1,))
    assert [sent_by(jobs) for jobs in (one, other)] == [[closed], []]


def test_reviews_are_switched_off_and_on(season: Served) -> None:
    """Switched on again, a worker reviews the latest closing."""
    close(season, months_of(season)[0])
    assert sent_by(jobs_of(season, reviews_rules=False)) == []
    assert told(season)["status"] == "OFF"
    assert "LEAGUE_RULES_REVIEW" in told(season)["sentences"][0]
    assert len(sent_by(jobs_of(season))) == 1


def test_a_killed_review_is_taken_up_and_fails_after_some_deaths(season: Served) -> None:
    """A process that has used up its CPU time is not started again."""
    month = months_of(season)[0]
    close(season, month)
    jobs = jobs_of(season)
    (closed,) = sent_by(jobs)
    for _ in range(ATTEMPTS - 1):
        jobs.note_end(closed, -signal.SIGKILL)
        assert sent_by(jobs) == [closed]
    jobs.note_end(closed, -signal.SIGKILL)
    assert sent_by(jobs) == []
    assert told(season)["status"] == "FAILED"

    season.follow(str(season.league.dispatcher.send(ReopenMonth(month), "ana")))
    close(season, month)
    (closed,) = sent_by(jobs)
    jobs.note_end(closed, -signal.SIGXCPU)
    assert sent_by(jobs) == []
    assert told(season)["status"] == "NOT_ENDED"
