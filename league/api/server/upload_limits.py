"""The paths that take files, and the most bytes that a request to each may have."""

FORM = 64 * 1024
"""Bytes of a form beside its file: the fields, and the lines between the parts."""
LARGEST_PHOTO = 10 * 1024 * 1024
LARGEST_SHEET = 5 * 1024 * 1024

UPLOADS = {
    "/photos": LARGEST_PHOTO,
    "/sheets": LARGEST_SHEET,
    # The forms of the console, which take the same files with a cookie.
    "/record/photo": LARGEST_PHOTO,
    "/record/sheet": LARGEST_SHEET,
}
"""By path, the most bytes of the file. The body of such a request is read by its endpoint, as it arrives."""
