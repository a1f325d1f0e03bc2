"""Nothing that a user's shell sets reaches the libraries of a stage."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from crivo.core.parsing import read_yaml
from crivo.runtime import start

SRC = Path(start.__file__).parents[2]

BEGINNING = """\
if __name__ == "__main__":
    from crivo.runtime.start import start_stage

    start_stage()

"""
SAYS = read_yaml(Path(__file__).with_name("scripts.yaml"))["says"]

# One of each kind, with a value that would change something.
LIBRARIES = {
    "ARROW_USER_SIMD_LEVEL": "NONE",
    "DVCLIVE_RESUME": "1",
    "DVC_STUDIO_TOKEN": "secret",
    "GIT_DIR": "/elsewhere",
    "LC_TIME": "pt_BR.UTF-8",
    "MATPLOTLIBRC": "/elsewhere/matplotlibrc",
    "NPY_DISABLE_CPU_FEATURES": "AVX2",
    "OPENBLAS_CORETYPE": "Nehalem",
    "PANDAS_FUTURE_INFER_STRING": "0",
    "SCIPY_ARRAY_API": "1",
    "TZ": "America/New_York",
}
STAYS = {
    "CRIVO_LOG": "debug",
    "OMP_NUM_THREADS": "3",
    "OMP_WAIT_POLICY": "PASSIVE",
    "PYTHONDONTWRITEBYTECODE": "1",
}
FORCED = {"DVC_STUDIO_OFFLINE": "1", "PYDANTIC_DISABLE_PLUGINS": "__all__", "TZ": "UTC"}
FORCED |= {"MATPLOTLIBRC": os.devnull}
# Where things are, who asks, on how many cores; how to reach servers; how Python prints.
KEPT = Path(__file__).with_name("kept.txt").read_text().split()
PYTHON = {"PYTHONOPTIMIZE": "2", "PYTHONSAFEPATH": "1"}


class Script:
    """A stage script with `src/crivo` beside it, run as DVC runs it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "src").mkdir()
        (folder / "src/crivo").symlink_to(SRC / "crivo")
        self.write(SAYS)

    def write(self, text: str) -> None:
        (self.folder / "src/stage.py").write_text(BEGINNING + text, encoding="utf-8")

    def run(self, *options: str, **variables: str) -> subprocess.CompletedProcess[str]:
        env = {"PATH": os.environ["PATH"], "HOME": str(self.folder)} | variables
        command = [sys.executable, *options, "src/stage.py", "an argument"]
        return subprocess.run(
            command, cwd=self.folder, env=env, capture_output=True, encoding="utf-8", check=False
        )

    def says(self, *options: str, **variables: str) -> dict[str, object]:
        done = self.run(*options, **variables)
        assert done.returncode == 0, done.stderr
        said: dict[str, object] = json.loads(done.stdout)
        return said


@pytest.fixture
def script(tmp_path: Path) -> Script:
    return Script(tmp_path)


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    """What a stage sees that is started from an empty shell."""
    said = Script(tmp_path_factory.mktemp("plain")).says()
    return {key: value for key, value in said.items() if key not in ("environment", "path")}


def test_no_variable_of_a_library_reaches_a_stage(script: Script) -> None:
    said = script.says(**LIBRARIES)
    assert said["environment"] == script.says()["environment"]
    assert said["zone"] == ["UTC", "UTC"]
    assert said["garbage"] == start.NEW_OBJECTS > 700


@pytest.mark.parametrize("more", [{}, {"PYTHONHASHSEED": "0"}])
def test_a_variable_that_a_block_names_can_be_asked_for(
    script: Script, more: dict[str, str]
) -> None:
    """Also when Python started again."""
    script.write(
        "import os\nfrom crivo.runtime.start import shell_variable as ask\n"
        "print('PLACE' in os.environ, ask('PLACE'), ask('OMP_NUM_THREADS'), ask('NONE'))\n"
    )
    done = script.run(PLACE="db:1", OMP_NUM_THREADS="2", **more)
    assert done.stdout == "False db:1 2 None\n"


def test_what_is_known_to_be_harmless_stays(script: Script) -> None:
    assert start.cleared(dict.fromkeys(KEPT, "1")) == dict.fromkeys(KEPT, "1") | FORCED
    environment = script.says(**STAYS)["environment"]
    assert isinstance(environment, dict)
    assert (STAYS | FORCED).items() <= environment.items()


@pytest.mark.parametrize("name", PYTHON)
def test_python_starts_again_without_its_variables(
    script: Script, plain: dict[str, object], name: str
) -> None:
    said = script.says(**{name: PYTHON[name]})
    assert name not in str(said.pop("environment"))
    assert str(script.folder / "src") == str(said.pop("path")[0])  # type: ignore[index]
    assert said == plain


@pytest.mark.parametrize("option", ["-O", "-P", "-b", "-Wdefault"])
def test_python_starts_again_without_its_options(
    script: Script, plain: dict[str, object], option: str
) -> None:
    # With -P alone the library would not be found.
    said = script.says(option, PYTHONPATH=str(SRC))
    assert {key: said[key] for key in plain} == plain


def test_no_folder_of_a_users_path_comes_before_the_libraries(script: Script) -> None:
    hostile = script.folder / "hostile"
    hostile.mkdir()
    (hostile / "sitecustomize.py").write_text("import builtins; builtins.touched = True")
    (hostile / "yaml.py").write_text("raise SystemExit('hidden')")
    script.write("import yaml, builtins\nprint(hasattr(builtins, 'touched'))")
    assert script.run(PYTHONPATH=str(hostile)).stdout == "False\n"


@pytest.mark.skipif(os.name != "posix", reason="a locale of another encoding")
def test_files_are_read_as_utf_8(script: Script) -> None:
    said = script.says(LC_ALL="C", PYTHONCOERCECLOCALE="0", PYTHONUTF8="0")
    assert str(said["encoding"]).lower() == "utf-8"


def test_under_a_debugger_python_may_go_on_and_it_is_said(script: Script) -> None:
    said = script.says(PYTHONOPTIMIZE="1", CRIVO_ENVIRONMENT="warn", PANDAS_X="1")
    assert said["in force"] == ["PYTHONOPTIMIZE"]
    assert said["asserts"] is False
    assert "PANDAS_X" not in str(said["environment"])


def test_what_cannot_be_taken_away_is_refused(script: Script) -> None:
    done = script.run("-O", "-b", "-Wdefault", CRIVO_STARTED_AGAIN="1")
    assert done.returncode == 1
    assert "stage: Python runs with -O, -W, -b, which changes results" in done.stderr
