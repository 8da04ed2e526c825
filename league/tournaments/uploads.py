"""Where sheets of entries are sent to, and the most bytes of one."""

LARGEST = 1024 * 1024
"""A sheet has 1,000 rows at the most."""
UPLOADS = {
    "/entries": LARGEST,
    "/record/entries": LARGEST,  # the form of the console, which takes the same file with a cookie
}
