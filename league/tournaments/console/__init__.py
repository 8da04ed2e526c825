"""Pages of tournaments: the list, a tournament, its rounds and bracket, score cards, the wall, sheets to print."""

from league.console.pages import PageFragment, WaitingLink
from league.console.site_part import KeepersHome, MenuEntry, SitePart
from league.domain.sentences import say, say_count
from league.tournaments.console import device
from league.tournaments.console.absences import ABSENCE_FORMS
from league.tournaments.console.bracket_page import BRACKET_PAGES
from league.tournaments.console.byes import BYE_FORMS
from league.tournaments.console.changes import FORMS
from league.tournaments.console.keepers_home import of_tonight
from league.tournaments.console.own_tables import OWN_TABLE_PAGES
from league.tournaments.console.pages import PAGES, sheet_routes
from league.tournaments.console.whole_lists import FOLDER

TEMPLATE = "tournaments/console/on_pages.html"

SITE = SitePart(
    pages=(*FORMS, *BYE_FORMS, *ABSENCE_FORMS, *PAGES, *OWN_TABLE_PAGES, *BRACKET_PAGES),
    routes=lambda console: [*device.routes(console), *sheet_routes(console)],
    menu=(MenuEntry("tournaments", say("Tournaments")),),
    more=(MenuEntry("tournaments", say("Tournaments")),),
    static=FOLDER / "static",
    on_home=PageFragment(
        "tournaments(first: 3, filter: {status: [PLANNED, RUNNING]}) { nodes { tournamentId name ownTable { "
        "round side table { number matchId status sides { players { playerId displayName } } } } } }",
        TEMPLATE,
    ),
    keepers_home=KeepersHome(
        requires="drawRound",
        name="tournaments_tonight",
        document=FOLDER / "keepers_home.graphql",
        template="tournaments/console/keepers_home.html",
        adds=of_tonight,
    ),
    waiting={
        "CLAIMS_OF_ABSENCE": WaitingLink(
            "tournaments",
            lambda count: say_count("{count} absence to be decided", "{count} absences to be decided", count),
        )
    },
    on_matches=PageFragment(
        "tournament { tournamentId round table game bestOf nextMatchId tournament { name } }", TEMPLATE
    ),
    leads_on=lambda match: match["tournament"] is not None,
)
