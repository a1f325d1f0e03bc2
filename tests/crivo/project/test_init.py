"""`crivo init` brings a file whole, or leaves everything as it was."""

from pathlib import Path

import pytest
from tests.crivo.settings import SETTINGS

from crivo.core.errors import CrivoError
from crivo.core.params import read_params
from crivo.project import start
from crivo.project.choices import Request
from crivo.project.params_file import edited_params
from crivo.project.start import init_table

pytestmark = pytest.mark.usefixtures("no_comparison")

CSV = "a,b,y\n" + "".join(f"{i},{'uvw'[i % 3]},{'no' if i % 3 else 'yes'}\n" for i in range(81))


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a folder that looks like a project, with DVC's and git's part left out."""
    folder = tmp_path / "project"
    (folder / ".dvc").mkdir(parents=True)
    (folder / "dvc.yaml").write_text("stages: {}\n")
    (folder / "params.yaml").write_text(SETTINGS)
    monkeypatch.setattr(start, "track", lambda project: None)
    return folder


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "my rows.csv"
    path.write_text(CSV)
    return path


def test_another_target_resets_what_names_columns_only(project: Path, source: Path) -> None:
    init_table(project, source, Request("y"))
    params = project / "params.yaml"
    params.write_text(edited_params(params, TEAMS_OWN))
    large = source.with_name("large.csv")
    large.write_text("a,z\n" + "".join(f"{i % 89},{abs(i % 89 - 44)}\n" for i in range(1, 70)))
    init_table(project, large, Request("z"), force=True)
    settings = read_params(params)
    assert settings.block("dataset").task == "regression"
    assert (settings.evaluate.slices, settings.limits, settings.evaluate.cluster) == ((), {}, None)
    assert settings.block("model").learning_rate == 0.03
    assert settings.prepare.quarantine_limit == 0.2


TEAMS_OWN = {
    "model": "forest",
    "prepare.quarantine_limit": 0.2,
    "models.boosting.learning_rate": 0.03,
    "splitters.at_random.valid": 0.3,
    "evaluate.cluster": "b",
    "evaluate.block": 3,
    "evaluate.slices": ["b"],
    "limits": {"roc_auc_low": {"at_least": 0.7}},
    "datasets.table.day_first": True,
    "datasets.table.marks": {"b": ","},
}


def test_new_data_change_nothing_that_the_team_set(project: Path, source: Path) -> None:
    params = project / "params.yaml"
    init_table(project, source, Request("y", id=("a",)))
    params.write_text(edited_params(params, TEAMS_OWN))
    before = params.read_text()
    source.write_text(CSV + "".join(f"{i},u,yes\n" for i in range(100, 120)))
    plan = init_table(project, source, Request("y"), force=True)
    assert (project / "data/raw/table/my rows.csv").read_text() == source.read_text()
    assert params.read_text() == before
    assert plan.changes == ("nothing: these are new data for the same target",)


def test_too_many_unusable_rows_are_refused_with_their_reasons(project: Path, source: Path) -> None:
    source.write_text(CSV + "1,u,\n" * 40)
    said = r"^33\.1 % of the rows can't be used: y is missing \(40\)\. Correct .* --yes sets these"
    with pytest.raises(CrivoError, match=said):
        init_table(project, source, Request("y"))
    init_table(project, source, Request("y", yes=True))
    assert read_params(project / "params.yaml").prepare.quarantine_limit == 0.34


def test_a_command_that_fails_is_told_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(CrivoError, match=r"`dvc add .*data/raw/table` failed: "):
        start.track(tmp_path)
