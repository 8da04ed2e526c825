"""Files that are sent as a form."""

import asyncio

import pytest
from starlette.formparsers import MultiPartException
from starlette.requests import Request
from starlette.types import Message

from league.api.server.middleware import FORM
from league.api.server.uploads import FileTooLarge, UploadedForm, received
from league.domain.refusals import InvalidInput
from league.infra.decoders import Decoders, DecodersBusy

MOST = 100_000
CHUNK = 16 * 1024
HEAD = b'--x\r\nContent-Disposition: form-data; name="match"\r\n\r\nm1\r\n'
KEYED = b'--x\r\nContent-Disposition: form-data; name="idempotencyKey"\r\n\r\nk1\r\n'
FILE = b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.jpg"\r\n\r\n'
END = b"\r\n--x--\r\n"


class Sent:
    """A request whose body is sent in chunks; counts those that were read."""

    def __init__(self, body: bytes, headers: dict[str, str] | None = None) -> None:
        self.chunks = [body[at : at + CHUNK] for at in range(0, len(body), CHUNK)]
        self.read = 0
        named = {"content-type": "multipart/form-data; boundary=x", **(headers or {})}
        raw = [(name.encode(), value.encode()) for name, value in named.items()]
        self.request = Request({"type": "http", "method": "POST", "path": "/photos", "headers": raw}, self._receive)

    async def _receive(self) -> Message:
        self.read += 1
        more = self.read < len(self.chunks)
        return {"type": "http.request", "body": self.chunks[self.read - 1], "more_body": more}

    def upload(self, decoders: Decoders | None = None) -> UploadedForm:
        async def receive() -> UploadedForm:
            async with received(self.request, decoders or Decoders(), "kim", MOST) as upload:
                return upload

        return asyncio.run(receive())


def test_a_form_is_read_whole() -> None:
    """A form is its file, its fields and its idempotency key."""
    upload = Sent(HEAD + KEYED + FILE + b"picture" + END).upload()
    assert (upload.fields, upload.file_name, upload.content, upload.key) == ({"match": "m1"}, "a.jpg", b"picture", "k1")


def test_a_form_in_another_charset_is_refused() -> None:
    """Some make halves of characters, and some cannot be read."""
    for charset in ("utf-7", "undefined"):
        sent = Sent(HEAD + FILE + END, {"content-type": f"multipart/form-data; boundary=x; charset={charset}"})
        with pytest.raises(MultiPartException, match="UTF-8"):
            sent.upload()
    assert Sent(HEAD + FILE + END, {"content-type": "multipart/form-data; boundary=x; charset=UTF-8"}).upload()


def test_a_file_as_large_as_allowed_is_taken() -> None:
    """The limit is for the file, not for the form around it."""
    assert len(Sent(HEAD + FILE + b"x" * MOST + END).upload().content) == MOST
    with pytest.raises(FileTooLarge):
        Sent(HEAD + FILE + b"x" * (MOST + 1) + END).upload()


def test_no_more_is_read_than_the_limit() -> None:
    """A body without a length is refused as soon as it passes the limit; one that declares too much, unread."""
    endless = Sent(FILE + b"x" * 10 * MOST)
    with pytest.raises(FileTooLarge):
        endless.upload()
    assert endless.read * CHUNK <= MOST + FORM + CHUNK
    declared = Sent(b"", {"content-length": str(10 * MOST)})
    with pytest.raises(FileTooLarge):
        declared.upload()
    assert declared.read == 0


def test_no_file_is_taken_while_too_many_wait() -> None:
    """It is refused unread where its length is known, and before it is in memory where it is not."""
    full = Decoders(most_files=0)
    declared = Sent(FILE + b"x" + END, {"content-length": "1"})
    with pytest.raises(DecodersBusy):
        declared.upload(full)
    assert declared.read == 0
    small = Decoders(most_bytes=MOST)
    with small.admit("ana", MOST - 10, asyncio.Event().wait):
        assert len(Sent(FILE + b"x" * 10 + END).upload(small).content) == 10
        with pytest.raises(DecodersBusy):
            Sent(FILE + b"x" * 11 + END).upload(small)


@pytest.mark.parametrize(
    ("body", "error"),
    [
        (HEAD + b"--x--\r\n", "no file"),
        (HEAD + HEAD + FILE + b"x" + END, "twice"),
        (HEAD.replace(b"m1", b"m\x00") + FILE + b"x" + END, "cannot be stored"),
        (KEYED.replace(b"k1", b"k" * 201) + FILE + b"x" + END, "1 to 200 characters"),
        (FILE.replace(b'"file"', b'"picture"') + b"x" + END, "`file`"),
    ],
)
def test_a_form_with_a_fault_is_refused_by_field(body: bytes, error: str) -> None:
    """A form whose fields cannot be used is refused, with the name of the field."""
    with pytest.raises(InvalidInput, match=error):
        Sent(body).upload()


@pytest.mark.parametrize(
    "body", [b"\r\n", b"no form", FILE + b"x", FILE + b"x\r\n" + FILE + b"y" + END, b"--x\r\nA\r\n"]
)
def test_a_body_that_is_no_form_is_refused(body: bytes) -> None:
    """A body that is no form, one that is cut off and one with two files are refused, never half read."""
    with pytest.raises(MultiPartException):
        Sent(body).upload()
