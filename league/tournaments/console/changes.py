"""The forms that change tournaments. Forms with a single button stand on the page of the tournament."""

import re
from collections.abc import Mapping
from functools import partial
from typing import Any

from starlette.datastructures import FormData
from starlette.requests import Request

from league.console.addresses import as_number
from league.console.asking import NoPage, Visitor
from league.console.controls import Control, Data, FieldErrors, Options, date_in, number_in
from league.console.forms import FormPage, PageLink, PlainForm, to
from league.domain.sentences import Sentence, say
from league.tournaments.console.pages import follows_from_state, names_of
from league.tournaments.console.plan_form import as_last_time, changed, planned, with_plan
from league.tournaments.console.tournament_page import (
    can_be_withdrawn,
    enter_as_pairs,
    replaceable,
    with_mine,
    with_more,
)
from league.tournaments.console.tournament_pictures import picture_of_tournament
from league.tournaments.console.whole_lists import FOLDER, whole

SEAT = re.compile(r"sides\.([0-9]{1,4})\.([01])")
"""Names of the controls for a side of a table; there is one for each competitor."""
MEETING = re.compile(r"meetings\.([0-9]{1,4})\.(one|other)")
"""Names of the controls for the two competitors of a meeting."""
MOST_AT_ONCE = 8
"""Rows of the form that enters several competitors. A sheet may have more."""
THERE, EVERYBODY = "there.", "everybody"
"""Prefix of the control that is ticked when a competitor has arrived, and the button that checks all of them in."""


def on(request: Request) -> dict[str, Any]:
    """The tournament, round, table and competitor that the address names."""
    fields = {"tournament": "id", "round": "number", "table": "table", "competitor": "competitor"}
    found = {field: request.path_params.get(name) for field, name in fields.items()}
    return {field: as_number(at) if isinstance(at, int) else at for field, at in found.items() if at is not None}


def _changed_plan(form: FormData, request: Request) -> Mapping[str, Any]:
    return {**on(request), **changed(form)}


def _entered(form: FormData, request: Request) -> Mapping[str, Any]:
    """The competitors who enter. Raises FieldErrors for an empty row before a filled one: errors are found by row."""
    rows = [_entrant(form, f"competitors.{at}") for at in range(MOST_AT_ONCE)]
    filled = [at for at, row in enumerate(rows) if any(row.values())]
    listed = rows[: filled[-1] + 1 if filled else 1]
    if missing := [at for at, row in enumerate(listed) if not row["players"]]:
        raise FieldErrors({f"competitors.{at}.players.0": say("Name a player.") for at in missing})
    return {**on(request), "competitors": listed}


def _entrant(form: FormData, row: str) -> dict[str, Any]:
    players = [str(form[name]) for name in (f"{row}.players.0", f"{row}.players.1") if form.get(name)]
    replaces = str(form.get(f"{row}.replaces", "")) or None
    return {"players": players, "fixedTable": number_in(form, f"{row}.fixedTable"), "replaces": replaces}


def _arrived(form: FormData, request: Request) -> Mapping[str, Any]:
    """The ticked competitors, or everybody who was missing when the page was shown. Raises FieldErrors for nobody."""
    if EVERYBODY in form:
        competitors = [str(id_) for id_ in form.getlist("missing")]
    else:
        competitors = [name.removeprefix(THERE) for name in form if name.startswith(THERE)]
    if not competitors:
        raise FieldErrors({"": say("Tick who is there.")})
    return {**on(request), "competitors": competitors}


def _with_rows(data: dict[str, Any], _request: Request) -> Mapping[str, Any]:
    """The rows of the form, whether pairs enter, and the competitors who can be replaced."""
    names = names_of(data)
    return {
        "rows": range(MOST_AT_ONCE),
        "pairs": enter_as_pairs(data["tournament"]["plan"]),
        "replaceable": replaceable(data["tournament"]["entries"], names),
    }


def _fixtures(form: FormData, request: Request) -> Mapping[str, Any]:
    """The filled-in meetings; if there are none, the round is as in a round robin. Raises FieldErrors."""
    found: dict[str, dict[str, str]] = {}
    for name, value in form.multi_items():
        if value and (named := MEETING.fullmatch(name)):
            found.setdefault(named[1], {})[named[2]] = str(value)
    for number, meeting in found.items():
        if len(meeting) == 1:
            raise FieldErrors({"": say("Meeting {number} needs two.", number=int(number) + 1)})
    days = {"day": date_in(form, "day"), "until": date_in(form, "until")}
    again = str(form.get("again", "")).strip() or None
    return {**on(request), "again": again, **days, "meetings": list(found.values()) or None}


def _with_available(data: dict[str, Any], _request: Request) -> Mapping[str, Any]:
    """The competitors who can meet, in the order of their names."""
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


def one_of_them(request: Request) -> Mapping[str, Any]:
    """A player of the competitor in the address, by whom their entry is found."""
    return {"player": request.path_params["competitor"].partition("+")[0]}


def with_competitor(data: dict[str, Any], request: Request) -> Mapping[str, Any]:
    """The name of the competitor who withdraws."""
    entry = data["tournament"]["entry"]
    if entry is None or entry["competitorId"] != request.path_params["competitor"]:
        raise NoPage(404)
    return {"competitor": entry["displayName"]}


def _with_known_round(data: dict[str, Any], _request: Request) -> Mapping[str, Any]:
    """The round that the address names."""
    if data["tournament"]["round"] is None:
        raise NoPage(404)
    return {"round": data["tournament"]["round"]}


def _not_to_withdraw(data: Data) -> Sentence | None:
    """Why the round cannot be withdrawn, as far as its tables show it; None if they show nothing."""
    of = data["round"]
    if of["status"] != "PUBLISHED":
        return say("Only a round that is published and not finished can be withdrawn.")
    if not can_be_withdrawn(of):
        return say("A table has a result or an absence. A round can be withdrawn before play begins.")
    return None


def _not_to_end(data: Data) -> Sentence | None:
    """Why there is nothing to end; None if the tournament can be asked to end."""
    return say("The tournament has ended.") if data["tournament"]["status"] == "ENDED" else None


def _with_table(data: dict[str, Any], _request: Request) -> Mapping[str, Any]:
    """The round and the table that the address names."""
    of = data["tournament"]["round"]
    if of is None or of["table"] is None:
        raise NoPage(404)
    return {"round": of, "table": of["table"]}


def with_competitors(data: dict[str, Any], _request: Request) -> Mapping[str, Any]:
    """The competitors of the round, in the order of their names."""
    of = data["tournament"]["round"]
    if of is None or of["status"] != "PUBLISHED":
        raise NoPage(404)
    ids = [id_ for table in of["tables"] for side in table["sides"] for id_ in side["competitorIds"]]
    names = names_of(data)
    chosen = [(id_, names.get(id_, id_)) for id_ in (*ids, *(one["competitorId"] for one in of["byes"]))]
    return {"round": of, "competitors": sorted(chosen, key=lambda one: one[1].casefold())}


def _repaired(form: FormData, request: Request) -> Mapping[str, Any]:
    """The tables whose competitors were changed. Raises FieldErrors if there are none."""
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
        raise FieldErrors({"": say("Choose somebody else at a table.")})
    return {**on(request), "tables": changed, "reason": str(form.get("reason", ""))}


def _sides(data: Data, _visitor: Visitor) -> Options:
    """The choices of who did not come to a table."""
    sides = [" & ".join(one["displayName"] for one in side["players"]) for side in data["table"]["sides"]]
    return [("0", sides[0]), ("1", sides[1]), ("0 1", say("nobody came"))]


def _absent(form: FormData, request: Request) -> Mapping[str, Any]:
    sides = [int(side) for side in str(form.get("sides", "")).split() if side in {"0", "1"}]
    if not sides:
        raise FieldErrors({"sides": say("Say who did not come.")})
    return {**on(request), "sides": sides}


ROUND, TABLE = "/rounds/{number:int}", "/rounds/{number:int}/tables/{table:int}"
COMPETITOR = "/competitors/{competitor}"
OF_ROUND = {"tournament": "id", "round": "number"}
OF_TABLE = {**OF_ROUND, "table": "table"}
OF_COMPETITOR = {"tournament": "id", "competitor": "competitor"}
PLAYERS = tuple(f"competitors.{at}.players.{player}" for at in range(MOST_AT_ONCE) for player in range(len("ab")))
TO_TOURNAMENT = to("tournament", id="tournament.tournamentId")
REASON = {"maxlength": 200}

own_form = partial(
    FormPage,
    folder=FOLDER,
    needs="tournament",
    then=TO_TOURNAMENT,
    address={"tournament": "id"},
)
"""A form with its own page and template."""
form = partial(own_form, document="tournament.graphql", template="tournament.html", completes=with_more, adds=with_mine)
"""A form on the page of the tournament."""
plain_form = partial(
    PlainForm,
    folder=FOLDER,
    needs="tournament",
    then=TO_TOURNAMENT,
    back=PageLink("tournament", say("Back"), ("id",)),
)
of_table = partial(
    plain_form,
    document="table.graphql",
    address=OF_TABLE,
    parts="tournaments/console/tournament_parts.html",
    about="about_round",
    adds=_with_table,
    values=lambda data: {"table": data["table"]["number"]},
)

FORMS = (
    FormPage(
        mutation="planTournament",
        path="/tournaments/plan",
        folder=FOLDER,
        adds=as_last_time,
        filled_by=("as",),
        input=planned,
        then=TO_TOURNAMENT,
    ),
    own_form(
        mutation="changeTournamentPlan",
        path="/tournaments/{id}/plan",
        name="change_plan",
        template="plan_tournament.html",
        adds=with_plan,
        input=_changed_plan,
        overwrites=True,
    ),
    own_form(
        mutation="changePairings",
        path=f"/tournaments/{{id}}{ROUND}/pairings",
        completes=whole("change_pairings.graphql", "entries", "round.tables", "round.byes"),
        adds=with_competitors,
        input=_repaired,
    ),
    own_form(
        mutation="drawRound",
        path="/tournaments/{id}/fixtures",
        name="draw_fixtures",
        completes=whole("draw_fixtures.graphql", "entries"),
        adds=_with_available,
        input=_fixtures,
    ),
    own_form(
        mutation="enterTournament",
        path="/tournaments/{id}/enter",
        name="enter_several",
        completes=whole("enter_several.graphql", "entries"),
        adds=_with_rows,
        named=PLAYERS,
        input=_entered,
    ),
    plain_form(
        mutation="withdrawFromTournament",
        path=f"/tournaments/{{id}}{COMPETITOR}/withdraw",
        name="withdraw",
        document="""
          query TournamentCompetitor($id: ID!, $player: ID!) {
            league { name timeZone }
            tournament(id: $id) {
              tournamentId
              name
              plan { format withdrawals }
              entry(player: $player) { competitorId displayName }
            }
          }
        """,
        variables=one_of_them,
        address=OF_COMPETITOR,
        parts="tournaments/console/tournament_parts.html",
        shows="what_leaving_means",
        heading=say("Withdraw {competitor}"),
        button=say("Withdraw"),
        words=say("They play no further round. A scorekeeper can let them play again."),
        adds=with_competitor,
        values=lambda data: {"competitor": data["competitor"]},
        controls=(
            Control(
                "reason",
                say("Reason, for readers of the log"),
                say("It may be left empty."),
                attributes=REASON,
            ),
        ),
        is_danger=True,
    ),
    of_table(
        mutation="recordAbsence",
        path=f"/tournaments/{{id}}{TABLE}/absent",
        heading=say("Somebody did not come to table {table}"),
        button=say("Record the absence"),
        words=say(
            "The match of the table is voided and unrated, and the tournament keeps a walkover. If they come after "
            "all, replay the table."
        ),
        controls=(Control("sides", say("Who did not come?"), options=_sides),),
        input=_absent,
        is_danger=True,
    ),
    of_table(
        mutation="replaceTournamentMatch",
        path=f"/tournaments/{{id}}{TABLE}/replace",
        name="replace_match",
        heading=say("Replay table {table}"),
        words=say("Another match opens at the table, and counts in place of what was recorded there."),
        controls=(Control("reason", say("Reason, for readers of the log"), attributes=REASON),),
    ),
    plain_form(
        mutation="withdrawRound",
        path=f"/tournaments/{{id}}{ROUND}/withdraw",
        name="withdraw_round",
        address=OF_ROUND,
        completes=whole("withdraw_round.graphql", "round.tables"),
        adds=_with_known_round,
        values=lambda data: {"round": data["round"]["number"]},
        nothing=_not_to_withdraw,
        heading=say("Withdraw round {round}"),
        words=say(
            "The matches of its tables are voided, and a hand that runs at a live table is given up. The round counts "
            "for nothing: no meeting, no partner, no bye. Then it is drawn anew under its number, with new matches. "
            "The log keeps what was withdrawn, with your reason."
        ),
        controls=(Control("reason", say("Reason, for readers of the log"), attributes=REASON),),
        is_danger=True,
    ),
    plain_form(
        mutation="endTournament",
        path="/tournaments/{id}/end",
        address={"tournament": "id"},
        document="""
          query TournamentToEnd($id: ID!) {
            league { name timeZone }
            tournament(id: $id) { tournamentId name status roundsInAll lastRound { number status } }
          }
        """,
        values=lambda data: {"tournament": data["tournament"]["name"]},
        nothing=_not_to_end,
        heading=say("End {tournament}"),
        button=say("End the tournament"),
        words=say(
            "No further round is drawn, nobody enters and nothing is replayed, and nobody can open it again. Results "
            "can still be corrected: then the places change, and the page of the tournament shows it."
        ),
        is_danger=True,
    ),
    # The page of the tournament. Everybody may see it, and its form enters a competitor.
    form(
        mutation="enterTournament",
        path="/tournaments/{id}",
        name="tournament",
        named=PLAYERS[:2],
        input=_entered,
        is_for_all=True,
        follows_from_state=follows_from_state,
        picture=picture_of_tournament,
    ),
    form(mutation="checkInToTournament", path="/tournaments/{id}/check-in", name="check_in", input=_arrived),
    form(
        mutation="returnToTournament",
        path=f"/tournaments/{{id}}{COMPETITOR}/return",
        address=OF_COMPETITOR,
    ),
    form(mutation="drawRound", path="/tournaments/{id}/draw", controls=(Control("again"),)),
    form(
        mutation="publishRound",
        path=f"/tournaments/{{id}}{ROUND}/publish",
        address=OF_ROUND,
        controls=(Control("evenIfOutdated"),),
    ),
    form(mutation="closeRound", path=f"/tournaments/{{id}}{ROUND}/close", address=OF_ROUND),
    form(mutation="confirmRound", path=f"/tournaments/{{id}}{ROUND}/confirm", address=OF_ROUND),
    form(mutation="openFixture", path=f"/tournaments/{{id}}{TABLE}/open", address=OF_TABLE),
)
