"""What a browser posts: only from a page of ours, and only what can be read as a form."""

from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.formparsers import MultiPartException
from starlette.requests import Request

from league.api.server.uploads import check_charset
from league.console.asking import NoPage
from league.console.policy import is_from_our_pages
from league.wording.language import _


def check_origin(request: Request, public_url: str | None) -> None:
    """Raises NoPage for a form that another site made the browser send."""
    if not is_from_our_pages(request, public_url):
        raise NoPage(403, _("Another site sent this form. Open the page of the league and fill it in there."))


async def sent_form(request: Request, public_url: str | None) -> FormData:
    """The form that a page of ours sent. Raises NoPage for any other, and for what is no form."""
    check_origin(request, public_url)
    try:
        check_charset(request)
        return await request.form()
    except MultiPartException as error:
        raise NoPage(400, error.message) from None
    except HTTPException as error:
        raise NoPage(400, str(error.detail)) from None


def own_path(path: str) -> str:
    """An address of ours to go back to; the first page for one that leads elsewhere."""
    return path if path.startswith("/") and not path.startswith(("//", "/\\")) else "/"
