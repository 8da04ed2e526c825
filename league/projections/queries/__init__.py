"""What readers ask of the read tables, one module per subject; SQL is only here and in the modules that write."""
