"""Signing in and out: by a link, or by an identity provider; and where one is signed in.

Only these pages touch the cookie of the session, so they have answers of their own beside their documents.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from starlette.requests import Request

from league.console.controls import Control
from league.console.forms import FormPage, to
from league.console.pages import Page
from league.console.signing_in.browsers import browser_in_words

FOLDER = Path(__file__).parent

SIGN_IN = Page(path="/sign-in", name="sign_in", folder=FOLDER, document="frame.graphql", template="sign_in.html")
LINK = Page(
    path="/sign-in/link/{secret}", name="sign_in_link", folder=FOLDER, document="frame.graphql", template="link.html"
)


def _browsers(data: dict[str, Any], _request: Request) -> Mapping[str, Any]:
    """What to call the browser of each session."""
    sessions = data["viewer"]["sessions"] if data["viewer"] else []
    return {"browsers": {one["tokenId"]: browser_in_words(one["browser"]) for one in sessions}}


ACCOUNT = FormPage(
    path="/account",
    name="account",
    folder=FOLDER,
    document="account.graphql",
    template="account.html",
    mutation="endSessions",
    controls=(Control("tokenId"),),  # one session by its id; without one, all of them
    adds=_browsers,
    then=to("account"),
    is_for_all=True,
)

PAGES = (ACCOUNT,)
