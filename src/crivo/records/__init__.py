"""Reads the records of past experiments from git, notes and the ledger, and compares settings."""
