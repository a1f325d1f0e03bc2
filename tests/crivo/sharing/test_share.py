"""Sharing an experiment: all of it arrives, or a sentence says what would not."""

from __future__ import annotations

from contextlib import chdir

import pytest

from crivo.core.errors import CrivoError
from crivo.records.noted import remark
from crivo.repository.dvc_project import edit_config
from crivo.repository.dvc_remote import Storage, StoredFile
from crivo.sharing import share
from tests.crivo.sharing.mini import STAGES, Mini

# The model, two plots and their listing, one raw file and its listing.
FILES = 6


def raw(mini: Mini) -> str:
    """Return the hash of the raw data's listing."""
    return mini.git("show", "HEAD:raw.dvc").split("md5: ")[1].split()[0]


def refused(mini: Mini, words: str, name: str = "trial") -> None:
    """Sharing is refused with these words, and the experiment is not on the git remote."""
    with pytest.raises(CrivoError, match=words):
        share(name, folder=mini.folder)
    assert mini.shared() == []


def configure(mini: Mini, old: str, new: str, *, committed: bool = True) -> None:
    """Change the configuration that names the remote."""
    mini.write(".dvc/config", mini.config().replace(old, new) if old else new)
    if committed:
        mini.commit()


def set_hook(mini: Mini, name: str, script: str) -> None:
    """Let the git remote run a script."""
    file = mini.folder.parent / "hub.git/hooks" / name
    file.write_text(f"#!/bin/sh\n{script}\n")
    file.chmod(0o755)


def test_all_trials_and_what_is_said_of_it_go_along(mini: Mini) -> None:
    """Also a trial that was removed after it was counted; none of their data."""
    remark("trial", "star", "", folder=mini.folder)
    remark("trial", "note", "try this first", mini.folder)
    shared = share("trial", folder=mini.folder)
    told = [shared.name, shared.ref, shared.git_remote, shared.storage, shared.url, shared.files]
    assert told == ["trial", mini.ref("trial"), "origin", "storage", str(mini.store), FILES]
    sizes = [path.stat().st_size for path in mini.store.rglob("*") if path.is_file()]
    assert (shared.size, shared.uploaded, shared.notes, shared.trials) == (sum(sizes), FILES, (), 2)
    refs = mini.git("-C", "../hub.git", "for-each-ref", "--format=%(refname)", "refs/crivo").split()
    assert sorted(ref.split("/")[2] for ref in refs) == ["ledger", "trials", "trials"]
    assert "try this first" in mini.git("-C", "../hub.git", "cat-file", "-p", refs[0])
    mini.git("update-ref", "-d", mini.ref("early"))
    again = share("trial", folder=mini.folder)
    assert (again.trials, again.uploaded) == (2, 0)


def test_an_experiment_older_than_the_remote_arrives_with_the_command_that_brings_it(
    mini: Mini,
) -> None:
    from dvc.repo import Repo

    shared = share("early", folder=mini.folder)
    assert shared.uploaded == FILES
    (note,) = shared.notes
    assert f"`dvc remote add --local --default storage {mini.store}`" in note
    mini.git("clone", "--quiet", "../hub.git", "../clone")
    clone = mini.folder.parent / "clone"
    with edit_config(clone) as config:  # what that command does
        config["remote"]["storage"] = {"url": str(mini.store)}
        config["core"]["remote"] = "storage"
    with chdir(clone):
        Repo().experiments.pull("origin", ["early"], pull_cache=True)
        Repo().experiments.apply("early")
        assert Repo().status() == {}
    assert (clone / "model.txt").read_text() == "model of a: 2\n"


@pytest.mark.parametrize("path", ["model.txt", "plots"])
def test_what_is_not_in_the_cache_is_named_unless_the_remote_has_it(mini: Mini, path: str) -> None:
    place = mini.cached(mini.hashes(mini.ref("trial"), path))
    content = place.read_bytes()
    place.unlink()
    refused(mini, f"DVC cache nor the remote has all of {path} of trial")
    place.write_bytes(content)
    share("trial", folder=mini.folder)
    if path == "model.txt":
        place.unlink()
        assert share("trial", folder=mini.folder).uploaded == 0


def test_a_damaged_copy_is_not_spread(mini: Mini) -> None:
    place = mini.cached(mini.hashes(mini.ref("trial")))
    place.chmod(0o644)
    place.write_text("Model of a: 3\n")
    refused(mini, "The stored copy of model.txt is damaged")
    assert not mini.stored(mini.hashes(mini.ref("trial"))).exists()


def test_what_the_remote_lost_or_cut_off_is_sent_again(mini: Mini) -> None:
    share("trial", folder=mini.folder)
    model = mini.stored(mini.hashes(mini.ref("trial")))
    (plot,) = (path for path in mini.store.rglob("*") if path.is_file()
               and path.read_text() == "a of a: 3\n")  # fmt: skip
    plot.unlink()  # the folder's listing, which DVC trusts, is there
    whole = model.read_bytes()
    model.chmod(0o644)
    model.write_bytes(whole[:-1])
    assert share("trial", folder=mini.folder).uploaded == 2
    assert plot.exists()
    assert model.read_bytes() == whole


def test_what_changed_on_its_way_or_did_not_arrive_is_told(
    mini: Mini, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("crivo.repository.dvc_remote.PAUSE", 0)
    upload = Storage._upload
    with monkeypatch.context() as patched:
        patched.setattr(Storage, "_upload", lambda storage, files: None)
        refused(mini, "and 3 more did not arrive completely in storage")

    def badly(storage: Storage, files: list[object]) -> None:
        upload(storage, files)
        place = mini.stored(mini.hashes(mini.ref("trial")))
        place.chmod(0o644)
        place.write_text("Model of a: 3\n")

    monkeypatch.setattr(Storage, "_upload", badly)
    refused(mini, r"model\.txt did not arrive completely in storage")


def test_a_file_that_another_upload_replaces_is_looked_for_again(
    mini: Mini, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where a file can't be cloned, DVC takes it away before it copies it."""
    monkeypatch.setattr("crivo.repository.dvc_remote.PAUSE", 0)
    model = mini.stored(mini.hashes(mini.ref("trial")))
    aside, damaged = model.with_suffix(".aside"), Storage._damaged

    def taken_away(storage: Storage, odb: object, files: list[StoredFile]) -> list[StoredFile]:
        if odb is not storage.files:
            return damaged(storage, odb, files)
        monkeypatch.setattr(Storage, "_damaged", damaged)
        model.rename(aside)
        found = damaged(storage, odb, files)
        aside.rename(model)
        return found

    monkeypatch.setattr(Storage, "_damaged", taken_away)
    assert share("trial", folder=mini.folder).uploaded == FILES


def test_raw_data_that_never_entered_the_cache_are_stored_unless_they_changed(mini: Mini) -> None:
    mini.cached(raw(mini)).unlink()
    mini.write("raw/rows.csv", "x\n2\n")
    refused(mini, "raw of trial; run the experiment again")
    mini.write("raw/rows.csv", "x\n1\n")
    assert share("trial", folder=mini.folder).uploaded == FILES
    assert mini.git("status", "--porcelain") == ""


def test_a_git_remote_out_of_reach_is_told_before_anything_is_uploaded(mini: Mini) -> None:
    mini.git("remote", "set-url", "origin", "../gone.git")
    refused(mini, "The git remote origin can't be used: .*gone.git")
    assert not list(mini.store.iterdir())
    mini.git("remote", "remove", "origin")
    refused(mini, "The git remote origin can't be used: .*check its name")


@pytest.mark.parametrize(
    ("hook", "script", "words"),
    [
        ("update", "echo; echo ==; echo no; exit 1", r"refuses refs/exps or .*/trials \(no\);"),
        ("update", "echo 'unpacker error'; exit 1", "origin can't be used: unpacker error; check"),
        ("post-receive", "while read a b ref; do git update-ref -d $ref; done", "drops references"),
    ],
)
def test_a_git_remote_that_refuses_is_told(mini: Mini, hook: str, script: str, words: str) -> None:
    set_hook(mini, hook, script)
    refused(mini, words)


def test_a_server_that_drops_trials_is_noted(mini: Mini) -> None:
    drop = "case $ref in refs/crivo/trials/*) git update-ref -d $ref;; esac"
    set_hook(mini, "post-receive", f"while read a b ref; do {drop}; done")
    (note,) = share("trial", folder=mini.folder).notes
    assert note.startswith("origin keeps 0 of 2 trials, because its server drops references below")


@pytest.mark.parametrize("times", [3, 4])
def test_a_push_that_meets_another_is_tried_four_times(
    mini: Mini, monkeypatch: pytest.MonkeyPatch, times: int
) -> None:
    monkeypatch.setattr("crivo.repository.git_remote.PAUSE", 0)
    met = f"echo >>met; test $(wc -l <met) -le {times} || exit 0"
    set_hook(mini, "pre-receive", f"{met}; echo cannot lock ref >&2; exit 1")
    if times == 4:
        refused(mini, "origin can't be used: cannot lock ref; check its name")
    else:
        assert share("trial", folder=mini.folder).uploaded == FILES


def test_another_experiment_of_that_name_is_not_overwritten(mini: Mini) -> None:
    mini.git("push", "--quiet", "origin", f"HEAD:{mini.ref('trial')}")
    with pytest.raises(CrivoError, match="origin has another experiment trial"):
        share("trial", folder=mini.folder)


def test_a_remote_that_is_not_configured_is_told(mini: Mini) -> None:
    configure(mini, "", "[core]\n    unheard = of\n", committed=False)
    refused(mini, "DVC can't read the project: config .*unheard")
    configure(mini, "remote = storage", "")
    refused(mini, "There is no DVC remote by default")
    configure(mini, "", "")
    refused(mini, "There is no DVC remote by default", "early")
    (mini.folder / ".dvc/tmp").rename(mini.folder / ".dvc/old")
    mini.write(".dvc/tmp", "a file")
    refused(mini, "^DVC can't work on the project: .*tmp")


def test_a_remote_that_cannot_be_written_is_one_sentence(mini: Mini) -> None:
    mini.stored(mini.hashes(mini.ref("trial"))).mkdir(parents=True)
    refused(mini, r"The DVC remote storage .* can't be used")


def test_a_remote_that_the_experiment_does_not_know_so_is_noted(mini: Mini) -> None:
    """It was added since, is kept out of git, or has an address relative to a folder."""
    for old, new in (("/store", "/other"), ("storage", "another")):
        configure(mini, old, new, committed=False)
        (note,) = share("trial", folder=mini.folder).notes
        assert "another configuration of" in note
    configure(mini, str(mini.store), "../../../store")
    mini.experiment("near", a=4)
    (note,) = share("near", folder=mini.folder).notes
    assert "`dvc remote add --local --default storage /" in note
    configure(mini, "", "")
    mini.experiment("alone", a=5)
    mini.write(".dvc/config.local", mini.config())
    (note,) = share("alone", folder=mini.folder).notes
    assert f"`dvc remote add --local --default storage {mini.store}`" in note


def test_an_output_that_is_kept_back_stays(mini: Mini) -> None:
    mini.write("dvc.yaml", STAGES.replace("model.txt", "{model.txt: {push: false}}"))
    mini.commit()
    mini.git("push", "--quiet", "origin", "main")
    mini.experiment("secret", a=4)
    shared = share("secret", folder=mini.folder)
    assert shared.files == FILES - 1


def test_what_is_not_wholly_recorded_is_refused(mini: Mini) -> None:
    (mini.folder / ".git/info/exclude").write_text("metrics.json\n")
    mini.git("rm", "--quiet", "--cached", "metrics.json")
    mini.commit()
    mini.experiment("hidden", run=False, a=1)
    refused(mini, "hidden has no record of metrics.json", "hidden")
    mini.git("rm", "--quiet", "dvc.lock")
    mini.commit()
    mini.experiment("unrun", run=False, a=5)
    refused(mini, "unrun has no record of model.txt, plots", "unrun")


@pytest.mark.parametrize("path", ["dvc.lock", "raw.dvc"])
def test_a_malformed_experiment_is_refused_and_the_others_are_shared(mini: Mini, path: str) -> None:
    mini.write(path, "outs: hi\nstages: hi")
    mini.git("add", "--force", path)
    tree, head = (mini.git(*one).strip() for one in (["write-tree"], ["rev-parse", "HEAD"]))
    commit = mini.git("commit-tree", tree, "-p", head, "-m", "Bad").strip()
    mini.git("update-ref", f"refs/exps/{head[:2]}/{head[2:]}/bad", commit)
    mini.git("reset", "--quiet", "--hard")
    with pytest.raises(CrivoError, match=f"{path}|has no record of"):
        share("bad", folder=mini.folder)
    assert share("trial", folder=mini.folder).name == "trial"
