"""The files behind the pages: the page that checks proofs, a match's proof, and signed heads."""

from functools import partial

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from league.console.asking import NoPage, Visitor
from league.console.pages import Console, check_rights
from league.console.proofs import LOG, PROOF, checker_page
from league.wording.language import _


def routes(console: Console) -> list[BaseRoute]:
    """Their routes. The page that checks proofs names the others by addresses relative to its own."""
    return [
        Route("/check-proof.html", checker_page.answer, name="check_proof"),
        Route("/check-proof.js", checker_page.answer_module, name="proof_module"),
        Route("/matches/{id}/proof.json", partial(_proof, console), name="proof_file"),
        Route("/signed-heads.json", partial(_heads, console), name="heads_file"),
    ]


async def _proof(console: Console, request: Request) -> Response:
    async def make(visitor: Visitor) -> Response:
        check_rights(PROOF, visitor)
        data = await console.asking.ask(request, visitor, PROOF.text, PROOF.asked(request))
        if data["match"] is None:
            raise NoPage(404)
        if data["match"]["proof"] is None:
            raise NoPage(
                404, _("There is no proof of this match: no head signs all of it yet, or you did not play in it.")
            )
        return _to_keep("proof.json", data["match"]["proof"])

    return await console.answer(request, make)


async def _heads(console: Console, request: Request) -> Response:
    async def make(visitor: Visitor) -> Response:
        data = await console.asking.ask(request, visitor, LOG.text, LOG.asked(request))
        documents = [head["document"] for head in data["signedHeads"]["nodes"]]
        return _to_keep("signed-heads.json", f"[{','.join(documents)}]")

    return await console.answer(request, make)


def _to_keep(name: str, content: str) -> Response:
    """A file that browsers store rather than show, and that no cache on the way keeps."""
    headers = {
        "Content-Disposition": f'attachment; filename="{name}"',
        "Cache-Control": "private, no-cache",
        "Vary": "Cookie",
    }
    return Response(content, media_type="application/json", headers=headers)
