"""Pages on which competitors find their table and their results: the round by name, and score cards."""

from collections.abc import Mapping
from typing import Any

from starlette.requests import Request

from league.console.asking import NoPage
from league.console.pages import Page
from league.tournaments.console.pages import follows_from_state, words
from league.tournaments.console.seats_by_name import joined_names, seats_by_name
from league.tournaments.console.whole_lists import FOLDER, flatten, whole


def _by_name(data: dict[str, Any], _request: Request) -> Mapping[str, Any]:
    tournament = data["tournament"]
    shown, last = tournament["publishedRound"], tournament["lastRound"]
    return {
        **words(),
        "shown": shown,
        "withdrawn": last if last is not None and last["status"] == "WITHDRAWN" else None,
        "letters": [] if shown is None else seats_by_name(shown),
    }


# ---------------------------------------------------------------- score cards


def _with_card(data: dict[str, Any], _request: Request) -> Mapping[str, Any]:
    """The rounds of the card as the page shows them. Raises NoPage for somebody who has not entered."""
    card = data["tournament"]["scoreCard"]
    if card is None:
        raise NoPage(404)
    more = card["rounds"]["pageInfo"]
    flatten(card)
    named = zip(data["tournament"]["plan"]["tieBreaks"], card["place"]["values"], strict=True)
    return {
        **words(),
        "card": card,
        "tie_breaks": [{"name": name, "value": value} for name, value in named],
        "rounds": [{**one, **_seen_from(one, card["competitorId"])} for one in card["rounds"]],
        "more": more,
    }


def _seen_from(one: Mapping[str, Any], competitor: str) -> Mapping[str, Any]:
    """A round from the side of a competitor: partner, opponents, and the points of both sides, in a tie the games."""
    table, outcome = one["table"], one["outcome"]
    if table is None:
        given = None if outcome is None else (outcome["own"], outcome["other"])
        return {"partner": "", "opponents": "", "points": given, "counts": None, "tie": None}
    own, other = table["sides"][one["side"]], table["sides"][1 - one["side"]]
    who = {
        "partner": joined_names(one for one in own["players"] if one["playerId"] not in competitor.split("+")),
        "opponents": joined_names(other["players"]),
    }
    if table["bestOf"] is not None:
        won = own["gamesWon"], other["gamesWon"]
        return {**who, "points": won if any(won) else None, "counts": None, "tie": _own_first(table, one["side"])}
    played = own["matchScore"], other["matchScore"]
    counts = own["score"], other["score"]
    is_known = None not in played
    shown = played if is_known else counts
    return {
        **who,
        "points": None if None in shown or own["won"] is None else shown,
        "counts": counts if is_known and None not in counts and counts != played else None,
        "tie": None,
    }


def _own_first(table: Mapping[str, Any], side: int) -> Mapping[str, Any]:
    """A tie of a knock-out, in whose games the score of a side comes first."""
    games = [{**game, "scores": game["scores"] and game["scores"][:: 1 - 2 * side]} for game in table["games"]]
    return {"bestOf": table["bestOf"], "games": games}


OWN_TABLE_PAGES = (
    Page(
        path="/tournaments/{id}/names",
        name="tournament_names",
        folder=FOLDER,
        needs="tournament",
        completes=whole("tournament_names.graphql", "publishedRound.tables", "publishedRound.byes"),
        adds=_by_name,
        follows_from_state=follows_from_state,
    ),
    Page(
        path="/tournaments/{id}/competitors/{competitor}",
        name="score_card",
        folder=FOLDER,
        needs="tournament",
        adds=_with_card,
        follows_from_state=follows_from_state,
    ),
)
