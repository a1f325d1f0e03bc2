"""Running experiments: one trial, searches, repetitions, plans."""
