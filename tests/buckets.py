"""A bucket on a small server of this process, which speaks as much of S3's language as pictures need."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape, unescape

import pytest

BUCKET = "club"
LISTED = (
    "<ListBucketResult><Name>{bucket}</Name><IsTruncated>false</IsTruncated><KeyCount>{count}</KeyCount>{keys}"
    "</ListBucketResult>"
)
KEY = (
    "<Contents><Key>{key}</Key><LastModified>2026-11-22T12:00:00.000Z</LastModified><ETag>{tag}</ETag>"
    "<Size>{size}</Size></Contents>"
)


class Handler(BaseHTTPRequestHandler):
    """PUT and GET of objects, their list, and their removal."""

    protocol_version = "HTTP/1.1"
    objects: dict[str, bytes]

    def do_PUT(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self._key is None:
            self._answer(404, b"<Error><Code>NoSuchBucket</Code></Error>")
        else:
            self.objects[self._key] = body
            self._answer(200)

    def do_GET(self) -> None:
        asked = parse_qs(urlsplit(self.path).query)
        if "list-type" in asked:
            prefix = asked.get("prefix", [""])[0]
            found = [(key, content) for key, content in sorted(self.objects.items()) if key.startswith(prefix)]
            keys = "".join(KEY.format(key=escape(key), tag=_tag(content), size=len(content)) for key, content in found)
            self._answer(200, LISTED.format(bucket=BUCKET, count=len(found), keys=keys).encode())
        elif self._key in self.objects:
            self._answer(200, self.objects[self._key])
        else:
            self._answer(404, b"<Error><Code>NoSuchKey</Code></Error>")

    def do_POST(self) -> None:
        """Removal: of several objects at once, as the client asks for a single one, too."""
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        keys = re.findall("<Key>(.*?)</Key>", body)
        for key in keys:
            self.objects.pop(unescape(key), None)
        deleted = "".join(f"<Deleted><Key>{key}</Key></Deleted>" for key in keys)
        self._answer(200, f"<DeleteResult>{deleted}</DeleteResult>".encode())

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    @property
    def _key(self) -> str | None:
        """The name of the object; None for another bucket."""
        bucket, _, key = unquote(urlsplit(self.path).path).lstrip("/").partition("/")
        return key if bucket == BUCKET else None

    def _answer(self, status: int, body: bytes = b"") -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Last-Modified", "Sun, 22 Nov 2026 12:00:00 GMT")
        self.send_header("ETag", _tag(body))
        self.end_headers()
        self.wfile.write(body)


def _tag(content: bytes) -> str:
    return f'"{hash(content) & 0xFFFFFFFF:x}"'


@contextmanager
def bucket_served() -> Iterator[str]:
    """The URL of an empty bucket, for whose server the environment is set."""
    handler = type("HandlerOfOneBucket", (Handler,), {"objects": {}})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server, pytest.MonkeyPatch.context() as patch:
        threading.Thread(target=server.serve_forever).start()
        for name, value in {
            "AWS_ACCESS_KEY_ID": "key",
            "AWS_SECRET_ACCESS_KEY": "secret",
            "AWS_REGION": "us-east-1",
            "AWS_ENDPOINT": f"http://127.0.0.1:{server.server_port}",
            "AWS_ALLOW_HTTP": "true",
        }.items():
            patch.setenv(name, value)
        try:
            yield f"s3://{BUCKET}/photos"
        finally:
            server.shutdown()
