"""A search: trials of settings that are proposed, run and compared, by the hundred."""
