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
        "won": ["rare" if i % 400 == 0 else "yes" if i % 20 == 9 else "no" for i in range(4000)],
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
    {"a.tsv.gz": "\t", "A.TXT.zip": ";", "a.data.xz": ",", "a.tab.bz2": ";", "a.dat": ","}.items(),
)
def test_text_has_the_same_cells_and_whole_rows(raw: Path, name: str, separator: str) -> None:
    ROWS.to_csv(raw / name, index=False, sep=separator)
    before = (raw / name).read_bytes()
    found = sampled(raw, 100)
    wanted = ROWS[::40].astype("str").reset_index(drop=True)
    pd.testing.assert_frame_equal(found, wanted)
    assert (raw / name).read_bytes() == before


def test_text_is_read_and_written_as_the_settings_say(raw: Path) -> None:
    (raw / "a.csv").write_bytes("é|1\nü|2\n".encode("cp1252"))
    settings = {"delimiter": "|", "encoding": "cp1252", "header": False}
    sample_raw(raw, raw.with_name("few"), settings, 1)
    assert (raw.with_name("few") / "a.csv").read_bytes() == "é|1\n".encode("cp1252")


def test_parquet_keeps_its_types_and_a_workbook_is_kept_whole(raw: Path) -> None:
    for name in ("a.pq", "a.parquet"):
        ROWS.to_parquet(raw / name)
        assert sampled(raw, 100)["number"].tolist() == list(range(0, 4000, 40))
        (raw / name).unlink()
        raw.with_name("few").joinpath(name).unlink()
    ROWS[:9].to_excel(raw / "a.xlsx", index=False)
    assert len(sampled(raw, 5)) == 9


def test_of_each_class_sixty_rows_are_kept_and_several_parts_share_the_rows(raw: Path) -> None:
    ROWS.to_csv(raw / "a.csv", index=False)
    found = sampled(raw, 100, target="won")
    assert found["won"].value_counts().to_dict() == {"no": 95, "yes": 60, "rare": 10}
    assert found["number"].astype(int).is_monotonic_increasing
    for values, kept in ((30, 1800), (31, 100)):
        ROWS.assign(won=ROWS["number"] % values).to_csv(raw / "a.csv", index=False)
        assert len(sampled(raw, 100, target="won")) == kept
    ROWS[:2000].to_csv(raw / "a.csv", index=False)
    ROWS[2000:].to_csv(raw / "b.csv", index=False)
    assert [len(sampled(raw, rows, target="number")) for rows in (100, 1)] == [100, 2]


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
    project, few, asked, failed = tmp_path, tmp_path / "few", [], []

    def run(command: tuple[str, ...], folder: Path, unset: dict[str, None]) -> object:
        asked.append((*command, folder, unset["DVC_STAGE"], "PATH" in unset))
        return subprocess.CompletedProcess(command, len(failed), "out", "err")

    monkeypatch.setattr(sample, "run_dvc", run)
    monkeypatch.setenv("DVC_STAGE", "train")
    table = "data/raw/table"
    texts = dict.fromkeys(("a/b/one.py", "a/b/two.py", "dvc.lock", f"{table}.dvc", "x.tmp"), "")
    texts |= {".gitignore": f"*.tmp\n/few\n/again\n/{table}\n"}
    texts |= {f"{table}/a.csv": ROWS.to_csv(index=False)}
    texts |= {"params.yaml": "dataset: table\ndatasets: {table: {target: won}}\nprepare: {}\n"}
    for name, text in texts.items():
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(text)
    subprocess.run(["git", "init", "--quiet"], cwd=project, check=True)
    assert sample_project(project, few, rows=100) == few
    assert asked == [("add", "--quiet", table, few, None, False), ("repro", few, None, False)]
    log = ["git", "log", "--format=%an <%ae> %s"]
    said = subprocess.check_output(log, cwd=few, text=True).splitlines()
    by = "Sample <sample@example.org>"
    assert said == [f"{by} Record the results", f"{by} Take few rows"]
    assert len(pd.read_csv(few / table / "a.csv")) == 95 + 60 + 10
    assert "quarantine_limit: 1.0" in (few / "params.yaml").read_text()
    files = {path.relative_to(few).as_posix() for path in few.rglob("*") if path.is_file()}
    assert {one for one in files if ".git/" not in one} == texts.keys() - {"dvc.lock", "x.tmp"}
    failed.append("repro")
    with pytest.raises(
        CrivoError, match="`dvc add .*` failed on a few rows of the project:\nout\nerr"
    ):
        sample_project(project, project / "again")
