"""What `crivo prune --json` and `crivo merge --json` print."""

from __future__ import annotations

from pydantic import Field

from crivo.commands.documents.base import Document, Part


class RemovedExperiment(Part):
    """An experiment that goes, or went."""

    name: str = Field(description="Its name.")
    revision: str = Field(description="The commit that records it; git keeps it for an undo.")
    when: str = Field(description="When it was recorded, in UTC.")


class KeptExperiment(Part):
    """An experiment that stays although it was selected."""

    name: str = Field(description="Its name.")
    reason: str = Field(description="Why it stays.")


class PruneDocument(Document):
    """`crivo prune`: what goes, what stays, and the space that it takes."""

    done: bool = Field(description="Whether it was done; false with --dry-run.")
    removed: list[RemovedExperiment] = Field(description="The experiments that go.")
    kept: list[KeptExperiment] = Field(description="Those that were selected and stay.")
    left: int = Field(description="How many experiments are left.")
    unneeded_files: int = Field(
        description="How many files of DVC's cache nothing else needs then; removals before this "
        "one left some of them."
    )
    unneeded_bytes: int = Field(description="Their size.")
    freed: bool = Field(description="Whether these files were deleted (--space).")
    notes: list[str] = Field(description="What a reader must know besides.")


class UndoDocument(Document):
    """`crivo prune --undo`: what came back."""

    restored: list[str] = Field(description="The experiments that are back, with their metrics.")
    taken: list[str] = Field(
        description="Those that aren't, as others of their name are there now."
    )
    lacking: list[str] = Field(
        description="Those of the restored whose models or predictions are not in the cache."
    )


class MergeDocument(Document):
    """`crivo merge`: what became of the conflict in `dvc.lock`."""

    kept: dict[str, str] = Field(
        description="Whose entry each stage has: both, ours, theirs, or run cache."
    )
    left_out: list[str] = Field(description="The stages that dvc repro has to run.")
    files: list[str] = Field(description="The files in git that are those of their stages.")
    open: list[str] = Field(description="The files in conflict that dvc repro writes anew.")
