"""`crivo init` brings a file whole, or leaves everything as it was."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import typer
from tests.crivo.settings import SETTINGS
from typer.testing import CliRunner

from crivo.commands import init
from crivo.core.errors import CrivoError
from crivo.core.params import read_params
from crivo.core.registry import make_block
from crivo.preparation.splits import divide
from crivo.project import place
from crivo.project.init import init_table, make_plan
from crivo.project.request import Request
from crivo.training.early_stopping import fit_mask, stopping_mask

CSV = "a,b,y\n" + "".join(f"{i},{'uvw'[i % 3]},{'no' if i % 3 else 'yes'}\n" for i in range(90))


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a folder that looks like a project, with DVC's and git's part left out."""
    folder = tmp_path / "project"
    (folder / ".dvc").mkdir(parents=True)
    (folder / "dvc.yaml").write_text("stages: {}\n")
    (folder / "params.yaml").write_text(SETTINGS)
    monkeypatch.setattr(place, "track", lambda project: None)
    return folder


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "my rows.csv"
    path.write_text(CSV)
    return path


def state(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_the_file_is_copied_and_the_settings_are_written(project: Path, source: Path) -> None:
    plan = init_table(project, source, Request("y"))
    assert (project / "data/raw/table/my rows.csv").read_text() == CSV
    assert source.read_text() == CSV
    params = read_params(project / "params.yaml")
    assert (params.dataset, params.splitter, params.featurizer) == (
        "table",
        "at_random",
        "tabular",
    )
    table = params.block("dataset")
    assert (table.target, table.task, table.positive) == ("y", "binary", "yes")
    assert "target    y: binary, no 66.7%, yes 33.3%; positive is yes" in plan.found
    assert "split     at_random: 54 train, 18 valid, 18 test rows" in plan.found


def test_a_folder_of_files_is_brought_as_it_is(project: Path, tmp_path: Path) -> None:
    source = tmp_path / "source"
    (source / "more").mkdir(parents=True)
    (source / "one.csv").write_text(CSV)
    (source / "more/two.csv").write_text(CSV.replace("0,", "7,"))
    init_table(project, source, Request("y"))
    found = sorted(path.name for path in (project / "data/raw/table").rglob("*.csv"))
    assert found == ["one.csv", "two.csv"]


@pytest.mark.parametrize(
    ("name", "text", "request_", "message"),
    [
        ("rows.csv", CSV, Request("z"), "names the column 'z'"),
        ("rows.csv", "a,y\n1,0\n2,0\n", Request("y"), "has 1 class"),
        ("rows.csv", "a,y\n1,0\n2,1\n", Request("y"), "There are 2 rows that can be used"),
        ("rows.csv", "", Request("y"), "is empty"),
        ("rows.csv", "a,y\n", Request("y"), "hold no rows"),
        ("rows.docx", "", Request("y"), r"rows\.docx is no table that can be read"),
    ],
)
def test_a_file_that_can_not_be_used_changes_nothing(
    project: Path, tmp_path: Path, name: str, text: str, request_: Request, message: str
) -> None:
    source = tmp_path / name
    source.write_text(text)
    before = state(project)
    with pytest.raises(CrivoError, match=message):
        init_table(project, source, request_)
    assert state(project) == before


def test_another_table_is_replaced_only_when_told_to(project: Path, source: Path) -> None:
    init_table(project, source, Request("y"))
    other = source.with_name("other.csv")
    other.write_text(CSV.replace("yes", "maybe"))
    with pytest.raises(CrivoError, match="is there already; --force puts the new file"):
        init_table(project, other, Request("y"))
    init_table(project, other, Request("y"), force=True)
    assert [path.name for path in (project / "data/raw/table").iterdir()] == ["other.csv"]


def test_a_replacement_that_is_broken_off_leaves_the_table_that_was_there(
    project: Path, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    init_table(project, source, Request("y"))
    before, rename = state(project), Path.rename
    source.write_text(CSV.replace("u", "x"))

    def stop_before_the_new(path: Path, target: Path) -> Path:
        if path.name.endswith(".part"):
            raise KeyboardInterrupt
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", stop_before_the_new)
    with pytest.raises(KeyboardInterrupt):
        init_table(project, source, Request("y"), force=True)
    assert state(project) == before


def test_the_table_that_is_there_can_be_described_anew(project: Path, source: Path) -> None:
    init_table(project, source, Request("y"))
    there = project / "data/raw/table/my rows.csv"
    init_table(project, there, Request("b", drop=("y",)), force=True)
    assert there.read_text() == CSV
    assert read_params(project / "params.yaml").block("dataset").task == "multiclass"


def test_a_folder_that_is_no_project_is_said_to_be_none(tmp_path: Path, source: Path) -> None:
    with pytest.raises(CrivoError, match=r"There is no dvc\.yaml here"):
        init_table(tmp_path, source, Request("y"))


def test_a_file_that_is_not_there_is_named(project: Path) -> None:
    with pytest.raises(CrivoError, match=r"There is no file nowhere\.csv"):
        init_table(project, Path("nowhere.csv"), Request("y"))


def plan_of(folder: Path, text: str, request: Request) -> dict[str, object]:
    folder.mkdir(exist_ok=True)
    (folder / "rows.csv").write_text(text)
    return make_plan(folder, request, {"prepare": {"quarantine_limit": 0.05}}).settings


def test_rows_of_rare_classes_and_without_a_target_do_not_stop_the_run(tmp_path: Path) -> None:
    text = "a,y\n" + "".join(f"{i},{'abc'[i % 3]}\n" for i in range(90)) + "1,rare\n" + "2,\n" * 9
    settings = plan_of(tmp_path, text, Request("y"))
    assert settings["datasets.table.min_class_rows"] == 10
    assert settings["prepare.quarantine_limit"] == 0.1


def test_a_limit_that_is_enough_is_left_alone(tmp_path: Path) -> None:
    assert plan_of(tmp_path, CSV, Request("y"))["prepare.quarantine_limit"] == 0.05


def test_times_and_groups_choose_the_split(tmp_path: Path) -> None:
    rows = pd.DataFrame(
        {
            "t": pd.date_range("2013-01-01", periods=100).astype("str"),
            "g": [f"g{i // 4}" for i in range(100)],
            "y": [0, 1] * 50,
        }
    )
    text = rows.to_csv(index=False)
    by_time = plan_of(tmp_path, text, Request("y", time="t"))
    assert (by_time["splitter"], by_time["splitters.by_time.valid_from"]) == ("by_time", 0.6)
    by_group = plan_of(tmp_path, text, Request("y", group="g"))
    assert (by_group["splitter"], by_group["evaluate.cluster"]) == ("by_group", "g")
    both = plan_of(tmp_path, text, Request("y", time="t", group="g"))
    assert (both["splitter"], both["evaluate.cluster"]) == ("by_time_and_group", "g")


def visits(groups: int, **columns: object) -> str:
    """Return a file of ten visits of each patient, as many patients as groups."""
    count = 10 * groups
    base = {
        "patient": [f"p{i % groups}" for i in range(count)],
        "x": range(count),
        "y": [0, 1] * (count // 2),
    }
    return pd.DataFrame(base | columns).to_csv(index=False)


@pytest.mark.parametrize("groups", [3, 4, 5, 8])
def test_few_groups_give_a_split_that_works(tmp_path: Path, groups: int) -> None:
    columns = {"y": np.random.default_rng(0).integers(0, 2, 10 * groups)}
    (tmp_path / "rows.csv").write_text(visits(groups, **columns))
    plan = make_plan(tmp_path, Request("y", group="patient"), {})
    assert plan.settings["splitters.by_group.exact"] is True
    (split,) = (line for line in plan.found if line.startswith("split "))
    assert " 0 " not in split


def test_a_seed_is_found_with_which_each_split_has_all_classes(tmp_path: Path) -> None:
    """Only two of eight patients were ever ill: one must teach."""
    ill = [1 if i % 8 in (0, 3) and i < 50 else 0 for i in range(80)]
    settings = plan_of(tmp_path, visits(8, y=ill), Request("y", group="patient"))
    assert settings["splitters.by_group.exact"] is True


def test_two_groups_are_refused_with_the_options_that_do(tmp_path: Path) -> None:
    with pytest.raises(CrivoError, match=r"2 groups, and three splits need 3.*without --group"):
        plan_of(tmp_path, visits(2), Request("y", group="patient"))


def test_two_years_are_refused_with_the_options_that_do(tmp_path: Path) -> None:
    text = visits(4, year=[2012, 2013] * 20)
    with pytest.raises(CrivoError, match=r"year has 2 different values.*without --time"):
        plan_of(tmp_path, text, Request("y", time="year"))


def test_rows_that_straddle_are_counted(tmp_path: Path) -> None:
    text = visits(30, when=pd.date_range("2013-01-01", periods=300))
    (tmp_path / "rows.csv").write_text(text)
    plan = make_plan(tmp_path, Request("y", time="when", group="patient"), {})
    (line,) = (line for line in plan.dangers if "are set aside" in line)
    assert re.match(r"\d+ of 300 rows are set aside, as the other rows of their patient", line)
    assert "give --time alone" in line


def test_an_id_that_repeats_is_refused_with_a_hint_at_groups(tmp_path: Path) -> None:
    with pytest.raises(CrivoError, match=r"--id patient names no single row.*give it as --group"):
        plan_of(tmp_path, visits(8), Request("y", id=("patient",)))


def test_many_unusable_rows_need_a_yes(tmp_path: Path) -> None:
    text = visits(8, y=[0, 1, None, None] * 20)
    with pytest.raises(CrivoError, match=r"50\.0% of the rows.*y is missing \(40\).*--yes sets"):
        plan_of(tmp_path, text, Request("y"))
    settings = plan_of(tmp_path, text, Request("y", yes=True))
    assert settings["prepare.quarantine_limit"] == 0.5


def test_each_table_starts_from_the_shipped_settings(project: Path, source: Path) -> None:
    small = init_table(project, source, Request("y"))
    few = small.settings["models.boosting.max_iter"]
    assert few in (50, 100)
    large = source.with_name("large.csv")
    large.write_text("a,y\n" + "".join(f"{i % 89},{abs(i % 89 - 44)}\n" for i in range(1, 2000)))
    plan = init_table(project, large, Request("y"), force=True)
    params = read_params(project / "params.yaml")
    assert params.block("model").max_iter == 200
    assert params.block("model").early_stopping == 20
    assert any(
        line.startswith(f"models.boosting.max_iter: 200, was {few}") and "as crivo ships it" in line
        for line in plan.changes
    )


def test_nothing_is_said_of_flights_where_there_are_none(project: Path, source: Path) -> None:
    init_table(project, source, Request("y"))
    assert "flight" not in (project / "params.yaml").read_text().lower()


@pytest.mark.parametrize("numeric", [True, False])
@pytest.mark.parametrize("freq", ["Y", "Q", "M", "W"])
def test_a_coarse_time_gives_settings_with_which_the_model_learns(
    tmp_path: Path, freq: str, numeric: bool
) -> None:
    """Of 1,000 rows of eight periods there are some to watch, whatever the time is written as."""
    periods = pd.Series(pd.period_range("2001-01-01", periods=8, freq=freq)).repeat(125)
    when = periods.map(lambda p: p.ordinal) if numeric else periods.dt.start_time.dt.date
    rng = np.random.default_rng(0)
    text = pd.DataFrame(
        {"when": when.to_numpy(), "x": rng.normal(size=1000), "y": rng.normal(size=1000)}
    ).to_csv(index=False)
    settings = plan_of(tmp_path, text, Request("y", time="when"))
    assert settings["models.boosting.early_stopping"] == 20
    table = {k.split(".")[2]: v for k, v in settings.items() if k.startswith("datasets.table.")}
    dataset = make_block("dataset", "table", table)
    rows = dataset.load(tmp_path)
    schema = dataset.schema(rows)
    splitter = make_block("splitter", "by_time", {"valid_from": 0.6, "test_from": 0.8})
    kept, sides, _ = divide(splitter, "by_time", rows, schema)
    assert (sides.groupby(kept["when"]).nunique() == 1).all()
    teaching = kept[sides == "train"]
    watch = stopping_mask(teaching, schema, 0.1)
    assert fit_mask(teaching["y"], watch).sum() < len(teaching)


def test_the_command_says_what_it_found_and_what_to_run(
    project: Path, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project)
    app = typer.Typer()
    init.register(app)
    result = CliRunner().invoke(app, ["init", str(source), "--target", "y", "--drop", "b"])
    assert result.exit_code == 0, result.output
    assert result.output.startswith("my rows.csv:\n  90 rows, 1 features\n")
    assert "Look at this first:\n  - There are 90 rows" in result.output
    assert result.output.endswith("Now run: dvc repro\n")
    with pytest.raises(CrivoError, match="--task is 'ranking'; expected one of binary"):
        CliRunner().invoke(
            app,
            ["init", str(source), "--target", "y", "--task", "ranking"],
            catch_exceptions=False,
        )


def test_dvc_and_git_track_the_table(tmp_path: Path) -> None:
    git = ["git", "init", "--quiet"]
    for command in (git, [sys.executable, "-m", "dvc", "init", "--quiet"]):
        subprocess.run(command, cwd=tmp_path, check=True)
    (tmp_path / "data/raw/table").mkdir(parents=True)
    (tmp_path / "data/raw/table/rows.csv").write_text(CSV)
    place.track(tmp_path)
    listed = subprocess.run(
        ["git", "ls-files", "data"], cwd=tmp_path, check=True, capture_output=True, text=True
    ).stdout.split()
    assert listed == ["data/raw/.gitignore", "data/raw/table.dvc"]
    assert not place.recorded_before(tmp_path)


def test_a_command_that_fails_is_told_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(CrivoError, match=r"`.*dvc add data/raw/table` failed: "):
        place.track(tmp_path)
