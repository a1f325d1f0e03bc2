"""The report of an experiment: one self-contained page, and its short form for a pull request."""

from crivo.evaluation.report.page import Subject, to_html, to_markdown

__all__ = ["Subject", "to_html", "to_markdown"]
