"""What several tests of the evaluation need."""

import sys

import pytest

from crivo.evaluation import metrics


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
