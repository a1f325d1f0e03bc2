"""A user who has installed the wheel and starts projects, as a user gets them.

No repository is at hand. The other packages are those of the development environment, linked,
so that nothing is downloaded.
"""

import os
import subprocess
import sys
import venv
from dataclasses import dataclass
from pathlib import Path

from tests.crivo import forked
from tests.crivo.pipeline.project import environment

from crivo.project.wheel import built

ROOT = Path(__file__).parents[3]
OURS = ("crivo", "__editable__", "distutils-precedence.pth")
SHIM = '#!/bin/sh\nexec "{python}" -m {module} "$@"\n'


@dataclass
class User:
    """Somebody with an environment, in a folder."""

    bin: Path
    folder: Path
    forks: bool = True

    def run(self, *command: str, fails: bool = False) -> str:
        """Run a command and return what it printed; it must succeed, or fail when told to."""
        env = environment(PATH=f"{self.bin}{os.pathsep}{os.environ['PATH']}")
        if self.forks:
            python = str(self.bin / "python")
            done = forked.run(command, self.folder, forked.in_forks(env, python), python)
        else:
            done = subprocess.run(command, cwd=self.folder, env=env, capture_output=True, text=True)
        printed = done.stdout + done.stderr
        assert (done.returncode != 0) == fails, f"{' '.join(command)}\n{printed}"
        return printed

    def project_tests(self, chosen: str) -> None:
        """Run some of a project's tests."""
        command = ("python", "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", chosen)
        assert " passed" in self.run(*command)


def install(folder: Path) -> None:
    """Install the wheel that `make wheel` makes, and nothing of ours else, into `folder/env`."""
    wheel = built(ROOT)
    (folder / wheel.name).write_bytes(wheel.content)
    venv.create(folder / "env", symlinks=True)
    user = User(folder / "env/bin", folder, forks=False)
    site = Path(user.run("python", "-c", "import site; print(site.getsitepackages()[0])").strip())
    (folder / "others").mkdir()
    for path in (path for place in sys.path if place.endswith("-packages")
                 for path in Path(place).iterdir()):  # fmt: skip
        if not path.name.startswith(OURS):
            (folder / "others" / path.name).symlink_to(path)
    (site / "others.pth").write_text(f"{folder / 'others'}\n")
    user.run("python", "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", wheel.name)
    (user.bin / "dvc").write_text(SHIM.format(python=user.bin / "python", module="dvc"))
    (user.bin / "dvc").chmod(0o755)


def start(user: User, name: str, *options: str) -> User:
    said = user.run("crivo", "start", name, *options)
    assert f"cd {name}\n  make repro\n  make test\n" in said
    return User(user.bin, user.folder / name)
