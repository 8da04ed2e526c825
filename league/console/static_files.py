"""The files of the pages: styles, modules, icons. Browsers cache them for good: a new content has a new address.

They are compressed once, as well as it goes. Other answers are compressed as they are sent.
"""

import gzip
import hashlib
import mimetypes
from collections.abc import Callable, Mapping
from pathlib import Path

import brotli
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from league.api.graphql.threads import in_thread
from league.console.site_part import SitePart
from league.features import declared

FILES = Path(__file__).parent / "static"
PLACE = "/static"
FOR_GOOD = {"Cache-Control": "public, max-age=31536000, immutable", "Vary": "Accept-Encoding"}
ENCODINGS: Mapping[str, Callable[[bytes], bytes]] = {
    "br": lambda content: brotli.compress(content, quality=11),
    "gzip": lambda content: gzip.compress(content, compresslevel=9, mtime=0),
}
"""Functions that compress a file, by the name of the encoding; the first one that a browser accepts is used."""

COMPRESSED = {"image/png"}
"""Media types of files that are compressed by themselves."""

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
        self._compressed: dict[tuple[str, str], bytes] = {}
        """What has been asked for, by name and encoding."""
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
        name = request.path_params["name"]
        media_type = mimetypes.guess_type(name)[0] or "application/octet-stream"
        encoding = None if media_type in COMPRESSED else _encoding_of(request)
        if encoding is None:
            return Response(content, headers=FOR_GOOD, media_type=media_type)
        if (name, encoding) not in self._compressed:
            self._compressed[name, encoding] = await in_thread(ENCODINGS[encoding], content)
        headers = {**FOR_GOOD, "Content-Encoding": encoding}
        return Response(self._compressed[name, encoding], headers=headers, media_type=media_type)


def _encoding_of(request: Request) -> str | None:
    """The best encoding that a browser accepts. Browsers name what they accept without weights."""
    accepted = {one.strip() for one in request.headers.get("accept-encoding", "").split(",")}
    return next((encoding for encoding in ENCODINGS if encoding in accepted), None)
