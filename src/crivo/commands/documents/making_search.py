"""Makes the document of a search."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from crivo.commands.documents.making import compared
from crivo.commands.documents.search import SearchDocument, SearchGain
from crivo.commands.documents.trials import Outcome
from crivo.experiments.search.result import SearchResult
from crivo.experiments.search.text import notes


def search_document(result: SearchResult, applied: str = "") -> SearchDocument:
    """Return the document of a search that has ended."""
    search, best, gain = result.search, result.best, result.gain
    error = None if result.verdict else _why(result)
    outcome: Outcome = "failed"
    if result.verdict:
        outcome = result.verdict  # type: ignore[assignment]
    values: dict[str, Any] = {
        "outcome": outcome,
        "error": error,
        "search": search.name,
        "finished": result.finished,
        "sampler": search.sampler,
        "seed": search.seed,
        "space": dict(search.space),
        "trials": [{**asdict(one), "parts": list(one.parts)} for one in search.trials],
        "best": best.experiment if best else None,
        "revision": best.revision if best else None,
        "gain": {name: getattr(gain, name) for name in SearchGain.model_fields} if gain else None,
        "edges": [one._asdict() for one in result.edges],
        "comparison": compared(result.comparison) if result.comparison else None,
        "applied": applied,
        "notes": list(notes(result)),
    }
    return SearchDocument.made_of("search", values)


def _why(result: SearchResult) -> str:
    if result.comparison is not None:
        return "; ".join(result.comparison.refused["reason"]) or "The best can't be compared."
    failed = [one.error for one in result.search.trials if one.state == "failed"]
    return f"No trial has a result. {failed[0] if failed else 'None was run.'}"
