"""The forms that change tournaments. Each small one comes back to the page of the tournament, with what was refused."""

from collections.abc import Callable, Mapping
from typing import Any

from starlette.datastructures import FormData
from starlette.requests import Request

from league.console.controls import number_in
from league.console.edition_in_force import rulesets_in_force
from league.console.forms import FieldErrors, FormPage
from league.tournaments.console.pages import FOLDER, of_address, words
from league.tournaments.words import words_of_format
from league.wording.language import _

FORMATS = ("ROTATING_PARTNERS", "SWISS", "ROUND_ROBIN", "FIXTURES")
MOST_NUMBER = 2**31 - 1
NUMBERS = ("rounds", "minutes", "lateEntries")


def _choices(data: dict[str, Any], _request: Request) -> Mapping[str, Any]:
    return {
        "formats": [(key, words_of_format(key.lower())) for key in FORMATS],
        "modes": [("TWO_ON_TWO", _("pairs, 2v2")), ("ONE_ON_ONE", _("one against one"))],
        "rulesets": [(one["name"], one["title"]) for one in rulesets_in_force(data["timeline"])],
    }


def _planned(form: FormData, _request: Request) -> Mapping[str, Any]:
    plan: dict[str, Any] = {
        name: str(form.get(f"plan.{name}", ""))
        for name in ("name", "format", "mode", "ruleset", "firstRound", "atBell")
    }
    for name in NUMBERS:
        text = str(form.get(f"plan.{name}", "")).strip()
        if text and number_in(form, f"plan.{name}") is None:
            raise FieldErrors({f"plan.{name}": _("Write a number.")})
        if text:
            plan[name] = number_in(form, f"plan.{name}")
    plan["checkIn"] = form.get("plan.checkIn") == "yes"
    if plan["format"] == "ROUND_ROBIN":
        plan.pop("rounds", None)
    return {"plan": plan}


def with_mine(data: dict[str, Any], _request: Request) -> Mapping[str, Any]:
    """The words, the last round, and the viewer's table in it."""
    tournament = data["tournament"]
    rounds = [one for one in tournament["rounds"] if one["status"] != "DRAWN" or one["tables"]]
    last, sub = (rounds[-1] if rounds else None), data["viewer"] and data["viewer"]["sub"]
    return {
        **words(),
        "last": last,
        "pairs": tournament["plan"]["mode"] == "TWO_ON_TWO" and tournament["plan"]["format"] != "ROTATING_PARTNERS",
        "mine": None if last is None or last["status"] == "CLOSED" else _mine(last, sub),
        "sits_out": last is not None
        and last["status"] == "PUBLISHED"
        and any(sub in one["competitorId"].split("+") for one in last["byes"] if sub),
    }


def _mine(last: Mapping[str, Any], sub: str | None) -> Mapping[str, Any] | None:
    """The viewer's table, partner and opponents."""
    for table in last["tables"]:
        for side in (0, 1):
            own, other = table["sides"][side], table["sides"][1 - side]
            if sub is not None and sub in own["playerIds"]:
                partners = [one["displayName"] for one in own["players"] if one["playerId"] != sub]
                return {
                    "round": last["number"],
                    "table": table,
                    "partner": " & ".join(partners),
                    "opponents": " & ".join(one["displayName"] for one in other["players"]),
                }
    return None


def _to_the_tournament(answer: Mapping[str, Any], url: Callable[..., str]) -> str:
    return url("tournament", id=answer["tournament"]["tournamentId"])


Input = Callable[[FormData, Request], Mapping[str, Any]]


def _on(request: Request) -> dict[str, Any]:
    """The tournament, the round and the table of an address."""
    found: dict[str, Any] = {"tournament": request.path_params["id"]}
    for name, control in (("number", "round"), ("table", "table")):
        if name in request.path_params:
            found[control] = min(request.path_params[name], MOST_NUMBER)
    if "competitor" in request.path_params:
        found["competitor"] = request.path_params["competitor"]
    return found


def _alone(_form: FormData, request: Request) -> Mapping[str, Any]:
    return _on(request)


def _entered(form: FormData, request: Request) -> Mapping[str, Any]:
    players = [str(form[name]) for name in ("players.0", "players.1") if form.get(name)]
    if not players:
        raise FieldErrors({"players.0": _("Name a player.")})
    return {**_on(request), "players": players}


def _drawn(form: FormData, request: Request) -> Mapping[str, Any]:
    again = str(form.get("again", "")).strip()
    return {**_on(request), **({"again": again} if again else {})}


def _absent(form: FormData, request: Request) -> Mapping[str, Any]:
    return {**_on(request), "sides": [int(side) for side in str(form.get("sides", "")).split() if side in {"0", "1"}]}


def _with_reason(form: FormData, request: Request) -> Mapping[str, Any]:
    return {**_on(request), "reason": str(form.get("reason", ""))}


def _form(
    name: str, path: str, operation: str, read: Input = _alone, named: tuple[str, ...] = (), *, is_for_all: bool = False
) -> FormPage:
    return FormPage(
        path=f"/tournaments/{{id}}{path}",
        name=name,
        folder=FOLDER,
        document="tournament.graphql",
        template="tournament.html",
        variables=of_address,
        needs="tournament",
        requires=None if is_for_all else operation,
        adds=with_mine,
        mutation=f"{_snake(operation)}.mutation.graphql",
        input=read,
        named=named,
        then=_to_the_tournament,
    )


def _snake(operation: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in operation)


_ROUND, _TABLE = "/rounds/{number:int}", "/rounds/{number:int}/tables/{table:int}"
_COMPETITOR = "/competitors/{competitor}"

FORMS = (
    FormPage(
        path="/tournaments/plan",
        name="plan_tournament",
        folder=FOLDER,
        document="plan_tournament.graphql",
        template="plan_tournament.html",
        requires="planTournament",
        adds=_choices,
        mutation="plan_tournament.mutation.graphql",
        input=_planned,
        then=_to_the_tournament,
    ),
    # The page itself: everybody may see it, and its form enters a competitor.
    _form("tournament", "", "enterTournament", _entered, ("players.0", "players.1"), is_for_all=True),
    _form("check_in", f"{_COMPETITOR}/check-in", "checkInToTournament"),
    _form("withdraw", f"{_COMPETITOR}/withdraw", "withdrawFromTournament"),
    _form("return_to_tournament", f"{_COMPETITOR}/return", "returnToTournament"),
    _form("draw_round", "/draw", "drawRound", _drawn),
    _form("publish_round", f"{_ROUND}/publish", "publishRound"),
    _form("close_round", f"{_ROUND}/close", "closeRound"),
    _form("open_fixture", f"{_TABLE}/open", "openFixture"),
    _form("record_absence", f"{_TABLE}/absent", "recordAbsence", _absent),
    _form("replace_match", f"{_TABLE}/replace", "replaceTournamentMatch", _with_reason),
    _form("end_tournament", "/end", "endTournament"),
)
