"""What of the cache nobody needs: nothing outside of the cache, whatever a record names."""

from __future__ import annotations

import json

from crivo.repository.git import Repository
from crivo.repository.space import unneeded
from tests.crivo.experiments.repository import Project


def test_a_hash_that_is_none_names_no_file_to_delete(project: Project) -> None:
    """Thirty-two characters that lead from the cache's folder into the project's."""
    (project.folder / ".dvc/cache/files/md5/aa").mkdir(parents=True)
    victim, own = project.folder / "victim-file.txt", f"aa{'b' * 30}"
    for place in (victim, project.folder / ".dvc/cache/files/md5/aa" / own[2:]):
        place.write_text("text")
    project.commit({"a": "1"})
    wrong = f"aa{'../' * 5}{victim.name}"
    outs = [{"path": "b", "md5": md5} for md5 in (wrong, own)]
    lock = json.dumps({"stages": {"train": {"outs": outs}}})
    revision = project.trial("trial", {"dvc.lock": lock})
    assert len(wrong) == len(own)
    ref = project.git("for-each-ref", "--format=%(refname)", "refs/exps")
    found = unneeded(Repository(project.folder), [revision], [ref])
    assert [place.name for place in found.files] == [own[2:]]
