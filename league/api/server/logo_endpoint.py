"""The club's logo: `POST /logo` takes a picture, and `/logo/HASH.png` shows it to everybody."""

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from league.api.graphql.executing.context import Context
from league.api.graphql.threads import in_thread, in_writing_thread
from league.api.server.uploads import FILE, UploadedForm
from league.application.club_logo import store_logo, stored_logo
from league.domain.league import ChangeSettings
from league.domain.refusals import InvalidInput
from league.domain.sentences import say
from league.infra.decoding import Undecodable
from league.infra.logos import logo_of
from league.infra.pictures import BadPicture

FOR_GOOD = {"Cache-Control": "public, max-age=31536000, immutable"}
"""Another picture has another address."""


async def take_logo(context: Context, upload: UploadedForm) -> Response:
    """Make a picture the logo of the club. Raises Refusal."""
    sha256, position = await change_logo(context, upload)
    return JSONResponse({"sha256": sha256, "position": str(position), "picturePath": f"/logo/{sha256}.png"})


async def change_logo(context: Context, upload: UploadedForm) -> tuple[str, int]:
    """The hash of the new logo, and the position of the change. Raises Refusal, ClientLeft."""
    for name in upload.fields:
        raise InvalidInput(name, say("the form has no such field"))
    try:
        content: bytes = (await context.decoders.answer(logo_of(upload.content), upload.place)).value()
    except BadPicture as error:
        raise InvalidInput(FILE, error.args[0]) from None
    except Undecodable as error:
        raise InvalidInput(FILE, error.reason) from None

    context.viewer.require("changeSettings")
    sha256 = await in_writing_thread(store_logo, context.league.database.url, content)
    position = await context.send("changeSettings", lambda: ChangeSettings(logo=sha256), upload.key)
    return sha256, position


async def show_logo(url: str, request: Request) -> Response:
    """The picture with the hash in the address, if it is the logo. Raises HTTPException."""
    content = await in_thread(stored_logo, url, request.path_params["sha256"])
    if content is None:
        raise HTTPException(404)
    return Response(content, media_type="image/png", headers=FOR_GOOD)
