"""How a stage is run."""

import logging
import warnings

import pytest

from crivo.core.params import Params
from crivo.runtime import stage


def test_what_a_library_warns_of_is_one_line(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    for name in ("read_params", "require_locked_environment", "require_declared_reads"):
        monkeypatch.setattr(stage, name, lambda: None)
    monkeypatch.setattr(warnings, "showwarning", warnings.showwarning)
    monkeypatch.setattr(logging.getLogger("crivo"), "level", logging.INFO)

    def fit(params: Params) -> None:
        warnings.warn("no end after 2 iterations (status=1):\nSTOP, see\n  a page", stacklevel=1)

    stage.run_stage(fit)
    assert caplog.messages == ["UserWarning: no end after 2 iterations (status=1)"]
