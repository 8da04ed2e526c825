"""The page of a replay, which compares it, and the pages that a row leads to: what it rests on, on both sides."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from starlette.requests import Request

from league.api.graphql.leaf_types import BoardKind
from league.console.admin.comparison.lists import BY_NAME, check_difference, check_sides, is_comparison, two_sides
from league.console.asking import NoPage
from league.console.pages import Page
from league.console.public.why import change_in, waterfalls
from league.console.slopes import slope_chart
from league.domain.sentences import say, say_count
from league.pictures.pictures import Listing, Portrait, player_picture
from league.wording.language import spoken
from league.wording.numbers import number

HERE = Path(__file__).parent
PLACES = BY_NAME["places"]


def _variables(request: Request) -> Mapping[str, Any]:
    asked = PLACES.asked(request)
    if asked["board"] not in BoardKind.__members__:
        raise NoPage(404)
    return {**two_sides(request), **asked}


def _with_chart(data: Mapping[str, Any], request: Request) -> Mapping[str, Any]:
    check_sides(data, request)
    difference = data["replay"]["difference"]
    moved = difference["places"]["nodes"] if difference else []
    return {"slopes": slope_chart(moved), "asked": PLACES.asked(request)}


MOST_CHANGES = 6
"""Limit on the settings that a picture names."""


def proposal_picture(data: Mapping[str, Any]) -> str:
    """The picture of a candidate as SVG, from the data of its comparison: what it changes, and how many move."""
    replay, totals = data["replay"], (data["replay"]["difference"] or {}).get("totals")
    figures = [] if totals is None else [
        (spoken(say("players move")), number(totals["playersMoved"])),
        (spoken(say("largest move")), number(totals["largestMove"], 1)),
        (spoken(say("results change")), number(totals["matchesChanged"])),
    ]  # fmt: skip
    changes = replay["changes"]
    entries = [
        (change["decides"] or change["setting"], f"{change['before']} → {change['after']}")
        for change in changes[:MOST_CHANGES]
    ]
    if len(changes) > MOST_CHANGES:
        entries.append((spoken(say_count("and {count} more", "and {count} more", len(changes) - MOST_CHANGES)), ""))
    listings = [Listing(spoken(say("What the rules change")), entries)] if entries else []
    title = replay["title"] or spoken(say("Replay {number}", number=replay["number"]))
    subtitle = spoken(say("Proposal for other rules"))
    return player_picture(Portrait(title, subtitle, None, figures, listings, (data["league"]["name"], "")))


# ---------------------------------------------------------------- explained on both sides


def _place(request: Request) -> Mapping[str, Any]:
    board = request.path_params["board"].upper()
    if board not in BoardKind.__members__:
        raise NoPage(404)
    return {**two_sides(request), "board": board, "of": request.path_params["of"]}


def _checked(field: str) -> Callable[[dict[str, Any], Request], Mapping[str, Any]]:
    """Checks both sides, and that one of them has what the field explains."""

    def check(data: Mapping[str, Any], request: Request) -> Mapping[str, Any]:
        check_difference(data, request)
        found = data["replay"]["difference"][field]
        if found is None:
            raise NoPage(404, say("Neither side of the comparison has it."))
        return {"found": found}

    return check


def _with_waterfalls(data: dict[str, Any], request: Request) -> Mapping[str, Any]:
    found = _checked("explained")(data, request)["found"]
    changes = [None if side is None else change_in(side) for side in (found["before"], found["after"])]
    drawn = iter(waterfalls(there) if (there := [change for change in changes if change is not None]) else [])
    sides = [None if change is None else (change, next(drawn)) for change in changes]
    return {"found": found, "drawn": sides}


def _in_both(variables: str, explained: str) -> str:
    """Asks why something is as it is, on both sides of a comparison."""
    of_side = """{ statement formula value run edition { number title } terms {
      name value text clause settings { key value } facts { text } because { matchId hand position }
    } }"""
    return f"""
      query ComparedInBoth($number: Int!, $against: Int, $other: Int!, $compared: Boolean!, {variables}) {{
        league {{ name timeZone }}
        other: replay(number: $other) @include(if: $compared) {{ number title state run {{ number }} }}
        replay(number: $number) {{
          number title state
          difference(against: $against) {{
            explained: {explained} {{
              total
              before {of_side}
              after {of_side}
              terms {{
                name share differs
                before {{ value text }}
                after {{ value text }}
                settings {{ key before after }}
              }}
              firstDivergence {{ matchId competitorId decidedAt terms {{ text }} }}
            }}
          }}
        }}
      }}
    """


def _explained(kind: str, path: str, adds: Any, template: str, document: str, variables: Any = two_sides) -> Page:
    return Page(
        path=f"/admin/replays/{{number}}/{path}",
        name=f"replay_{kind}",
        folder=HERE,
        document=document,
        template=template,
        variables=variables,
        adds=adds,
    )


PAGES = (
    Page(
        path="/admin/replays/{number}",
        name="replay",
        folder=HERE.parent,
        variables=_variables,
        follows_from_state=is_comparison,
        adds=_with_chart,
        picture=proposal_picture,
    ),
    _explained("match", "matches/{match}", _checked("result"), "match.html", "match.graphql"),
    _explained(
        "change",
        "changes/{match}/{of}",
        _with_waterfalls,
        "change.html",
        _in_both("$match: ID!, $of: ID!", "explainedChange(match: $match, of: $of)"),
    ),
    _explained(
        "standing",
        "standings/{month}/{of}",
        _checked("explained"),
        "explained.html",
        _in_both("$month: String!, $of: ID!", "explainedStanding(month: $month, of: $of)"),
    ),
    _explained(
        "badge",
        "badges/{of}/{badge}",
        _checked("explained"),
        "explained.html",
        _in_both("$of: ID!, $badge: String!", "explainedBadge(player: $of, badge: $badge)"),
    ),
    _explained(
        "place",
        "places/{board}/{of}",
        _checked("explained"),
        "explained.html",
        _in_both("$board: BoardKind!, $of: ID!", "explainedPlace(board: $board, of: $of)"),
        _place,
    ),
)
