"""Keeps the uploaded file in a form that is shown again, so that people choose it once.

A browser empties the control of a file. So the page has the file itself, packed, in a hidden control. Nothing is kept
on the server, and who sends the form can send no more with it than with a file.
"""

import binascii
import zlib
from base64 import b64decode, b64encode

from msgspec.structs import replace

from league.api.server.middleware import LARGEST_SHEET
from league.api.server.uploads import Upload
from league.domain.refusals import InvalidInput
from league.domain.sentences import say

LARGEST = 512 * 1024
"""Characters of a packed file. A larger one has to be chosen again: the page would take too long on a phone."""
FILE, NAME = "keptFile", "keptName"


def packed(upload: Upload) -> dict[str, str] | None:
    """The controls that bring the file of an upload again; None for a file that is too large."""
    content = b64encode(zlib.compress(upload.content)).decode()
    return {FILE: content, NAME: upload.file_name} if len(content) <= LARGEST else None


def unpacked(upload: Upload) -> Upload:
    """The upload with the file that its form has brought again, unless another one was chosen. Raises InvalidInput."""
    fields = dict(upload.fields)
    content, name = fields.pop(FILE, ""), fields.pop(NAME, "")
    if upload.content or upload.file_name or not content:
        return replace(upload, fields=fields)
    unpacking = zlib.decompressobj()
    try:
        file = unpacking.decompress(b64decode(content, validate=True), LARGEST_SHEET)
    except (binascii.Error, zlib.error) as error:
        raise InvalidInput("file", say("the file has not arrived whole: choose it again")) from error
    if not unpacking.eof:
        raise InvalidInput("file", say("the file has not arrived whole: choose it again"))
    return replace(upload, fields=fields, file_name=name, content=file)
