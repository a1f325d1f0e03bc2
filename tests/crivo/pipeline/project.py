"""A copy of the project on two weeks of real flights, every third of them, to run real commands."""

import io
import os
import shutil
import subprocess
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
from ruamel.yaml import YAML

from tests.crivo import forked

ROOT = Path(__file__).parents[3]
FIRST_DAY, LAST_DAY = "2013-01-01", "2013-01-14"


@dataclass
class Project:
    """A project's folder, and how to run commands in it."""

    folder: Path

    def run(self, *command: str, fails: bool = False, **env: str) -> str:
        """Run a command and return all that it printed; it must succeed, or fail when told to.

        What is neither of the two programs is not forked when it is told variables.
        """
        variables = environment(**env) if env else forked.in_forks(environment())
        done = forked.run(command, self.folder, variables)
        printed = done.stdout + done.stderr
        # Its end says what was wrong; a report of the test may be cut off.
        assert (done.returncode != 0) == fails, f"{command[0]}: …{printed[-2000:]}"
        return printed

    def git(self, *command: str) -> str:
        return self.run("git", *command)

    def dvc(self, *command: str, fails: bool = False, **env: str) -> str:
        return self.run("dvc", *command, fails=fails, **env)

    def commit(self, message: str = "Change something") -> None:
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", message)

    def status(self) -> str:
        """Return what git says has changed; an empty text when all is clean."""
        return self.git("status", "--porcelain")

    def read(self, path: str) -> str:
        return (self.folder / path).read_text(encoding="utf-8")

    def write(self, path: str, text: str) -> None:
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8", newline="\n")

    def replace(self, path: str, old: str, new: str) -> None:
        """Replace a text in a file; it must be there."""
        text = self.read(path)
        assert old in text, f"{old!r} is not in {path}"
        self.write(path, text.replace(old, new))


def environment(**changes: str) -> dict[str, str]:
    """Return the environment of a user who has activated the virtual environment."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("DVC")}
    env |= {
        "PATH": f"{Path(forked.PYTHON).parent}{os.pathsep}{os.environ['PATH']}",
        "GIT_AUTHOR_NAME": "Tester",
        "GIT_AUTHOR_EMAIL": "tester@example.org",
        "GIT_COMMITTER_NAME": "Tester",
        "GIT_COMMITTER_EMAIL": "tester@example.org",
    }
    # Compiling takes a second each time; a process that is told its hashes isn't forked.
    for name in ("PYTHONPATH", "PYTHONDONTWRITEBYTECODE", "PYTHONHASHSEED"):
        env.pop(name, None)
    return env | changes


def copy_project(folder: Path) -> Project:
    """Copy all that git knows or would add, as it is in the work tree, into a new repository."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file():
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, target)
    project = Project(folder)
    project.git("init", "--quiet", "--initial-branch", "main")
    project.commit("Copy the project")
    return project


def small_flights(folder: Path) -> Project:
    """Return a copy of the project whose data are two weeks of January, fast to run."""
    project = copy_project(folder)
    extract(folder)
    project.dvc("add", "--quiet", "data/raw/flights")
    shrink_settings(folder / "params.yaml")
    (folder / "dvc.lock").unlink(missing_ok=True)
    project.commit("Take two weeks of flights")
    return project


def extract(folder: Path) -> None:
    """Write two weeks of the real raw files, with every third flight."""
    from crivo.project.fetch import fetch_raw

    fetch_raw(folder)
    raw = folder / "data/raw/flights"
    for path in raw.iterdir():
        path.chmod(0o644)
    weather = pd.read_csv(raw / "weather.csv", dtype="str", keep_default_na=False)
    weather[_in_range(weather)].to_csv(raw / "weather.csv", index=False)
    # The year begins with January, of which there are more.
    flights = pd.read_csv(raw / "flights.csv.zip", dtype="str", keep_default_na=False, nrows=20_000)
    assert not _in_range(flights).iloc[-1]
    with zipfile.ZipFile(raw / "flights.csv.zip", "w", zipfile.ZIP_DEFLATED) as file:
        text = io.StringIO()
        flights[_in_range(flights)].iloc[::3].to_csv(text, index=False)
        info = zipfile.ZipInfo("flights.csv", (1980, 1, 1, 0, 0, 0))
        file.writestr(info, text.getvalue())


def _in_range(table: pd.DataFrame) -> pd.Series:
    days = table["year"] + "-" + table["month"].str.zfill(2) + "-" + table["day"].str.zfill(2)
    return days.between(FIRST_DAY, LAST_DAY)


def shrink_settings(path: Path) -> None:
    """Make every model small and put the split inside the two weeks."""
    yaml = YAML()
    params = yaml.load(path.read_text(encoding="utf-8"))
    params["splitters"]["by_time"] |= {"valid_from": "2013-01-08", "test_from": "2013-01-11"}
    params["evaluate"]["block"] = 1
    params["models"]["boosting"]["max_iter"] = 10
    params["models"]["forest"]["trees"] = 5
    params["models"]["linear"]["max_iter"] = 20
    with path.open("w", encoding="utf-8", newline="\n") as file:
        yaml.dump(params, file)
