"""What the league has signed: the state of the log, and the proof of a match."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from starlette.requests import Request

from league.console.pages import Page

FOLDER = Path(__file__).parent


def _what_it_holds(data: dict[str, Any], _request: Request) -> Mapping[str, Any]:
    """How much a proof says, so that its reader knows what to expect."""
    proof = data["match"] and data["match"]["proof"]
    if not proof:
        return {"events": 0, "bytes": 0, "head_position": None}
    read = json.loads(proof)
    return {"events": len(read["events"]), "bytes": len(proof.encode()), "head_position": read["head"]["position"]}


LOG = Page(path="/log", name="log", folder=FOLDER, document="log.graphql", template="log.html")

PROOF = Page(
    path="/matches/{id}/proof",
    name="proof",
    folder=FOLDER,
    document="proof.graphql",
    template="proof.html",
    needs="match",
    requires="readProof",
    adds=_what_it_holds,
)

PAGES = (LOG, PROOF)
