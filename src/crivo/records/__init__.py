"""The records of an experiment, and the reader of all that a clone has."""
