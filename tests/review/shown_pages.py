"""Pages of reviews as a browser shows them, without a server: their templates, filled with data of the API."""

from __future__ import annotations

import html
import re
from typing import Any

from jinja2 import ChoiceLoader, DictLoader

from league.api.auth.permissions import Viewer
from league.api.auth.reach import Role
from league.api.auth.tokens import TokenSession
from league.console.asking import Visitor
from league.console.forms import FilledForm
from league.console.templates import environment

FRAME = '{% import "parts.html" as parts with context %}{% block main %}{% endblock %}'
"""Instead of the frame of all pages, which needs a request."""
FIGURES, REVIEW = "review/console/figures.html", "review/console/review.html"


def url(name: str, **parameters: Any) -> str:
    """The address of a page."""
    return "/".join(map(str, (name, *parameters.values())))


def page_of(template: str, *roles: Role, sub: str | None = None, **data: Any) -> str:
    """The HTML of a page for a visitor with these roles."""
    templates = environment(lambda name: name)
    assert templates.loader is not None
    templates.loader = ChoiceLoader([DictLoader({"layout.html": FRAME}), templates.loader])
    viewer = Viewer(sub or ("kim" if roles else None), roles)
    frame = {"visitor": Visitor(TokenSession(viewer)), "form": FilledForm(key="a key"), "is_copied": False}
    asked = {"url": url, "request": {"url": "/review"}}
    return templates.get_template(template).render({**frame, **asked, **data})


def text_of(page: str) -> str:
    """What a reader sees of a page, in one line."""
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", page)).split())
