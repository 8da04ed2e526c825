"""Recording a hand and correcting one, with few large buttons; the points are shown before anything is stored."""

from league.console.hand_forms.correcting import CORRECT
from league.console.hand_forms.recording import RECORD

PAGES = (RECORD, CORRECT)
