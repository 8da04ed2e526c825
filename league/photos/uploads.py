"""Where pictures are sent to, and the most bytes of one."""

LARGEST = 10 * 1024 * 1024
UPLOADS = {
    "/photos": LARGEST,
    "/record/photo": LARGEST,  # the form of the console, which takes the same file with a cookie
}
