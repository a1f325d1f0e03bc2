"""The document of `crivo search`; its exit status is that of `crivo try`."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from crivo.commands.documents.base import Document, Part
from crivo.commands.documents.experiments import CompareDocument, Number
from crivo.commands.documents.trials import Outcome


class SearchTrial(Part):
    """A trial of a search."""

    number: int = Field(description="The trial's number in the search, counted from 0.")
    values: dict[str, Any] = Field(description="Its settings.")
    state: Literal["done", "known", "stopped", "failed"] = Field(
        description="Whether it ran (`done`), its result was already `known`, it was `stopped` "
        "early, or it `failed`."
    )
    experiment: str = Field(description="The experiment's name; empty if there is none.")
    revision: str = Field(
        description="The commit that records the experiment; empty if there is none."
    )
    value: Number = Field(description="The value of the primary metric; null if there is none.")
    error: str = Field(description="Why it failed.")
    seconds: float = Field(description="How long it ran, in seconds.")
    parts: list[str] = Field(
        description="The commits that record runs of a part of its steps, before it continued."
    )


class SearchGain(Part):
    """The gain of the best trial in the primary metric, before and after the selection."""

    metric: str = Field(description="The primary metric.")
    raw: Number = Field(description="The trial's value minus the reference's.")
    after: Number = Field(description="The gain that remains with the estimate after selection.")
    luck: Number = Field(
        description="The raw gain minus the gain that remains; null where it isn't estimated, "
        "because the trial isn't the one that looks best of all models on these rows."
    )
    value: Number = Field(description="The estimate after selection.")
    low: Number = Field(description="The lower end of its interval.")
    high: Number = Field(description="The upper end of that interval.")
    among: int = Field(description="How many models it was chosen among.")


class SearchEdge(Part):
    """A setting of the best trial that lies at an end of the searched range."""

    key: str = Field(description="The setting.")
    value: Any = Field(description="Its value.")
    end: Literal["lower", "upper"] = Field(description="The end at which it lies.")
    searched: str = Field(description="The range that was searched.")


class SearchDocument(Document):
    """`crivo search`: its trials, and whether the best of them is better.

    If the search ended with an error, only the first three of these fields are present.
    """

    outcome: Outcome = Field(
        description="The verdict on the best trial; `refused`; or `failed`, if no trial has a "
        "result."
    )
    error: str | None = Field(description="Why it was refused or failed, and what to do.")
    stop: bool = Field(
        False, description="As for `crivo try`; false, because a search has no budget."
    )
    search: str = Field("", description="The search's name.")
    finished: bool = Field(False, description="Whether all requested trials were run.")
    sampler: str = Field("", description="`tpe`, `random` or `grid`.")
    seed: int = Field(0, description="The seed of the proposals.")
    space: dict[str, str] = Field(
        {}, description="The settings that were searched, each with its range as it was given."
    )
    trials: list[SearchTrial] = Field(
        [], description="The trials, in the order in which they were proposed."
    )
    best: str | None = Field(None, description="The experiment of the best trial.")
    revision: str | None = Field(None, description="The commit that records this experiment.")
    gain: SearchGain | None = Field(
        None, description="The gain of the best trial; null if there was no selection."
    )
    edges: list[SearchEdge] = Field(
        [],
        description="Settings of the best trial at an end of their range; better values may lie "
        "beyond it.",
    )
    comparison: CompareDocument | None = Field(
        None, description="The best trial compared with the reference."
    )
    applied: str = Field("", description="What --apply did.")
    notes: list[str] = Field([], description="What a reader must know in addition.")
