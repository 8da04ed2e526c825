"""The paths that take files, and the most bytes that a request to each may have."""

from league.features import declared

FORM = 64 * 1024
"""Bytes of a form beside its file: the fields, and the lines between the parts."""
LARGEST_SHEET = 5 * 1024 * 1024

UPLOADS = {
    "/sheets": LARGEST_SHEET,
    "/record/sheet": LARGEST_SHEET,  # the form of the console, which takes the same file with a cookie
    **{path: most for uploads in declared("uploads") for path, most in uploads.items()},
}
"""By path, the most bytes of the file. The body of such a request is read by its endpoint, as it arrives."""
