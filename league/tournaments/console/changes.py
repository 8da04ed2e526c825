"""The forms that change tournaments. Those of a single button stand on the page of the tournament."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from starlette.datastructures import FormData
from starlette.requests import Request

from league.console.asking import NoPage
from league.console.controls import date_in, number_in
from league.console.forms import FieldErrors, FormPage
from league.tournaments.console.pages import FOLDER, names_of, of_address, of_round, words
from league.tournaments.console.plan_form import choices, planned, with_plan
from league.wording.language import _

SEAT = re.compile(r"sides\.([0-9]{1,4})\.([01])")
"""The controls of a side of a table, one for each competitor."""
MEETING = re.compile(r"meetings\.([0-9]{1,4})\.(one|other)")
"""The controls of both ends of a meeting."""
MOST_NUMBER = 2**31 - 1
MOST_AT_ONCE = 8
"""Rows of the form that enters several; a sheet has more."""
THERE, EVERYBODY = "there.", "everybody"
"""Before the id of a competitor, the control that is ticked when they have arrived; the button for all of them."""


def with_mine(data: dict[str, Any], _request: Request) -> Mapping[str, Any]:
    """The words, the last round, and the viewer's table in it."""
    tournament = data["tournament"]
    rounds = [one for one in tournament["rounds"] if one["status"] != "DRAWN" or one["tables"]]
    last, sub = (rounds[-1] if rounds else None), data["viewer"] and data["viewer"]["sub"]
    return {
        **words(),
        "last": last,
        "names": names_of(data),
        "unpaired": next((one for one in tournament["rounds"] if one["position"] is None), None),
        "takes_part": tournament["asksDevices"] and tournament["status"] != "ENDED" and _is_in(tournament, sub),
        "fixtures": tournament["plan"]["format"] == "FIXTURES",
        "replaceable": _replaceable(tournament["entries"], names_of(data)),
        "pairs": _enter_as_pairs(tournament["plan"]),
        "missing": _missing(tournament),
        "mine": None if last is None or last["status"] == "CLOSED" else _mine(last, sub),
        "sits_out": last is not None
        and last["status"] == "PUBLISHED"
        and any(sub in one["competitorId"].split("+") for one in last["byes"] if sub),
    }


def _enter_as_pairs(plan: Mapping[str, str]) -> bool:
    return plan["mode"] == "TWO_ON_TWO" and plan["format"] != "ROTATING_PARTNERS"


def _missing(tournament: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The entries that have not checked in, where the plan asks for it."""
    asks = tournament["plan"]["checkIn"]
    return [one for one in tournament["entries"] if asks and not one["checkedIn"] and not one["withdrawnAt"]]


def _is_in(tournament: Mapping[str, Any], sub: str | None) -> bool:
    """Whether the viewer is a competitor, or one of a pair, who has not withdrawn."""
    return any(sub in entry["playerIds"] and not entry["withdrawnAt"] for entry in tournament["entries"])


def _replaceable(entries: Sequence[Mapping[str, Any]], names: Mapping[str, str]) -> list[tuple[str, str]]:
    """Those who withdrew and have no substitute, with their names."""
    replaced = {entry["replaces"] for entry in entries}
    gone = [entry["competitorId"] for entry in entries if entry["withdrawnAt"]]
    return [(id_, names.get(id_, id_)) for id_ in gone if id_ not in replaced]


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


def _changed_plan(form: FormData, request: Request) -> Mapping[str, Any]:
    return {**_on(request), **planned(form, request)}


def _alone(_form: FormData, request: Request) -> Mapping[str, Any]:
    return _on(request)


def _entered(form: FormData, request: Request) -> Mapping[str, Any]:
    """Those who enter. An empty row before a filled one is refused, so that errors of the API find their row."""
    rows = [_entrant(form, f"competitors.{at}") for at in range(MOST_AT_ONCE)]
    filled = [at for at, row in enumerate(rows) if any(row.values())]
    listed = rows[: filled[-1] + 1 if filled else 1]
    if missing := [at for at, row in enumerate(listed) if not row["players"]]:
        raise FieldErrors({f"competitors.{at}.players.0": _("Name a player.") for at in missing})
    return {**_on(request), "competitors": listed}


def _entrant(form: FormData, row: str) -> dict[str, Any]:
    players = [str(form[name]) for name in (f"{row}.players.0", f"{row}.players.1") if form.get(name)]
    replaces = str(form.get(f"{row}.replaces", "")) or None
    return {"players": players, "fixedTable": number_in(form, f"{row}.fixedTable"), "replaces": replaces}


def _arrived(form: FormData, request: Request) -> Mapping[str, Any]:
    """Those who are ticked, or everybody who was not there yet when the page was shown."""
    if EVERYBODY in form:
        competitors = [str(id_) for id_ in form.getlist("missing")]
    else:
        competitors = [name.removeprefix(THERE) for name in form if name.startswith(THERE)]
    if not competitors:
        raise FieldErrors({"": _("Tick who is there.")})
    return {**_on(request), "competitors": competitors}


def _with_rows(data: dict[str, Any], _request: Request) -> Mapping[str, Any]:
    """The rows of the form, whether pairs enter, and whose places are free."""
    names = names_of(data)
    return {
        "rows": range(MOST_AT_ONCE),
        "pairs": _enter_as_pairs(data["tournament"]["plan"]),
        "replaceable": _replaceable(data["tournament"]["entries"], names),
    }


def _drawn(form: FormData, request: Request) -> Mapping[str, Any]:
    again = str(form.get("again", "")).strip()
    return {**_on(request), **({"again": again} if again else {})}


def _published(form: FormData, request: Request) -> Mapping[str, Any]:
    return {**_on(request), "evenIfOutdated": form.get("evenIfOutdated") == "yes"}


def _fixtures(form: FormData, request: Request) -> Mapping[str, Any]:
    """The meetings that are filled in; none: as in a round robin."""
    found: dict[str, dict[str, str]] = {}
    for name, value in form.multi_items():
        if value and (named := MEETING.fullmatch(name)):
            found.setdefault(named[1], {})[named[2]] = str(value)
    for number, meeting in found.items():
        if len(meeting) == 1:
            raise FieldErrors({"": _("Meeting {number} needs two.", number=int(number) + 1)})
    days = {"day": date_in(form, "day"), "until": date_in(form, "until")}
    return {**_drawn(form, request), **days, "meetings": list(found.values()) or None}


def _with_available(data: dict[str, Any], _request: Request) -> Mapping[str, Any]:
    """Those who can meet, by name."""
    tournament, names = data["tournament"], names_of(data)
    asks = tournament["plan"]["checkIn"]
    there = [
        (entry["competitorId"], names.get(entry["competitorId"], entry["competitorId"]))
        for entry in tournament["entries"]
        if not entry["withdrawnAt"] and (entry["checkedIn"] or not asks)
    ]
    last = tournament["lastRound"]
    return {
        "competitors": sorted(there, key=lambda one: one[1].casefold()),
        "again": last is not None and last["status"] == "DRAWN",
    }


def _absent(form: FormData, request: Request) -> Mapping[str, Any]:
    sides = [int(side) for side in str(form.get("sides", "")).split() if side in {"0", "1"}]
    if not sides:
        raise FieldErrors({"sides": _("Say who did not come.")})
    return {**_on(request), "sides": sides}


def _withdrawn(form: FormData, request: Request) -> Mapping[str, Any]:
    return {**_on(request), "reason": str(form.get("reason", "")).strip() or None}


def _with_competitor(data: dict[str, Any], request: Request) -> Mapping[str, Any]:
    """The name of who withdraws."""
    id_ = request.path_params["competitor"]
    if id_ not in {entry["competitorId"] for entry in data["tournament"]["entries"]}:
        raise NoPage(404)
    return {"competitor": names_of(data).get(id_, id_)}


def _with_table(data: dict[str, Any], request: Request) -> Mapping[str, Any]:
    """The table that the address names, and who can be absent from it."""
    of = data["tournament"]["round"]
    numbers = {} if of is None else {table["number"]: table for table in of["tables"]}
    table = numbers.get(request.path_params["table"])
    if table is None:
        raise NoPage(404)
    sides = [" & ".join(one["displayName"] for one in side["players"]) for side in table["sides"]]
    return {"round": of, "table": table, "absences": [("0", sides[0]), ("1", sides[1]), ("0 1", _("nobody came"))]}


def _with_competitors(data: dict[str, Any], _request: Request) -> Mapping[str, Any]:
    """Those of the round, by name."""
    of = data["tournament"]["round"]
    if of is None or of["status"] != "PUBLISHED":
        raise NoPage(404)
    ids = [id_ for table in of["tables"] for side in table["sides"] for id_ in side["competitorIds"]]
    names = names_of(data)
    chosen = [(id_, names.get(id_, id_)) for id_ in (*ids, *(one["competitorId"] for one in of["byes"]))]
    return {"round": of, "competitors": sorted(chosen, key=lambda one: one[1].casefold())}


def _repaired(form: FormData, request: Request) -> Mapping[str, Any]:
    """The tables at which somebody else is chosen than sat there."""
    sides: dict[str, list[list[str]]] = {}
    for name, value in form.multi_items():
        if found := SEAT.fullmatch(name):
            table, side = found.groups()
            sides.setdefault(table, [[], []])[int(side)].append(str(value))
    changed = [
        {"table": int(table), "sides": of}
        for table, of in sides.items()
        if form.get(f"was.{table}") != "|".join(",".join(side) for side in of)
    ]
    if not changed:
        raise FieldErrors({"": _("Choose somebody else at a table.")})
    return {**_on(request), "tables": changed, "reason": str(form.get("reason", ""))}


def _with_reason(form: FormData, request: Request) -> Mapping[str, Any]:
    return {**_on(request), "reason": str(form.get("reason", ""))}


def _form(
    name: str, path: str, operation: str, read: Input = _alone, named: tuple[str, ...] = (), *, is_for_all: bool = False
) -> FormPage:
    """A form on the page of the tournament."""
    return _own_form(
        name, path, operation, read,
        document="tournament.graphql", template="tournament.html", variables=of_address, adds=with_mine, named=named,
        requires=None if is_for_all else operation,
    )  # fmt: skip


def _own_form(name: str, path: str, operation: str, read: Input, **more: Any) -> FormPage:
    """A form with a page of its own."""
    given = {"template": f"{name}.html", "requires": operation, **more}
    return FormPage(
        path=f"/tournaments/{{id}}{path}",
        name=name,
        folder=FOLDER,
        needs="tournament",
        mutation=f"{_snake(operation)}.mutation.graphql",
        input=read,
        then=_to_the_tournament,
        **given,
    )


def _snake(operation: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in operation)


_ROUND, _TABLE = "/rounds/{number:int}", "/rounds/{number:int}/tables/{table:int}"
_COMPETITOR = "/competitors/{competitor}"
_PLAYERS = tuple(f"competitors.{at}.players.{player}" for at in range(MOST_AT_ONCE) for player in range(len("ab")))

FORMS = (
    FormPage(
        path="/tournaments/plan",
        name="plan_tournament",
        folder=FOLDER,
        document="plan_tournament.graphql",
        template="plan_tournament.html",
        requires="planTournament",
        adds=choices,
        mutation="plan_tournament.mutation.graphql",
        input=planned,
        then=_to_the_tournament,
    ),
    _own_form(
        "change_plan",
        "/plan",
        "changeTournamentPlan",
        _changed_plan,
        document="change_plan.graphql",
        template="plan_tournament.html",
        variables=of_address,
        adds=with_plan,
    ),
    _own_form(
        "change_pairings",
        f"{_ROUND}/pairings",
        "changePairings",
        _repaired,
        document="change_pairings.graphql",
        variables=of_round,
        adds=_with_competitors,
    ),
    _own_form(
        "draw_fixtures",
        "/fixtures",
        "drawRound",
        _fixtures,
        document="fixtures.graphql",
        variables=of_address,
        adds=_with_available,
    ),
    _own_form(
        "enter_several",
        "/enter",
        "enterTournament",
        _entered,
        document="enter_several.graphql",
        variables=of_address,
        adds=_with_rows,
        named=_PLAYERS,
    ),
    _own_form(
        "withdraw",
        f"{_COMPETITOR}/withdraw",
        "withdrawFromTournament",
        _withdrawn,
        document="competitor.graphql",
        variables=of_address,
        adds=_with_competitor,
    ),
    _own_form(
        "record_absence",
        f"{_TABLE}/absent",
        "recordAbsence",
        _absent,
        document="table.graphql",
        variables=of_round,
        adds=_with_table,
    ),
    _own_form(
        "replace_match",
        f"{_TABLE}/replace",
        "replaceTournamentMatch",
        _with_reason,
        document="table.graphql",
        variables=of_round,
        adds=_with_table,
    ),
    # The page itself: everybody may see it, and its form enters a competitor.
    _form("tournament", "", "enterTournament", _entered, _PLAYERS[:2], is_for_all=True),
    _form("check_in", "/check-in", "checkInToTournament", _arrived),
    _form("return_to_tournament", f"{_COMPETITOR}/return", "returnToTournament"),
    _form("draw_round", "/draw", "drawRound", _drawn),
    _form("publish_round", f"{_ROUND}/publish", "publishRound", _published),
    _form("close_round", f"{_ROUND}/close", "closeRound"),
    _form("open_fixture", f"{_TABLE}/open", "openFixture"),
    _form("end_tournament", "/end", "endTournament"),
)
