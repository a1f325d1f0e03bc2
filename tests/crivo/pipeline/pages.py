"""What a page tells people to type: found on the page, run as it stands there."""

import re
import shlex

from tests.crivo import forked
from tests.crivo.pipeline.project import Project, environment

# `make` with what a test has already: the environment of the tests, and two weeks of flights
# in the place of the whole year, with what the pipeline makes of them.
MAKE = """\
make() {
  [ -e .venv ] || ln -s %(environment)s .venv
  [ -d data/raw/flights ] || {
    cp -r %(project)s/data/raw/flights data/raw/flights
    cp -r %(project)s/.dvc/cache .dvc/cache
  }
  command make -o install -o .venv/data.fetched "$@"
}
set -x
"""


def commands_of(page: str) -> list[str]:
    """Return the lines of all `sh` blocks of a page, in order."""
    blocks = re.findall(r"^```sh\n(.*?)^```$", page, flags=re.MULTILINE | re.DOTALL)
    return "".join(blocks).splitlines()


def run_as_typed(project: Project, commands: list[str], **env: str) -> str:
    """Run commands in one shell, up to the first that fails, and return all they print."""
    paths = {"environment": forked.virtual_environment(), "project": project.folder}
    given = {name: shlex.quote(str(path)) for name, path in paths.items()}
    path = forked.in_forks(environment())["PATH"]
    return project.run("bash", "-ec", "\n".join([MAKE % given, *commands]), PATH=path, **env)
