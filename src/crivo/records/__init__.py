"""Reads and compares the records of past experiments, in git and in the clone's ledger."""
