"""Keeps public pages as answers are kept: those whose documents may all be kept, for visitors who are not signed in."""

from collections.abc import Awaitable, Callable

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from league.api.graphql.executing.accounting import KEPT_ANSWER
from league.api.graphql.executing.kept_answers import Answered, AskedPage, KeptAnswers
from league.api.graphql.executing.rate_limits import RateLimits, client_of
from league.api.server.endpoints import address_of
from league.console.policy import HEADERS
from league.console.present import begin_page, depends_on_the_present
from league.console.visitors import Visitor


class KeptPages(Struct, frozen=True):
    """The kept pages of this process, among its kept answers."""

    kept_answers: KeptAnswers
    rate_limits: RateLimits
    now: Callable[[], str | None]
    """The state of the league, as pages name it."""

    async def answer(self, request: Request, visitor: Visitor, make: Callable[[], Awaitable[Response]]) -> Response:
        """The kept page, or the one that `make` makes. Raises RateLimited, and what `make` raises."""
        if visitor.is_signed_in:
            return await make()
        address = str(request.scope.get("root_path", "")) + str(request.url)
        asked = AskedPage(address.encode(errors="surrogateescape"), visitor.language)
        kept = self.kept_answers.find(asked) or await self.kept_answers.wait(asked)
        if kept is not None:
            if (client := address_of(request)) is not None:
                self.rate_limits.spend(client_of(None, client), KEPT_ANSWER)
            self.kept_answers.count_hit()
            return HTMLResponse(kept.body, headers=HEADERS)
        with self.kept_answers.in_work(asked) as in_work:
            begin_page()
            response = await make()
            answered = self._answered(request)
            if answered is not None and response.status_code == 200:  # noqa: PLR2004  # nothing else is worth keeping
                in_work.set_result(self.kept_answers.keep(asked, bytes(response.body), answered))
        return response

    def _answered(self, request: Request) -> Answered | None:
        """What the page rests on; None if it must not be kept."""
        answered: list[Answered | None] = getattr(request.state, "answered", [])
        states = {None if one is None else one.state for one in answered}
        # A page names the state of which it hears all later ones: it must not name an older one for ever.
        is_of_now = request.state.since is not None and request.state.since == self.now()
        if len(states) != 1 or None in states or not is_of_now or depends_on_the_present():
            return None
        return answered[-1]
