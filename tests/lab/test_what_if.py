"""What ratings would be under other rules: the figures of a replay, at once."""

from __future__ import annotations

from datetime import datetime
from itertools import count
from typing import Any

import pytest
from api_server import Served, served, token
from commands import matches_of
from leagues import CUBAN, revised, send

from league.domain.match import VoidMatch
from league.infra.database import engine
from league.lab import laboratory, trial
from league.projections.difference.totals import totals
from league.projections.difference.two_runs import two_runs
from league.projections.difference.verdict import verdict
from league.projections.replays.replay import ReplayPeriod, replay
from league.wording.forecast_verdict import in_words

ADMIN = token("admin")
SETTINGS = "rating.k.standard = 40\nrating.k.provisional = 60\nrating.provisional_below = 3\nrating.start = 1400"
PLACE = "competitorId rank value matches provisional lastDecidedAt"
NUMBERS = count(500)
VOIDED = count(5)
"""Which match of the season a test may void."""


def what_if(season: Served, asked: str, settings: str = SETTINGS, **period: Any) -> Any:
    query = f"""
        query ($settings: String!, $period: WhatIfPeriod, $after: BigInt!) @readFrom(afterPosition: $after) {{
          whatIf(settings: $settings, period: $period) {{
            __typename
            ... on UserError {{ code message field }}
            ... on InvalidRulebookError {{ problems {{ key }} }}
            ... on WhatIf {{ {asked} }}
          }}
        }}
    """
    return season.ask(query, ADMIN, settings=settings, period=period or None, after=season.league.store.head())[
        "whatIf"
    ]


def replayed(season: Served, settings: str = SETTINGS, period: ReplayPeriod = ReplayPeriod()) -> int:  # noqa: B008  # frozen
    return replay(season.league.database.url, revised(settings), period, number=next(NUMBERS))


@pytest.mark.heavy
@pytest.mark.parametrize("board", ["GLOBAL", "ONE_ON_ONE", "TWO_ON_TWO", "TEAMS"])
def test_a_board_is_that_of_a_replay(season: Served, board: str) -> None:
    """A board equals that of a replay to the last bit, beside the official board; also after a match was voided."""
    for _ in range(2):
        asked = f"position board(board: {board}, includeInactive: true, first: 100)"
        tried = what_if(season, f"{asked} {{ totalCount nodes {{ {PLACE} rankBefore valueBefore }} }}")
        of = (
            f"board(kind: {board}, includeInactive: true) {{ places(first: 100) {{ totalCount nodes {{ {PLACE} }} }} }}"
        )
        run = replayed(season)
        there, official = (
            season.ask(f"query @readFrom({which}) {{ {of} }}", ADMIN)["board"]["places"]
            for which in (f"run: {run}", f"afterPosition: {season.league.store.head()}")
        )
        places = tried["board"]["nodes"]
        assert tried["board"]["totalCount"] == there["totalCount"] > 3
        assert [{name: place[name] for name in PLACE.split()} for place in places] == there["nodes"]
        before = {place["competitorId"]: (place["rank"], place["value"]) for place in official["nodes"]}
        assert before == {place["competitorId"]: (place["rankBefore"], place["valueBefore"]) for place in places}
        send(season.league, VoidMatch(matches_of(CUBAN)[next(VOIDED)]["match"], "a mistake"))


def test_forecasts_and_drift_are_those_of_the_comparison(season: Served) -> None:
    """Losses equal those of a comparison of runs, and the drift equals that of the official run."""
    asked = (
        "predictions { month before { matches brier logLoss classes { sides expected won } }"
        " after { matches brier logLoss } } drift(mode: TWO_ON_TWO)"
        " { month before { rated mean matches gained gainedPerMatch } after { mean } }"
    )
    found = what_if(season, asked)
    run, url = replayed(season), season.league.database.url
    pool = engine(url, pool_size=1)
    with pool.connect() as conn:
        official = conn.exec_driver_sql("SELECT run FROM official_run").scalar_one()
        wanted = next(one for one in totals(conn, two_runs(conn, official, run)).predictions if one.mode is None)
    pool.dispose()
    whole, *months = found["predictions"]
    assert whole["month"] is None
    assert whole["before"]["matches"] == wanted.matches == sum(month["before"]["matches"] for month in months)
    for when in ("before", "after"):
        assert whole[when]["brier"] == pytest.approx(getattr(wanted, f"brier_{when}"), rel=1e-12)
        assert whole[when]["logLoss"] == pytest.approx(getattr(wanted, f"log_loss_{when}"), rel=1e-12)
    assert sum(one["sides"] for one in whole["before"]["classes"]) == 2 * wanted.matches
    drift = "ratingDrift(mode: TWO_ON_TWO) { month rated mean matches gained gainedPerMatch }"
    for which, when in (("", "before"), (f"@readFrom(run: {run})", "after")):
        for ours, theirs in zip(
            found["drift"], season.ask(f"query {which} {{ {drift} }}", ADMIN)["ratingDrift"], strict=True
        ):
            assert ours["month"] == theirs["month"]
            assert ours[when] == pytest.approx({name: theirs[name] for name in ours[when]}, rel=1e-12)


def test_the_verdict_is_that_of_a_replay(season: Served) -> None:
    """The laboratory and the comparison of runs judge the same matches in the same way."""
    losses = "before { logLoss } after { logLoss } plainElo { logLoss }"
    found = what_if(season, f"verdict {{ kind sentence basis matches days plainK {losses} low }}")["verdict"]
    run, url = replayed(season), season.league.database.url
    pool = engine(url, pool_size=1)
    with pool.connect() as conn:
        official = conn.exec_driver_sql("SELECT run FROM official_run").scalar_one()
        wanted = verdict(conn, two_runs(conn, official, run))
    pool.dispose()
    assert wanted is not None
    assert (found["kind"], found["matches"], found["days"]) == (wanted.kind.upper(), wanted.matches, wanted.days)
    assert found["before"]["logLoss"] == pytest.approx(wanted.first.log_loss, rel=1e-12)
    assert found["after"]["logLoss"] == pytest.approx(wanted.second.log_loss, rel=1e-12)
    assert (found["plainK"], found["plainElo"]["logLoss"]) == (wanted.plain_k, wanted.plain_elo.log_loss)
    assert (found["low"] is None) == (wanted.difference.low is None)
    words = in_words(wanted)
    assert (found["sentence"], found["basis"]) == (words.sentence, words.basis)


@pytest.mark.heavy
def test_changes_stand_side_by_side_with_their_terms(season: Served) -> None:
    """The changes of a player and of a pair equal those of the official run and of a replay, in pages."""
    terms = "before after outcome expected k kRule modifier modifierTerms { rule value } capped"
    season.follow(str(season.league.store.head()))  # an earlier test has voided a match
    run = replayed(season)
    for of in ("p001", season.ask("{ teams(first: 1) { nodes { teamId } } }")["teams"]["nodes"][0]["teamId"]):
        asked = f'changes(of: "{of}", first: 3%s) {{ totalCount pageInfo {{ endCursor hasNextPage }} nodes {{ matchId'
        asked += f" mode decidedAt before {{ {terms} }} after {{ {terms} }} }} }}"
        first = what_if(season, asked % "")["changes"]
        cursor = first["pageInfo"]["endCursor"]
        nodes = first["nodes"]
        if first["pageInfo"]["hasNextPage"]:
            nodes += what_if(season, asked % f', after: "{cursor}"')["changes"]["nodes"]
        assert len(nodes) == min(6, first["totalCount"])
        for change in nodes:
            question = f'ratingChange(match: "{change["matchId"]}", of: "{of}") {{ mode decidedAt {terms} }}'
            for which, when in (("", "before"), (f"@readFrom(run: {run})", "after")):
                there = season.ask(f"query {which} {{ {question} }}", ADMIN)["ratingChange"]
                assert {**change[when], "mode": change["mode"], "decidedAt": change["decidedAt"]} == there


def test_a_period_is_that_of_replays(season: Served) -> None:
    """With a period, the tried rules rate only the matches that began within it."""
    began = season.ask("{ matches(first: 60) { nodes { beganAt } } }")["matches"]["nodes"][30]["beganAt"]
    asked = "movers(board: TWO_ON_TWO, includeInactive: true, first: 100) { nodes { competitorId value change } }"
    found = what_if(season, asked, **{"from": began})["movers"]["nodes"]
    sizes = [abs(place["change"]) for place in found]
    assert sizes == sorted(sizes, reverse=True)
    run = replayed(season, period=ReplayPeriod(datetime.fromisoformat(began)))
    board = "board(kind: TWO_ON_TWO, includeInactive: true) { places(first: 100) { nodes { competitorId value } } }"
    there = season.ask(f"query @readFrom(run: {run}) {{ {board} }}", ADMIN)["board"]["places"]["nodes"]
    assert {place["competitorId"]: place["value"] for place in found} == {
        place["competitorId"]: place["value"] for place in there
    }


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ("rating.k.standard = -1", "InvalidRulebookError"),
        ("rating.k.vip = 3", "InvalidRulebookError"),
        ("rating.k.standard =", "InvalidRulebookError"),
        ("series.limit = 0", "InvalidRulebookError"),
        ("badges.streaks = [3]", "InvalidRulebookError"),
        (
            "badges.recoveries = [{ behind = 50, thresholds = [1] }, { behind = 50, thresholds = [9] }]",
            "InvalidRulebookError",
        ),
        ("rulesets.cuban-150.target = 100", "InvalidRulebookError"),
    ],
)
def test_what_cannot_be_tried_is_refused_by_name(season: Served, settings: str, says: str) -> None:
    """Invalid numbers, unknown settings and settings that score matches are refused by name."""
    assert what_if(season, "position", settings)["__typename"] == says


def test_no_month_is_of_the_overall_rating(season: Served) -> None:
    """The drift of the overall rating is refused."""
    asked = '{ whatIf(settings: "") { ... on WhatIf { drift(mode: OVERALL) { month } } } }'
    assert season.error(asked, ADMIN)["extensions"] == {"code": "BAD_REQUEST", "argument": "mode"}


@pytest.mark.parametrize("field", ["standings", "locks"])
def test_a_text_that_is_no_month_is_refused(season: Served, field: str) -> None:
    """The argument is named."""
    asked = f'difference {{ ... on WhatIfDifference {{ {field}(month: "May") {{ totalCount }} }} }}'
    refused = season.error(f'{{ whatIf(settings: "series.pool = 50") {{ ... on WhatIf {{ {asked} }} }} }}', ADMIN)
    assert refused["extensions"] == {"code": "BAD_REQUEST", "argument": "month"}


def test_others_than_admins_try_no_rules(season: Served) -> None:
    """A scorekeeper is refused."""
    query = '{ whatIf(settings: "") { __typename } }'
    assert season.error(query, token("scorekeeper"))["extensions"]["code"] == "FORBIDDEN"


@pytest.mark.heavy
def test_a_league_without_matches_has_nothing_to_try_rules_on(league_url: str) -> None:
    """A league without rated matches gets the refusal NO_MATCHES."""
    with served(league_url) as empty:
        assert what_if(empty, "position")["__typename"] == "WrongStateError"


def test_a_busy_laboratory_says_so(season: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """Requests wait for a slot, and a limited number of them may wait."""
    monkeypatch.setattr(laboratory, "MOST_WAITING", 0)
    assert what_if(season, "position")["__typename"] == "WrongStateError"


def test_a_large_league_needs_the_extra(season: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without numba, a league beyond a limit of matches is refused, with a hint what would help."""
    monkeypatch.setattr(trial, "IS_COMPILED", False)
    assert what_if(season, "matches")["matches"] > 10
    monkeypatch.setattr(trial, "MOST_INTERPRETED", 10)
    refused = what_if(season, "matches")
    assert refused["__typename"] == "WrongStateError"
    assert "domino-league[lab]" in refused["message"]


SERIES = "series.limit = 1\nseries.pool = 60\nbadges.streak = [2]\nboards.active_days = 1"
DIFFERENCE = """
    difference { __typename ... on WhatIfDifference {
      position badgesGained badgesLost
      months(first: 5) { nodes { month mode closed standingsChanged locked unlocked } }
      standings(mode: TWO_ON_TWO, first: 3) { totalCount nodes { competitorId rank rankBefore total totalBefore } }
      locks(first: 3) { totalCount nodes { month before { locked aWins bWins } after { locked ignored } } }
      gained: badges(fate: GAINED, first: 100) { totalCount nodes { badge description after { matchId } } }
      lost: badges(fate: LOST, first: 100) { totalCount nodes { badge description } }
      places(board: TWO_ON_TWO, first: 100) { nodes { board rankBefore rankAfter competitorId } }
    } }
"""


def test_the_series_badges_and_boards_stand_beside_those_in_force(season: Served) -> None:
    """With one game a pair all are locked; a streak of two is a badge; who has not played for a day leaves boards."""
    found = what_if(season, DIFFERENCE, SERIES)["difference"]
    assert sum(month["locked"] for month in found["months"]["nodes"]) == found["locks"]["totalCount"] > 3
    assert all(month["unlocked"] == 0 for month in found["months"]["nodes"])
    assert found["standings"]["totalCount"] > 3
    assert found["standings"]["nodes"][0]["rank"] == 1
    assert {badge["badge"] for badge in found["gained"]["nodes"]} == {"streak-2"}
    assert {badge["description"] for badge in found["gained"]["nodes"]} == {"2 matches won in a row"}
    assert found["badgesGained"] == found["gained"]["totalCount"]
    assert "3 matches won in a row" in {badge["description"] for badge in found["lost"]["nodes"]}
    assert any(place["rankAfter"] is None for place in found["places"]["nodes"])


def test_a_setting_that_another_one_leaves_without_effect_is_named(season: Served) -> None:
    """After one win the two are locked, so no second game shares the pool; without a pool nothing is amiss."""
    asked = "withoutEffect { key reason }"
    [found] = what_if(season, asked, "series.limit = 1")["withoutEffect"]
    assert found["key"] == "series.pool_from_game"
    assert "games after number 1 do not count" in found["reason"]
    assert what_if(season, asked, "series.limit = 1\nseries.pool = 0")["withoutEffect"] == []
    assert what_if(season, asked, "series.limit = 2")["withoutEffect"] == []


def test_a_page_of_the_difference_goes_on_where_the_last_one_ended(season: Served) -> None:
    """Standings come in pages, as everywhere."""
    asked = "difference { ... on WhatIfDifference { standings(first: 2%s) { pageInfo { endCursor } nodes { rank } } } }"
    first = what_if(season, asked % "", SERIES)["difference"]["standings"]
    second = what_if(season, asked % f', after: "{first["pageInfo"]["endCursor"]}"', SERIES)["difference"]["standings"]
    assert first["nodes"][-1]["rank"] <= second["nodes"][0]["rank"]


def test_a_board_lists_who_is_active_under_the_tried_rules(season: Served) -> None:
    """A board of ratings is that of a replay also when the days change after which a player is inactive."""
    settings = "boards.active_days = 1"
    asked = "board(board: ONE_ON_ONE, first: 100) { nodes { competitorId rank rankBefore } }"
    tried = what_if(season, asked, settings)["board"]["nodes"]
    there = season.ask(
        f"query @readFrom(run: {replayed(season, settings)})"
        " { board(kind: ONE_ON_ONE) { places(first: 100) { nodes { competitorId rank } } } }",
        ADMIN,
    )["board"]["places"]["nodes"]
    assert [(place["competitorId"], place["rank"]) for place in tried] == [
        (place["competitorId"], place["rank"]) for place in there
    ]


def test_nothing_is_folded_where_ratings_alone_change_and_nobody_asks(season: Served) -> None:
    """Whoever moves a number of the ratings need not wait for the fold of the league."""
    asked = "difference(ratingsToo: false) { ... on WhatIfDifference { badgesGained } }"
    assert what_if(season, asked, "rating.k.standard = 40")["difference"] is None
    assert what_if(season, asked, "series.pool = 50")["difference"] is not None


def test_a_league_too_large_to_fold_at_once_is_told_to_replay(season: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """The ratings are still there; what takes too long is refused in its own field."""
    monkeypatch.setattr(trial, "MOST_FOLDED", 10)
    asked = "matches difference { __typename ... on UserError { code message } }"
    found = what_if(season, asked, "series.pool = 55")
    assert found["matches"] > 10
    assert found["difference"]["code"] == "LEAGUE_TOO_LARGE"
    assert "start a replay" in found["difference"]["message"]
