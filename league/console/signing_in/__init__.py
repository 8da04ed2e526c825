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

FOLDER = Path(__file__).parent

SIGN_IN = Page(path="/sign-in", name="sign_in", folder=FOLDER, document="frame.graphql", template="sign_in.html")
LINK = Page(
    path="/sign-in/link/{secret}", name="sign_in_link", folder=FOLDER, document="frame.graphql", template="link.html"
)


def _session_to_end(sent: FormData, _request: Request) -> Mapping[str, Any]:
    """One session by its id; without one, all of them."""
    return {"tokenId": sent.get("tokenId") or None}


ACCOUNT = FormPage(
    path="/account",
    name="account",
    folder=FOLDER,
    document="account.graphql",
    template="account.html",
    mutation="end_sessions.graphql",
    input=_session_to_end,
    then=lambda _answer, url: url("account"),
)

PAGES = (ACCOUNT,)
