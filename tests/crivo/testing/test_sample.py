"""Few rows of raw data, in the form of the files that they are from."""

import subprocess
from pathlib import Path

import pandas as pd
import pytest

from crivo.core.errors import CrivoError
from crivo.preparation.tables.files import read_tables
from crivo.testing import sample, sample_project
from crivo.testing.sample import sample_raw

ROWS = pd.DataFrame(
    {
        "number": range(4000),
        "remark": [f'said "no";\nthen {i}' for i in range(4000)],
        "won": ["yes" if i % 400 == 0 else "no" for i in range(4000)],
    }
)


@pytest.fixture
def raw(tmp_path: Path) -> Path:
    (tmp_path / "raw").mkdir()
    return tmp_path / "raw"


def sampled(raw: Path, rows: int, **settings: object) -> pd.DataFrame:
    sample_raw(raw, raw.with_name("few"), settings, rows)
    return read_tables(raw.with_name("few"))


@pytest.mark.parametrize(
    ("name", "separator"),
    [("a.csv", ";"), ("a.csv.gz", ","), ("a.csv.zip", ";"), ("a.csv.xz", ","), ("a.csv.bz2", ";")],
)
def test_text_has_the_same_cells_and_whole_rows(raw: Path, name: str, separator: str) -> None:
    ROWS.to_csv(raw / name, index=False, sep=separator)
    before = (raw / name).read_bytes()
    found = sampled(raw, 100)
    wanted = ROWS[::40].astype("str").reset_index(drop=True)
    pd.testing.assert_frame_equal(found, wanted)
    assert (raw / name).read_bytes() == before


def test_parquet_keeps_its_types_and_a_workbook_is_kept_whole(raw: Path) -> None:
    ROWS.to_parquet(raw / "a.parquet")
    assert sampled(raw, 100)["number"].tolist() == list(range(0, 4000, 40))
    (raw / "a.parquet").unlink()
    raw.with_name("few").joinpath("a.parquet").unlink()
    ROWS[:9].to_excel(raw / "a.xlsx", index=False)
    assert len(sampled(raw, 5)) == 9


def test_of_a_rare_class_all_rows_are_kept_and_several_parts_share_the_rows(raw: Path) -> None:
    ROWS.to_csv(raw / "a.csv", index=False)
    found = sampled(raw, 100, target="won")
    assert found["won"].value_counts().to_dict() == {"no": 100, "yes": 10}
    assert found["number"].astype(int).is_monotonic_increasing
    assert len(sampled(raw, 100, target="number")) == 100
    ROWS[:2000].to_csv(raw / "a.csv", index=False)
    ROWS[2000:].to_csv(raw / "b.csv", index=False)
    assert len(sampled(raw, 100, target="number")) == 100


def test_without_a_target_only_the_largest_table_is_cut(raw: Path) -> None:
    """The others are looked up by keys in it."""
    ROWS.to_csv(raw / "large.csv", index=False)
    ROWS[:300].to_csv(raw / "small.csv", index=False)
    (raw / "notes.pdf").write_bytes(b"words")
    sample_raw(raw, raw.with_name("few"), {}, 100)
    few = raw.with_name("few")
    assert [len(pd.read_csv(few / name)) for name in ("large.csv", "small.csv")] == [100, 300]
    assert (few / "notes.pdf").read_bytes() == b"words"


def test_without_raw_data_it_says_how_to_bring_them(tmp_path: Path) -> None:
    (tmp_path / "params.yaml").write_text("dataset: table\n")
    with pytest.raises(CrivoError, match="data/raw/table is not there; fetch it with `dvc pull`"):
        sample_project(tmp_path, tmp_path / "few")


def test_a_sample_of_a_project_is_a_repository_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else its commits would be the project's, in whose folder it may lie."""
    monkeypatch.setattr(sample, "_dvc", lambda *command: None)
    (tmp_path / "params.yaml").write_text("dataset: table\nprepare: {}\n")
    (tmp_path / "data/raw/table").mkdir(parents=True)
    ROWS.to_csv(tmp_path / "data/raw/table/a.csv", index=False)
    subprocess.run(["git", "init", "--quiet"], cwd=tmp_path, check=True)
    few = sample_project(tmp_path, tmp_path / "few", rows=100)
    assert (few / ".git").is_dir()
    assert len(pd.read_csv(few / "data/raw/table/a.csv")) == 100
