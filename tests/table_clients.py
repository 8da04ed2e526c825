"""Players at live tables of a served league: they sit down, contribute to the shuffle, and play by what they see."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from typing import Any

from api_server import Served, heard, subscribe, token
from websockets.sync.client import ClientConnection

TABLE = """fragment T on Table {
  id tableId rulesetName mode competition listed practice phase closed viewerSeat openedAt position score
  ruleset { name } openedBy { playerId } deadline { at what }
  seats { number side playerId aiLevel ready playedBy handedOver timeouts awaySince awaySeconds player { playerId } }
  hand { number commitment contributions startingDraw attempt reshuffled reshuffleOffers turn starter toMove ends counts
    boneyard ownTiles legalPlays { tile end } chain { tile double seat turn } turns { number seat tile where by } }
  finishedHands { number starter dealt boneyard winner winningSeat points secret commitment contributions reshuffled
    proof startingDraws dealtAt endedAt turns { number seat tile where by at position } facts { starter endedBy } }
  match { matchId score status }
}"""
MOMENTS = """
  __typename position at ... on SeatMoment { seat }
  ... on SeatTaken { playerId aiLevel } ... on ShuffleCommitted { hand commitment }
  ... on SeedContributed { hand contribution } ... on StartingDrawn { tiles }
  ... on HandDealt { hand attempt starter ownTiles } ... on ReshuffleDeclined { hand by }
  ... on TurnMoment { hand turn } ... on TilePlayed { tile end by } ... on TileDrawn { ownTile }
  ... on TurnPassed { timedOut } ... on HandEnded { hand secret finished { number points dealt } }
  ... on SeatHandedOver { reason } ... on TableClosed { closed } ... on PhraseSaid { phrase { key es en } }
"""
CHANGES = f"subscription ($id: ID!, $after: BigInt) {{ tableChanged(id: $id, after: $after) {{ {MOMENTS} }} }}"
WHOLE_CHANGES = (
    f"subscription ($id: ID!, $after: BigInt) {{ tableChanged(id: $id, after: $after) {{ {MOMENTS} "
    f"table {{ ...T }} }} }} {TABLE}"
)
SUCCESS = "... on TableSuccess { tableId table { ...T } }"
ERRORS = """... on NotSeatedError { tableId }
  ... on TurnTakenError { hand turn what } ... on NotYourTurnError { seat toMove } ... on TileNotHeldError { tile }
  ... on TileDoesNotFitError { tile shows } ... on HandOverError { hand }"""


class AtTable:
    """One who looks at a table or plays at it, with a token of some roles."""

    def __init__(self, served: Served, table: str, sub: str = "kim", *roles: str) -> None:
        self.served, self.table, self.sub = served, table, sub
        self.token = token(*(roles or ("player",)), sub=sub)

    def do(self, mutation: str, **given: Any) -> Any:
        """What a mutation answers."""
        return self._do(mutation, {"table": self.table, **given})

    def open(self, ruleset: str = "cuban-150", mode: str = "ONE_ON_ONE", **given: Any) -> Any:
        """Open the table."""
        return self._do("openTable", {"tableId": self.table, "ruleset": ruleset, "mode": mode, **given})

    def sit(self, seat: int) -> Any:
        """Sit down and be ready."""
        taken = self.do("takeSeat", seat=seat)
        assert taken["__typename"] == "TableSuccess", taken
        return self.do("sayReady")

    def look(self) -> Any:
        """The table as it is seen now."""
        return self.served.ask(f"query ($id: ID!) {{ table(id: $id) {{ ...T }} }} {TABLE}", self.token, id=self.table)[
            "table"
        ]

    def contribute(self) -> Any:
        """Add to the seed of the running hand."""
        hand = self.look()["hand"]["number"]
        contribution = sha256(f"{self.table} {hand} {self.sub}".encode()).hexdigest()
        return self.do("contributeSeed", hand=hand, contribution=contribution)

    def play(self, choose: random.Random | None = None) -> Any:
        """Make a move that the server offers: the first one, or by chance."""
        hand = self.look()["hand"]
        plays = hand["legalPlays"]
        move = choose.choice(plays) if choose else plays[0]
        return self.do("playTile", hand=hand["number"], turn=hand["turn"], **move)

    @contextmanager
    def following(self, after: str | None = None, query: str = CHANGES) -> Iterator[ClientConnection]:
        """A socket with a subscription of the table."""
        with self.served.socket(self.token) as socket:
            subscribe(socket, query, id=self.table, after=after)
            yield socket

    def _do(self, mutation: str, given: dict[str, Any]) -> Any:
        kind = mutation[0].upper() + mutation[1:]
        more = ERRORS if mutation == "playTile" else ""
        fields = f"__typename ... on Success {{ position }} {SUCCESS} ... on UserError {{ code message field }} {more}"
        text = f"mutation ($input: {kind}Input!) {{ it: {mutation}(input: $input) {{ {fields} }} }} {TABLE}"
        return self.served.ask(text, self.token, input=given)["it"]


def outcome(at: AtTable, mutation: str, **given: Any) -> Any:
    """The code of a refusal, or None."""
    kind = mutation[0].upper() + mutation[1:]
    text = f"mutation ($input: {kind}Input!) {{ it: {mutation}(input: $input) {{ ... on UserError {{ code }} }} }}"
    return at.served.ask(text, at.token, input={"table": at.table, **given})["it"].get("code")


def moment(socket: ClientConnection) -> Any:
    """The next message of a subscription of a table."""
    return heard(socket)["tableChanged"]


def begin(served: Served, table: str, *players: str, **opening: Any) -> list[AtTable]:
    """Open a table and let players sit down, be ready and contribute, so that the first hand is dealt."""
    seated = [AtTable(served, table, player) for player in players]
    opened = seated[0].open(**opening)
    assert opened["__typename"] == "TableSuccess", opened
    for seat, player in enumerate(seated):
        assert player.sit(seat)["__typename"] == "TableSuccess"
    deal(seated)
    return seated


def deal(seated: list[AtTable]) -> None:
    """Let all players contribute, and decline what is offered."""
    for player in seated:
        contributed = player.contribute()
        assert contributed["__typename"] == "TableSuccess", contributed
    view = seated[0].look()
    for seat in view["hand"]["reshuffleOffers"]:
        seated[seat].do("declineReshuffle", hand=view["hand"]["number"])


def play_hand(seated: list[AtTable], choose: random.Random | None = None) -> Any:
    """Play the running hand to its end. Returns the table as the first player sees it then."""
    view = seated[0].look()
    number = view["hand"]["number"]
    while view["phase"] == "PLAYING" and view["hand"]["number"] == number:
        answer = seated[view["hand"]["toMove"]].play(choose)
        assert answer["__typename"] == "TableSuccess", answer
        view = seated[0].look()
    return view
