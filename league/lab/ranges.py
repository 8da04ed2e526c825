"""The settings that a search may change: numbers of the rating rules, each within a range."""

from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation

from msgspec import Struct

from league.domain.refusals import InvalidInput
from league.domain.rulebook import parse_rulebook, to_document
from league.domain.rulebook_check import leaves
from league.domain.rules import Rulebook
from league.domain.sentences import say

NOT_FORECAST = ("rating.start", "rating.overall.")
"""Settings on which no forecast depends: the rating at the start, and the board over both modes."""
USUALLY = ("rating.k.", "rating.cap", "rating.modifier.")
"""Prefixes of the settings that are searched if nobody names a range."""
CAP = "rating.cap"
"""The only number of these rules that may be switched off: it is `false` then."""
USUALLY_KEPT = (".points", ".gap")
"""Suffixes of settings that are left out of that search: they are the sizes of steps."""


class SettingRange(Struct, frozen=True):
    """The values that a search may give to a setting: from `least` to `most`, in steps."""

    setting: str
    least: Decimal
    most: Decimal
    step: Decimal

    def value(self, share: float) -> Decimal:
        """The value at a share of the range, from 0 to 1, on the nearest step."""
        steps = round(share * float((self.most - self.least) / self.step))
        return min(self.least + steps * self.step, self.most)

    def nearest(self, value: Decimal) -> Decimal:
        """The value itself if it lies in the range, otherwise the nearer end."""
        return min(max(value, self.least), self.most)

    def share(self, value: Decimal) -> float:
        """Where a value lies in the range, from 0 to 1. A value outside counts as the nearer end."""
        return min(max(float((value - self.least) / (self.most - self.least)), 0.0), 1.0)


def tunable(edition: Rulebook) -> dict[str, Decimal]:
    """The numbers of an edition on which forecasts depend, by setting."""
    return {
        setting: Decimal(value)
        for setting, value in leaves("rating", to_document(edition)["rating"])
        if isinstance(value, int | Decimal) and not isinstance(value, bool) and not setting.startswith(NOT_FORECAST)
    }


def usual_range(setting: str, value: Decimal) -> SettingRange:
    """The range from 0 to twice the value. A slider offers it, and a search takes it if nobody names a range."""
    step = _step(value)
    most = max(2 * abs(value), Decimal(20) if step == 1 else Decimal(1))
    return SettingRange(setting, -most if value < 0 else Decimal(0), most, step)


def usual_ranges(edition: Rulebook) -> list[SettingRange]:
    """The usual ranges of each K, of the cap, and of the units of each term of M."""
    return [
        usual_range(setting, value)
        for setting, value in tunable(edition).items()
        if setting.startswith(USUALLY) and not setting.endswith(USUALLY_KEPT)
    ]


def parse_range(text: str, edition: Rulebook) -> SettingRange:
    """Read a range such as `rating.k.standard=10..60`.

    Raises InvalidInput, and InvalidRulebook if the rules refuse one of the ends.
    """
    setting, _, ends = text.partition("=")
    least, _, most = ends.partition("..")
    setting, known = setting.strip(), tunable(edition)
    if setting == CAP and edition.rating.cap is False:
        raise InvalidInput(
            "range",
            say(
                "the cap is off (`{setting} = false`), so there is no number to search: adopt rules with a cap first, "
                "or leave this range out",
                setting=CAP,
            ),
        )
    if setting not in known:
        raise InvalidInput(
            "range",
            say(
                "{setting!r} is no number that forecasts depend on; these are: {known}",
                setting=setting,
                known=", ".join(known),
            ),
        )
    try:
        first, last = Decimal(least.strip()), Decimal(most.strip())
        is_upside_down = not first < last
    except InvalidOperation:
        raise InvalidInput(
            "range",
            say("{text!r}: write a setting with two numbers, such as {setting}=10..60", text=text, setting=setting),
        ) from None
    if is_upside_down:
        raise InvalidInput("range", say("{text!r} is upside down: the lower number comes first", text=text))
    step = min(_step(known[setting]), *(_step(end) for end in (first, last)))
    for end in (first, last):
        with_values(edition, {setting: end})
    return SettingRange(setting, first, last, step)


def with_values(edition: Rulebook, values: Mapping[str, Decimal]) -> Rulebook:
    """The edition with these settings changed. Raises InvalidRulebook."""
    return parse_rulebook(_toml(values), edition)


def as_toml(values: Mapping[str, Decimal], edition: Rulebook) -> str:
    """The settings that differ from an edition's, as a TOML document for a replay."""
    known = tunable(edition)
    return _toml({setting: value for setting, value in values.items() if value != known[setting]})


def _toml(values: Mapping[str, Decimal]) -> str:
    return "".join(f"{setting} = {value.normalize():f}\n" for setting, value in sorted(values.items()))


def check_ranges(ranges: Sequence[SettingRange]) -> None:
    """Raises InvalidInput for a setting with two ranges."""
    named = [one.setting for one in ranges]
    for setting in named:
        if named.count(setting) > 1:
            raise InvalidInput("range", say("{setting} has two ranges", setting=setting))


def _step(value: Decimal) -> Decimal:
    """1 for whole numbers above 1, such as K; otherwise a hundredth."""
    return Decimal(1) if value == value.to_integral_value() and abs(value) > 1 else Decimal("0.01")
