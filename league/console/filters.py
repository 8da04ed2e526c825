"""A page with a form that filters its list: people name a player in it, by a name or an id."""

from functools import partial

from starlette.requests import Request
from starlette.responses import Response

from league.console.forms import UNPROCESSABLE, Filled
from league.console.named_players import players_named, with_picks
from league.console.pages import Console, Page, check_rights
from league.console.visitors import Visitor


class FilterPage(Page, frozen=True, kw_only=True):
    """A page whose variables have a `filter`. Its document lists nothing unless `$asked`: a name may be unknown."""

    named: tuple[str, ...]
    """Parameters of the address in which people name a player. The filter gets the ids by the same names."""


async def answer_filter(console: Console, page: FilterPage, request: Request) -> Response:
    """The list that passes the filter; or beside the control, why a text names no player."""

    async def make(visitor: Visitor) -> Response:
        check_rights(page, visitor)
        variables = await console.variables_of(page, request, visitor)
        typed = with_picks(request.query_params, page.named)
        ask = partial(console.asking.ask, request, visitor)
        named = await players_named(ask, {name: str(typed.get(name, "")) for name in page.named})
        errors = named.errors
        variables = {**variables, "filter": {**variables["filter"], **named.ids}, "asked": not errors}
        form = Filled(typed, errors, suggested=named.suggested)
        return await console.shown(
            page, request, visitor, variables, status=UNPROCESSABLE if errors else 200, form=form
        )

    return await console.answer(request, make)
