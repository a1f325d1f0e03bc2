"""A trial in a checkout: what is run and printed, what its commit records, and why it fails."""

import json
import logging
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from crivo.core.errors import CrivoError
from crivo.repository.git import open_repository
from crivo.repository.trial_run import StageFailed, TrialRun, read_measured
from crivo.runtime.timing import TIMES, timed
from tests.crivo.experiments.repository import Project

RATE = "models.boosting.learning_rate"
# A stage that notes its time, changes a file that isn't its own, and leaves a repository.
PLANTED = f"""
import json, os, subprocess
print("name", os.environ["DVC_EXP_NAME"], "from", os.environ["DVC_EXP_BASELINE_REV"])
with open(os.environ["{TIMES}"], "a") as file:
    file.write(json.dumps({{"what": "fit", "seconds": settings["seed"], "rows": 9}}) + "\\n")
assert not os.path.exists("left")
subprocess.run(["git", "init", "-q", "left"], check=True)
open(".dvcignore", "a").write("#")
assert open"""


@contextmanager
def checkout(project: Project, turns: Path | None = None) -> Iterator[TrialRun]:
    """Give the project itself as the checkout; its stages are processes of their own."""
    run = TrialRun(open_repository(project.folder), {"CRIVO_ENVIRONMENT": "warn"}, turns)
    try:
        yield run
    finally:
        run.close()


def change(project: Project, path: str, old: str, new: str) -> None:
    text = (project.folder / path).read_text()
    assert old in text
    (project.folder / path).write_text(text.replace(old, new))
    project.git("commit", "--quiet", "--all", "--allow-empty", "--message", "Change something")


RAN = """'data/raw/numbers.dvc' didn't change, skipping
Running stage 'train':
> python src/train.py
name {name} from {base}
Running stage 'evaluate':
> python src/evaluate.py
"""
KNOWN = """'data/raw/numbers.dvc' didn't change, skipping
Stage 'train' is cached - skipping run, checking out outputs
Stage 'evaluate' is cached - skipping run, checking out outputs
"""
MODEL = ["metrics/evaluation/intervals.csv", "metrics/evaluation/jackknife.csv"]


def test_trials_of_a_checkout_have_nothing_of_each_other(
    toy: Project, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    toy.git("rm", "--quiet", "--cached", "metrics/toy.json")  # each records its own
    (toy.folder / "requirements.txt").write_text("# DVC warns of an empty file.\n")
    change(toy, "src/train.py", "\nassert open", PLANTED)
    (toy.folder / "models/model.skops").write_text("changed by hand")
    turns, base, log = toy.folder.with_name("turns"), toy.head(), logging.getLogger("dvc")
    caplog.set_level("WARNING", "dvc")
    before = log.handlers, log.level, log.propagate
    with checkout(toy, turns) as run:
        with pytest.raises(StageFailed, match="^the stage train failed$"):
            run.run(["seed=666"], "unlucky", "No")
        for name, changes, seconds, printed, changed in (
            ("rate", [f"{RATE}=0.3", "seed=2"], 2, RAN, MODEL),
            ("block", ["evaluate.block=9"], 13, RAN, []),
            ("again", [f"{RATE}=0.3", "seed=2"], None, KNOWN, MODEL),
        ):
            capfd.readouterr()
            ref = run.run(changes, name, f"Try {name}\n\nCrivo-Kind: trial")
            assert capfd.readouterr().out == printed.format(name=name, base=base)
            assert [*run.times.values()] == ([{"fit": seconds}] if seconds else [])
            assert all(f"md5: {one}\n" in toy.git("show", f"{ref}:dvc.lock") for one in run.times)
            assert ref == f"refs/exps/{base[:2]}/{base[2:]}/{name}"
            assert toy.git("log", "-1", "--format=%P %B", ref) == (
                f"{base} Try {name}\n\nCrivo-Kind: trial"
            )
            names = ["dvc.lock", *changed, "metrics/toy.json", "params.yaml"]
            assert toy.git("diff", "--name-only", base, ref).split("\n") == names
            assert toy.git("diff", "--name-only") == ".dvcignore" * bool(seconds)
    assert (log.handlers, log.level, log.propagate) == before
    # Of the model with these settings there is one turn, and of the evaluation of each.
    assert len([*turns.iterdir()]) == 6


def test_raw_data_that_changed_are_recorded(toy: Project) -> None:
    with checkout(toy) as run:
        (toy.folder / "data/raw/numbers/some.csv").write_text("2\n")
        ref = run.run(["seed=2"], "other", "Other data")
    assert "data/raw/numbers.dvc" in toy.git("diff", "--name-only", "HEAD", ref)


# A change of the project, and why a trial with a setting has no result then.
FAILED = re.findall(
    r"^## (.*): (.*) -> (.*)\n(.*): (\w+): (.*)\n",
    Path(__file__).with_name("failed.txt").read_text(encoding="utf-8"),
    re.MULTILINE,
)


@pytest.mark.parametrize(("path", "old", "new", "setting", "kind", "said"), FAILED)
def test_why_there_is_no_result_is_a_sentence_and_nothing_is_recorded(
    toy: Project, path: str, old: str, new: str, setting: str, kind: str, said: str
) -> None:
    for start, folder in (("Outputs", "models"), ("The stage data", "data/raw/numbers")):
        if said.startswith(start):
            shutil.rmtree(toy.folder / ".dvc/cache/files")
            shutil.rmtree(toy.folder / folder)
    change(toy, path, old, new.replace("\\n", "\n"))
    with checkout(toy) as run, pytest.raises(CrivoError) as failed:
        run.run([setting], "other", "No")
    assert (type(failed.value).__name__, str(failed.value)) == (kind, said)
    assert toy.git("for-each-ref", "refs/exps") == ""


def test_what_is_timed_is_noted_where_a_file_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "times.jsonl"
    with timed("fit", 4):
        pass
    monkeypatch.setenv(TIMES, str(place))
    with timed("predict", 4):
        pass
    (line,) = map(json.loads, place.read_text().splitlines())
    assert (line["what"], line["rows"]) == ("predict", 4)
    assert line["seconds"] >= 0


def test_predicting_is_measured_by_row_on_the_first_rows(tmp_path: Path) -> None:
    place = tmp_path / "times.jsonl"
    noted = [("fit", 3.0, 100), ("predict", 2.0, 50), ("predict", 9.0, 50)]
    lines = [dict(zip(("what", "seconds", "rows"), one, strict=True)) for one in noted]
    place.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    assert read_measured(place) == {"fit": 3.0, "predict": 0.04}
    assert not place.exists()
