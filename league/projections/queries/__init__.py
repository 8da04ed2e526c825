"""What readers ask of the read tables, one module a subject; SQL stands here and in the modules that write."""
