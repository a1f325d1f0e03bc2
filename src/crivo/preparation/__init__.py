"""The stage prepare: reading raw data, quarantine, splits."""
