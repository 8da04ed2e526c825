"""The pages of nights: tonight on the first page of those who keep score, and the forms behind its buttons."""

from league.console.pages import PageFragment
from league.console.site_part import KeepersHome, SitePart
from league.nights.console.night_pages import NIGHT_PAGES
from league.nights.console.tonight import FOLDER, FORMS, about_tonight

ON_PAGES = "nights/console/on_pages.html"

SITE = SitePart(
    pages=(*FORMS, *NIGHT_PAGES),
    static=FOLDER / "static",
    keepers_home=KeepersHome(
        requires="openMatchTonight",
        name="tonight",
        document=FOLDER / "tonight.graphql",
        template="nights/console/parts_of_tonight.html",
        adds=about_tonight,
        style="night.css",
        module="night.js",
    ),
    on_my_page=PageFragment("night { here(first: 100) { totalCount nodes { playerId } } }", ON_PAGES),
    on_matches=PageFragment("matchId status mode seats { player { playerId } }", ON_PAGES),
)
