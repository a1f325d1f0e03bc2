"""Puts the report of the current result into the site, as a sample: a hook of mkdocs.yml."""

from __future__ import annotations

from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

REPORT = Path("metrics/evaluation/report.html")
ABSENT = (
    "<!doctype html><title>No report</title>"
    "<p>Run <code>make repro</code>, then <code>make docs</code>."
)


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Add the report; a page that says how to make it stands in for one that isn't there."""
    report = Path(config.docs_dir).parent / REPORT
    content = report.read_bytes() if report.is_file() else ABSENT.encode()
    files.append(File.generated(config, "sample-report.html", content=content))
    return files
