"""What several tests of the evaluation need."""

from __future__ import annotations

import os
import sys

import pytest
from hypothesis import Phase, settings

from crivo.evaluation import metrics

# A busy machine is no fault of the code.
settings.register_profile("patient", deadline=None)
# For `make mutants`: shrinking an example of what a mutant broke takes longer than all else.
settings.register_profile(
    "mutants",
    deadline=None,
    derandomize=True,
    max_examples=30,
    phases=(Phase.explicit, Phase.generate),
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "patient"))


@pytest.fixture
def metrics_folder(tmp_path, monkeypatch):
    """A folder whose files count as files of `evaluation/metrics`."""
    monkeypatch.setattr(metrics, "__path__", [*metrics.__path__, str(tmp_path)])
    monkeypatch.setattr(metrics, "_METRICS", dict(metrics._METRICS))
    metrics._load.cache_clear()
    before = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - before:
        if name.startswith("crivo.evaluation.metrics."):
            del sys.modules[name]
    metrics._load.cache_clear()
