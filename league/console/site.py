"""The league as a site: the API with the pages of the console, and the links of the menu."""

from collections.abc import Sequence
from functools import partial

from msgspec import Struct
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from league.api.auth.web_sessions import SignInLinks, WebSessions
from league.api.server.app import InProcessExecutor, create_app
from league.application.bootstrap import League
from league.application.jobs import Jobs
from league.console import admin, public, scorekeeping
from league.console.admin import backups, club_look, comparison
from league.console.asking import LANGUAGE_COOKIE, DocumentExecutor, NoPage, SessionCookie, Visitor
from league.console.changes import ChangeStream
from league.console.club_look import colours_file
from league.console.drawings import PagePictures
from league.console.forms import FormPage
from league.console.pages import LEAGUE_PICTURE, PICTURE, Console, Page, PageCache
from league.console.posts import own_path, sent_form
from league.console.public import my_page, signed_log
from league.console.public.signing_in import SignInPages
from league.console.publishing import session_of as session_of_copies
from league.console.scorekeeping import offline, sheets
from league.console.sent_forms import FilterPage, answer_filter, answer_form
from league.console.site_part import MenuEntry, SitePart, leads_on, records_itself
from league.console.static_files import PLACE, StaticFiles
from league.console.templates import environment
from league.domain.sentences import LANGUAGES, Sentence, say
from league.features import declared
from league.infra.settings import Settings

MENU: tuple[MenuEntry, ...] = (
    MenuEntry("home", say("Today")),
    MenuEntry("record", say("Scorekeeping"), requires="recordHand"),
    MenuEntry("boards", say("Boards")),
    MenuEntry("matches", say("Matches")),
    MenuEntry("series", say("Series")),
    *(entry for part in declared(SitePart) for entry in part.menu),
    MenuEntry("more", say("More")),
)
"""The links of the top bar. A phone shows the league's sign for the first, then the next two, and a menu of all."""


class MenuGroup(Struct, frozen=True):
    """Links under a heading of the page `more`."""

    title: Sentence
    entries: tuple[MenuEntry, ...]


MORE: tuple[MenuGroup, ...] = (
    MenuGroup(
        say("The league"),
        (
            MenuEntry("players", say("Players")),
            MenuEntry("search", say("Search")),
            *(entry for part in declared(SitePart) for entry in part.more),
            MenuEntry("badges", say("Badges")),
            MenuEntry("seasons", say("Seasons")),
            MenuEntry("rules", say("The rules")),
            MenuEntry("proposals", say("Proposals for other rules")),
            MenuEntry("log", say("The signed log")),
            MenuEntry("trail", say("The trail"), requires="readLogDetails"),
        ),
    ),
    MenuGroup(
        say("Administration"),
        (
            MenuEntry("admin", say("What waits for you"), requires="readMembers"),
            MenuEntry("members", say("Members"), requires="readMembers"),
            MenuEntry("disputes", say("Disputes"), requires="readDisputes"),
            MenuEntry("replays", say("Replays"), requires="readDrafts"),
            *(entry for part in declared(SitePart) for entry in part.admin),
            MenuEntry("settings", say("Settings"), requires="changeSettings"),
            MenuEntry("club_look", say("Logo and colours"), requires="changeSettings"),
            MenuEntry("backup", say("Backup"), requires="downloadBackup"),
        ),
    ),
    MenuGroup(
        say("Scorekeeping"),
        (
            MenuEntry("record", say("The scorekeeper's desk"), requires="recordHand"),
            MenuEntry("open_match", say("Open a match"), requires="openMatch"),
            MenuEntry("register_player", say("Register a player"), requires="registerPlayer"),
            MenuEntry("record_sheet", say("Upload a sheet"), requires="importSheet"),
        ),
    ),
)
"""The links of the page `more`: pages that have no link in the top bar."""


def groups_of(visitor: Visitor) -> Sequence[tuple[Sentence, Sequence[MenuEntry]]]:
    """The groups of links on the page `more` that this visitor may follow, without empty groups."""
    groups = ((group.title, _allowed(group.entries, visitor)) for group in MORE)
    return [(title, entries) for title, entries in groups if entries]


def menu_of(visitor: Visitor) -> Sequence[MenuEntry]:
    """The links of the top bar that this visitor may follow."""
    return _allowed(MENU, visitor)


def _allowed(entries: Sequence[MenuEntry], visitor: Visitor) -> Sequence[MenuEntry]:
    return [entry for entry in entries if entry.requires is None or visitor.may_own(entry.requires)]


PAGES: tuple[Page, ...] = (
    *public.PAGES,
    *scorekeeping.PAGES,
    *(page for part in declared(SitePart) for page in part.pages),
    *admin.PAGES,
)
"""All pages. A request goes to the first page whose path matches."""

YEAR = 365 * 24 * 3600


def create_site(league: League, settings: Settings, jobs: Jobs) -> Starlette:
    """The application that serves a league with its pages. Raises BadSetting."""
    return create_app(league, settings, jobs, pages=routes)


def create_copied_site(league: League, settings: Settings, jobs: Jobs) -> Starlette:
    """The application that `league publish` copies. Its pages have no forms, scripts or visitor. Raises BadSetting."""
    return create_app(league, settings, jobs, pages=partial(routes, is_copied=True))


def routes(inside: InProcessExecutor, *, is_copied: bool = False) -> list[BaseRoute]:
    """The routes of all pages, and of what they need."""
    files = StaticFiles()
    executor = DocumentExecutor(inside.schema, inside.new_context)
    templates = environment(files.address)
    templates.globals.update(
        menu_of=menu_of,
        groups_of=groups_of,
        features_on_hand_forms=[
            part.on_hand_forms.template
            for part in declared(SitePart)
            if part.on_hand_forms and (part.is_offered is None or part.is_offered(inside.process))
        ],
        is_copied=is_copied,
        offline_sentences=offline.sentences,
        offline_pages_of=offline.offline_pages_of,
        records_itself=records_itself,
        leads_on=leads_on,
        features_of_admins=[entry for part in declared(SitePart) for entry in part.admin],
        features_on_home=[part.on_home.template for part in declared(SitePart) if part.on_home],
        features_on_my_page=[part.on_my_page.template for part in declared(SitePart) if part.on_my_page],
        waiting_links={
            **my_page.DECIDED_AT,
            **{kind: link for part in declared(SitePart) for kind, link in part.waiting.items()},
        },
        features_on_admin=[part.on_admin.template for part in declared(SitePart) if part.on_admin],
        features_on_players=[part.on_players for part in declared(SitePart) if part.on_players],
        features_on_matches=[part.on_matches.template for part in declared(SitePart) if part.on_matches],
    )
    public_url = inside.settings.public_url
    cookie = SessionCookie(WebSessions(inside.engine), (public_url or "").startswith("https:"))
    session_of = session_of_copies if is_copied else cookie.session_of
    changes = ChangeStream(inside.live)
    page_cache = PageCache(inside.answer_cache, inside.rate_limits, changes.now)
    at_replay = frozenset(page.name for page in PAGES if page.at_replay)
    console = Console(executor, templates, session_of, public_url, changes.now, page_cache, at_replay)
    drawings = PagePictures(console, inside.live)
    signing = SignInPages(console, cookie, SignInLinks(inside.engine), inside.league, inside.settings)
    return [
        *(_route(console, page) for page in PAGES),
        *(_route_of_picture(drawings, page) for page in PAGES if page.picture is not None),
        Route("/picture.png", drawings.answer_league, name=LEAGUE_PICTURE),
        *signing.routes(),
        *signed_log.routes(console),
        *offline.routes(console, files),
        *(route for part in declared(SitePart) if part.routes for route in part.routes(console)),
        *sheets.routes(console),
        *comparison.routes(console),
        *backups.routes(console),
        *club_look.routes(console),
        Route(f"{PLACE}/{{version}}/{{name:path}}", files.answer, name="static"),
        Route("/look/{colours}.css", colours_file, name="look"),
        Route("/changes", changes.answer, name="changes"),
        Route("/language", partial(_choose_language, console), methods=["POST"], name="language"),
        Route("/{path:path}", partial(_no_page, console), name="no_page"),
    ]


def _route(console: Console, page: Page) -> Route:
    if isinstance(page, FormPage):
        return Route(page.path, partial(answer_form, console, page), methods=["GET", "POST"], name=page.name)
    if isinstance(page, FilterPage):
        return Route(page.path, partial(answer_filter, console, page), name=page.name)
    return Route(page.path, partial(console.page, page), name=page.name)


def _route_of_picture(drawings: PagePictures, page: Page) -> Route:
    return Route(f"{page.path}/picture.png", partial(drawings.answer, page), name=f"{page.name}{PICTURE}")


async def _choose_language(console: Console, request: Request) -> Response:
    """Remember the language that a visitor chose, and show them the same page in it."""

    async def make(_visitor: Visitor) -> Response:
        sent = await sent_form(request, console.public_url)
        wanted, back = sent.get("language"), str(sent.get("back", "/"))
        if wanted not in LANGUAGES:
            raise NoPage(400, say("There is no such language."))
        response = RedirectResponse(console.address_of(request, own_path(back)), 303)
        secure = (console.public_url or "").startswith("https:")
        response.set_cookie(LANGUAGE_COOKIE, str(wanted), max_age=YEAR, samesite="lax", httponly=True, secure=secure)
        return response

    return await console.answer(request, make)


async def _no_page(console: Console, request: Request) -> Response:
    """The answer to an address that no page has."""

    async def make(_visitor: Visitor) -> Response:
        raise NoPage(404)

    return await console.answer(request, make)
