"""A search: trials of settings that are proposed, run and compared, by the hundred."""

from crivo.experiments.search.edges import at_edge
from crivo.experiments.search.kept import KeptSearch, KeptTrial, search_of, searches
from crivo.experiments.search.space import Space

__all__ = ["KeptSearch", "KeptTrial", "Space", "at_edge", "search_of", "searches"]
