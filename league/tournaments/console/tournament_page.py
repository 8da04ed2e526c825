"""What the page of a tournament shows, and to whom. A form that it refuses shows the page again."""

from collections.abc import Mapping, Sequence
from typing import Any

from starlette.requests import Request

from league.console.asking import Ask, Completes, Visitor, document_in
from league.tournaments.console.pages import asks_for_byes, names_of, next_round_of, words
from league.tournaments.console.podium import podium_of
from league.tournaments.console.whole_lists import FOLDER, flatten, whole

UNTIMED: Mapping[str, Any] = {"bellAt": None, "beginsAt": None, "isOutdated": False}
NO_TABLES: Mapping[str, Any] = {"tables": [], "byes": [], "day": None, "until": None, **UNTIMED}
"""What is shown of a round that is not paired, or was withdrawn."""
AS_PAIRED = {"computingSince": None, "drawingState": "PAIRED"}
_ENTRIES = whole("entries.graphql", "entries")
_TABLES = whole("tables.graphql", "publishedRound.tables", "publishedRound.byes")
_DRAFT = whole("draft.graphql", "lastRound.draft.tables", "lastRound.draft.byes")


async def with_more(ask: Ask, asked: Mapping[str, Any], data: dict[str, Any], visitor: Visitor) -> None:
    """What some visitors see besides what everybody sees: their own table; all tables and entries; what is drawn.

    All entries are shown before the first round, and to those who draw rounds.
    """

    async def found(document: str, complete: Completes | None = None, **more: Any) -> dict[str, Any]:
        answer = await ask(document_in(FOLDER / document), {**asked, **more})
        if complete is not None:
            await complete(ask, asked, answer, visitor)
        return answer["tournament"] or {}

    tournament, is_keeper = data["tournament"], visitor.may("drawRound")
    tournament["plan"] |= {"mode": None, "checkIn": False}  # only those who are signed in enter and check in
    standing, last, shown = (tournament[name] for name in ("standing", "lastRound", "publishedRound"))
    data |= {
        "more_places": standing["pageInfo"]["hasNextPage"],
        "sub": visitor.viewer.sub,
        "own": None,
        "held_back": None,
    }
    data["more_tables"] = shown is not None and shown["tables"]["pageInfo"]["hasNextPage"]
    flatten(tournament)
    if tournament["correctedTies"]:
        tournament |= await found("corrected_ties.graphql")
        flatten(tournament)
    if visitor.viewer.sub is not None:
        data["own"] = await found("own.graphql", player=visitor.viewer.sub)
        flatten(data["own"])
        tournament["plan"] |= data["own"]["plan"]
        if _has_no_table(shown, data["own"]):
            card = await found("own_card.graphql", competitor=data["own"]["entry"]["competitorId"])
            data["own"]["card"] = card.get("scoreCard")
    data["entries"] = None
    if tournament["status"] == "PLANNED" or is_keeper:
        data["entries"] = (await found("entries.graphql", _ENTRIES)).get("entries")
    tournament |= {"unconfirmedResults": 0, "unconfirmedRounds": []}
    if shown is not None and (visitor.may("confirmRound") or is_decided(tournament)):
        tournament |= await found("unconfirmed.graphql")
    if is_keeper and shown is not None:
        shown |= (await found("tables.graphql", _TABLES)).get("publishedRound") or {}
        data["more_tables"] = False
    if is_keeper and last is not None and last["status"] == "DRAWN":
        drawn = (await found("draft.graphql", _DRAFT)).get("lastRound")
        data["held_back"] = drawn and drawn["draft"] and {**UNTIMED, **last, **drawn, **drawn["draft"]}


def with_mine(data: dict[str, Any], _request: Request) -> Mapping[str, Any]:
    """What the page of a tournament shows: its last round, the viewer's table in it, and who can be entered."""
    tournament, own = data["tournament"], data["own"]
    newest, published = tournament["lastRound"], tournament["publishedRound"]
    is_withdrawn = newest is not None and newest["status"] == "WITHDRAWN"
    last = {**newest, **NO_TABLES} if is_withdrawn else data["held_back"] or (published and {**published, **AS_PAIRED})
    is_unpaired = newest is not None and newest["drawingState"] != "PAIRED"
    entry = own and own["entry"]
    entries = data["entries"] or ([entry] if entry else [])
    tournament |= {
        "entries": entries,
        "standing": [_with_tie_breaks(one, tournament) for one in tournament["standing"]],
    }
    names = names_of(data)
    takes_part = bool(entry) and not entry["withdrawnAt"]
    return {
        **words(),
        "last": last,
        "names": names,
        "unpaired": {**newest, **NO_TABLES} if is_unpaired else None,
        "takes_part": takes_part and own["asksDevices"] and tournament["status"] != "ENDED",
        "fixtures": tournament["plan"]["format"] == "FIXTURES",
        "replaceable": replaceable(entries, names),
        "pairs": enter_as_pairs(tournament["plan"]),
        "missing": _missing(tournament),
        "mine": None if data["held_back"] or is_withdrawn or own is None else _mine(published, own, data["sub"]),
        "sits_out": not data["held_back"] and not is_withdrawn and _did(published, own) in {"BYE", "REQUESTED_BYE"},
        "is_out": _is_out(published, own),
        "has_results": _has_results(tournament),
        "next_round": next_round_of(tournament),
        "asks_for_byes": asks_for_byes(tournament) and next_round_of(tournament) <= tournament["roundsInAll"],
        "claims": [] if last is None else [one for one in last["tables"] if any(_claims(one))],
        "podium": podium_of(tournament) if is_decided(tournament) else [],
        "may_enter": may_enter(tournament),
        "can_withdraw": last is not None and can_be_withdrawn(last),
    }


def may_enter(tournament: Mapping[str, Any]) -> bool:
    """Whether somebody can enter, also in the place of another: it has not ended, and its entries are not closed."""
    published = tournament["publishedRound"]
    if tournament["status"] == "ENDED":
        return False
    return published is None or published["number"] + 1 <= tournament["plan"]["lateEntries"]


def is_decided(tournament: Mapping[str, Any]) -> bool:
    """Whether the places are final but for corrections and confirmations: it has ended, or all rounds are closed."""
    last, rounds = tournament["lastRound"], tournament["roundsInAll"]
    return tournament["status"] == "ENDED" or (
        last is not None and (last["status"], last["number"]) == ("CLOSED", rounds)
    )


def _claims(table: Mapping[str, Any]) -> list[bool]:
    """By side, whether the other side says that it did not come."""
    return [side["claimedAbsent"] for side in table["sides"]]


def enter_as_pairs(plan: Mapping[str, str]) -> bool:
    """Whether two players enter together."""
    return plan["mode"] == "TWO_ON_TWO" and plan["format"] != "ROTATING_PARTNERS"


def _missing(tournament: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The entries that have not checked in; empty if the plan does not ask for it."""
    asks = tournament["plan"]["checkIn"]
    return [one for one in tournament["entries"] if asks and not one["checkedIn"] and not one["withdrawnAt"]]


def _with_tie_breaks(place: Mapping[str, Any], tournament: Mapping[str, Any]) -> Mapping[str, Any]:
    """A place with the names of its tie-breaks, which are those of the plan."""
    named = zip(tournament["plan"]["tieBreaks"], place["values"], strict=True)
    return {**place, "tieBreaks": [{"name": name, "value": value} for name, value in named]}


def replaceable(entries: Sequence[Mapping[str, Any]], names: Mapping[str, str]) -> list[tuple[str, str]]:
    """Ids and names of the competitors who withdrew and have no substitute."""
    replaced = {entry["replaces"] for entry in entries}
    gone = [entry["competitorId"] for entry in entries if entry["withdrawnAt"]]
    return [(id_, names.get(id_, id_)) for id_ in gone if id_ not in replaced]


def _has_no_table(published: Mapping[str, Any] | None, own: Mapping[str, Any]) -> bool:
    """Whether a player who takes part has no table in the published round."""
    if published is None or not own.get("entry") or own["entry"]["withdrawnAt"]:
        return False
    return not any(one["round"] == published["number"] for one in own["tablesOf"])


def _did(published: Mapping[str, Any] | None, own: Mapping[str, Any] | None) -> str | None:
    """What a player without a table does in the published round while it is played; None: they take no part."""
    if published is None or published["status"] != "PUBLISHED" or own is None or not own.get("card"):
        return None
    [last] = own["card"]["rounds"]["nodes"] or [{"kind": None}]
    kind: str | None = last["kind"]
    return kind


def _is_out(published: Mapping[str, Any] | None, own: Mapping[str, Any] | None) -> bool:
    """Whether a player who has not withdrawn is out: a knock-out goes on without them."""
    if published is None or published["ties"] is None or own is None or not own.get("card"):
        return False
    return all(one["kind"] is None for one in own["card"]["rounds"]["nodes"])


def _has_results(tournament: Mapping[str, Any]) -> bool:
    """Whether the standing rests on play. Before any result all share the first place, except who has a bye."""
    published = tournament["publishedRound"]
    if published is None or published["number"] > 1 or published["status"] == "CLOSED":
        return published is not None
    byes = {one["competitorId"] for one in published["byes"]}
    return any(place["won"] for place in tournament["standing"] if place["competitorId"] not in byes)


def _mine(published: Mapping[str, Any] | None, own: Mapping[str, Any], sub: str) -> Mapping[str, Any] | None:
    """The viewer's table in the published round, with partner and opponents."""
    if published is None or published["status"] == "CLOSED":
        return None
    for sitting in own["tablesOf"]:
        if sitting["round"] == published["number"]:
            table = sitting["table"]
            ours, theirs = (table["sides"][side] for side in (sitting["side"], 1 - sitting["side"]))
            return {
                "round": published["number"],
                "table": table,
                "score": _both(ours["matchScore"], theirs["matchScore"]),
                "games": _both(ours["gamesWon"], theirs["gamesWon"]) if table["bestOf"] not in {None, 1} else None,
                "competitor": own["entry"]["competitorId"],
                "can_claim": table["status"] in {"OPEN", "SCHEDULED"} and not theirs["claimedAbsent"],
                "is_claimed": ours["claimedAbsent"],
                "has_claimed": theirs["claimedAbsent"],
                "players": len(theirs["players"]),
                "partner": " & ".join(one["displayName"] for one in ours["players"] if one["playerId"] != sub),
                "opponents": " & ".join(one["displayName"] for one in theirs["players"]),
            }
    return None


def _both(ours: int | None, theirs: int | None) -> str | None:
    """The points of both sides, the own ones first; None if they are not known."""
    return None if ours is None or theirs is None else f"{ours}–{theirs}"  # noqa: RUF001  # as scores are written


def can_be_withdrawn(of: Mapping[str, Any]) -> bool:
    """Whether a round is published and no table has a result or an absence. A table may have a hand all the same."""
    tables = {table["status"] for table in of["tables"]}
    return of["status"] == "PUBLISHED" and tables <= {"OPEN", "SCHEDULED", "VOIDED"}
