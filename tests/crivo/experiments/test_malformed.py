"""Experiments of every wrong shape: each is refused with its reason, and the others go on.

All of them lie in one repository, beside a good one. They reach a clone with `git fetch`, from
anybody.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

import pandas as pd
import pytest

from crivo.comparison.compare import compare
from crivo.comparison.result import Comparison
from crivo.core.errors import CrivoError
from crivo.provenance import trace
from crivo.records.history import History, read_history
from tests.crivo.experiments.malformed import (
    ABOUT,
    BROKEN,
    CYCLE,
    FINE,
    LOCK,
    PARAMS,
    SLICE,
    SLICES,
)
from tests.crivo.experiments.repository import Project, evaluation_files, settings, spread
from tests.crivo.experiments.tried import GOOD, MAIN, refused


@pytest.fixture(scope="module")
def crowded(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """Give a repository with a good experiment among all the others."""
    project = Project(tmp_path_factory.mktemp("crowded") / "project")
    project.commit(MAIN)
    (project.folder / ".dvc").mkdir()
    project.trial("slow", GOOD)
    base, made = {}, (BROKEN | FINE | {"lock-cycle": (LOCK, CYCLE)}).items()
    for number, (name, (path, content)) in enumerate(made):
        base = evaluation_files({"roc_auc": spread(0.71, 0.001), "log_loss": spread(0.4)},
                                settings=settings(seed=number), predictions=name)  # fmt: skip
        project.trial(name, {**base, SLICES: SLICE, path: content})
    return project


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Comparison:
    """Give the comparison of the good one where there is no other."""
    project = Project(tmp_path_factory.mktemp("alone") / "project")
    project.commit(MAIN)
    project.trial("slow", GOOD)
    return compare(["slow"], folder=project.folder)


@pytest.fixture(scope="module")
def history(crowded: Project) -> History:
    return read_history(crowded.folder)


@contextmanager
def reading(history: History) -> Iterator[None]:
    """Let all be read once: to read them anew for each would take a minute."""
    with (
        patch("crivo.provenance.trace.read_history", return_value=history),
        patch("crivo.comparison.compare.read_history", return_value=history),
    ):
        yield


@pytest.fixture(scope="module")
def found(crowded: Project) -> Comparison:
    return compare(folder=crowded.folder)


def test_the_good_ones_are_compared_whatever_lies_beside_them(
    crowded: Project, history: History, found: Comparison, alone: Comparison
) -> None:
    assert {*found.table.index} == {"slow", "main", "lock-cycle", *FINE}
    with reading(history):
        mine = compare(["slow"], folder=crowded.folder)
    same = ["changed", "value", "low", "high", "difference"]
    pd.testing.assert_frame_equal(mine.table[same], alone.table[same])
    pd.testing.assert_frame_equal(mine.metrics[same[1:]], alone.metrics[same[1:]])


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_one_is_refused_with_its_reason(found: Comparison, name: str) -> None:
    path, _ = BROKEN[name]
    reason = refused(found)[name].reason
    assert reason.startswith("evaluation unknown: its ") or "no other metric" in reason
    assert path in reason or "primary metric" in reason
    assert len(reason) < 400


# A trace reads settings and locks; of the other files, which a comparison refuses as above, a few.
NAMED = [name for name in BROKEN if BROKEN[name][0] in (PARAMS, LOCK)]
NAMED += [name for name in [*BROKEN][::8] if name not in NAMED]


@pytest.mark.parametrize("path", [PARAMS, LOCK])
@pytest.mark.parametrize("content", ["[" * 200_000, "models: {linear: {C: 2013-02-30}}", b"\xff"])
def test_a_commit_is_traced_from_a_broken_one(
    project: Project, path: str, content: str | bytes
) -> None:
    project.commit(MAIN)
    project.commit({**MAIN, path: content}, parent="main^0")
    project.commit({**GOOD}, parent="main^0")
    (project.folder / ".dvc").mkdir()
    found = trace("HEAD", project.folder)
    assert found.changed[0].startswith(f"unknown, of {project.git('rev-parse', 'main~1')[:7]}: ")
    assert path in found.changed[0]
    if path == PARAMS:
        assert trace("HEAD~1", project.folder).changed[0].startswith("unknown, of HEAD~1: ")
    else:
        with pytest.raises(CrivoError, match="HEAD~1 can't be traced: its dvc.lock"):
            trace("HEAD~1", project.folder)


def test_references_that_name_no_experiment_disturb_nothing(tried: Project) -> None:
    head, tree = tried.git("rev-parse", "HEAD"), tried.git("rev-parse", "HEAD^{tree}")
    blob = tried.git("hash-object", "-w", "--stdin", given="hi")
    start = f"refs/exps/{head[:2]}/{head[2:]}"
    tried.git("update-ref", f"{start}/blob", blob)
    tried.git("update-ref", f"{start}/tree", tree)
    tried.git("update-ref", f"refs/exps/{head[:2]}/{head[2:5]}/short", head)
    tried.git("-c", "user.name=a", "-c", "user.email=b", "tag", "-a", "-m", "x", "kept", head)
    tried.git("update-ref", f"{start}/tag", tried.git("rev-parse", "refs/tags/kept"))
    found = compare(folder=tried.folder)
    assert "slow" in found.table.index
    assert "blob" in refused(found)


def test_a_folder_or_a_link_where_a_file_must_be_is_refused(tried: Project) -> None:
    tried.trial("folder", {**{k: v for k, v in GOOD.items() if k != ABOUT}, f"{ABOUT}/a": "1"})
    found = compare(folder=tried.folder)
    assert refused(found)["folder"].reason.endswith(f"recorded without {ABOUT}")


def test_a_moment_beyond_all_calendars_is_the_last_one(tried: Project) -> None:
    tried.clock = 10**14
    tried.trial("late", GOOD)
    assert compare(folder=tried.folder).table.loc["late", "when"].year == 9999
