"""A DVC project of one stage, with an experiment, a bare git repository and a folder as remote."""

from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.crivo.pipeline.project import Project

MAKE = Path(__file__).with_name("make.txt").read_text()
STAGES = Path(__file__).with_name("stages.yaml").read_text()
CONFIG = """\
[core]
    analytics = false
    remote = storage
['remote "storage"']
    url = {store}
"""


@dataclass
class Mini(Project):
    """The project's folder, beside `hub.git`, and the remote's folder."""

    store: Path

    def config(self) -> str:
        """Return the configuration that names the remote."""
        return CONFIG.format(store=self.store)

    def experiment(self, name: str, *, run: bool = True, **params: Any) -> None:
        """Record an experiment with other settings, and return to the commit."""
        from dvc.repo import Repo

        self.write("params.yaml", "".join(f"{key}: {value}\n" for key, value in params.items()))
        with chdir(self.folder):
            if run:
                Repo().reproduce()
            Repo().experiments.save(name=name, force=True)
        self.git("checkout", "--quiet", "--force", "HEAD")

    def hashes(self, ref: str, path: str = "model.txt") -> str:
        """Return the hash that an experiment records of an output."""
        lines = self.git("show", f"{ref}:dvc.lock").splitlines()
        place = next(i for i, line in enumerate(lines) if line.strip() == f"- path: {path}")
        return next(line.split()[1] for line in lines[place:] if "md5:" in line)

    def ref(self, name: str) -> str:
        """Return the reference of an experiment."""
        refs = self.git("for-each-ref", "--format=%(refname)", "refs/exps").split()
        return next(ref for ref in refs if ref.endswith(f"/{name}"))

    def cached(self, md5: str) -> Path:
        """Return where the cache keeps a file."""
        return self.folder / ".dvc/cache/files/md5" / md5[:2] / md5[2:]

    def stored(self, md5: str) -> Path:
        """Return where the remote keeps a file."""
        return self.store / "files/md5" / md5[:2] / md5[2:]

    def shared(self) -> list[str]:
        """Return the experiments that the bare repository has."""
        listed = self.git("-C", "../hub.git", "for-each-ref", "--format=%(refname)", "refs/exps")
        return listed.split()


def make_mini(parent: Path) -> Mini:
    """Return a project whose pipeline has run, with the experiments `early` and `trial`.

    The remote is configured in a commit after that which `early` started from.
    """
    from dvc.repo import Repo

    mini = Mini(parent / "project", parent / "store")
    for folder in ("project/raw", "store", "hub.git"):
        (parent / folder).mkdir(parents=True)
    mini.git("init", "--quiet", "--bare", "--initial-branch=main", "../hub.git")
    mini.git("init", "--quiet", "--initial-branch=main")
    mini.git("config", "user.name", "Ana")
    mini.git("config", "user.email", "ana@example.org")
    mini.git("remote", "add", "origin", "../hub.git")
    for path, text in {
        "make.py": MAKE, "dvc.yaml": STAGES, "params.yaml": "a: 1\n", "raw/rows.csv": "x\n1\n",
    }.items():  # fmt: skip
        mini.write(path, text)
    with chdir(mini.folder):
        Repo.init().close()
        Repo().add("raw")
        Repo().reproduce()
    mini.commit()
    mini.experiment("early", a=2)
    mini.write(".dvc/config", mini.config())
    mini.commit()
    mini.git("push", "--quiet", "origin", "main")
    mini.experiment("trial", a=3)
    return mini
