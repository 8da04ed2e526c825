"""The forms with which a competitor asks for a bye of a round to come, and takes the request back."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from starlette.datastructures import FormData
from starlette.requests import Request

from league.console.asking import Visitor
from league.console.controls import Control, Data, Options, number_in
from league.domain.sentences import say
from league.tournaments.console.changes import COMPETITOR, OF_COMPETITOR, on, one_of_them, plain_form, with_competitor
from league.tournaments.console.pages import asks_for_byes, next_round_of


def _with_byes(data: dict[str, Any], request: Request) -> Mapping[str, Any]:
    """The competitor of the address, and the rounds to come: for which they can ask, and for which they have asked."""
    found = with_competitor(data, request)
    tournament = data["tournament"]
    entry = tournament["entry"]
    first = next_round_of(tournament)
    last = first - 1 if not asks_for_byes(tournament) or entry["withdrawnAt"] else tournament["roundsInAll"]
    asked = [number for number in entry["requestedByes"] if number >= first]
    return {**found, "free": [number for number in range(first, last + 1) if number not in asked], "asked": asked}


def _rounds(name: str) -> Callable[[Data, Visitor], Options]:
    return lambda data, _visitor: [(str(one), say("Round {round}", round=one)) for one in data[name]]


def _bye(form: FormData, request: Request) -> Mapping[str, Any]:
    return {**on(request), "round": number_in(form, "round")}


bye_form = partial(
    plain_form,
    document="""
      query TournamentByes($id: ID!, $player: ID!) {
        league { name timeZone }
        tournament(id: $id) {
          tournamentId
          name
          status
          roundsInAll
          plan { format }
          lastRound { number status }
          entry(player: $player) { competitorId withdrawnAt requestedByes displayName }
        }
      }
    """,
    variables=one_of_them,
    address=OF_COMPETITOR,
    adds=_with_byes,
    values=lambda data: {"competitor": data["competitor"]},
    input=_bye,
)

BYE_FORMS = (
    bye_form(
        mutation="requestBye",
        path=f"/tournaments/{{id}}{COMPETITOR}/bye",
        name="request_bye",
        heading=say("A bye for {competitor}"),
        button=say("Ask for the bye"),
        words=say(
            "They do not play that round, and are not drawn for it. They get what the plan gives for a bye that was "
            "asked for, which is usually no win and no points. It can be taken back until the round is drawn."
        ),
        nothing=lambda data: None if data["free"] else say("There is no round left for which they can ask for a bye."),
        controls=(Control("round", say("Which round?"), options=_rounds("free")),),
    ),
    bye_form(
        mutation="takeBackBye",
        path=f"/tournaments/{{id}}{COMPETITOR}/no-bye",
        name="take_back_bye",
        heading=say("{competitor} plays after all"),
        button=say("Take the bye back"),
        words=say("They are drawn for that round again."),
        nothing=lambda data: None if data["asked"] else say("There is no bye that can be taken back."),
        controls=(Control("round", say("Which round?"), options=_rounds("asked")),),
    ),
)
