"""The command line, one file a command, and the functions behind it."""
