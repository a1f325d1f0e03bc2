"""What an experiment says of itself, and the reading of all that a clone has."""
