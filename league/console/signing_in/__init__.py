"""Signing in and out: by a link, or by an identity provider; and where one is signed in.

Only these pages touch the cookie of the session, so they have answers of their own beside their documents.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from starlette.datastructures import FormData
from starlette.requests import Request

from league.console.forms import FormPage
from league.console.pages import Page
from league.console.signing_in.browsers import browser_in_words

FOLDER = Path(__file__).parent

SIGN_IN = Page(path="/sign-in", name="sign_in", folder=FOLDER, document="frame.graphql", template="sign_in.html")
LINK = Page(
    path="/sign-in/link/{secret}", name="sign_in_link", folder=FOLDER, document="frame.graphql", template="link.html"
)


def _session_to_end(sent: FormData, _request: Request) -> Mapping[str, Any]:
    """One session by its id; without one, all of them."""
    return {"tokenId": sent.get("tokenId") or None}


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
    mutation="end_sessions.graphql",
    input=_session_to_end,
    adds=_browsers,
    then=lambda _answer, url: url("account"),
)

PAGES = (ACCOUNT,)
