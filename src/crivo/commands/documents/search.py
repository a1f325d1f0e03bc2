"""The document of `crivo search`; its exit status is that of `crivo try`."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from crivo.commands.documents.base import Document, Part
from crivo.commands.documents.experiments import CompareDocument, Number
from crivo.commands.documents.trials import Outcome


class SearchTrial(Part):
    """A trial of a search."""

    number: int = Field(description="Its place in the search, counted from 0.")
    values: dict[str, Any] = Field(description="The settings that it was given.")
    state: Literal["done", "known", "stopped", "failed"] = Field(
        description="Whether it ran, its result was known before, it was stopped early, it failed."
    )
    experiment: str = Field(description="The experiment's name; empty for none.")
    revision: str = Field(description="The commit that records it; empty for none.")
    value: Number = Field(description="The primary metric; null for none.")
    error: str = Field(description="Why it failed.")
    seconds: float = Field(description="How long it ran.")


class SearchGain(Part):
    """What the best trial gains in the primary metric, before and after the selection."""

    metric: str = Field(description="The primary metric.")
    raw: Number = Field(description="Its value minus the reference's.")
    after: Number = Field(description="The same with the estimate after selection.")
    luck: Number = Field(description="The difference of the two: what goes with the selection.")
    value: Number = Field(description="The estimate after selection.")
    low: Number = Field(description="The lower end of its interval.")
    high: Number = Field(description="The upper end of that interval.")
    among: int = Field(description="How many models it was chosen among.")


class SearchEdge(Part):
    """A setting of the best trial that lies at an end of what was searched."""

    key: str = Field(description="The setting.")
    value: Any = Field(description="Its value.")
    end: Literal["lower", "upper"] = Field(description="At which end it lies.")
    searched: str = Field(description="What was searched.")


class SearchDocument(Document):
    """`crivo search`: its trials, and whether the best of them is better.

    Of a search that was refused or failed, only the first two fields are there.
    """

    outcome: Outcome = Field(
        description="The verdict about the best trial; refused; or failed: no trial has a result."
    )
    error: str | None = Field(description="Why it was refused or failed, and what to do.")
    stop: bool = Field(False, description="As for `crivo try`: a search has no budget.")
    search: str = Field("", description="The search's name.")
    finished: bool = Field(False, description="Whether all trials that were wanted were run.")
    sampler: str = Field("", description="tpe, random or grid.")
    seed: int = Field(0, description="What its proposals start from.")
    space: dict[str, str] = Field({}, description="What was searched, as it is written.")
    trials: list[SearchTrial] = Field([], description="Its trials, as they were proposed.")
    best: str | None = Field(None, description="The experiment of the best trial.")
    revision: str | None = Field(None, description="The commit that records that.")
    gain: SearchGain | None = Field(None, description="What it gains; null for no selection.")
    edges: list[SearchEdge] = Field([], description="Where better settings may lie beyond.")
    comparison: CompareDocument | None = Field(
        None, description="The best trial compared with the reference."
    )
    applied: str = Field("", description="What --apply did.")
    notes: list[str] = Field([], description="What a reader must know besides.")
