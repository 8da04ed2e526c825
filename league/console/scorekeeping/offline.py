"""Recording without a connection: the pages a device caches, the files that make the console an app, and their words.

The modules in `static/offline/` do the work on the device; `worker.js` is the service worker.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from league.console.asking import Visitor
from league.console.pages import FRAME, Console, Page
from league.console.static_files import StaticFiles
from league.domain.sentences import say
from league.wording.language import language, spoken

OFFLINE = Page(
    path="/record/offline", name="offline", folder=Path(__file__).parent, document=FRAME, requires="recordHand"
)
"""The page that a device shows in place of one that it has not cached."""


Url = Callable[..., str]

ENDINGS = {"end_match": "endMatch", "forfeit_match": "forfeitMatch", "record_result": "recordResult"}
"""The pages on which a match ends otherwise than by a hand, each with the permission that it requires."""


def offline_pages_of(match: Mapping[str, Any], url: Url, visitor: Visitor) -> list[tuple[str, str]]:
    """The pages of an open match that a device caches: each address, with a stamp that changes with the page."""
    return list(_offline_pages_of(match, url, visitor))


def _offline_pages_of(match: Mapping[str, Any], url: Url, visitor: Visitor) -> Iterator[tuple[str, str]]:
    identity = match["matchId"]
    positions = [str(hand["position"]) for hand in match["hands"]]
    state = "-".join([language(), match["status"], *positions])
    yield url("record_hand", id=identity), state
    yield url("match", id=identity), state
    for name, operation in ENDINGS.items():
        if visitor.may_own(operation):
            yield url(name, id=identity), f"{language()}-{match['status']}"
    if visitor.may("correctHand"):
        for number, position in enumerate(positions, 1):
            yield url("correct_hand", id=identity, number=number), f"{language()}-{position}"


WORKER = "offline/worker.js"
POLICY = "default-src 'none'; connect-src 'self'; frame-ancestors 'none'"
"""The service worker may send requests to this server, and load no other script."""
ICONS = (
    ("icon-192.png", "192x192", "any"),
    ("icon-512.png", "512x512", "any"),
    ("icon-maskable.png", "512x512", "maskable"),
)
"""The icons of the app, made from `icon.svg`: file, size, purpose. Some phones cut a maskable icon to a circle."""
FELT, PAPER = "#14573f", "#f7f4ec"
LEAGUE = "query Manifest { league { name timeZone } }"


def routes(console: Console, files: StaticFiles) -> list[BaseRoute]:
    """The routes of the worker and the manifest. The worker is at the root: it may only see pages below its address."""
    return [
        Route("/service-worker.js", partial(_worker, console, files), name="service_worker"),
        Route("/manifest.webmanifest", partial(_manifest, console, files), name="manifest"),
    ]


async def _worker(console: Console, files: StaticFiles, request: Request) -> Response:
    """The worker of this release. A new release has other files, so browsers replace the worker."""
    modules = [name for name in files.names if name.startswith("offline/") and name != WORKER]
    release = {
        "version": files.version,
        "files": [console.address_of(request, files.address(name)) for name in modules],
        "instead": console.url(request, OFFLINE.name),
        "forget": [console.address_of(request, path) for path in ("/sign-out", "/sign-in/", "/account")],
    }
    script = f"self.release = {json.dumps(release)};\n{files.text(WORKER)}"
    headers = {"Content-Security-Policy": POLICY, "Cache-Control": "no-cache"}
    return Response(script, media_type="text/javascript", headers=headers)


async def _manifest(console: Console, files: StaticFiles, request: Request) -> Response:
    """The web app manifest: the name and the look of an installed league."""

    async def make(visitor: Visitor) -> Response:
        league = (await console.executor.ask(request, visitor, LEAGUE, {}))["league"]
        name = league["name"] if league else say("League")
        at = partial(console.address_of, request)
        icons = [
            {"src": at(files.address(file)), "sizes": sizes, "type": "image/png", "purpose": purpose}
            for file, sizes, purpose in ICONS
        ]
        icons.append({"src": at(files.address("icon.svg")), "sizes": "any", "type": "image/svg+xml"})
        desk = console.url(request, "record")
        manifest = {
            "id": desk, "start_url": desk, "scope": at("/"), "display": "standalone",
            "name": name, "short_name": name[:12],
            "description": spoken(say("Record the hands of {league}", league=name)),
            "lang": language(), "theme_color": FELT, "background_color": PAPER, "icons": icons,
        }  # fmt: skip
        headers = {"Cache-Control": "private, no-cache", "Vary": "Cookie, Accept-Language"}
        content = json.dumps(manifest, ensure_ascii=False)
        return Response(content, media_type="application/manifest+json", headers=headers)

    return await console.answer(request, make)


SENTENCES = {
    # The state of the connection.
    "copy": say("No connection. This page is as it was at {time}. You can go on recording."),
    "away": say("No connection. You can go on recording."),
    "ready": say("This device can record without a connection: {count} open matches are on it."),
    "insecure": say(
        "This device cannot record without a connection here: that needs an address that begins with https. Keep the "
        "connection while you record."
    ),
    # What has not been sent.
    "unsent": say("Not sent yet: {count}"),
    "waits": say(
        "It is kept on this device and sent by itself when there is a connection; the score is computed then. You may "
        "close this page."
    ),
    "earlier": say("Before it: {count}"),
    "sending": say("Sending …"),
    "busy": say("Too many requests came from here. The rest is sent by itself in a minute."),
    "sent": say("Sent: {count}. All of it is stored."),
    "signed_out": say("Sign in to send it. Nothing is lost."),
    "sign_in": say("Sign in"),
    "of_another": say(
        "Not sent yet, recorded on this device by {person}: {count}. It is sent when {person} signs in here."
    ),
    "other_person": say("Somebody else is signed in now. Nothing was stored."),
    "adopt": say("Send it under my name"),
    # One entry.
    "hand": say("Hand {number}"),
    "not_sent": say("not sent yet"),
    "refused": say("not stored"),
    "change": say("Change it"),
    "take_back": say("Take back"),
    "take_back_sure": say("Yes, take it back"),
    # What the server refused.
    "decide": say("Something was not stored. Decide what becomes of it; what follows it waits."),
    "why": say("The league did not store this: {reason}"),
    "taken": say("Hand {number} has been recorded already, on another device. Compare the two."),
    "over": say("The match is over by now, so this hand was not stored."),
    "voided": say("The match was voided in the meantime."),
    "stored_now": say("What is stored now"),
    "as_next": say("It is another hand: send it as hand {number}"),
    "correct_stored": say("Correct the stored hand with it"),
    "drop": say("It is the same hand: drop mine"),
    "again": say("Send it again"),
    "with_now": say("Send it with the present time"),
    # A form.
    "editing": say("You are changing {title}, which has not been sent yet."),
    "gone": say("This has been sent in the meantime. Correct it as a stored hand."),
    "correcting_with": say("The form has your hand. Say the reason and store the correction."),
    "say_winner": say("Say who went out, or at least which side has won."),
    "not_a_number": say("Write a whole number from 0, such as 35."),
    "not_a_tile": say("Write the tile as 6-3."),
    "not_kept": say("This device could not keep it. Stay on this page and send it again."),
}


def sentences() -> Mapping[str, str]:
    """What the modules say, in the visitor's language."""
    return {name: spoken(text) for name, text in SENTENCES.items()}
