"""A fork gets the tables that earlier forks have read, as their files have them."""

from __future__ import annotations

import sys
from pathlib import Path

import pandas as pd
import pytest
from tests.crivo.core.forking import run

from crivo.repository.stage_process import StageProcess

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nothing is forked")

READING = """\
from pathlib import Path
from crivo.core import artifacts, parsed_tables
held = len(parsed_tables._parsed)
table = artifacts.read_table(Path('{path}'), {columns})
print(held, ''.join(map(str, table.to_csv(index=False).split())))
"""


def stored(process: StageProcess, *values: int, name: str = "rows.parquet") -> Path:
    path = process.folder / name
    pd.DataFrame({"a": values, "b": "x"}).to_parquet(path, index=False)
    return path


def reading(path: str = "rows.parquet", columns: list[str] | None = None) -> str:
    return READING.format(path=path, columns=columns)


def test_a_table_that_a_script_reads_is_parsed_once_for_its_later_runs(
    process: StageProcess,
) -> None:
    stored(process, 1, 2)
    said = [run(process, reading()) for _ in range(3)]
    assert said == [(0, "0 a,b1,x2,x\n"), (0, "1 a,b1,x2,x\n"), (0, "1 a,b1,x2,x\n")]


def test_another_file_in_the_place_of_a_parsed_one_is_read(process: StageProcess) -> None:
    stored(process, 1)
    run(process, reading())
    for value in (2, 3):  # files of the same size
        stored(process, value, name="new.parquet").replace(process.folder / "rows.parquet")
        assert run(process, reading()) == (0, f"1 a,b{value},x\n")


def test_what_a_stage_writes_is_read_by_it_and_not_what_was_there_before(
    process: StageProcess,
) -> None:
    stored(process, 1)
    write = "import pandas\npandas.DataFrame({'a': [9]}).to_parquet('rows.parquet', index=False)\n"
    assert run(process, write + reading()) == (0, "0 a9\n")
    assert run(process, write + reading()) == (0, "1 a9\n")


def test_a_table_that_a_stage_changes_is_as_it_was_when_it_is_read_again(
    process: StageProcess,
) -> None:
    stored(process, 1)
    again = f"{reading()}table['a'] = 7\ntable.to_numpy()\n{reading()}"
    for held in ("0", "1"):
        # The second reading finds none held: the first one took it.
        assert run(process, again) == (0, f"{held} a,b1,x\n0 a,b1,x\n")


def test_a_parsed_table_is_what_pandas_reads(process: StageProcess) -> None:
    """Types, the order of columns and categories, and what is missing."""
    table = pd.DataFrame(
        {
            "text": ["b", None, ""],
            "number": [1.5, float("nan"), -0.0],
            "whole": pd.array([1, None, 3], "Int64"),
            "flag": pd.array([True, None, False], "boolean"),
            "kind": pd.Categorical(["z", None, "a"], categories=["z", "unused", "a"]),
            "ordered": pd.Categorical(["u", "v", "u"], categories=["v", "u"], ordered=True),
            "time": pd.to_datetime(pd.Series(["2020-01-01", None, "1999-12-31"])),
            "zoned": pd.to_datetime(["2020-01-01"] * 3).tz_localize("Europe/Berlin"),
        }
    )
    table.to_parquet(process.folder / "rows.parquet", index=False, row_group_size=2)
    for columns in (None, ["zoned", "kind", "text"], []):
        text = (
            "import pandas as pd\nfrom pathlib import Path\n"
            "from crivo.core import artifacts, parsed_tables\n"
            "held = len(parsed_tables._parsed)\n"
            f"found = artifacts.read_table(Path('rows.parquet'), {columns})\n"
            f"expected = pd.read_parquet('rows.parquet', columns={columns})\n"
            "pd.testing.assert_frame_equal(found, expected, check_exact=True)\n"
            "print(held, list(found.columns) == list(expected.columns), found.attrs)\n"
        )
        run(process, text)
        assert run(process, text) == (0, "1 True {}\n")


def test_tables_wait_for_the_scripts_of_one_round_only(process: StageProcess) -> None:
    """What ran once, before the trials began, takes no memory while they run."""
    for name in ("once", "train", "evaluate"):
        stored(process, 1, name=f"{name}.parquet")
        (process.folder / f"src/{name}.py").write_text(reading(f"{name}.parquet"))
    lines: list[str] = []
    for name in ("once", "train", "evaluate", "train", "evaluate", "once"):
        assert process.run(f"python src/{name}.py", {}, lines.append) == 0
    # At its second run, `train` finds its own and that of `evaluate`, and `once` nothing.
    assert [line.split()[0] for line in lines] == ["0", "0", "0", "2", "2", "2"]


def test_a_parsed_table_that_the_stage_does_not_declare_is_refused(process: StageProcess) -> None:
    stored(process, 1)
    begin = "from crivo.core.start import start_stage\nstart_stage()\n"
    pipeline = "stages:\n  one:\n    cmd: python src/stage.py\n"
    (process.folder / "dvc.yaml").write_text(f"{pipeline}    deps: [rows.parquet]\n")
    assert run(process, begin + reading()) == (0, "0 a,b1,x\n")
    (process.folder / "dvc.yaml").write_text(pipeline)
    status, said = run(process, begin + reading())
    assert status == 1
    assert "the stage one reads rows.parquet (src/stage.py, line 6), which its entry" in said


def test_parsing_starts_no_thread(process: StageProcess) -> None:
    """A process with threads of its own can't be forked safely."""
    stored(process, *range(1000))
    count = (
        "import os\nnames = [open(f'/proc/{os.getppid()}/task/{task}/comm').read().strip() "
        "for task in os.listdir(f'/proc/{os.getppid()}/task')]\n"
        # Arrow's allocator has one, which knows about forks.
        "print(sum(name != 'jemalloc_bg_thd' for name in names))\n"
    )
    for held in ("0", "1"):
        assert run(process, reading() + count)[1].split()[0] == held
    assert run(process, reading() + count)[1].split()[-1] == "1"
