"""The difference of two runs: every list and figure is compared with one computed from the runs' exports."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from statistics import mean, median
from typing import Any

import pytest
from databases import pool_of
from leagues import (
    REVISED,
    adopt,
    announced,
    at,
    catch_up,
    domino,
    exported,
    import_cuban,
    league_at,
    official,
    own_database,
    part_of_season,
    played,
    revised,
    send,
)
from sqlalchemy import Connection, text

from league.application import storing
from league.application.bootstrap import League
from league.domain.audit_trail import RowsExported
from league.domain.match import OpenMatch, RecordHand, VoidMatch
from league.eventlog.records import AppendRequest
from league.projections.boards.board import BoardKey
from league.projections.boards.definitions import BOARDS
from league.projections.difference import places, ratings, series
from league.projections.difference.results import results
from league.projections.difference.totals import LISTS, DifferenceFigures, totals
from league.projections.difference.two_runs import TwoRuns, scored_alike, two_runs
from league.projections.queries.pages import Order, PageRequest, Query, read_page, typed
from league.projections.queries.snapshot import chosen_run
from league.projections.replays.replay import ReplayPeriod, replay
from league.transfer.export import PartOfList, rows_of_difference
from league.wording.verdicts import position_warning

pytestmark = pytest.mark.slow

CANDIDATE = "rating.cap = false\nrating.k.provisional = 32\nrating.modifier.capicua = { value = 0.5, count = 'match' }"
OTHER_RESULTS = (
    "rulesets.cuban-150.target = 110\nrulesets.cuban-150.block_winner = 'lowest_hand'\nboards.active_days = 20"
)
FOUR = ("ana", "cira", "bea", "dora")


def compare(league: League, candidate: str, period: ReplayPeriod | None = None) -> Compared:
    """The official run beside one under a candidate."""
    catch_up(league)
    url = league.database.url
    return Compared(url, official(url), replay(url, revised(candidate), period or ReplayPeriod()))


class Compared:
    """Two runs, and everything that is read about their difference."""

    def __init__(self, url: str, first: int, second: int) -> None:
        self.url, self.first, self.second = url, first, second
        with pool_of(url).connect() as conn:
            self.totals: DifferenceFigures = totals(conn, self.two(conn))
            self.rows = {what: list(rows_of_difference(conn, self.two(conn), what, PartOfList())) for what in LISTS}

    def two(self, conn: Connection) -> TwoRuns:
        """Both runs, which stay as long as the connection reads."""
        return two_runs(conn, *(chosen_run(conn, run, drafts=True) for run in (self.first, self.second)))

    def now(self) -> TwoRuns:
        """Both runs as they are now."""
        with pool_of(self.url).connect() as conn:
            return self.two(conn)

    def of(self, what: str, *key: str) -> dict[Any, dict[str, Any]]:
        """The rows of a list by some of their columns."""
        found = {tuple(row[name] for name in key): row for row in self.rows[what]}
        assert len(found) == len(self.rows[what])
        return found

    def sides(self, what: str, *key: str) -> tuple[dict[Any, Any], dict[Any, Any]]:
        """An export of either run, by some of its columns."""
        before, after = (
            {tuple(row[name] for name in key): row for row in exported(self.url, what, run)}
            for run in (self.first, self.second)
        )
        return before, after


def four_matches(league: League) -> None:
    send(
        league,
        played("m1", ("ana", "bea"), 0, domino(0, 0, 90, both=True), domino(0, 0, 80)),
        played("m2", ("bea", "cira"), 10, domino(0, 0, 90), domino(0, 0, 80)),
        played("m3", FOUR, 20, domino(1, 90, 0, 10, 20), domino(1, 80, 0, 10, 20)),
        played("m4", ("eva", "flor"), 30, domino(1, 90, 0), domino(1, 80, 0)),
    )


# ---------------------------------------------------------------- known figures


def test_a_run_does_not_differ_from_itself(league: League) -> None:
    """The difference of equal runs has empty lists and equal losses."""
    four_matches(league)
    found = compare(league, "")
    assert found.first == found.second
    assert not any(found.rows.values())
    counted = {name: getattr(found.totals, name) for name in found.totals.__struct_fields__}
    assert counted.pop("mean_before") == counted.pop("mean_after")
    for one in counted.pop("predictions"):
        assert (one.brier_before, one.log_loss_before) == (one.brier_after, one.log_loss_after)
    assert set(counted.values()) == {0}
    assert found.totals.drift == 0


def test_a_league_without_a_match_differs_in_nothing(league: League) -> None:
    """There are no figures, and no boards."""
    found = compare(league, CANDIDATE)
    assert found.first != found.second
    assert not any(found.rows.values())
    assert (found.totals.mean_before, found.totals.drift, found.totals.largest_move) == (None, 0, 0)
    assert [(one.mode, one.matches, one.brier_before) for one in found.totals.predictions] == [(None, 0, None)]


@pytest.mark.heavy
def test_runs_at_different_positions_say_so(league: League) -> None:
    """A match recorded since the replay is in one run only: both positions are known, and which events lie between."""
    four_matches(league)
    found = compare(league, CANDIDATE)
    two = found.now()
    assert (two.first_position, two.events_in_one_run) == (two.second_position, None)
    assert position_warning(two) is None
    storing.record(league.store, RowsExported("boards", "jsonl", None), AppendRequest("ana", "manual"))
    catch_up(league)
    two = found.now()
    assert two.first_position > two.second_position
    assert position_warning(two) is None  # no fold reads who exported what
    league.promoter.promote(found.second, AppendRequest("ana", "manual"), "try")
    league.promoter.roll_back(AppendRequest("ana", "manual"), "no")
    other = compare(league, "rating.cap = false")
    league.promoter.promote(other.second, AppendRequest("ana", "manual"), "try")
    league.promoter.roll_back(AppendRequest("ana", "manual"), "no")
    assert position_warning(other.now()) is None  # the rules of the two are what is compared
    send(league, announced("m5", ("ana", "bea"), 50))
    catch_up(league)
    two = found.now()
    assert two.first_position > two.second_position
    assert two.events_in_one_run is not None
    assert two.events_in_one_run[1] == two.first_position
    warning = position_warning(two)
    assert warning is not None
    assert f"Replay {two.second} does not count events {two.events_in_one_run[0]} to {two.first_position}" in warning


@pytest.mark.also_on_server
def test_known_moves_and_their_figures(league: League) -> None:
    """K is 40 or 32, E is 0.5 and M 0: the winner gains 20 or 16, the loser loses as much; no other rating moves."""
    plain = "".join(f"rating.modifier.{term}.value = 0\n" for term in ("differential", "pollona"))
    adopt(league, plain)
    send(league, announced("m1", ("ana", "bea"), 0), announced("m2", ("cira", "dora"), 40))
    found = compare(league, plain + "rating.k.provisional = 32", ReplayPeriod(None, at(30)))
    assert found.rows["moves"] == [
        {"subject": "player", "id": id_, "mode": mode, "before": before, "after": after, "change": after - before}
        for id_, before, after in (("ana", 1520.0, 1516.0), ("bea", 1480.0, 1484.0))
        for mode in ("1v1", "overall")
    ]
    said = found.totals
    assert (said.players_moved, said.teams_moved, said.largest_move, said.median_move, said.mean_move) == (
        2,
        0,
        4,
        4,
        4,
    )
    assert (said.mean_before, said.mean_after, said.drift) == (1500, 1500, 0)
    for one in said.predictions:
        assert (one.matches, one.brier_before, one.brier_after) == (2, 0.25, 0.25)
        assert one.log_loss_before == one.log_loss_after == pytest.approx(math.log(2), abs=1e-15)


@pytest.mark.heavy
def test_a_forecast_of_nothing_costs_a_finite_loss(league: League) -> None:
    """Where the rules make a result impossible its forecast counts as 1e-15."""
    send(league, announced("m1", ("ana", "bea"), 0), announced("m2", ("ana", "bea"), 2, (100, 150)))
    found = compare(league, "rating.scale = 1")
    (one, both) = found.totals.predictions
    assert (one.mode, both.mode, one.matches) == ("1v1", None, 2)
    assert one.log_loss_after == pytest.approx((math.log(2) - math.log(1e-15)) / 2)
    assert one.brier_after == pytest.approx((0.25 + 1) / 2)


@pytest.mark.heavy
def test_partners_count_as_one_forecast_also_with_expectations_of_their_own(league: League) -> None:
    """A match of two pairs is one term: the mean of what was expected of the two winners."""
    send(league, announced("m1", ("ana", "bea"), 0), announced("m2", FOUR, 2), announced("m3", FOUR, 4))
    found = compare(league, "rating.expected = 'own_vs_side_average'")
    expected = [r for r in exported(found.url, "changes", found.second) if r["match"] == "m3" and r["outcome"] == 1]
    (first, second) = (row["expected"] for row in expected if row["subject"] == "player")
    (pairs,) = (one for one in found.totals.predictions if one.mode == "2v2")
    assert pairs.matches == 2
    assert pairs.brier_after == pytest.approx((0.25 + (1 - (first + second) / 2) ** 2) / 2)


@pytest.mark.heavy
def test_ranks_are_compared_where_players_are_established(league: League) -> None:
    """A place tells the ranks before and after; provisional players have none."""
    adopt(league, "rating.provisional_below = 2")
    send(
        league,
        announced("m1", ("ana", "bea"), 0),
        announced("m2", ("ana", "bea"), 2),
        announced("m3", ("cira", "bea"), 4),
    )
    found = compare(league, "rating.provisional_below = 1\nrating.k.standard = 100").of("places", "board", "id")
    ranks = {id_: (row["rank_before"], row["rank_after"]) for (board, id_), row in found.items() if board == "1v1"}
    assert ranks == {"ana": (1, 1), "bea": (2, 3), "cira": (None, 2)}


@pytest.mark.also_on_server
def test_matches_with_another_result_are_listed_with_their_first_other_hand(league: League) -> None:
    """A match with a different winner under the candidate has both results, and the first hand that differs."""
    send(league, played("m1", ("ana", "bea"), 0, domino(0, 0, 90), domino(1, 80, 0), domino(1, 99, 0)))
    send(league, announced("m2", ("ana", "bea"), 5))
    found = compare(league, "rulesets.cuban-150.target = 85")
    (result,) = found.rows["results"]
    assert (result["match"], result["winner_before"], result["winner_after"]) == ("m1", 1, 0)
    assert (result["score_before"], result["score_after"], result["status_after"]) == ([90, 179], [90, 0], "completed")
    assert (result["hands"], result["hand"], result["hand_points_before"], result["hand_points_after"]) == (
        2, 2, [0, 80], [0, 0],
    )  # fmt: skip
    assert result["hand_terms_before"] == [{"side": 1, "rule": "leftover", "points": 80}]
    assert (result["hand_counted_after"], result["hand_terms_after"]) == (False, [])
    assert (found.totals.matches_changed, found.totals.hands_changed) == (1, 2)


@pytest.mark.heavy
def test_a_match_may_be_decided_in_one_run_only(league: League) -> None:
    """Compared with a run of the past, a match that has ended since has another result and new ratings."""
    send(league, OpenMatch("m1", "cuban-150", "1v1", "competitive", ("ana", "bea"), None, at(0)))
    send(league, RecordHand("m1", domino(0, 0, 90), None, at(1)))
    catch_up(league)
    url = league.database.url
    past = replay(url, revised(CANDIDATE), ReplayPeriod())
    send(league, RecordHand("m1", domino(0, 0, 90), None, at(2)))
    catch_up(league)
    found = Compared(url, past, official(url))
    (result,) = found.rows["results"]
    assert (result["status_before"], result["status_after"]) == ("open", "completed")
    assert (result["decided_at_before"], result["decided_at_after"]) == (None, at(2))
    assert (result["hands"], result["hand"], result["hand_points_before"]) == (1, 2, None)
    assert {(row["id"], row["before"], row["change"]) for row in found.rows["moves"]} == {
        ("ana", None, None), ("bea", None, None),
    }  # fmt: skip
    ana = found.of("divergences", "id")["ana",]
    assert (ana["position_before"], ana["rating_before"], ana["match"]) == (None, None, "m1")
    assert {term["term"]: (term["before"], term["after"]) for term in ana["terms"]}["expected"] == (None, 0.5)
    known = found.of("places", "board", "mode", "id")
    assert {row["rank_before"] for row in known.values()} == {None}
    assert (known["series", "1v1", "ana"]["rank_after"], found.totals.drift) == (1, 0)


@pytest.mark.heavy
@pytest.mark.also_on_server
def test_a_divergence_names_the_first_match_and_its_terms(league: League) -> None:
    """A divergence has the first match that the runs rate differently, and the terms that differ there."""
    four_matches(league)
    found = compare(league, CANDIDATE).of("divergences", "id", "mode", "subject")
    ana = found["ana", "1v1", "player"]
    assert (ana["match"], ana["decided_at"]) == ("m1", at(1))
    assert [term["term"] for term in ana["terms"]] == ["k", "modifier.capicua", "capped", "modifier"]
    terms = {term["term"]: (term["before"], term["after"]) for term in ana["terms"]}
    assert (terms["k"], terms["modifier.capicua"]) == ((40.0, 32.0), (0.1, 0.5))
    assert found["bea", "1v1", "player"]["match"] == "m1"
    assert found["cira", "1v1", "player"]["match"] == "m2"


@pytest.mark.parametrize("rules", [CANDIDATE, "rating.start = 1600", "rulesets.cuban-150.target = 100"])
def test_the_terms_of_a_divergence_make_up_the_difference(league: League, rules: str) -> None:
    """The change at the first divergence, recomputed with the terms that differ, is the change of the other run."""
    four_matches(league)
    found = compare(league, rules)
    before, after = found.sides("changes", "match", "subject", "id")
    assert found.rows["divergences"]
    for divergence in found.rows["divergences"]:
        key = (divergence["match"], divergence["subject"], divergence["id"])
        row = dict(before[key])
        assert divergence["terms"]
        for term in divergence["terms"]:
            if term["term"] in row:
                assert row[term["term"]] == term["before"]
                row[term["term"]] = term["after"]
        after_it = row["before"] + row["k"] * ((row["outcome"] + row["modifier"]) - row["expected"])
        assert after_it == after[key]["after"] == divergence["rating_after"]


@pytest.mark.heavy
def test_a_voided_match_is_no_divergence(league: League) -> None:
    """Voided and open matches are in neither run's changes."""
    four_matches(league)
    send(league, VoidMatch("m1", "never played"))
    assert "m1" not in {row["match"] for row in compare(league, CANDIDATE).rows["divergences"]}


@pytest.mark.parametrize(
    ("rules", "alike"),
    [(CANDIDATE, True), ("boards.active_days = 20", True), (OTHER_RESULTS, False), ("series.game_points = 7", False)],
)
def test_results_need_not_be_read_where_no_rule_makes_them_differ(league: League, rules: str, *, alike: bool) -> None:
    """Rules of ratings and boards decide no hand and no standing; those of matches and of the series do."""
    four_matches(league)
    found = compare(league, rules)
    with pool_of(found.url).connect() as conn:
        assert scored_alike(conn, found.two(conn)) == alike


def test_results_are_read_where_events_or_folds_differ(league: League) -> None:
    """Rules of ratings alone, but a match was voided since, or another version folded one of the runs."""
    four_matches(league)
    found = compare(league, CANDIDATE)
    with pool_of(found.url).connect() as conn:
        conn.execute(text("UPDATE runs SET code = 'another' WHERE run = :run"), {"run": found.second})
        assert not scored_alike(conn, found.two(conn))
        conn.rollback()
    send(league, VoidMatch("m1", "never played"))
    catch_up(league)
    with pool_of(found.url).connect() as conn:
        assert not scored_alike(conn, found.two(conn))
        assert totals(conn, found.two(conn)).matches_changed == 1


# ---------------------------------------------------------------- a recorded season


@pytest.fixture(scope="module", params=[REVISED.read_text(encoding="utf-8"), OTHER_RESULTS], ids=["shipped", "results"])
def season(
    request: pytest.FixtureRequest, embedded_server: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Compared]:
    """A part of the recorded season beside itself under other rules."""
    folder: Path = part_of_season(tmp_path_factory.mktemp("season"), 120)
    with own_database(embedded_server) as url, league_at(url) as league:
        league.create("Liga", "UTC", "test")
        import_cuban(league, folder)
        yield compare(league, request.param)


def differing(before: dict[Any, Any], after: dict[Any, Any], *columns: str) -> dict[Any, Any]:
    """The values of these columns in both runs, where they differ."""
    sides = {key: (before.get(key, {}), after.get(key, {})) for key in before | after}
    shown = {key: tuple(tuple(side.get(c) for c in columns) for side in pair) for key, pair in sides.items()}
    return {key: pair for key, pair in shown.items() if pair[0] != pair[1]}


def from_rows(rows: dict[Any, Any], *columns: str) -> dict[Any, Any]:
    """The values that differ, as a list of the difference has them."""
    return {
        key: tuple(tuple(r[f"{c}_{side}"] for c in columns) for side in ("before", "after")) for key, r in rows.items()
    }


def test_the_moves_are_the_ratings_that_differ(season: Compared) -> None:
    """Every rating that differs, the largest move first, and its figures."""
    key = ("subject", "id", "mode")
    found = season.of("moves", *key)
    expected = differing(*season.sides("ratings", *key), "rating")
    assert {key: ((row["before"],), (row["after"],)) for key, row in found.items()} == expected
    sizes = [abs(row["change"]) for row in season.rows["moves"]]
    assert sizes == sorted(sizes, reverse=True)
    played_modes = {key: abs(b[0] - a[0]) for key, (a, b) in expected.items() if key[2] != "overall"}
    said = season.totals
    assert said.largest_move == max(played_modes.values())
    assert said.median_move == pytest.approx(median(played_modes.values()), abs=1e-9)
    assert said.mean_move == pytest.approx(mean(played_modes.values()), abs=1e-9)
    assert said.players_moved == len({id_ for subject, id_, _ in played_modes if subject == "player"}) > 0
    assert said.teams_moved == len({id_ for subject, id_, _ in played_modes if subject == "team"}) > 0
    means = [
        mean(row["rating"] for (subject, _, mode), row in side.items() if subject == "player" and mode != "overall")
        for side in season.sides("ratings", *key)
    ]
    assert (said.mean_before, said.mean_after) == pytest.approx(means, abs=1e-9)


@pytest.mark.heavy
def test_the_places_are_those_of_both_boards(season: Compared) -> None:
    """Every rank and value that differs on a board of the whole league."""
    key = ("board", "month", "mode", "id")
    sides = [
        {tuple(row[name] for name in key): row for row in exported(season.url, "boards", run) if row["region"] is None}
        for run in (season.first, season.second)
    ]
    expected = differing(sides[0], sides[1], "rank", "value")
    found = from_rows(season.of("places", *key), "rank", "value")
    assert {key: row for key, row in found.items() if BOARDS[key[0]].is_exported} == expected
    assert {board for board, *_ in expected} >= {"global", "1v1", "2v2", "teams"}


def test_the_standings_are_those_of_both_runs(season: Compared) -> None:
    """Every rank and total that differs in the series."""
    key = ("month", "mode", "id")
    expected = differing(*season.sides("standings", *key), "rank", "total")
    assert from_rows(season.of("standings", *key), "rank", "total") == expected
    assert season.totals.standings_changed == len(expected)


def test_the_badges_are_those_of_both_runs(season: Compared) -> None:
    """What is gained, what is lost, and what another event earns."""
    before, after = season.sides("badges", "id", "badge")
    fates = dict.fromkeys(after.keys() - before.keys(), "gained")
    fates |= dict.fromkeys(before.keys() - after.keys(), "lost")
    both = before.keys() & after.keys()
    fates |= {key: "earned_otherwise" for key in both if before[key]["position"] != after[key]["position"]}
    found = season.of("badges", "id", "badge")
    assert {key: row["what"] for key, row in found.items()} == fates
    assert from_rows(found, "position") == differing(before, after, "position")
    counted = [list(fates.values()).count(fate) for fate in ("gained", "lost", "earned_otherwise")]
    said = season.totals
    assert [said.badges_gained, said.badges_lost, said.badges_earned_otherwise] == counted


def test_the_results_are_those_of_both_runs(season: Compared) -> None:
    """Every match with another winner, score or status, with the first of its hands that differs."""
    columns = ("winner", "score", "status")
    found = season.of("results", "match")
    assert from_rows(found, *columns) == differing(*season.sides("matches", "match"), *columns)
    assert season.totals.matches_changed == len(found)
    before, after = season.sides("hands", "match", "hand")
    hands = differing(before, after, "winner", "points", "counted")
    assert season.totals.hands_changed == len(hands)
    by_match = defaultdict(list)
    for match, hand in sorted(hands):
        by_match[match].append(hand)
    for (match,), row in found.items():
        first = by_match[match][0] if match in by_match else None
        assert (row["hand"], row["hands"]) == (first, len(by_match[match]))
        if first is not None:
            key = (match, first)
            assert from_rows({key: row}, "hand_points", "hand_terms") == {
                key: tuple((side[key]["points"], side[key]["terms"]) for side in (before, after))
            }


def test_the_divergences_are_the_first_changes_that_differ(season: Compared) -> None:
    """Each divergence is the first change in the order decided after which the ratings differ."""
    before, after = season.sides("changes", "subject", "id", "mode", "match")
    expected: dict[Any, Any] = {}
    differ = differing(before, after, "before", "after")
    for key in sorted(differ, key=lambda key: (before[key]["decided_at"], key[3])):
        expected.setdefault(key[:3], (key[3], (differ[key][0][1], differ[key][1][1])))
    found = season.of("divergences", "subject", "id", "mode")
    assert {k: (row["match"], (row["rating_before"], row["rating_after"])) for k, row in found.items()} == expected
    times = [(row["decided_at"], row["match"]) for row in season.rows["divergences"]]
    assert times == sorted(times)


def test_the_changes_add_up_to_the_moves(season: Compared) -> None:
    """Each change that differs is listed with both sides, and those of a rating add up to how far it moves."""
    before, after = season.sides("changes", "match", "subject", "id")
    listed = season.of("changes", "match", "subject", "id")
    for key in before | after:
        gained = [side[key]["after"] - side[key]["before"] if key in side else None for side in (before, after)]
        row = listed.get(key, {"change_before": gained[1], "change_after": gained[1]})
        assert (row["change_before"], row["change_after"]) == tuple(gained)
        assert (key in listed) == (gained[0] != gained[1])
    moved: dict[Any, float] = defaultdict(float)
    for row in season.rows["changes"]:
        moved[row["subject"], row["id"], row["mode"]] += row["difference"]
    for row in season.rows["moves"]:
        if row["mode"] != "overall":
            assert moved[row["subject"], row["id"], row["mode"]] == pytest.approx(row["change"])


def test_each_competitor_that_moves_is_listed_once_by_the_largest_move(season: Compared) -> None:
    """As many as the figures count, each with the largest of the moves in both modes."""
    largest: dict[Any, float] = defaultdict(float)
    for row in season.rows["moves"]:
        if row["mode"] != "overall":
            largest[row["subject"], row["id"]] = max(largest[row["subject"], row["id"]], abs(row["change"] or 0.0))
    with pool_of(season.url).connect() as conn:
        part = PartOfList(conditions={"once": True})
        rows = list(rows_of_difference(conn, season.two(conn), "moves", part))
    assert {(row["subject"], row["id"]): abs(row["change"]) for row in rows} == dict(largest)
    assert len(rows) == season.totals.players_moved + season.totals.teams_moved


def test_the_encounters_are_those_of_both_runs(season: Compared) -> None:
    """Games, points and locks of two who met in a month, where they differ."""
    columns = ("a_wins", "b_wins", "a_series_points", "locked", "ignored")
    before, after = season.sides("series", "month", "mode", "a", "b")
    listed = season.of("encounters", "month", "mode", "a", "b")
    expected = differing(before, after, *columns)
    found = {key: from_rows({key: row}, *columns)[key] for key, row in listed.items()}
    assert {key: found.get(key) for key in expected} == expected
    # Game points, which no export has, may differ alone.
    assert all(
        row["a_game_points_before"] != row["a_game_points_after"] for key, row in listed.items() if key not in expected
    )
    assert season.totals.encounters_changed == len(listed)


def test_the_hands_are_those_of_both_runs(season: Compared) -> None:
    """Every hand with another winner or other points, or that counts on one side only."""
    before, after = season.sides("hands", "match", "hand")
    found = season.of("hands", "match", "hand")
    assert from_rows(found, "winner", "points", "counted") == differing(before, after, "winner", "points", "counted")
    assert from_rows(found, "terms") == {
        key: tuple((side[key]["terms"] if key in side else None,) for side in (before, after)) for key in found
    }
    assert len(found) == season.totals.hands_changed


def test_the_months_count_the_rows_of_other_lists(season: Compared) -> None:
    """Matches and their hands count in the month in which the match began; the series in its own."""
    counted = counted_by_month(season.url, season.rows)
    assert {row["month"]: row for row in season.rows["months"]} == counted
    assert season.rows["seasons"] == []


def counted_by_month(url: str, rows: dict[str, list[dict[str, Any]]]) -> dict[str, dict[str, Any]]:
    """The rows of the list of months, counted from those of the other lists; the league's clock is UTC."""
    began = {row["match"]: row["played_at"][:7] for row in exported(url, "matches")}
    found: dict[str, dict[str, Any]] = {}
    columns = ("results", "hands", "standings_of_players", "standings_of_pairs", "encounters")
    for what in ("results", "hands", "standings", "encounters"):
        for row in rows[what]:
            month = row["month"] if "month" in row else began[row["match"]]
            of_month = found.setdefault(month, {"month": month, **dict.fromkeys(columns, 0)})
            column = (
                {"1v1": "standings_of_players", "2v2": "standings_of_pairs"}[row["mode"]]
                if what == "standings"
                else what
            )
            of_month[column] += 1
    return found


def test_the_losses_are_those_of_the_ledger(season: Compared) -> None:
    """Brier score and log loss of the winners' expected scores, each match once, per mode and in all."""
    forecasts: list[dict[tuple[str, str], float]] = []
    for side in season.sides("changes", "match", "mode", "subject", "id"):
        won = defaultdict(list)
        for (match, mode, subject, _), row in side.items():
            if subject == "player" and row["outcome"] == 1:
                won[mode, match].append(row["expected"])
        forecasts.append({key: mean(expected) for key, expected in won.items()})
    for one in season.totals.predictions:
        shared = [key for key in forecasts[0].keys() & forecasts[1].keys() if one.mode in (None, key[0])]
        assert one.matches == len(shared) > 0
        brier = [mean((1 - side[key]) ** 2 for key in shared) for side in forecasts]
        log_loss = [mean(-math.log(side[key]) for key in shared) for side in forecasts]
        assert (one.brier_before, one.brier_after) == pytest.approx(brier, rel=1e-12)
        assert (one.log_loss_before, one.log_loss_after) == pytest.approx(log_loss, rel=1e-12)


# ---------------------------------------------------------------- pages and filters


def lists(two: TwoRuns, boards: list[BoardKey]) -> list[tuple[type[Any], Query, Order]]:
    """Every list in every order."""
    return [
        (each.row, each.query(two, boards=boards) if name == "places" else each.query(two), order)
        for name, each in LISTS.items()
        for order in each.orders.values()
    ]


@pytest.mark.heavy
def test_pages_make_up_the_whole(season: Compared) -> None:
    """Pages in either direction make up the whole list, and no two rows tie."""
    with pool_of(season.url).connect() as conn:
        two = season.two(conn)
        boards = [BoardKey("global"), BoardKey("teams"), BoardKey("series", month="2026-01", mode="1v1")]
        for kind, query, order in lists(two, boards):
            whole = list(typed(kind, conn.execute(query.order_by(*order.columns))))
            size = len(whole) // 3 + 1  # three pages, the last one of them not full
            for backward in (False, True):
                read: list[Any] = []
                page = PageRequest(size, backward=backward)
                while (part := read_page(conn, kind, query, order, page)).rows:
                    read = [*part.rows, *read] if backward else [*read, *part.rows]
                    edge = {"before": part.cursors[0]} if backward else {"after": part.cursors[-1]}
                    page = PageRequest(size, backward=backward, **edge)
                assert read == whole


def test_a_player_is_touched_by_their_own_rows_and_those_of_their_pairs(season: Compared) -> None:
    """Each list of a player has exactly the rows that name the player or a match in which they sat."""
    player = "p005"
    seats = {row["match"]: {p for side in row["sides"] for p in side} for row in exported(season.url, "matches")}
    with pool_of(season.url).connect() as conn:
        rows = {what: list(rows_of_difference(conn, season.two(conn), what, PartOfList(player))) for what in LISTS}
    for what in rows.keys() - {"seasons", "months"}:
        assert rows[what] == [row for row in season.rows[what] if player in people_in(row, seats)]
    assert {row["month"]: row for row in rows["months"]} == counted_by_month(season.url, rows)


def people_in(row: dict[str, Any], seats: dict[str, set[str]]) -> set[str]:
    """The players whom a row of a list concerns."""
    named = [row[name] for name in ("id", "a", "b") if name in row]
    return {player for id_ in named for player in id_.split("+")} if named else seats[row["match"]]


def test_lists_are_filtered_by_mode_subject_month_and_fate(season: Compared) -> None:
    """A filter selects exactly the rows that match it."""
    with pool_of(season.url).connect() as conn:
        two = season.two(conn)
        for whole, part, keep in (
            (ratings.moves(two), ratings.moves(two, mode="2v2", subject="team"), ("2v2", "team")),
            (ratings.divergences(two), ratings.divergences(two, mode="2v2", subject="team"), ("2v2", "team")),
            (ratings.changes(two), ratings.changes(two, mode="1v1", of="p005"), ("1v1", "p005")),
            (results(two), results(two, mode="1v1"), ("1v1",)),
            (series.standings(two), series.standings(two, month="2026-01", mode="1v1"), ("2026-01", "1v1")),
            (series.encounters(two), series.encounters(two, month="2026-01", mode="1v1"), ("2026-01", "1v1")),
            (places.badges(two), places.badges(two, what="earned_otherwise"), ("earned_otherwise",)),
        ):
            wanted = [row for row in conn.execute(whole).all() if set(keep) <= {v for v in row if isinstance(v, str)}]
            assert sorted(conn.execute(part).all(), key=repr) == sorted(wanted, key=repr)
