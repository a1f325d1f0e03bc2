"""The documents of commands about where results come from and go: `trace`, `verify`, `share`."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from crivo.commands.documents.base import Document, Part
from crivo.commands.documents.experiments import Number


class FilePart(Part):
    """A file or folder as DVC records it."""

    path: str = Field(description="Its path in the project.")
    md5: str = Field(description="Its hash; that of a folder ends in .dir.")
    size: int | None = Field(description="Its bytes.")


class StoredPart(FilePart):
    """An output of an experiment."""

    stage: str = Field(description="The stage that makes it.")
    kept: Literal["cache", "git", "missing"] = Field(description="Where it is kept here.")


class SourcePart(Part):
    """A commit or experiment."""

    name: str = Field(description="Its name.")
    kind: Literal["commit", "experiment"] = Field(description="Which of the two it is.")
    revision: str = Field(description="The commit's hash.")
    parent: str | None = Field(description="What it started from; null for the first commit.")
    author: str = Field(description="Who made it.")
    when: str = Field(description="When, in UTC.")
    message: str = Field(description="Why, in the words of its message.")


class TraceDocument(Document):
    """`crivo trace`: where a file comes from, or what an experiment is made of."""

    what: str = Field(description="What was asked for.")
    output: FilePart | None = Field(description="The file; null for an experiment.")
    role: str = Field(description="The stage that makes or reads the file, in words.")
    source: SourcePart = Field(description="The oldest commit or experiment that holds it.")
    also: list[SourcePart] = Field(description="The others.")
    current: bool = Field(description="Whether HEAD records it.")
    in_workspace: bool | None = Field(description="Whether the file on the disk has these bytes.")
    data: dict[str, str] = Field(description="The hash of each data file that was read.")
    settings: dict[str, Any] = Field(description="The settings that were read.")
    changed: list[str] = Field(description="What differs from what the source started from.")
    code: dict[str, str] = Field(description="The hash of each code file that was read.")
    environment: dict[str, str] = Field(description="The hash of the lock, and which Python.")
    commands: list[str] = Field(description="What makes it again.")
    files: list[StoredPart] = Field(description="All outputs of an experiment.")


class MovedPart(Part):
    """An output with other bytes than recorded."""

    stage: str = Field(description="The stage that made it.")
    path: str = Field(description="Its path.")
    recorded: str | None = Field(description="The recorded hash.")
    found: str | None = Field(description="The hash that came out.")


class MovedMetric(Part):
    """A metric that differs by more than the tolerance."""

    name: str = Field(description="The metric, with its file.")
    recorded: Any = Field(description="The recorded value.")
    found: Any = Field(description="The value that came out.")


class VerifyDocument(Document):
    """`crivo verify`: whether results came out again as they were recorded."""

    name: str = Field(description="The commit or experiment.")
    revision: str = Field(description="Its hash.")
    outcome: Literal["identical", "equal", "moved", "failed"] = Field(
        description="identical bytes, equal metrics, something moved, or a stage failed."
    )
    answer: str = Field(description="The first line that people see.")
    moved: list[MovedPart] = Field(description="The outputs with other bytes.")
    metrics: list[MovedMetric] = Field(description="The metrics beyond the tolerance.")
    largest: Number = Field(description="The greatest difference of a metric.")
    left: list[str] = Field(description="What else git sees changed, as `git status` writes it.")
    causes: list[str] = Field(description="Why, what is sure first.")
    words: list[str] = Field(description="The last lines of a stage that failed.")
    clone: str | None = Field(description="The folder in which it ran, if that was kept.")


class DamagedPart(Part):
    """A file that isn't what its hash says."""

    path: str = Field(description="Its path.")
    of: str | None = Field(description="The output that a stored file belongs to.")


class IntegrityDocument(Document):
    """`crivo verify --stored`: whether stored files and outputs are what their hashes say."""

    stored: int = Field(description="How many stored files were read.")
    outputs: int = Field(description="How many outputs were read.")
    damaged: list[DamagedPart] = Field(description="Those that are damaged.")
    unknown: list[str] = Field(description="Outputs that differ, where DVC can't say why.")


class ShareDocument(Document):
    """`crivo share`: what is on the remotes now."""

    name: str = Field(description="The experiment.")
    ref: str = Field(description="Its reference in git.")
    git_remote: str = Field(description="The git remote.")
    storage: str = Field(description="The DVC remote.")
    url: str = Field(description="Where that is.")
    files: int = Field(description="How many stored files it has.")
    size: int = Field(description="Their bytes.")
    uploaded: int = Field(description="How many of them the remote lacked.")
    trials: int = Field(
        0, description="How many trials the git remote has, which a comparison counts there too."
    )
    notes: list[str] = Field(description="What a colleague has to do besides.")
