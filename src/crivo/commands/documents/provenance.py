"""The documents of commands about where results come from and go: `trace`, `verify`, `share`."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from crivo.commands.documents.base import Document, Part
from crivo.commands.documents.experiments import Number


class FilePart(Part):
    """A file or folder as DVC records it."""

    path: str = Field(description="Its path in the project.")
    md5: str = Field(description="Its MD5 hash; the hash of a folder ends in .dir.")
    size: int | None = Field(description="Its size in bytes.")


class StoredPart(FilePart):
    """An output of an experiment."""

    stage: str = Field(description="The stage that makes it.")
    kept: Literal["cache", "git", "missing"] = Field(description="Where this clone keeps it.")


class SourcePart(Part):
    """A commit or experiment."""

    name: str = Field(description="Its name.")
    kind: Literal["commit", "experiment"] = Field(
        description="Whether it is a commit or an experiment."
    )
    revision: str = Field(description="The commit's hash.")
    parent: str | None = Field(
        description="The commit that it started from; null for the first commit."
    )
    author: str = Field(description="Its author.")
    when: str = Field(description="When it was made, in UTC.")
    message: str = Field(description="Its message.")


class TraceDocument(Document):
    """`crivo trace`: where a file comes from, or what an experiment is made of."""

    what: str = Field(description="The argument of the command.")
    output: FilePart | None = Field(description="The file; null for an experiment.")
    role: str = Field(description="The stage that makes or reads the file, in words.")
    source: SourcePart = Field(description="The oldest commit or experiment that holds it.")
    also: list[SourcePart] = Field(description="Other commits and experiments that hold it.")
    current: bool = Field(description="Whether HEAD records it.")
    in_workspace: bool | None = Field(
        description="Whether the file in the workspace has these bytes; null for an experiment."
    )
    data: dict[str, str] = Field(description="The hash of each data file that was read.")
    settings: dict[str, Any] = Field(description="The settings that were read.")
    changed: list[str] = Field(
        description="What differs from the commit that the source started from."
    )
    code: dict[str, str] = Field(description="The hash of each code file that was read.")
    environment: dict[str, str] = Field(
        description="The hash of the lock, and the version of Python."
    )
    commands: list[str] = Field(description="The commands that make it again.")
    files: list[StoredPart] = Field(description="All outputs of an experiment.")


class MovedPart(Part):
    """An output whose bytes differ from the recorded ones."""

    stage: str = Field(description="The stage that made it.")
    path: str = Field(description="Its path.")
    recorded: str | None = Field(description="The recorded hash.")
    found: str | None = Field(description="The hash of the new result.")


class MovedMetric(Part):
    """A metric that differs by more than the tolerance."""

    name: str = Field(description="The metric, with its file.")
    recorded: Any = Field(description="The recorded value.")
    found: Any = Field(description="The new value.")


class VerifyDocument(Document):
    """`crivo verify`: whether a second run gives the recorded results."""

    name: str = Field(description="The commit or experiment.")
    revision: str = Field(description="Its hash.")
    outcome: Literal["identical", "equal", "moved", "failed"] = Field(
        description="`identical` bytes, `equal` metrics, results that `moved`, or a stage that "
        "`failed`."
    )
    answer: str = Field(description="The first sentence of the text output.")
    moved: list[MovedPart] = Field(description="The outputs whose bytes differ.")
    metrics: list[MovedMetric] = Field(
        description="The metrics that differ by more than the tolerance."
    )
    largest: Number = Field(description="The largest difference of a metric.")
    left: list[str] = Field(
        description="Other changes that git reports, as `git status` writes them."
    )
    causes: list[str] = Field(description="The causes, those that are certain first.")
    words: list[str] = Field(description="The last lines of a stage that failed.")
    clone: str | None = Field(description="The folder of the temporary clone, if it was kept.")


class DamagedPart(Part):
    """A file whose content doesn't match its hash."""

    path: str = Field(description="Its path.")
    of: str | None = Field(description="The output that a stored file belongs to.")


class IntegrityDocument(Document):
    """`crivo verify --stored`: whether stored files and outputs match their hashes."""

    stored: int = Field(description="The number of stored files that were read.")
    outputs: int = Field(description="The number of outputs that were read.")
    damaged: list[DamagedPart] = Field(description="The damaged files.")
    unknown: list[str] = Field(
        description="Outputs that don't match their hashes, for a reason that DVC can't give."
    )


class ShareDocument(Document):
    """`crivo share`: what is on the remotes now."""

    name: str = Field(description="The experiment.")
    ref: str = Field(description="The experiment's reference in git.")
    git_remote: str = Field(description="The git remote.")
    storage: str = Field(description="The DVC remote.")
    url: str = Field(description="The address of the DVC remote.")
    files: int = Field(description="The number of the experiment's stored files.")
    size: int = Field(description="Their size in bytes.")
    uploaded: int = Field(description="How many of these files the remote lacked.")
    trials: int = Field(
        0, description="The number of trials on the git remote; comparisons count them there too."
    )
    notes: list[str] = Field(description="What a colleague must do in addition.")
