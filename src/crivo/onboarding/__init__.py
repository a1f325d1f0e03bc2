"""From a file to a pipeline: bring it, look at it, write its settings, track it."""
