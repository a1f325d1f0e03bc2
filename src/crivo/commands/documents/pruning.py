"""What `crivo prune --json` and `crivo merge --json` print."""

from __future__ import annotations

from pydantic import Field

from crivo.commands.documents.base import Document, Part


class RemovedExperiment(Part):
    """An experiment that was removed, or would be."""

    name: str = Field(description="Its name.")
    revision: str = Field(
        description="The commit that records it; git keeps it so that the removal can be undone."
    )
    when: str = Field(description="When it was recorded, in UTC.")


class KeptExperiment(Part):
    """An experiment that is kept although it was selected."""

    name: str = Field(description="Its name.")
    reason: str = Field(description="Why it is kept.")


class PruneDocument(Document):
    """`crivo prune`: the removed experiments, the kept ones, and the unneeded files."""

    done: bool = Field(description="Whether the experiments were removed; false with --dry-run.")
    removed: list[RemovedExperiment] = Field(
        description="The experiments that were removed, or would be."
    )
    kept: list[KeptExperiment] = Field(description="The selected experiments that are kept.")
    left: int = Field(description="How many experiments are left.")
    unneeded_files: int = Field(
        description="The number of files in DVC's cache that nothing else needs after that; "
        "some of them may be left from earlier removals."
    )
    unneeded_bytes: int = Field(description="Their size in bytes.")
    freed: bool = Field(description="Whether these files were deleted (--space).")
    notes: list[str] = Field(description="What a reader must know in addition.")


class UndoDocument(Document):
    """`crivo prune --undo`: which experiments were restored."""

    restored: list[str] = Field(
        description="The experiments that were restored, with their metrics."
    )
    taken: list[str] = Field(
        description="Those that weren't restored, because other experiments have their names now."
    )
    lacking: list[str] = Field(
        description="The restored experiments whose models or predictions aren't in the cache."
    )
    others: list[str] = Field(
        description="The experiments that stay removed, because another clone removed them."
    )


class MergeDocument(Document):
    """`crivo merge`: how the conflict in `dvc.lock` was resolved."""

    kept: dict[str, str] = Field(
        description="Where each stage's entry comes from: `both`, `ours`, `theirs` or `run cache`."
    )
    left_out: list[str] = Field(description="The stages that `dvc repro` must run.")
    files: list[str] = Field(description="The files in git that match their stages.")
    open: list[str] = Field(description="The files in conflict that `dvc repro` writes again.")
