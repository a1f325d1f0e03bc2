"""Sharing an experiment: all of it arrives, or a sentence says what would not."""

from contextlib import chdir

import pytest

from crivo.core.errors import CrivoError
from crivo.records.noted import add_note, set_star
from crivo.repository.dvc_remote import Storage
from crivo.repository.git import open_repository
from crivo.repository.remote_config import Configured, configured
from crivo.sharing import share
from tests.crivo.sharing.mini import STAGES, Mini

# The model, two plots and their listing, one raw file and its listing.
FILES = 6


def trial(mini: Mini) -> str:
    """Return the reference of the experiment `trial`."""
    return next(ref for ref in mini.git("for-each-ref", "--format=%(refname)").split()
                if ref.endswith("/trial"))  # fmt: skip


def raw(mini: Mini) -> str:
    """Return the hash of the raw data's listing."""
    return mini.git("show", "HEAD:raw.dvc").split("md5: ")[1].split()[0]


def refused(mini: Mini, words: str, name: str = "trial", **options: str) -> None:
    """Sharing is refused with these words, and the experiment is not on the git remote."""
    with pytest.raises(CrivoError, match=words):
        share(name, folder=mini.folder, **options)
    assert mini.shared() == []


def test_its_notes_and_its_star_arrive_with_it(mini: Mini) -> None:
    set_star("trial", True, mini.folder)
    add_note("trial", "try this first", mini.folder)
    add_note("early", "not this one", mini.folder)
    assert share("trial", folder=mini.folder).notes == ()
    refs = mini.git("ls-remote", "origin", "refs/crivo/notes/*").splitlines()
    revision = mini.git("rev-parse", trial(mini)).strip()
    assert [ref.split("/")[3] for ref in refs] == [revision] * 2


def test_an_experiment_older_than_the_remote_arrives_too(mini: Mini) -> None:
    from dvc.repo import Repo

    with chdir(mini.folder):
        pushed = Repo().experiments.push("origin", ["early"], push_cache=True)
    assert pushed["uploaded"] == 0  # what DVC does, with a message of success
    shared = share("early", folder=mini.folder)
    assert shared.uploaded == FILES
    (note,) = shared.notes
    assert f"`dvc remote add --local --default storage {mini.store}`" in note


def test_a_file_that_is_not_in_the_cache_is_named(mini: Mini) -> None:
    mini.cached(mini.hashes(trial(mini))).unlink()
    refused(mini, "model.txt of trial is not in this clone's DVC cache")


def test_a_folder_that_is_not_in_the_cache_is_named(mini: Mini) -> None:
    mini.cached(mini.hashes(trial(mini), "plots")).unlink()
    refused(mini, "plots of trial is not in this clone's DVC cache")


def test_a_file_that_only_the_remote_has_is_no_loss(mini: Mini) -> None:
    share("trial", folder=mini.folder)
    mini.cached(mini.hashes(trial(mini))).unlink()
    assert share("trial", folder=mini.folder).uploaded == 0


def test_a_damaged_copy_is_not_spread(mini: Mini) -> None:
    place = mini.cached(mini.hashes(trial(mini)))
    place.chmod(0o644)
    place.write_text("Model of a: 3\n")
    refused(mini, "The stored copy of model.txt is damaged")
    assert not mini.stored(mini.hashes(trial(mini))).exists()


def test_a_file_that_went_missing_in_a_folder_of_the_remote_is_brought_back(mini: Mini) -> None:
    share("trial", folder=mini.folder)
    (there,) = (path for path in mini.store.rglob("*") if path.is_file()
                and path.read_text() == "a of a: 3\n")  # fmt: skip
    there.unlink()
    assert share("trial", folder=mini.folder).uploaded == 1
    assert there.exists()


def test_raw_data_that_never_entered_the_cache_are_stored(mini: Mini) -> None:
    mini.cached(raw(mini)).unlink()
    shared = share("trial", folder=mini.folder)
    assert shared.uploaded == FILES
    assert mini.git("status", "--porcelain") == ""


def test_altered_raw_data_do_not_take_the_place_of_lost_ones(mini: Mini) -> None:
    mini.cached(raw(mini)).unlink()
    mini.write("raw/rows.csv", "x\n2\n")
    refused(mini, "raw of trial is not in this clone's DVC cache")


def test_a_clone_without_git_remotes_is_told(mini: Mini) -> None:
    mini.git("remote", "remove", "origin")
    refused(mini, "no git remote 'origin', this clone has none")


def test_a_git_remote_out_of_reach_is_told_before_anything_is_uploaded(mini: Mini) -> None:
    mini.git("remote", "set-url", "origin", "../gone.git")
    refused(mini, "The git remote origin can't be used: .*gone.git")
    assert not list(mini.store.iterdir())


@pytest.mark.parametrize(
    ("hook", "script", "words"),
    [
        ("update", "exit 1", "The git remote origin can't be used: "),
        ("post-receive", "while read a b ref; do git update-ref -d $ref; done", "drops references"),
    ],
)
def test_a_git_remote_that_refuses_is_told(mini: Mini, hook: str, script: str, words: str) -> None:
    file = mini.folder.parent / "hub.git/hooks" / hook
    file.write_text(f"#!/bin/sh\n{script}\n")
    file.chmod(0o755)
    refused(mini, words)


def test_what_did_not_arrive_is_told(mini: Mini, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Storage, "upload", lambda storage, files: None)
    refused(mini, "and 3 more did not arrive completely in storage")


def test_another_experiment_of_that_name_is_not_overwritten(mini: Mini) -> None:
    mini.git("push", "--quiet", "origin", f"HEAD:{trial(mini)}")
    with pytest.raises(CrivoError, match="origin has another experiment trial"):
        share("trial", folder=mini.folder)


def test_no_remote_at_all_is_told(mini: Mini) -> None:
    mini.write(".dvc/config", "")
    mini.commit()
    refused(mini, "no DVC remote to put the data in", "early")


def test_no_default_remote_is_told(mini: Mini) -> None:
    mini.write(".dvc/config", mini.config().replace("remote = storage", ""))
    mini.commit()
    refused(mini, "No DVC remote is the default one; .* there is: storage")


def test_a_broken_configuration_is_told(mini: Mini) -> None:
    mini.write(".dvc/config", "[core]\n    unheard = of\n")
    refused(mini, "DVC can't read its configuration: .*unheard")


def test_a_repository_without_dvc_is_told(mini: Mini) -> None:
    mini.git("rm", "--quiet", "-r", ".dvc")
    (mini.folder / ".dvc").rename(mini.folder / "dvc")
    refused(mini, "isn't a DVC project")


@pytest.mark.parametrize(
    ("old", "new"), [("/store", "/other"), ("storage", "another")], ids=["url", "name"]
)
def test_a_configuration_that_is_not_committed_is_refused(mini: Mini, old: str, new: str) -> None:
    mini.write(".dvc/config", mini.config().replace(old, new))
    refused(mini, r"is in .dvc/config, but not in a commit")


@pytest.mark.parametrize("address", ["../store", "store", "./store"])
def test_a_relative_address_is_refused(mini: Mini, address: str) -> None:
    mini.write(".dvc/config", mini.config().replace(str(mini.store), address))
    mini.commit()
    refused(mini, f"storage has the relative address {address}")


@pytest.mark.parametrize("address", ["~/store", "ssh://host/store", "s3://bucket/store"])
def test_a_full_address_is_none_of_these(mini: Mini, address: str) -> None:
    mini.write(".dvc/config", mini.config().replace(str(mini.store), address))
    mini.commit()
    known = configured(open_repository(mini.folder), "storage", "HEAD", default=True)
    assert known == Configured(committed=True, by_experiment=True)


def test_a_remote_that_cannot_be_written_is_one_sentence(mini: Mini) -> None:
    mini.store.rmdir()
    mini.store.write_text("a file where a folder should be")
    refused(mini, r"The DVC remote storage \(.*store\) can't be used: ")


def test_a_remote_of_this_machine_only_is_noted(mini: Mini) -> None:
    mini.write(".dvc/config", "")
    mini.commit()
    mini.git("push", "--quiet", "origin", "main")
    mini.write(".dvc/config.local", mini.config())
    shared = share("trial", folder=mini.folder)
    assert shared.uploaded == FILES
    (note,) = shared.notes
    assert "configured on this machine only" in note


def test_an_unpublished_configuration_is_noted(mini: Mini) -> None:
    mini.git("update-ref", "-d", "refs/remotes/origin/main")
    (note,) = share("trial", folder=mini.folder).notes
    assert "not on origin yet" in note


def test_an_output_that_is_kept_back_is_noted(mini: Mini) -> None:
    mini.write("dvc.yaml", STAGES.replace("model.txt", "{model.txt: {push: false}}"))
    mini.commit()
    mini.git("push", "--quiet", "origin", "main")
    mini.experiment("secret", a=4)
    shared = share("secret", folder=mini.folder)
    assert shared.files == FILES - 1
    assert shared.notes == ("Not uploaded, because of `push: false`: model.txt.",)


def test_a_pipeline_that_was_not_run_is_refused(mini: Mini) -> None:
    mini.git("rm", "--quiet", "dvc.lock")
    mini.commit()
    mini.experiment("unrun", run=False, a=5)
    refused(mini, "unrun has no record of model.txt, plots", "unrun")


def test_an_output_in_neither_git_nor_the_cache_is_refused(mini: Mini) -> None:
    (mini.folder / ".git/info/exclude").write_text("metrics.json\n")
    mini.git("rm", "--quiet", "--cached", "metrics.json")
    mini.commit()
    mini.experiment("hidden", a=6)
    refused(mini, "metrics.json of hidden is in neither git nor DVC's cache", "hidden")


def test_all_trials_go_along_so_that_a_colleague_counts_them(mini: Mini) -> None:
    """Also one that was removed after it was counted; none of their data."""
    shared = share("early", folder=mini.folder)
    kept = mini.git("for-each-ref", "--format=%(refname)", "refs/crivo", folder="hub.git").split()
    assert sorted(ref.split("/")[-2] for ref in kept) == ["early", "ledger", "trial"]
    assert shared.trials == 2
    assert shared.files == FILES
    mini.git("update-ref", "-d", trial(mini))
    assert share("early", folder=mini.folder).trials == 2
