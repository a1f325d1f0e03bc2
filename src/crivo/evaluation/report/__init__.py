"""The report of an experiment: one self-contained page, and its short form for a pull request."""

from crivo.evaluation.report.contents import FoundByCheck, Subject, found_by_check
from crivo.evaluation.report.page import to_html, to_markdown

__all__ = ["FoundByCheck", "Subject", "found_by_check", "to_html", "to_markdown"]
