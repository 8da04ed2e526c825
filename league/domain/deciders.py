"""The deciders joined: every command that is dispatched, and every event that is stored."""

from league.domain.audit_trail import Act
from league.domain.disputes import DisputeCommand
from league.domain.league import LeagueCommand, LeagueEvent
from league.domain.match import MatchCommand, MatchEvent
from league.domain.members import MemberCommand, MemberEvent
from league.domain.merges import MergeCommand, MergeEvent
from league.domain.photo import PhotoCommand, PhotoEvent
from league.domain.player import PlayerCommand, PlayerEvent
from league.domain.rulebook import RulebookCommand, RulebookEvent
from league.domain.season import SeasonCommand, SeasonEvent
from league.domain.series_entry import SeriesEvent
from league.domain.table.commands import TableCommand
from league.domain.table.events import TableEvent

Command = (
    LeagueCommand | SeasonCommand | PlayerCommand | RulebookCommand | MatchCommand | DisputeCommand | TableCommand
    | PhotoCommand | MergeCommand | MemberCommand
)  # fmt: skip
Event = (
    LeagueEvent | SeasonEvent | PlayerEvent | RulebookEvent | MatchEvent | SeriesEvent | TableEvent | PhotoEvent
    | MergeEvent | MemberEvent | Act
)  # fmt: skip
