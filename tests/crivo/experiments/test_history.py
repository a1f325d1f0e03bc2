"""Which experiments a clone knows, and how they are found by name."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from crivo.core.errors import CrivoError
from crivo.records.history import read_history, reference
from crivo.repository.git import open_repository
from tests.crivo.experiments.repository import Project, evaluated, settings
from tests.crivo.experiments.tried import MAIN, SLOW

ONE = evaluated(0.7)
TWO = evaluated(0.8)


def names(project: Project) -> list[str]:
    history = read_history(project.folder)
    return [record.name for record in history.trials + history.tips]


def test_experiments_branches_and_tags_of_commits_are_listed_once(project: Project) -> None:
    first = project.commit(ONE)
    revision = project.trial("slow", TWO)
    project.git("branch", "slower", revision)
    second = project.commit(TWO, parent=first)
    project.git("tag", "-a", "v1", first, "-m", "Of a commit")
    blob = project.git("hash-object", "-w", "--stdin", given="x")
    project.git("tag", "-a", "odd", blob, "-m", "x")
    for name in ("exec/EXEC_HEAD", "stash", "celery/stash", "apply/ORIG_HEAD", "temp/abc"):
        project.git("update-ref", f"refs/exps/{name}", second)  # what DVC keeps for itself
    assert names(project) == ["slow", "main", "v1"]


def test_a_commit_that_only_carries_an_evaluation_along_is_the_same_record(
    project: Project,
) -> None:
    """Once another took its place on the branch, it has no name."""
    first = project.commit(ONE, message="Run", author="Rui")
    second = project.commit({**ONE, "README": "x"}, parent=first)
    project.git("tag", "v1", first)
    history = read_history(project.folder)
    (record,) = history.tips
    assert (record.name, record.origin.revision, record.origin.author) == ("main", first, "Rui")
    assert history.find(second) is record
    project.git("tag", "-d", "v1")
    project.commit(TWO, parent=second)
    _, older = read_history(project.folder).commits
    assert older.origin.revision == first


def test_of_commits_of_one_second_the_first_made_an_evaluation(project: Project) -> None:
    first = project.commit(ONE, ref="refs/heads/a")
    parent = first
    for files in (TWO, ONE):
        project.clock -= 60  # git's times are whole seconds
        parent = project.commit(files, parent=parent)
    records = read_history(project.folder).tips
    assert [(one.name, one.origin.revision) for one in records] == [("main", first)]


def test_anything_that_names_a_commit_finds_its_record(project: Project) -> None:
    first = project.commit(ONE)
    project.trial("slow", TWO)
    before = sorted(path for path in project.folder.rglob("*"))
    history = read_history(project.folder)
    (main,) = history.tips
    for name in ("HEAD", first[:8], "main"):
        assert history.find(name) is main
    assert history.parent(history.find("slow")) is main
    assert sorted(path for path in project.folder.rglob("*")) == before  # reading writes nothing


def test_a_name_used_twice_means_the_one_of_the_commit_that_is_checked_out(
    project: Project,
) -> None:
    first = project.commit(ONE)
    older = project.trial("slow", ONE, parent=first)
    project.commit(TWO, parent=first)
    newer = project.trial("slow", TWO)
    history = read_history(project.folder)
    assert history.find("slow").origin.revision == newer
    full = reference(next(one for one in history.trials if one.origin.revision == older))
    assert history.find(full).origin.revision == older


def test_a_name_that_means_none_or_several_is_refused_with_what_to_do(
    project: Project, tmp_path: Path
) -> None:
    first = project.commit(ONE)
    second = project.commit(TWO, parent=first)
    for parent in (first, second):
        project.trial("slow", TWO, parent=parent)
    project.trial("boosting-max_iter=400", TWO)
    project.commit(ONE, parent=second)
    history = read_history(project.folder)
    with pytest.raises(CrivoError, match="2 experiments named 'slow'.*refs/exps/"):
        history.find("slow")
    with pytest.raises(CrivoError, match=r"did you mean `boosting-max_iter=400`\?$"):
        history.find("boosting-max_iter=40")
    project.git("clone", "--quiet", str(project.folder), str(tmp_path / "clone"))
    with pytest.raises(CrivoError, match=r"no experiments, .*`crivo fetch` fetches"):
        read_history(tmp_path / "clone").find("slow")


def test_a_commit_without_an_evaluation_is_read_all_the_same(project: Project) -> None:
    first = project.commit({"README": "x"})
    project.commit(ONE, parent=first)
    record = read_history(project.folder).find(first)
    assert record.key == ()
    assert open_repository(project.folder).commit(first) == record.origin.revision


def test_a_folder_inside_of_a_project_is_not_taken_for_one_without_experiments(
    tried: Project,
) -> None:
    inside = tried.folder / "src/blocks"
    inside.mkdir(parents=True)
    read_history(inside)  # a folder of a repository without any pipeline has no experiments
    (tried.folder / "dvc.yaml").write_text("stages: {}\n")
    with pytest.raises(CrivoError, match="is inside the project .*project; run this there"):
        read_history(inside)
    (inside / "dvc.yaml").write_text("stages: {}\n")
    read_history(inside)


FILES = evaluated(0.72, 0.003, settings=SLOW)


@pytest.mark.parametrize(
    ("name", "message", "kind"),
    [
        ("x-fold=1of6", "Slower\n\nCrivo-Kind: trial", "trial"),
        ("plain", "again\n\nCrivo-Kind: seed", "seed"),
        ("x-fraction=0.5", "again\n\nCrivo-Kind: fold", "fold"),
        ("x-test", "again\n\nCrivo-Kind: part", "part"),
        ("x-seed=7", "again\n\nCrivo-Kind: test", "test"),
        # What no commit says is known by the name that crivo gave, unless DVC made it.
        ("slow-fold=1of2", "again", "fold"),
        ("slow-fraction=0.5", "again", "part"),
        ("slow-steps=1of2", "again", "part"),
        ("slow-fold=1of2", "dvc: commit experiment 0a", "trial"),
        # No known kind is a trial.
        ("odd", "Odd\n\nCrivo-Kind: another", "trial"),
        ("odd", "Odd\n\nCrivo-Kind: fold\n  steps", "trial"),
        ("odd", "Odd\n\nCrivo-Kind fold", "trial"),
    ],
)
def test_a_commit_says_the_kind(project: Project, name: str, message: str, kind: str) -> None:
    project.commit(MAIN)
    project.trial(name, FILES, message=message)
    found = read_history(project.folder).find(name)
    assert (found.kind, found.origin.message) == (kind, message.partition("\n")[0])


def test_a_removed_fold_stays_one(project: Project) -> None:
    project.commit(MAIN)
    plan = settings(compare={"planned_trials": 2, "planned_looks": 3})
    told = {"settings": plan, "rows": "r2", "sample": ["a", "b"], "model": "m"}
    for name, split in (("mine", "valid"), ("more", "valid"), ("look", "test")):
        files = evaluated(0.8, split=split, predictions=f"p{name}", **told)
        project.trial(name, files, kind="fold")
    history, file = read_history(project.folder), project.folder / "metrics/trials.csv"
    assert (history.count_on(), history.count_on()) == (True, False)
    text = file.read_text()
    expected = Path(__file__).with_name("trials.csv").read_text(encoding="utf-8")
    assert re.sub(r"\b[0-9a-f]{40}\b", "HASH", text) == expected
    for ref in project.git("for-each-ref", "--format=%(refname)", "refs/exps").split():
        project.git("update-ref", "-d", ref)
    lost = {one.name: one for one in read_history(project.folder).removed}
    for mine in history.trials:
        one, key = lost[mine.name], "planned_looks" if mine.split == "test" else "planned_trials"
        assert one.hashes == mine.hashes
        assert one.settings == {"compare": {key: plan["compare"][key]}}
        assert one.origin == replace(mine.origin, message="")
        assert one.about == {key: mine.about[key] for key in ("rows", "sample", "split")}
    first = "\n".join(text.splitlines()[:2])
    first = first.replace(",kind,split,", ",").replace(",mine,fold,valid,", ",mine-fold=1of2,")
    file.write_text(first)
    (old,) = read_history(project.folder).removed
    assert (old.kind, old.split) == ("fold", "valid")
    file.write_text(text.splitlines()[0].removesuffix(",sample"))
    with pytest.raises(CrivoError, match="lacks columns: sample; it counts trials, so restore"):
        read_history(project.folder)
