"""Shared by all packages: files, settings, schema, tasks, interfaces of blocks, errors."""
