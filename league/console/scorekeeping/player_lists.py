"""The form that registers a list of players. It shows first who would be registered, and asks who is somebody known."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct
from starlette.datastructures import FormData
from starlette.requests import Request

from league.console.controls import FieldErrors
from league.console.forms import FormPage, NextPage, Questions, Review
from league.console.pasted_list import ListedName, PartsAre, names_in
from league.domain.player import MOST_REGISTERED, read_region
from league.domain.refusals import InvalidInput
from league.domain.sentences import Sentence, say, say_count
from league.wording.language import spoken

SAME, ANOTHER, NAMESAKE, NO_NAME = "same", "another", "namesake", "none"
"""What the form says of a name: this person is meant; not the one with the close name; not the one with this name.

Or it is no name.
"""
ANSWER = "as."
"""The beginning of the controls that say it. Then comes the number of the name, from 0."""
PARTS = "parts"
"""The control that says what commas and columns separate."""
PARTS_ARE: Mapping[str, PartsAre] = {"people": "people", "surname": "surname", "name": "name"}
ASKED = "as.asked"
"""The hidden control with the numbers of the names that the page asks about."""


class ListedPlayer(Struct, frozen=True):
    """A name of the list as the page shows it."""

    number: int
    line: int
    name: str
    fault: str | None
    """Why it is no name."""
    players: Sequence[Mapping[str, Any]]
    """The players whom it may mean."""
    is_taken: bool
    """Whether they have this name."""
    repeats: int | None
    """The line before with this name."""
    parts: Sequence[str]
    """Parts that may be two people, or surname and name, while nobody has said which; otherwise empty."""

    @property
    def is_known(self) -> bool:
        """Whether somebody who is registered has this name, and is then meant unless somebody says otherwise."""
        return self.fault is None and self.is_taken and bool(self.players) and not self.repeats

    @property
    def is_asked(self) -> bool:
        """Whether somebody must say who is meant."""
        may_be_known = bool(self.players or self.is_taken or self.repeats)
        return self.fault is None and may_be_known and not self.is_known

    @property
    def control(self) -> str:
        """The name of the control that says it."""
        return f"{ANSWER}{self.number}"

    @property
    def another(self) -> str:
        """The answer that this is another person."""
        return NAMESAKE if self.is_taken or self.repeats else ANOTHER


def _listed(form: FormData) -> list[ListedName]:
    """The names of the list. Raises FieldErrors for too many, and for none."""
    found = names_in(str(form.get("names", "")), PARTS_ARE.get(str(form.get(PARTS, ""))))
    if not found:
        raise FieldErrors({"names": say("Write at least one name.")})
    if len(found) > MOST_REGISTERED:
        said = say_count(
            "The list has {count} name; at most {most} are registered at once. Send the rest afterwards.",
            "The list has {count} names; at most {most} are registered at once. Send the rest afterwards.",
            len(found),
            most=MOST_REGISTERED,
        )
        raise FieldErrors({"names": said})
    return found


def _asked(form: FormData, _request: Request) -> Mapping[str, Any]:
    return {"names": [one.name for one in _listed(form)]}


def _shown(answer: Sequence[Mapping[str, Any]], form: FormData) -> list[ListedPlayer]:
    listed = _listed(form)
    return [
        ListedPlayer(
            number=number,
            line=listed[number].line,
            name=one["name"],
            fault=one["fault"],
            players=one["players"],
            is_taken=one["isTaken"],
            repeats=None if one["repeats"] is None else listed[one["repeats"]].line,
            parts=listed[number].parts,
        )
        for number, one in enumerate(answer)
    ]


def _unanswered(form: FormData) -> Mapping[str, Sentence]:
    asked = [f"{ANSWER}{number}" for number in str(form.get(ASKED, "")).split()]
    unsaid = {control: say("Say whether it is the same person.") for control in asked if not form.get(control)}
    is_unclear = any(one.parts for one in _listed(form))
    return {**unsaid, **({PARTS: say("Say what stands between commas or in columns.")} if is_unclear else {})}


def _to_register(form: FormData, _request: Request) -> Mapping[str, Any]:
    """The `input` of `registerPlayers`, without those who are known. Raises FieldErrors."""
    listed = _listed(form)
    try:
        region = read_region(str(form.get("region", "")))
    except InvalidInput as refused:
        raise FieldErrors({"region": refused.said(spoken)}) from None
    said = [form.get(f"{ANSWER}{number}") for number in range(len(listed))]
    players = [
        {"name": one.name, "region": region, "isNamesake": answer == NAMESAKE}
        for one, answer in zip(listed, said, strict=True)
        if answer not in (SAME, NO_NAME)
    ]
    if not players:
        raise FieldErrors({"": say("Nobody in the list is new, so there is nobody to register.")})
    return {"players": players}


def _counted(_data: Mapping[str, Any], request: Request) -> Mapping[str, Any]:
    """How many were registered just now, as the address says."""
    text = request.query_params.get("registered", "")
    is_count = text.isascii() and text.isdigit() and 1 <= len(text) <= len(str(MOST_REGISTERED))
    return {"registered": int(text) if is_count else None, "most": MOST_REGISTERED}


PAGES = (
    FormPage(
        mutation="registerPlayers",
        path="/record/player/list",
        document="query RegisterPlayers { league { name timeZone } regions }",
        folder=Path(__file__).parent,
        adds=_counted,
        input=_to_register,
        review=Review("check_names.graphql", Questions(_asked, _shown, _unanswered, ANSWER)),
        then=NextPage(
            "playerIds", lambda answer, url: f"{url('register_players')}?registered={len(answer['playerIds'])}"
        ),
    ),
)
