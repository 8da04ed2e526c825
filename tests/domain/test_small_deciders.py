"""The league, its players, its seasons and its rulebook: given, when, then."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from given import EDITION, Given
from msgspec.structs import replace

from league.domain import rulebook as rulebook_module
from league.domain.collected_refusals import InvalidRulebook
from league.domain.house_rules import AdoptHouseRules, house_rules, with_house_rules
from league.domain.league import (
    ChangeSettings,
    CloseEndedMonths,
    CloseMonth,
    CloseSeason,
    CreateLeague,
    LeagueCreated,
    LeagueState,
    MonthClosed,
    MonthReopened,
    OpenSeason,
    ReopenMonth,
    SeasonClosed,
    SeasonOpened,
    SettingsChanged,
    close_ended_months,
    close_month,
    evolve_seasons,
    season_at,
)
from league.domain.league import evolve as evolve_league
from league.domain.player import (
    ErasePlayer,
    MovePlayer,
    PlayerErased,
    PlayerMoved,
    PlayerRegistered,
    PlayerRenamed,
    PlayerState,
    RegisterPlayer,
    RenamePlayer,
    can_be_seated,
    check_id,
    pseudonym,
)
from league.domain.player import evolve as evolve_player
from league.domain.refusals import AlreadyExists, InvalidInput, NotFound, WrongState
from league.domain.rulebook import (
    AdoptEdition,
    EditionAdopted,
    EditionPublished,
    PublishChanges,
    PublishEdition,
    RulebookState,
    content_hash,
    publish_changes,
)
from league.domain.timeline import EditionSpan
from league.domain.wrong_states import NoLeagueYet, NothingToClose

# ---------------------------------------------------------------- league

HAVANA = LeagueCreated("Liga", "America/Havana")


def test_a_league_is_created_with_its_name_and_time_zone() -> None:
    """UTC unless another zone is named."""
    Given().when(CreateLeague("Liga")).then(LeagueCreated("Liga", "UTC"))
    Given().when(CreateLeague("Liga", "America/Havana")).then(HAVANA)


def test_a_league_is_created_once() -> None:
    """One league per database."""
    Given(HAVANA).when(CreateLeague("Otra")).refused(AlreadyExists, "name", "league 'Liga' already exists")


@pytest.mark.parametrize("zone", ["Habana", "", "../../etc/passwd", "America/\x00"])
def test_a_time_zone_has_to_be_one(zone: str) -> None:
    """The zone gives the month of a match."""
    Given().when(CreateLeague("Liga", zone)).refused(InvalidInput, "time_zone", "is not a time zone")


@pytest.mark.parametrize("name", ["", "   ", "x" * 101])
def test_a_league_has_a_name(name: str) -> None:
    """1 to 100 characters that a text can have."""
    Given().when(CreateLeague(name)).refused(InvalidInput, "name", "1 to 100 characters")


def test_settings_change_one_by_one() -> None:
    """Settings that are not given stay."""
    given = Given(HAVANA).then_when(ChangeSettings(name="Nueva")).then_when(ChangeSettings(time_zone="UTC"))
    assert given.events[1:] == (SettingsChanged("Nueva", None), SettingsChanged(None, "UTC"))
    assert given.folded(evolve_league, LeagueState()) == LeagueState("Nueva", "UTC", zone_changed=True)


def test_a_league_remembers_that_its_months_began_elsewhere() -> None:
    """It still does after a return to the first zone; naming the present zone again changes nothing."""
    same = Given(HAVANA).then_when(ChangeSettings("Nueva", "America/Havana"))
    assert not same.folded(evolve_league, LeagueState()).zone_changed
    back = same.then_when(ChangeSettings(None, "UTC")).then_when(ChangeSettings(None, "America/Havana"))
    assert back.folded(evolve_league, LeagueState()).zone_changed


def test_settings_of_a_league_that_is_not_there_are_refused() -> None:
    """Create it first."""
    Given().when(ChangeSettings("Nueva")).refused(WrongState, None, "create it first")


def test_a_month_that_is_over_is_closed() -> None:
    """It is closed only once; the settings stay, and other months can be closed."""
    given = Given(HAVANA).then_when(CloseMonth("2026-03")).then_when(CloseMonth("2026-01"))
    assert given.events[1:] == (MonthClosed("2026-03"), MonthClosed("2026-01"))
    months = frozenset(("2026-01", "2026-03"))
    assert given.folded(evolve_league, LeagueState()) == LeagueState("Liga", "America/Havana", closed=months)
    given.when(CloseMonth("2026-03")).refused(WrongState, None, "month 2026-03 is closed")


def test_a_month_is_over_when_it_is_over_where_the_league_is() -> None:
    """It is over from the first moment of the next month in the league's time zone."""
    state, ends_at = LeagueState("Liga", "America/Havana"), datetime(2026, 11, 1, 4, tzinfo=UTC)
    assert close_month(CloseMonth("2026-10"), state, ends_at, entered=True) == [MonthClosed("2026-10")]
    with pytest.raises(WrongState, match="it ends at 2026-11-01 04:00:00"):
        close_month(CloseMonth("2026-10"), state, ends_at - timedelta(microseconds=1), entered=True)


def test_a_closed_month_is_reopened_and_closed_again() -> None:
    """The league remembers that it was reopened; a month that is open cannot be reopened."""
    given = Given(HAVANA).then_when(CloseMonth("2026-03")).then_when(ReopenMonth("2026-03"))
    assert given.events[1:] == (MonthClosed("2026-03"), MonthReopened("2026-03"))
    state = given.folded(evolve_league, LeagueState())
    assert (state.closed, state.reopened) == (frozenset(), {"2026-03"})
    given.when(ReopenMonth("2026-03")).refused(WrongState, None, "only a closed month can be reopened")
    again = given.then_when(CloseMonth("2026-03")).folded(evolve_league, LeagueState())
    assert (again.closed, again.reopened) == ({"2026-03"}, {"2026-03"})


def test_all_months_that_are_over_are_closed_together() -> None:
    """The oldest first, also one that was reopened; neither one that is closed, nor one that has not ended there."""
    state = LeagueState("Liga", "America/Havana", closed=frozenset({"2026-02"}), reopened=frozenset({"2026-03"}))
    months, reached = ("2026-10", "2026-03", "2026-02", "2025-12", "2026-11"), datetime(2026, 11, 1, 4, tzinfo=UTC)
    closed = [MonthClosed("2025-12"), MonthClosed("2026-03"), MonthClosed("2026-10")]
    assert close_ended_months(CloseEndedMonths(), state, reached, months) == closed
    assert close_ended_months(CloseEndedMonths(), state, reached - timedelta(microseconds=1), months) == closed[:-1]
    with pytest.raises(NothingToClose, match="every month that has ended"):
        close_ended_months(CloseEndedMonths(), state, reached, ("2026-02", "2026-11"))
    with pytest.raises(NoLeagueYet):
        close_ended_months(CloseEndedMonths(), LeagueState(), reached, months)


def test_what_cannot_be_reopened() -> None:
    """A month that was never closed, what is no month, and any before there is a league."""
    Given(HAVANA).when(ReopenMonth("2026-03")).refused(WrongState, None, "month 2026-03 is open")
    Given(HAVANA).when(ReopenMonth("March")).refused(InvalidInput, "month", "is not a month")
    Given().when(ReopenMonth("2026-03")).refused(WrongState, None, "create it first")


def test_a_month_in_which_nobody_competed_is_not_closed() -> None:
    """Such a month was mistyped."""
    with pytest.raises(WrongState, match="month 1999-01 is empty: it has no competitive match"):
        close_month(CloseMonth("1999-01"), LeagueState("Liga"), datetime(2026, 11, 1, tzinfo=UTC), entered=False)


def test_what_cannot_be_closed() -> None:
    """The month that goes on, one that is to come, what is no month, and any before there is a league."""
    for month in ("2026-11", "2026-12"):
        Given(HAVANA).when(CloseMonth(month)).refused(WrongState, None, "not over")
    Given(HAVANA).when(CloseMonth("March")).refused(InvalidInput, "month", "is not a month")
    Given().when(CloseMonth("2026-03")).refused(WrongState, None, "create it first")


# ---------------------------------------------------------------- players

ANA = PlayerRegistered("Ana", "Habana")


def test_a_player_registers_with_a_name_and_a_region() -> None:
    """Space around them is dropped; no region is none."""
    Given().when(RegisterPlayer("p1", " Ana ", " Habana ")).then(ANA)
    Given().when(RegisterPlayer("p1", "Ana", "  ")).then(PlayerRegistered("Ana", None))


def test_an_id_that_is_taken_is_refused_with_both_names() -> None:
    """The name it has and the name it was to get."""
    Given(ANA).when(RegisterPlayer("p1", "Eva")).refused(AlreadyExists, "player", "it is 'Ana', not 'Eva'")
    Given(ANA).when(RegisterPlayer("p1", "Ana")).refused(AlreadyExists, "player", "'p1' already exists")


@pytest.mark.parametrize("name", ["", "  ", "x" * 101])
def test_a_player_has_a_name(name: str) -> None:
    """1 to 100 characters that can be stored."""
    Given().when(RegisterPlayer("p1", name)).refused(InvalidInput, "name", "1 to 100 characters")


@pytest.mark.parametrize("region", ["x" * 101])
def test_a_region_is_short(region: str) -> None:
    """At most 100 characters that can be stored."""
    Given().when(RegisterPlayer("p1", "Ana", region)).refused(InvalidInput, "region", "at most 100")


@pytest.mark.parametrize("player", ["", "a b", "a+b", "player:1", "a\n", "x" * 65, "a\x00", "\x7f", "a\u2028b"])
def test_an_id_is_one_word(player: str) -> None:
    """No space, `:`, `+` or control character, 1 to 64 characters."""
    Given().when(RegisterPlayer(player, "Ana")).refused(InvalidInput, "player", "is not an id")


@pytest.mark.parametrize("player", ["ai", "clock"])
def test_the_actors_of_live_tables_are_no_ids_of_players(player: str) -> None:
    """The log would not tell the player from the AI or the clock."""
    Given().when(RegisterPlayer(player, "Ana")).refused(InvalidInput, "player", "is reserved")
    Given().when(RegisterPlayer(f"{player}-1", "Ana")).then(PlayerRegistered("Ana", None))


@pytest.mark.parametrize("player", ["p001", "ñ", "x" * 64, "a-b_c.d"])
def test_other_ids_are_fine(player: str) -> None:
    """Whatever else can be one word."""
    check_id("player", player)


def test_a_player_can_be_renamed_and_moved() -> None:
    """The latest name and region hold."""
    given = Given(ANA).then_when(RenamePlayer("p1", "Ana María")).then_when(MovePlayer("p1", "Matanzas"))
    assert given.events[1:] == (PlayerRenamed("Ana María"), PlayerMoved("Matanzas"))
    assert given.folded(evolve_player, PlayerState()) == PlayerState(True, "Ana María", "Matanzas")


def test_the_same_name_or_region_again_is_refused() -> None:
    """No event for no change; and no command is accepted without one."""
    Given(ANA).when(RenamePlayer("p1", " Ana ")).refused(InvalidInput, "name", "already")
    Given(ANA).when(MovePlayer("p1", "Habana")).refused(InvalidInput, "region", "already")


def test_a_player_may_leave_their_region() -> None:
    """None is no region."""
    Given(ANA).when(MovePlayer("p1", None)).then(PlayerMoved(None))


def test_an_unknown_player_is_neither_renamed_nor_moved_nor_erased() -> None:
    """Register first."""
    Given().when(RenamePlayer("p1", "Ana")).refused(NotFound, "player", "no player 'p1'")
    Given().when(MovePlayer("p1", "Habana")).refused(NotFound, "player", "no player 'p1'")
    Given().when(ErasePlayer("p1")).refused(NotFound, "player", "no player 'p1'")


def test_an_erased_player_has_no_name() -> None:
    """The name is gone with the key and without it, as the log is read later; the region stays."""
    erased = PlayerState(registered=True, name=None, region="Habana", erased=True)
    for name in ("Ana", None):
        given = Given(PlayerRegistered(name, "Habana")).then_when(ErasePlayer("p1"))
        assert given.events[1:] == (PlayerErased(),)
        assert given.folded(evolve_player, PlayerState()) == erased


@pytest.mark.parametrize("command", [RenamePlayer("p1", "Eva"), MovePlayer("p1", "Matanzas"), ErasePlayer("p1")])
def test_of_an_erased_player_nothing_new_is_said(command: Any) -> None:
    """An erased player gets no name and no region, and is not erased twice."""
    Given(ANA, PlayerErased()).when(command).refused(WrongState, None, "player 'p1' is erased")


def test_the_id_of_an_erased_player_is_not_given_again() -> None:
    """A returning player needs a new id; the refusal contains no name."""
    erased = Given(ANA, PlayerErased())
    erased.when(RegisterPlayer("p1", "Ana")).refused(AlreadyExists, "player", "already exists: the player was erased")


def test_an_erased_player_is_seated_no_more() -> None:
    """A refusal of its own: the league does know them, by their matches."""
    known = Given(ANA)
    assert can_be_seated(0, "p1", known.folded(evolve_player, PlayerState()))
    assert not can_be_seated(0, "p1", PlayerState())
    with pytest.raises(WrongState, match="player 'p1' is erased"):
        can_be_seated(0, "p1", known.then_when(ErasePlayer("p1")).folded(evolve_player, PlayerState()))


def test_a_pseudonym_is_short_and_says_which_player() -> None:
    """It never changes, since people quote it; among ten thousand players hardly two share one."""
    assert pseudonym("p001") == "Player 476ADD61"
    names = {pseudonym(f"p{number:05}") for number in range(10_000)}
    assert len(names) > 9_998
    assert {len(name) for name in names} == {15}


# ---------------------------------------------------------------- seasons

MARCH, APRIL, MAY = (datetime(2026, month, 1, tzinfo=UTC) for month in (3, 4, 5))
SPRING = SeasonOpened("s1", "Spring", MARCH, MAY)


def test_a_season_is_a_named_span() -> None:
    """With or without an end."""
    Given().when(OpenSeason("s1", " Spring ", MARCH, MAY)).then(SPRING)
    Given().when(OpenSeason("s1", "Spring", MARCH)).then(SeasonOpened("s1", "Spring", MARCH, None))


@pytest.mark.parametrize(("start", "end"), [(MARCH, APRIL), (APRIL, MAY), (APRIL, None), (MARCH, None)])
def test_seasons_do_not_overlap(start: datetime, end: datetime | None) -> None:
    """Another season within the spring is refused."""
    Given(SPRING).when(OpenSeason("s2", "Other", start, end)).refused(InvalidInput, "start", "overlaps the season 's1'")


def test_seasons_may_touch() -> None:
    """The end of one is the start of the next."""
    assert Given(SPRING).when(OpenSeason("s2", "Summer", MAY)).refusal is None
    assert Given(SPRING).when(OpenSeason("s0", "Winter", datetime(2026, 1, 1, tzinfo=UTC), MARCH)).refusal is None


def test_a_season_that_is_open_overlaps_everything_after_it() -> None:
    """Close it first."""
    given = Given(SeasonOpened("s1", "Spring", MARCH, None))
    given.when(OpenSeason("s2", "Summer", MAY)).refused(InvalidInput, "start", "overlaps the season 's1'")
    assert given.then_when(CloseSeason("s1", MAY)).when(OpenSeason("s2", "Summer", MAY)).refusal is None


def test_a_season_is_closed_once() -> None:
    """A known, open season, after its start."""
    given = Given(SeasonOpened("s1", "Spring", MARCH, None))
    given.when(CloseSeason("s1", MAY)).then(SeasonClosed("s1", MAY))
    given.when(CloseSeason("s1", MARCH)).refused(InvalidInput, "end", "not after the start")
    given.when(CloseSeason("s9", MAY)).refused(NotFound, "season", "no season 's9'")
    Given(SPRING).when(CloseSeason("s1", MAY)).refused(WrongState, None, "it ends at 2026-05-01")


@pytest.mark.parametrize(
    ("command", "at"),
    [
        (OpenSeason("s 1", "Spring", MARCH), "season"),
        (OpenSeason("s2", " ", MAY), "name"),
        (OpenSeason("s2", "Spring", MAY, APRIL), "end"),
        (OpenSeason("s2", "Spring", datetime(2026, 6, 1)), "start"),  # noqa: DTZ001
        (OpenSeason("s2", "Spring", MAY, datetime(2026, 6, 1)), "end"),  # noqa: DTZ001
    ],
)
def test_an_impossible_season_is_refused(command: OpenSeason, at: str) -> None:
    """Id, name and span are checked."""
    outcome = Given(SPRING).when(command)
    assert isinstance(outcome.refusal, InvalidInput)
    assert outcome.refusal.at == at


def test_a_season_id_is_taken_once() -> None:
    """The id is refused for another span too."""
    Given(SPRING).when(OpenSeason("s1", "Again", MAY)).refused(AlreadyExists, "season", "season 's1' already exists")


def test_a_match_is_of_the_season_in_which_it_began() -> None:
    """The start belongs to the season, the end to the next."""
    seasons = Given(SPRING).folded(evolve_seasons, {})
    assert season_at(seasons, MARCH) == "s1"
    assert season_at(seasons, APRIL) == "s1"
    assert season_at(seasons, MAY) is None


# ---------------------------------------------------------------- rulebook

SECOND = replace(EDITION, title="Edition 2", boards=replace(EDITION.boards, active_days=60))
PUBLISHED = EditionPublished(1, content_hash(EDITION), EDITION)
PUBLISHED_2 = EditionPublished(2, content_hash(SECOND), SECOND)
FROM_THE_BEGINNING = EditionAdopted((EditionSpan(None, 1),))


def test_editions_are_numbered_as_they_are_published() -> None:
    """Each edition has the hash of its content."""
    Given().when(PublishEdition(EDITION)).then(PUBLISHED)
    Given(PUBLISHED).when(PublishEdition(SECOND)).then(PUBLISHED_2)


def test_an_edition_that_says_the_same_is_refused() -> None:
    """An edition with equal rules is refused, however it is spelled and called."""
    for same in (EDITION, replace(EDITION, title="Other")):
        Given(PUBLISHED).when(PublishEdition(same)).refused(AlreadyExists, "document", "edition '1' already exists")


def test_the_first_edition_holds_from_the_beginning() -> None:
    """The first adoption has no bounds."""
    Given(PUBLISHED).when(AdoptEdition(1)).then(FROM_THE_BEGINNING)
    Given(PUBLISHED).when(AdoptEdition(1, MARCH)).refused(InvalidInput, "start", "has no start and no end")


def test_an_adoption_carries_the_whole_timeline() -> None:
    """Edition 2 for a span of play time; before and after it edition 1."""
    Given(PUBLISHED, PUBLISHED_2, FROM_THE_BEGINNING).when(AdoptEdition(2, MARCH, MAY)).then(
        EditionAdopted((EditionSpan(None, 1), EditionSpan(MARCH, 2), EditionSpan(MAY, 1)))
    )


def test_the_last_adoption_holds() -> None:
    """The edition is found by the time a match began."""
    state = Given(
        PUBLISHED, PUBLISHED_2, FROM_THE_BEGINNING, EditionAdopted((EditionSpan(None, 1), EditionSpan(APRIL, 2)))
    ).folded(rulebook_module.evolve, RulebookState())
    assert state.at(MARCH) == EDITION
    assert state.at(APRIL) == SECOND


@pytest.mark.parametrize("edition", [0, 2, -1])
def test_an_edition_that_was_not_published_cannot_be_adopted(edition: int) -> None:
    """There is edition 1."""
    Given(PUBLISHED).when(AdoptEdition(edition)).refused(NotFound, "edition", f"no edition {edition}")


@pytest.mark.parametrize(
    ("start", "end", "at"),
    [
        (MAY, MARCH, "end"),
        (MAY, MAY, "end"),
        (datetime(2026, 3, 1), None, "start"),  # noqa: DTZ001
        (None, datetime(2026, 3, 1), "end"),  # noqa: DTZ001
    ],
)
def test_an_impossible_span_is_refused(start: datetime | None, end: datetime | None, at: str) -> None:
    """The end comes after the start, and both have an offset."""
    given = Given(PUBLISHED, PUBLISHED_2, FROM_THE_BEGINNING)
    outcome = given.when(AdoptEdition(2, start, end))
    assert isinstance(outcome.refusal, InvalidInput)
    assert outcome.refusal.at == at


def test_an_edition_that_lacks_a_ruleset_in_use_cannot_be_adopted() -> None:
    """Its matches could not be scored."""
    rulesets = {name: rules for name, rules in EDITION.rulesets.items() if name != "chiva-4"}
    fewer = replace(EDITION, rulesets=rulesets)
    given = Given(PUBLISHED, FROM_THE_BEGINNING, EditionPublished(2, content_hash(fewer), fewer))
    given.when(AdoptEdition(2, MARCH)).refused(InvalidInput, "rulesets.chiva-4", "is missing; edition 1 has it")


def test_nothing_is_played_before_the_first_adoption() -> None:
    """Create the league first."""
    with pytest.raises(WrongState, match="create it first"):
        RulebookState().at(MARCH)


def asked(settings: str = "target = 150", start: datetime = MARCH, **other: Any) -> AdoptHouseRules:
    """House rules that somebody asks for."""
    return AdoptHouseRules(
        **{"base": "dominican-200", "title": "El Patio", "settings": settings, "start": start} | other
    )


THERE = (PUBLISHED, PUBLISHED_2, EditionAdopted((EditionSpan(None, 1), EditionSpan(MAY, 2))))


def test_house_rules_are_added_to_every_edition_that_holds_from_their_start_on() -> None:
    """All other rules stay, also those of a span that begins later. A name that any edition has is refused."""
    base = EDITION.rulesets["dominican-200"]
    ruleset = replace(base, title="El Patio", description="", made_from="dominican-200", target=150)
    both, after = (with_house_rules(edition, "house-el-patio", ruleset) for edition in (EDITION, SECOND))
    added = [EditionPublished(3, content_hash(both), both), EditionPublished(4, content_hash(after), after)]
    spans = (EditionSpan(None, 1), EditionSpan(MARCH, 3), EditionSpan(MAY, 4))
    Given(*THERE).when(asked()).then(*added, EditionAdopted(spans))
    taken = Given(PUBLISHED, *added[:1], FROM_THE_BEGINNING)
    again = asked(start=MAY, title="EL PATIO")
    taken.when(again).refused(AlreadyExists, "title", "'El Patio' already exists: choose another name")


def test_settings_that_are_as_in_the_seen_edition_do_not_undo_what_another_one_changes() -> None:
    """A form sends all its settings. The base is as it is on the day from which the house rules hold."""
    base = EDITION.rulesets["dominican-200"]
    other = replace(base, target=220, bonuses=replace(base.bonuses, capicua=31))
    later = replace(EDITION, rulesets={**EDITION.rulesets, "dominican-200": other})
    state = Given(
        PUBLISHED, EditionPublished(2, content_hash(later), later),
        EditionAdopted((EditionSpan(None, 1), EditionSpan(MAY, 2))),
    ).folded(rulebook_module.evolve, RulebookState())  # fmt: skip
    shown = 'target = 200\nmodes = ["2v2"]\nending = false\ncapicua_doubles = false\nbonuses.chuchazo = 45'
    settings = f"{shown}\nbonuses.capicua = {base.bonuses.capicua}"
    made = house_rules(asked(settings, MAY, seen=1), state).ruleset
    assert (made.target, made.bonuses.capicua, made.bonuses.chuchazo) == (220, 31, 45)
    assert house_rules(asked(settings, MAY), state).ruleset.target == 200
    assert replace(other, made_from="dominican-200", title="El Patio", description="") == replace(
        made, bonuses=other.bonuses
    )


@pytest.mark.parametrize(
    ("settings", "keys"), [("target = 0", ["target"]), ("[bonuses]\ncapicua = true", ["bonuses.capicua"])]
)
def test_faults_of_house_rules_have_the_keys_of_their_settings(settings: str, keys: list[str]) -> None:
    """The ruleset to start from must be there, and the name needs a letter or a digit."""
    state = Given(*THERE).folded(rulebook_module.evolve, RulebookState())
    with pytest.raises(InvalidRulebook) as refused:
        house_rules(asked(settings), state)
    assert [problem.at for problem in refused.value.problems] == keys
    Given(*THERE).when(asked(base="none")).refused(NotFound, "base", "there is no ruleset 'none'")
    Given(*THERE).when(asked(title="¿?")).refused(InvalidInput, "title", "a letter from a to z or a digit")


def test_changes_are_published_for_the_edition_in_force_or_a_named_one() -> None:
    """The command holds what was asked, so it stays equal when the rules have changed."""
    state = Given(*THERE).folded(rulebook_module.evolve, RulebookState())
    [at_may] = publish_changes(PublishChanges("rating.k.casual = 11"), state, MAY)
    [of_first] = publish_changes(PublishChanges("rating.k.casual = 11", 1), state, MAY)
    assert isinstance(at_may, EditionPublished)
    assert isinstance(of_first, EditionPublished)
    assert (at_may.document.boards.active_days, at_may.document.rating.k.casual) == (60, 11)
    assert of_first.document.boards == EDITION.boards
    with pytest.raises(NotFound, match="no edition 7"):
        publish_changes(PublishChanges("", 7), state, MAY)
