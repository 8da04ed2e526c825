"""Computes ratings under other rules, beside the ratings of the official run. Nothing is stored."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from zoneinfo import ZoneInfo

from msgspec import Struct
from sqlalchemy import Connection

from league.domain.collected_refusals import InvalidRulebook, RulebookFault
from league.domain.rating import RatingFormula
from league.domain.refusals import WrongState
from league.domain.rulebook import rule_changes
from league.domain.rules import SeriesRules
from league.domain.sentences import say
from league.domain.series import most_games
from league.domain.verdict import FittedRules
from league.lab.columns import MatchColumns, MonthRows, months_of
from league.lab.kernel import (
    IS_COMPILED,
    FormulaLists,
    FormulaNumbers,
    RatedColumns,
    column,
    nothing_rated,
    rate_matches,
    table,
)
from league.projections.folds.match_fold import RulesTimeline
from league.projections.replays.starting_points import scores_alike
from league.projections.runs import Conn

MOST_INTERPRETED = 20_000
"""Limit on matches without numba. The interpreter rates this many in about a second."""
MOST_FOLDED = 100_000
"""Limit on matches of which the series, badges and boards are folded again: about 20 seconds."""
TEN = 10.0
K_RULES = ("casual", "provisional", "special", "veteran", "standard")


class NoMatches(WrongState, code="NO_MATCHES"):
    """There is no rated match to try rules on."""


class LeagueTooLarge(WrongState, code="LEAGUE_TOO_LARGE"):
    """The league has too many matches for this server."""


class RulesTrial(Struct, frozen=True, dict=True):
    """The matches of the official run, rated under the rules in force and under tried rules."""

    columns: MatchColumns
    rules: RulesTimeline
    """The rules in force."""
    tried: RulesTimeline
    """The tried rules."""
    before: RatedColumns
    """The ratings under the rules in force."""
    after: RatedColumns
    """The ratings under the tried rules."""
    zone: ZoneInfo
    fitted: Mapping[str, FittedRules]
    """What `league tune` has fitted, by the hash of the section `rating`."""

    @cached_property
    def months(self) -> list[MonthRows]:
        """The months with matches."""
        return months_of(self.columns, self.zone)


def check_scored_alike(rules: RulesTimeline, tried: RulesTimeline) -> None:
    """Raise InvalidRulebook, which names the settings, if the tried rules score matches otherwise."""
    if scores_alike(rules, tried):
        return
    editions = {edition.hash: edition for edition in rules.editions.values()}
    found: dict[str, None] = {}
    for start, hash_ in tried.hashes():
        before = rules.editions[rules.timeline[0].edition] if start is None else rules.at(start)
        if hash_ not in editions:
            changes = rule_changes(before.rulebook, tried.by_hash[hash_].rulebook)
            found |= dict.fromkeys(key for key, *_ in changes if key.startswith("rulesets."))
    reason = say("decides how matches score; the laboratory tries all other sections, and a replay tries this one too")
    raise InvalidRulebook(tuple(RulebookFault(key, reason) for key in found))


def without_effect(rules: RulesTimeline, tried: RulesTimeline) -> list[RulebookFault]:
    """The settings of tried editions that other settings leave without effect."""
    new = [edition.rulebook.series for edition in tried.editions.values() if edition.hash not in rules.by_hash]
    return [fault for series in new for fault in _unshared_pool(series)]


def _unshared_pool(series: SeriesRules) -> Iterator[RulebookFault]:
    most = most_games(series)
    if series.pool and series.pool_from_game > most:
        reason = say(
            "is never reached, so the pool is never shared: the two are locked at {limit} wins, so games after number "
            "{most} do not count; write {most} or less here, or 0 for the pool",
            limit=series.limit,
            most=most,
        )
        yield RulebookFault("series.pool_from_game", reason)


def check_size(matches: int) -> None:
    """Raise WrongState if there are no matches to try rules on, or too many for this server."""
    if not matches:
        raise NoMatches(say("the league"), say("without a match"), say("there is nothing to try rules on"))
    if matches > MOST_INTERPRETED and not IS_COMPILED:
        raise LeagueTooLarge(
            say("a league of {matches} matches", matches=matches),
            say("too large for the interpreter"),
            say(
                "beyond {most} matches install the extra: `pip install 'domino-league[lab]'`, and start the server "
                "again",
                most=MOST_INTERPRETED,
            ),
        )


def check_fold(matches: int) -> None:
    """Raise WrongState if there are too many matches to fold the league again, whatever is installed."""
    if matches > MOST_FOLDED:
        raise LeagueTooLarge(
            say("a league of {matches} matches", matches=matches),
            say("too large to be folded at once"),
            say("beyond {most} matches start a replay with these settings", most=MOST_FOLDED),
        )


def rated(columns: MatchColumns, rules: RulesTimeline) -> RatedColumns:
    """Rate all matches of the columns, each under the edition in force when it began."""
    result = nothing_rated(len(columns), len(columns.subjects))
    facts, seats = column(columns.facts), column(columns.seats)
    for first, end, hash_ in columns.spans(rules):
        formula = rules.by_hash[hash_].formula
        numbers, steps = numbers_of(formula), steps_of(formula, columns.rulesets)
        rate_matches(facts, seats, first, end, numbers, steps, TEN, result)
    return result


def numbers_of(formula: RatingFormula) -> FormulaNumbers:
    """The numbers of a formula, as the kernel takes them."""
    k = {f"k_{rule}": getattr(formula, rule)[1] for rule in K_RULES}
    return FormulaNumbers(*(k[name] if name in k else getattr(formula, name) for name in FormulaNumbers._fields))


def steps_of(formula: RatingFormula, rulesets: Sequence[str]) -> FormulaLists:
    """The lists of a formula, as the kernel takes them. `rulesets`: names of the rulesets, by number."""
    points = [formula.points_by_ruleset.get(ruleset, formula.points) for ruleset in rulesets]
    behind, units = [behind for behind, _ in formula.recovery], [units for _, units in formula.recovery]
    return FormulaLists(table(points), table(behind), table(units))


def psycopg_of(conn: Connection) -> Conn:
    """The psycopg connection under a SQLAlchemy connection."""
    found: Conn = conn.connection.driver_connection  # type: ignore[assignment]
    return found
