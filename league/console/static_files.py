"""The files of the pages: styles, modules, icons. Browsers cache them for good: a new content has a new address."""

import hashlib
import mimetypes
from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from league.console.site_part import SitePart
from league.features import declared

FILES = Path(__file__).parent / "static"
PLACE = "/static"
FOR_GOOD = {"Cache-Control": "public, max-age=31536000, immutable"}

mimetypes.add_type("text/javascript", ".js")


class StaticFiles:
    """All files below the folders `static/` of the core and of features, in memory.

    They have one version together, because modules name each other by relative addresses.
    """

    def __init__(self) -> None:
        self._files = {
            str(file.relative_to(folder)): file.read_bytes()
            for folder in (FILES, *(part.static for part in declared(SitePart) if part.static is not None))
            for file in sorted(folder.rglob("*"))
            if file.is_file()
        }
        digest = hashlib.sha256()
        for name, content in self._files.items():
            digest.update(f"{name}\0{len(content)}\0".encode() + content)
        self.version = digest.hexdigest()[:16]
        self.names = tuple(self._files)

    def address(self, name: str) -> str:
        """The address of a file. Raises KeyError if there is no such file."""
        self._files[name]
        return f"{PLACE}/{self.version}/{name}"

    def text(self, name: str) -> str:
        """The content of a text file. Raises KeyError if there is no such file."""
        return self._files[name].decode()

    async def answer(self, request: Request) -> Response:
        """Answer with a file. Raises HTTPException for an unknown file or another version."""
        content = self._files.get(request.path_params["name"])
        if content is None or request.path_params["version"] != self.version:
            raise HTTPException(404)
        media_type = mimetypes.guess_type(request.path_params["name"])[0] or "application/octet-stream"
        return Response(content, headers=FOR_GOOD, media_type=media_type)
