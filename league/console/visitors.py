"""Who looks at a page: their session, and the language they read."""

from msgspec import Struct
from starlette.requests import Request

from league.api.auth.permissions import PERMISSIONS, Viewer
from league.api.auth.tokens import Session
from league.domain.sentences import LANGUAGES, Language
from league.wording.language import language

LANGUAGE_COOKIE = "language"


class Visitor(Struct, frozen=True):
    """The visitor of a page."""

    session: Session = Session()
    language: Language = "en"

    @property
    def viewer(self) -> Viewer:
        """With which rights the documents of their pages are executed."""
        return self.session.viewer

    @property
    def is_signed_in(self) -> bool:
        """Whether they have a session."""
        return self.viewer.sub is not None

    def may(self, operation: str) -> bool:
        """Whether they may do this to any player or match. `operation` is a key of PERMISSIONS."""
        return self.viewer.may(operation)

    def may_own(self, operation: str) -> bool:
        """Whether they may do this at least to what is theirs."""
        return operation in PERMISSIONS and self.viewer.reach(operation) is not None


def chosen_language(request: Request) -> Language:
    """The language that the visitor chose on a page, else the one that their browser prefers."""
    wanted = request.cookies.get(LANGUAGE_COOKIE)
    return next((one for one in LANGUAGES if one == wanted), language())
