"""The forms with which a side says that the other one did not come, and confirms it of itself."""

from functools import partial

from league.domain.sentences import say
from league.tournaments.console.changes import (
    COMPETITOR,
    OF_COMPETITOR,
    OF_ROUND,
    ROUND,
    one_of_them,
    plain_form,
    with_competitor,
)

_form = partial(
    plain_form,
    document="""
      query AbsentSide($id: ID!, $player: ID!) {
        league { name timeZone }
        tournament(id: $id) { tournamentId name entry(player: $player) { competitorId displayName } }
      }
    """,
    variables=one_of_them,
    address={**OF_ROUND, **OF_COMPETITOR},
    adds=with_competitor,
    values=lambda data: {"competitor": data["competitor"]},
    is_danger=True,
)

ABSENCE_FORMS = (
    _form(
        mutation="claimAbsence",
        path=f"/tournaments/{{id}}{ROUND}{COMPETITOR}/claim",
        heading=say("The other side did not come"),
        button=say("Report it"),
        words=say(
            "You say it for {competitor}. Nothing is decided by that: they are asked to confirm it, and organisers see "
            "it. If they come after all, just begin to play."
        ),
    ),
    _form(
        mutation="confirmAbsence",
        path=f"/tournaments/{{id}}{ROUND}{COMPETITOR}/confirm",
        heading=say("Confirm that you did not come"),
        button=say("We did not come"),
        words=say(
            "You confirm it for {competitor}. The match of the table is voided and unrated, and the other side has a "
            "walkover."
        ),
    ),
)
