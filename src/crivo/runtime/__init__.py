"""The process in which a stage or command runs: environment, read guard, logs, ending."""
