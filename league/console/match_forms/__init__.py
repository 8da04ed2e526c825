"""Forms about a whole match: open it, end it, forfeit, reopen, void, record its result, confirm and dispute it."""

from league.console.match_forms.changing import CHANGES
from league.console.match_forms.opening import OPEN
from league.console.match_forms.reviewing import REVIEWS

PAGES = (OPEN, *CHANGES, *REVIEWS)
