"""The report of an experiment: one self-contained page, and its short form for a pull request."""

from crivo.evaluation.report.page import to_html, to_markdown
from crivo.evaluation.report.subject import Subject

__all__ = ["Subject", "to_html", "to_markdown"]
