"""The GraphQL type of a tournament, and the queries about tournaments."""

from collections.abc import Callable, Iterator
from datetime import datetime
from functools import partial
from typing import Annotated, Any, NamedTuple, Self

import strawberry
from msgspec import Struct
from strawberry import field

from league.api.graphql.executing.answer_cache import cacheable
from league.api.graphql.executing.context import Context, Info
from league.api.graphql.leaf_types import argument, optional
from league.api.graphql.request_errors import RequestError
from league.api.graphql.shaping.arguments import REFUSED_TO_OTHERS, check_may_read, known_player
from league.api.graphql.shaping.from_rows import FromRow, made_of
from league.api.graphql.shaping.object_fields import cacheable_field_of
from league.api.graphql.shaping.relay import (
    Connection,
    Made,
    Node,
    PageableInMemory,
    cacheable_paged,
    connection_of,
    local_competitor_id,
    local_id,
    paged,
)
from league.api.graphql.shaping.shared_fields import competitor_field
from league.api.graphql.threads import in_thread
from league.domain.seating import JOINT, competitor_of
from league.domain.sentences import say
from league.projections.queries.pages import PageRequest, count, read_page
from league.tournaments.api.brackets import BracketTie, bracket_of, corrected_ties_of
from league.tournaments.api.names import display_name_field
from league.tournaments.api.plans import TieBreakName, TournamentPlan, TournamentStatus
from league.tournaments.api.round_tables import (
    ByeRow,
    TableRow,
    TournamentBye,
    TournamentTable,
    WouldBeRow,
    WouldBeTable,
    byes_of,
    would_be,
)
from league.tournaments.api.rounds import OfCompetitor, RoundRow, TournamentRound
from league.tournaments.api.score_cards import ScoreCard, score_card_of
from league.tournaments.api.standings import (
    PlaceRow,
    ProvisionalPlace,
    ProvisionalRow,
    TournamentPlace,
    provisional_standing_of,
    standing_of,
)
from league.tournaments.domain.drawn import RoundPairings
from league.tournaments.domain.plan import faults_of_tie_breaks
from league.tournaments.domain.schedule import rounds_of
from league.tournaments.domain.shown_bracket import ShownTie
from league.tournaments.domain.state import CompetitorEntry, TournamentState
from league.tournaments.drawing import preview_round
from league.tournaments.seen_tournaments import SeenTournament, StoredTournament
from league.tournaments.tournament_queries import (
    NEWEST_FIRST,
    ListedTournament,
    TournamentFilter,
    listed,
    provisional_places,
    stored_tournaments,
    tournaments_by_id,
)
from league.wording.language import spoken

TournamentId = Annotated[strawberry.ID, argument("Global id, or the id in the league.")]
TieBreaks = Annotated[
    list[TieBreakName] | None,
    argument(
        "Another order of tie-breaks, for this answer only; null: the order of the plan. An error with the code "
        "BAD_REQUEST if it names one twice, or if it names `DIRECT` while partners rotate."
    ),
]
AfterRound = Annotated[
    int | None,
    argument(
        "The standing after this round, on the results of the rounds up to it as they are now; null: the present "
        "standing. An error with the code BAD_REQUEST if the round is not published."
    ),
]
RoundNumber = Annotated[int, argument("The number of the round, from 1.")]
OfPlayer = Annotated[strawberry.ID, argument("A player: global id, or the league's.")]


class EntryRow(NamedTuple):
    """An entry of a tournament."""

    state: TournamentState
    entry: CompetitorEntry


class SittingRow(NamedTuple):
    """A table at which a player sits."""

    round: int
    side: int
    table: TableRow


@strawberry.type(description="A competitor of a tournament: a player, or a pair.")
class TournamentEntry:
    competitor_id: str = field(description="The id in the league: a player's id, or `a+b` for a pair.")
    player_ids: list[str] = field(description="The ids of its players.")
    entered_at: datetime = field(description="When they entered.")
    checked_in: bool = field(description="Whether they have said that they are there.")
    withdrawn_at: datetime | None = field(description="When they withdrew; null if they take part.")
    region: str | None = field(description="Their region when they entered; null if unknown, or if a pair has two.")
    fixed_table: int | None = field(description="The number of the table that they keep in every round; null: none.")
    replaces: str | None = field(description="The id of the competitor whose place they took; null: nobody's.")
    requested_byes: list[int] = field(
        description="The numbers of the rounds for which they asked for a bye (`requestBye`), in ascending order."
    )
    commitment: str | None = field(
        description="The commitment of their device to the next drawing (`commitToDrawing`); null: none."
    )

    competitor = competitor_field("The player, or the pair.")
    display_name = display_name_field()

    @classmethod
    def of(cls, row: EntryRow) -> Self:
        """Make the type from an entry of the domain."""
        state, entry = row
        promise = state.promise(entry.id)
        commitment = None if promise is None else promise.commitment
        return made_of(cls, entry, competitor_id=entry.id, player_ids=list(entry.players), commitment=commitment)


@strawberry.type(description="A table at which a player sits.")
class TableOfPlayer(FromRow):
    round: int = field(description="The number of the round.")
    side: int = field(description="The player's side.")
    table: TournamentTable = field(description="The table.")


@strawberry.type(description="A tournament: rounds of tables. Each table is one ordinary match.")
class Tournament(FromRow, Node, key="id", tournament_id="id"):
    tournament_id: str = field(description="The id in the league.")
    name: str = field(description="Its name.")
    status: TournamentStatus = field(description="How far it has come.")
    planned_at: datetime = field(description="When it was planned.")
    plan: TournamentPlan = field(description="What was decided before its first round.")
    rounds_in_all: int = field(description="The total number of rounds, as far as it is known now.")
    state: strawberry.Private[TournamentState]

    @field(
        description="Whether its drawings ask devices for promised bytes. They do if the league has a signing key, "
        "because devices give their bytes only for a signed root."
    )
    def asks_devices(self, info: Info) -> bool:
        return info.context.league.key is not None

    @cacheable_paged(
        Connection[TournamentEntry], "All competitors in the order of their entries, including those who withdrew."
    )
    async def entries(self) -> PageableInMemory[EntryRow]:
        rows = sorted(_entries(self.state), key=lambda row: (row.entry.entered_at, row.entry.id))
        return PageableInMemory(rows, _entered, "entries")

    @field(description="The entry of a player, alone or in a pair; null if they have not entered.")
    def entry(self, player: OfPlayer) -> TournamentEntry | None:
        id_ = local_id("Player", player)
        theirs = [row for row in _entries(self.state) if id_ in row.entry.players]
        return TournamentEntry.of(theirs[0]) if theirs else None

    @field(description="How many competitors take part: those who entered and have not withdrawn.")
    def taking_part(self) -> int:
        return len([entry for entry in self.state.entries.values() if entry.withdrawn_at is None])

    @cacheable_paged(Connection[TournamentRound], "Its rounds so far, by number.")
    async def rounds(self) -> PageableInMemory[RoundRow]:
        rows = [RoundRow(self.state, of) for of in self.state.rounds]
        return PageableInMemory(rows, lambda row: [row.of.number], "rounds")

    @field(description="The latest round that was drawn; null before the first drawing.")
    def last_round(self) -> TournamentRound | None:
        rounds = self.state.rounds
        return TournamentRound.of(RoundRow(self.state, rounds[-1])) if rounds else None

    @field(description="The latest round that was published; null before the first publication.")
    def published_round(self) -> TournamentRound | None:
        rounds = self.state.published
        return TournamentRound.of(RoundRow(self.state, rounds[-1])) if rounds else None

    @field(description="A round by its number; null if it is not drawn yet.")
    def round(self, number: RoundNumber) -> TournamentRound | None:
        of = self.state.round(number)
        return None if of is None else TournamentRound.of(RoundRow(self.state, of))

    @field(description="How many results of its published rounds await confirmation. They count provisionally.")
    @cacheable
    async def unconfirmed_results(self, info: Info) -> int:
        return sum(map(len, (await self._seen(info)).pending.values()))

    @field(
        description="The numbers of the published rounds with a result that awaits confirmation, in ascending order."
    )
    @cacheable
    async def unconfirmed_rounds(self, info: Info) -> list[int]:
        return [*(await self._seen(info)).pending]

    @cacheable_paged(Connection[TournamentPlace], "The standing, the best first. Pending results count provisionally.")
    async def standing(
        self, info: Info, tie_breaks: TieBreaks = None, after_round: AfterRound = None
    ) -> PageableInMemory[PlaceRow]:
        names = None if tie_breaks is None else [name.value for name in tie_breaks]
        for fault in faults_of_tie_breaks("tieBreaks", names or (), self.state.known_plan.format):
            raise RequestError(fault.line(spoken), argument="tieBreaks")
        if after_round is not None and after_round not in {of.number for of in self.state.published}:
            raise RequestError(say("Round {round} is not published.", round=after_round), argument="afterRound")
        seen = await self._seen(info)
        if names is not None or after_round is not None:
            return await in_thread(standing_of, seen, names, after_round)
        if seen.has_provisional_places:
            info.context.reader.known(provisional_places)[self.tournament_id] = seen.provisional_places
        return await _listed(seen, "standing", partial(standing_of, seen, None))

    @field(
        description="The score card of a competitor: table, partner, opponents and score of each published round, and "
        "the rank after it. Null if they have not entered."
    )
    @cacheable
    async def score_card(self, info: Info, competitor: OfCompetitor) -> ScoreCard | None:
        id_ = competitor_of(local_competitor_id(competitor).split(JOINT))
        found = await in_thread(score_card_of, await self._seen(info), id_)
        return None if found is None else ScoreCard.of(found)

    @cacheable_paged(
        Connection[ProvisionalPlace],
        "The standing if each open match ended now: the leading side has won, and a level match counts nothing. It "
        "moves with every hand, and decides nothing. Empty if no open match has a leading side; a match without points "
        "has none.",
    )
    async def provisional_standing(self, info: Info) -> PageableInMemory[ProvisionalRow]:
        seen = await self._seen(info)
        return await _listed(seen, "provisional", partial(provisional_standing_of, seen))

    @cacheable_paged(
        Connection[BracketTie],
        "The ties of the knock-out, round by round from the top of the bracket, also those to come. Empty before its "
        "first round is published, and in other formats.",
    )
    async def bracket(self, info: Info) -> PageableInMemory[ShownTie]:
        seen = await self._seen(info)
        return await _listed(seen, "bracket", partial(bracket_of, seen))

    @cacheable_paged(
        Connection[BracketTie],
        "The ties of the knock-out whose results changed after the next round was published, so that who has won is "
        "not who plays on.",
    )
    async def corrected_ties(self, info: Info) -> PageableInMemory[ShownTie]:
        seen = await self._seen(info)
        return await _listed(seen, "corrected", partial(corrected_ties_of, seen))

    @cacheable_paged(
        Connection[TableOfPlayer], "The tables of a player in the published rounds, the latest round first."
    )
    async def tables_of(self, info: Info, player: OfPlayer) -> PageableInMemory[SittingRow]:
        rows = _sittings(await self._seen(info), local_id("Player", player))
        return PageableInMemory(rows, lambda row: [-row.round, row.table.table.number, row.side], "tablesOf")

    @field(
        description="The viewer's own table in the last published round, until the round is closed; null if they sit "
        "out, do not take part or are not signed in."
    )
    async def own_table(self, info: Info) -> TableOfPlayer | None:
        sub, last = info.context.viewer.sub, self.state.published[-1:]
        if sub is None or not last or last[0].status == "closed":
            return None
        seen = await self._seen(info)
        found = [row for row in _sittings(seen, sub) if row.round == last[0].number]
        return TableOfPlayer.of(found[0]) if found else None

    async def _seen(self, info: Info) -> SeenTournament:
        seen = await info.context.reader.load(tournaments_by_id, self.tournament_id)
        assert seen is not None, "it was read in this snapshot"
        return seen

    @classmethod
    def of(cls, stored: StoredTournament) -> Self:
        """Make the type from a tournament of the read side."""
        state = stored.state
        return made_of(
            cls,
            state,
            name=state.known_plan.name,
            planned_at=stored.planned_at,
            rounds_in_all=rounds_of(state),
            state=state,
        )


async def _listed(seen: SeenTournament, name: str, make: Callable[[], PageableInMemory[Any]]) -> PageableInMemory[Any]:
    """A list that is made in a thread when somebody first asks for it."""
    if name not in seen.lists:
        seen.lists[name] = await in_thread(make)
    listed: PageableInMemory[Any] = seen.lists[name]
    return listed


def _sittings(seen: SeenTournament, player: str) -> list[SittingRow]:
    """The tables of a player in the published rounds, the latest round first."""
    theirs = {entry.id for entry in seen.state.entries.values() if player in entry.players}
    return [
        SittingRow(of.number, side, TableRow(seen, of, table))
        for of in reversed(seen.state.published)
        for table in of.tables
        for side in (0, 1)
        if theirs & set(table.sides[side])
    ]


def _entries(state: TournamentState) -> Iterator[EntryRow]:
    return (EntryRow(state, entry) for entry in state.entries.values())


def _entered(row: EntryRow) -> list[str]:
    return [row.entry.entered_at.isoformat(), row.entry.id]


async def tournament(info: Info, id_: str) -> StoredTournament | None:
    """A tournament by its id in the league; None for an unknown id."""
    reader = info.context.reader
    stored = await reader.load(stored_tournaments, id_)
    if stored is not None and stored.seen is not None:
        reader.known(tournaments_by_id)[id_] = stored.seen  # most who ask for a tournament ask for its results
    return stored


# ---------------------------------------------------------------- queries


@strawberry.input(description="Which tournaments to list; null matches any.")
class TournamentFilterInput:
    status: list[TournamentStatus] | None = optional("Tournaments in one of these states.")
    player: strawberry.ID | None = optional("Tournaments that this player has entered: global id, or the league's.")

    async def read(self, info: Info) -> TournamentFilter:
        """The filter of the read side. Raises UnknownId."""
        return TournamentFilter(
            None if self.status is None else tuple(status.value for status in self.status),
            None if self.player is None else await known_player(info, self.player, "filter.player"),
        )


class TournamentFound(Struct, frozen=True):
    """The tournaments that a query found, to be paged."""

    wanted: TournamentFilter

    async def page(self, info: Info, page: PageRequest, node: Made) -> Connection[Tournament]:
        """A page of them. Raises BadCursor."""
        reader, rows = info.context.reader, listed(self.wanted)
        found = await reader.read(lambda s: read_page(s.conn, ListedTournament, rows, NEWEST_FIRST, page))
        ids = [row.tournament_id for row in found.rows]
        await reader.load_all(stored_tournaments, ids)
        known = reader.known(stored_tournaments)

        async def total() -> int:
            return await reader.read(lambda s: count(s.conn, rows))

        return connection_of(found, [known[id_] for id_ in ids], node, total)


@strawberry.type(description="The next round that a tournament would have if it were drawn now.")
class TournamentPreview:
    seed: str = field(description="The seed of the preview. The real seed follows from the log, and will be different.")
    paired: strawberry.Private[RoundPairings]

    @paged(Connection[WouldBeTable], "The tables by number.")
    async def tables(self) -> PageableInMemory[WouldBeRow]:
        return would_be(self.paired.tables)

    @paged(Connection[TournamentBye], "Who sits out.")
    async def byes(self) -> PageableInMemory[ByeRow]:
        return byes_of(self.paired.byes, self.paired.relaxed, self.paired.third_place_bye)


Wanted = Annotated[TournamentFilterInput | None, argument("Which tournaments; null: all.", name="filter")]


@strawberry.type
class TournamentQueries:
    @cacheable_field_of(Tournament | None, "A tournament; null if the league does not know it.")
    async def tournament(self, info: Info, id: TournamentId) -> StoredTournament | None:  # noqa: A002  # the argument's name in the schema
        return await tournament(info, local_id("Tournament", id))

    @cacheable_paged(Connection[Tournament], "The tournaments, the most recently planned first.")
    async def tournaments(self, info: Info, wanted: Wanted = None) -> TournamentFound:
        return TournamentFound(TournamentFilter() if wanted is None else await wanted.read(info))

    @field(
        description="The next round of a tournament as it could come out, for the competitors who are available now. "
        "Nothing is stored, and the real drawing will give other tables. Null if no round can be drawn, for example "
        "because too few competitors are available, and in Swiss rounds and with rotating partners also with more than "
        "256 competitors. Roles: those who may draw rounds; " + REFUSED_TO_OTHERS
    )
    async def preview_round(self, info: Info, id: TournamentId) -> TournamentPreview | None:  # noqa: A002  # the argument's name in the schema
        check_may_read(info.context.viewer, "drawRound")
        return await in_thread(_preview, info.context, local_id("Tournament", id))


def _preview(context: Context, id_: str) -> TournamentPreview | None:
    """Preview the next round; None if no round can be drawn. Blocks."""
    found = preview_round(context.league, id_)
    if found is None:
        return None
    seed, paired = found
    return TournamentPreview(seed=seed, paired=paired)
