"""The pages that show tournaments, and the page that enters competitors from a sheet."""

import json
from collections.abc import Mapping
from contextlib import suppress
from datetime import date
from typing import Any, get_args

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from league.api.graphql.executing.context import Context
from league.api.graphql.request_errors import NotYetProjected
from league.api.server.uploads import UploadedForm
from league.console.addresses import as_number
from league.console.asking import Ask, NoPage, Visitor, document_in
from league.console.forms import FilledForm
from league.console.pages import Console, Page, check_rights
from league.console.pasted_list import as_sheet
from league.console.scorekeeping.sheets import SheetForm
from league.console.templates import new_key
from league.domain.sentences import say
from league.tournaments.console.bracket_parts import last_rounds, rounds_of
from league.tournaments.console.podium import podium_of
from league.tournaments.console.seats_by_name import links_on_paper, seats_by_name
from league.tournaments.console.tournament_pictures import picture_of_round, tables_in_words
from league.tournaments.console.whole_lists import FOLDER, whole
from league.tournaments.domain.plan import TieBreak
from league.tournaments.entries_sheet import report_of
from league.tournaments.pairing import MOST_PREVIEWED
from league.tournaments.words import (
    days_of,
    words_of_format,
    words_of_relaxed,
    words_of_status,
    words_of_tie_break,
    words_of_ties,
)
from league.wording.matches import joined


def words() -> Mapping[str, Any]:
    """Functions that give templates the words for the API's enums."""
    return {
        "format_words": lambda key: words_of_format(key.lower()),
        "status_words": lambda key: words_of_status(key.lower()),
        "tie_break_words": lambda key: words_of_tie_break(key.lower()),
        "tie_breaks_of": tie_breaks_of,
        "ties_words": words_of_ties,
        "days_words": _days,
        "relaxed_words": _relaxed,
    }


def tie_breaks_of(format_: str) -> list[str]:
    """The tie-breaks that a tournament of this format can have."""
    if format_ == "KNOCKOUT":
        return []
    return [name.upper() for name in get_args(TieBreak) if name != "direct" or format_ != "ROTATING_PARTNERS"]


def _days(of: Mapping[str, Any]) -> list[str]:
    day, until = (None if of[name] is None else date.fromisoformat(of[name]) for name in ("day", "until"))
    return days_of(day, until)


def _relaxed(one: Mapping[str, Any], names: Mapping[str, str]) -> str:
    who = joined(names.get(id_, id_) for id_ in one["competitorIds"])
    return words_of_relaxed(one["criterion"].lower(), who, one["round"])


def with_round(data: dict[str, Any], _request: Request) -> Mapping[str, Any]:
    """What the sheets and the screen for the hall show: the last published round."""
    tournament = data["tournament"]
    shown, last = tournament["publishedRound"], tournament["lastRound"]
    return {
        **words(),
        "shown": shown,
        "withdrawn": last if last is not None and last["status"] == "WITHDRAWN" else None,
        "is_counting": shown is not None and shown["status"] == "PUBLISHED" and tournament["status"] == "RUNNING",
    }


def _with_last_rounds(data: dict[str, Any], request: Request) -> Mapping[str, Any]:
    """What the screen for the hall shows: the round or the podium, the standing, and the last rounds of a bracket."""
    found = with_round(data, request)
    ties = None if found["shown"] is None else found["shown"]["ties"]
    tournament = data["tournament"]
    return {
        **found,
        "last_rounds": last_rounds(rounds_of(tournament["bracket"]), ties),
        "podium": podium_of(tournament) if tournament["status"] == "ENDED" else [],
    }


def _with_sheets(data: dict[str, Any], request: Request) -> Mapping[str, Any]:
    """What the sheets show: the round by table and by name, with addresses for QR codes."""
    found = with_round(data, request)
    letters = [] if found["shown"] is None else seats_by_name(found["shown"])
    return {**found, **links_on_paper(request), "letters": letters, "names": names_of(data)}


def _with_words(_data: dict[str, Any], _request: Request) -> Mapping[str, Any]:
    return words()


def names_of(data: dict[str, Any]) -> Mapping[str, str]:
    """The names of the competitors, by id."""
    entries = data["tournament"]["entries"]
    return {entry["competitorId"]: entry["displayName"] for entry in entries}


_WHOLE_ROUND = whole("tournament_round.graphql", "entries", "round.tables", "round.commitments", "round.contributions")
_WHOLE_DRAFT = whole("draft_of_round.graphql", "round.draft.tables")
_WHOLE_PREVIEW = whole("preview.graphql", "tables", "byes", of="previewRound")


Variables = Mapping[str, Any]


async def _with_draft(ask: Ask, asked: Variables, data: dict[str, Any], visitor: Visitor) -> None:
    """Complete the lists of a round. If it is drawn and not published, show what a visitor who may draw rounds sees."""
    await _WHOLE_ROUND(ask, asked, data, visitor)
    of = data["tournament"]["round"]
    if of is None or of["status"] != "DRAWN" or not visitor.may("drawRound"):
        return
    found = await ask(document_in(FOLDER / "draft_of_round.graphql"), asked)
    await _WHOLE_DRAFT(ask, asked, found, visitor)
    drawn = found["tournament"] and found["tournament"]["round"]
    of |= (drawn and drawn["draft"]) or {}


async def _with_all_names(ask: Ask, asked: Variables, data: dict[str, Any], visitor: Visitor) -> None:
    """Complete the entries, whose names the page needs. The standing itself has pages."""
    more = data["tournament"]["standing"]["pageInfo"]
    await whole("standing.graphql", "entries")(ask, asked, data, visitor)
    data["more"] = more


async def _with_whole_preview(ask: Ask, asked: Variables, data: dict[str, Any], visitor: Visitor) -> None:
    """Complete the preview, and the entries, whose names the page needs."""
    await _WHOLE_PREVIEW(ask, asked, data, visitor)
    await whole("entries.graphql", "entries")(ask, asked, data, visitor)  # without computing the preview again


def next_round_of(tournament: Mapping[str, Any]) -> int:
    """The number of the next round to draw: a new one, or one that was withdrawn."""
    last = tournament["lastRound"]
    return 1 if last is None else last["number"] + (last["status"] != "WITHDRAWN")


def asks_for_byes(tournament: Mapping[str, Any]) -> bool:
    """Whether competitors can ask for a bye of some round."""
    return tournament["plan"]["format"] in {"SWISS", "ROTATING_PARTNERS"} and tournament["status"] != "ENDED"


def _with_why(data: dict[str, Any], _request: Request) -> Mapping[str, Any]:
    of = data["tournament"]["round"]
    if of is None:
        raise NoPage(404)
    names = "number", "drawings", "position", "root", "seed", "commitments", "contributions"
    checked = {name: of[name] for name in names}
    is_paired = of["drawingState"] == "PAIRED"
    return {
        **words(),
        "round": of,
        "names": names_of(data),
        "given": {one["competitorId"]: one["bytes"] for one in of["contributions"]},
        "checked": json.dumps(checked) if is_paired else "",
        "said_tables": tables_in_words(of),
    }


def _with_names(data: dict[str, Any], _request: Request) -> Mapping[str, Any]:
    return {"names": names_of(data), "most_previewed": MOST_PREVIEWED}


def _order(request: Request) -> list[str]:
    """The tie-breaks in the address, without repeats."""
    wanted = [name for name in request.query_params.getlist("order") if name.lower() in get_args(TieBreak)]
    return list(dict.fromkeys(wanted))


def _after_round(request: Request) -> int | None:
    """The round in the address after which the standing is asked for; None: the present standing. Raises NoPage."""
    written = request.query_params.get("round")
    return as_number(written) if written else None


def _in_order(request: Request) -> Mapping[str, Any]:
    return {"order": _order(request) or None, "afterRound": _after_round(request)}


def _with_order(data: dict[str, Any], request: Request) -> Mapping[str, Any]:
    order = _order(request)
    return {
        **words(),
        "names": names_of(data),
        "order": [] if order == data["tournament"]["plan"]["tieBreaks"] else order,
        "after_round": _after_round(request),
    }


def follows_from_state(_data: Mapping[str, Any]) -> bool:
    """Whether a page of tournaments follows from the state of the league: yes, for visitors who are not signed in."""
    return True


OF_SHEETS = whole("sheets.graphql", "entries", "publishedRound.tables", "standing")


def _page(name: str, path: str, template: str, **more: Any) -> Page:
    given = {"document": "sheets.graphql", "adds": with_round, "completes": OF_SHEETS, **more}
    return Page(
        path=path,
        name=name,
        folder=FOLDER,
        template=template,
        needs="tournament",
        follows_from_state=follows_from_state,
        **given,
    )


PAGES = (
    Page(
        path="/tournaments",
        name="tournaments",
        folder=FOLDER,
        adds=_with_words,
    ),
    Page(
        path="/tournaments/{id}/rounds/{number:int}",
        name="tournament_round",
        folder=FOLDER,
        needs="tournament",
        completes=_with_draft,
        adds=_with_why,
        follows_from_state=follows_from_state,
        picture=picture_of_round,
    ),
    _page(
        "tournament_screen",
        "/tournaments/{id}/screen",
        "screen.html",
        document="screen.graphql",
        adds=_with_last_rounds,
        completes=whole("screen.graphql", "publishedRound.tables", "standing"),
    ),
    _page("tournament_sheets", "/tournaments/{id}/sheets", "sheets.html", adds=_with_sheets),
    _page(
        "tournament_standing",
        "/tournaments/{id}/standing",
        "standing.html",
        document="standing.graphql",
        variables=_in_order,
        completes=_with_all_names,
        adds=_with_order,
    ),
    _page(
        "tournament_preview",
        "/tournaments/{id}/preview",
        "preview.html",
        document="preview.graphql",
        completes=_with_whole_preview,
        adds=_with_names,
        requires="drawRound",
    ),
)


# ---------------------------------------------------------------- entries from a sheet


async def _followed(context: Context, upload: UploadedForm) -> dict[str, Any]:
    """Enter everybody in a sheet, and wait until the page of the tournament shows them. Raises Refusal."""
    report = await report_of(context, upload)
    with suppress(NotYetProjected):
        await context.source.wait_for(int(report["position"]))
    return report


ENTRIES = SheetForm(
    page=Page(
        path="/record/entries",
        name="enter_sheet",
        document="""
          query EnterSheet($id: ID!) {
            league { name timeZone }
            tournament(id: $id) { tournamentId name plan { format mode } }
          }
        """,
        folder=FOLDER,
        requires="enterTournament",
        needs="tournament",
    ),
    fields=("tournament", "preview"),
    pasted=as_sheet,
    report_of=_followed,
    stored=lambda console, request, fields, report: (
        {"stored": report},
        console.url(request, "tournament", id=fields["tournament"]),
    ),
    variables=lambda fields: {"id": fields.get("tournament", "")},
)


def sheet_routes(console: Console) -> list[Route]:
    """The route of the page. It checks the visitor's rights before it reads any part of the file.

    The page first shows who would enter. If there is a fault, nobody enters.
    """

    async def answer(request: Request) -> Response:
        async def make(visitor: Visitor) -> Response:
            if request.method == "POST":
                return await ENTRIES.taken(console, request, visitor)
            check_rights(ENTRIES.page, visitor)
            if not visitor.may("enterTournament"):
                raise NoPage(403, say("Your role does not allow this."))
            fields = {"tournament": request.query_params.get("tournament", "")}
            return await ENTRIES.shown(console, request, visitor, fields, FilledForm(key=new_key()))

        return await console.answer(request, make)

    return [Route(ENTRIES.page.path, answer, methods=["GET", "POST"], name=ENTRIES.page.name)]
