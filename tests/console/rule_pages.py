"""An admin at the pages of the rules, and what the forms of these pages send."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import httpx
from api_server import Served
from desk import cookie_of

from league.application.replay_folding import fold_replay


class Boss:
    """An admin at the pages, without JavaScript."""

    def __init__(self, site: Served, language: str = "en") -> None:
        self.site = site
        self.headers = {
            "Cookie": f"league={cookie_of(site, 'boss', 'admin')}", "Origin": str(site.http.base_url),
            "Accept-Language": language,
        }  # fmt: skip

    def get(self, path: str) -> str:
        return unescape(self.site.http.get(path, headers=self.headers).text)

    def post(self, path: str, **typed: Any) -> httpx.Response:
        return self.site.http.post(path, data=typed, headers=self.headers)

    def computed(self, answer: httpx.Response) -> int:
        """The replay to which a form leads, folded."""
        assert answer.status_code == 303, answer.text[-3000:]
        number = int(answer.headers["Location"].rpartition("/")[2])
        fold_replay(self.site.league.database.url, number)
        return number

    def start(self, **typed: Any) -> int:
        return self.computed(self.post("/admin/replays/new", rules="document", **typed))


def hidden(page: str, name: str) -> str:
    """The value of a hidden control."""
    [value] = re.findall(f'<input type="hidden"[^>]* name="{name}" value="([^"]*)"', page)
    return str(value)


def controls_of(page: str) -> dict[str, Any]:
    """What the controls for the settings of the rules have, as a browser sends it."""
    sent: dict[str, Any] = {"part": re.findall('<input type="hidden" name="part" value="([^"]*)"', page)}
    sent |= {name: value for value, name in re.findall(r'<input type="text" value="([^"]*)" id="([^"]+\.[^"]+)"', page)}
    sent |= dict.fromkeys(
        re.findall(r'<input type="checkbox" value="yes" id="([^"]+\.[^"]+)"[^>]* checked', page), "yes"
    )
    for name, options in re.findall(r'<select id="([^"]+\.[^"]+)".*?>(.*?)</select>', page, re.DOTALL):
        sent |= dict.fromkeys([name], *re.findall('value="([^"]*)" selected', options))
    return sent
