"""The public pages as files that any web host serves: the site's pages, fetched in the process and linked anew."""
