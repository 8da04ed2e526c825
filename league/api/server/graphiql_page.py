"""GraphiQL at the address of the API. All its files are in the package: the page asks no other host for anything."""

import hashlib
import secrets
from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

FILES = Path(__file__).parent / "graphiql"
PLACE = "/graphiql/{version}/{name}"

# Fonts and images are in GraphiQL's style sheet. Its dialogs write a style into the page, with the nonce.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-{nonce}'; font-src data:; img-src 'self' data:;"
    " connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""The page runs and loads what this server sends, and nothing else."""

NONCE = "{nonce}"
MEDIA_TYPES = {".js": "text/javascript", ".css": "text/css"}
FOR_EVER = "public, max-age=31536000, immutable"


class GraphiQLPage:
    """The page and its files."""

    def __init__(self) -> None:
        contents = {file.name: file.read_bytes() for file in FILES.iterdir() if file.suffix in MEDIA_TYPES}
        versions = {name: hashlib.sha256(content).hexdigest()[:16] for name, content in contents.items()}
        self._files = {(versions[name], name): content for name, content in contents.items()}
        text = (FILES / "page.html").read_text(encoding="utf-8")
        for name, version in versions.items():
            # Relative to `/graphql`, so that a proxy may serve the API below any path.
            text = text.replace(f"{{{name}}}", PLACE.removeprefix("/").format(version=version, name=name))
        self._text = text

    def page(self) -> Response:
        """The page."""
        nonce = secrets.token_urlsafe(16)
        headers = {
            "Content-Security-Policy": POLICY.replace(NONCE, nonce),
            "Referrer-Policy": "no-referrer",  # a link may hold a query
            "Cache-Control": "no-store",  # each has a nonce of its own
            "Vary": "Accept",
        }
        return HTMLResponse(self._text.replace(NONCE, nonce), headers=headers)

    async def file(self, request: Request) -> Response:
        """A file of the page, under an address that changes with its content."""
        version, name = request.path_params["version"], request.path_params["name"]
        content = self._files.get((version, name))
        if content is None:
            raise HTTPException(404)
        return Response(content, media_type=MEDIA_TYPES[Path(name).suffix], headers={"Cache-Control": FOR_EVER})
