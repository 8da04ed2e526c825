"""The files that make the scorekeeper's pages an app: the service worker and the manifest."""

import json
from functools import partial

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from league.console.asking import Visitor
from league.console.offline import OFFLINE
from league.console.pages import Console
from league.console.static_files import StaticFiles
from league.wording.language import _, language

WORKER = "offline/worker.js"
POLICY = "default-src 'none'; connect-src 'self'; frame-ancestors 'none'"
"""The service worker asks this server, and loads no other script."""
ICONS = (
    ("icon-192.png", "192x192", "any"),
    ("icon-512.png", "512x512", "any"),
    ("icon-maskable.png", "512x512", "maskable"),
)
"""Their files, made of `icon.svg`; what is maskable is cut to a circle by some phones."""
FELT, PAPER = "#14573f", "#f7f4ec"
LEAGUE = "query Manifest { league { name timeZone } }"


def routes(console: Console, files: StaticFiles) -> list[BaseRoute]:
    """Their routes. The worker is at the root: a browser lets it see the pages below its own address only."""
    return [
        Route("/service-worker.js", partial(_worker, console, files), name="service_worker"),
        Route("/manifest.webmanifest", partial(_manifest, console, files), name="manifest"),
    ]


async def _worker(console: Console, files: StaticFiles, request: Request) -> Response:
    """The worker of this release: another one has other files, so browsers replace it."""
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
    """What an installed league is called and looks like."""

    async def make(visitor: Visitor) -> Response:
        league = (await console.asking.ask(request, visitor, LEAGUE, {}))["league"]
        name = league["name"] if league else _("League")
        at = partial(console.address_of, request)
        icons = [
            {"src": at(files.address(file)), "sizes": sizes, "type": "image/png", "purpose": purpose}
            for file, sizes, purpose in ICONS
        ]
        icons.append({"src": at(files.address("icon.svg")), "sizes": "any", "type": "image/svg+xml"})
        desk = console.url(request, "record")
        manifest = {
            "id": desk, "start_url": desk, "scope": at("/"), "display": "standalone",
            "name": name, "short_name": name[:12], "description": _("Record the hands of {league}", league=name),
            "lang": language(), "theme_color": FELT, "background_color": PAPER, "icons": icons,
        }  # fmt: skip
        headers = {"Cache-Control": "private, no-cache", "Vary": "Cookie, Accept-Language"}
        content = json.dumps(manifest, ensure_ascii=False)
        return Response(content, media_type="application/manifest+json", headers=headers)

    return await console.answer(request, make)
