"""A shop's project on a made-up table of 300 orders, with experiments, made once for all workers.

The library isn't part of it, as in a project that `crivo start` made. What takes seconds runs once,
while the project is made; the tests read what the commands said then (`Shop.said`).
"""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from crivo.project.params_file import edited_params
from tests.crivo import forked
from tests.crivo.pipeline.project import Project, copy_project, environment

ROWS = 300
# What a started project doesn't have, and results of other data.
LEFT_OUT = ("src/crivo", "tests", "docs", "benchmarks", ".ci", "metrics/evaluation")
SPLIT = {"valid": 0.35, "test": 0.25, "seed": 0, "exact": True, "copies_together": True}
SETTINGS = {
    "model": "linear",
    "models.linear.C": 1.0,
    "models.boosting": {
        "learning_rate": 0.1,
        "max_iter": 15,
        "max_leaf_nodes": 31,
        "min_samples_leaf": 20,
        "l2_regularization": 0.0,
        "max_features": 1.0,
        "early_stopping": 0,
    },
    "splitters.at_random": SPLIT,
    "evaluate.slices": ["country"],
    "limits": {"roc_auc_low": {"at_least": 0.3}, "model_mb": {"at_most": 50}},
}


@dataclass(frozen=True)
class Said:
    """What a command printed, apart, and how it ended."""

    status: int
    out: str
    err: str

    @property
    def document(self) -> dict[str, Any]:
        """The JSON document, which is all of the standard output."""
        found: dict[str, Any] = json.loads(self.out)
        return found

    @property
    def text(self) -> str:
        """All that was printed, in one line."""
        return " ".join((self.out + self.err).split())


@dataclass
class Shop(Project):
    """The project's folder, beside `orders.csv`, `hub.git`, the DVC remote and what was said."""

    def crivo(self, *arguments: str, status: int | None = 0, **env: str) -> Said:
        """Run a command of crivo's; it must end with the status, or with any if that is None."""
        variables = environment(**env) if env else forked.in_forks(environment())
        done = forked.run(["crivo", *arguments], self.folder, variables)
        said = Said(done.returncode, done.stdout, done.stderr)
        assert status in (None, said.status), f"{arguments}: {said.status}\n{said.out}{said.err}"
        return said

    def keep(self, name: str, *arguments: str) -> None:
        """Run a command and keep what it says."""
        said = self.crivo(*arguments, status=None)
        path = self.folder.parent / "said" / f"{name}.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps([said.status, said.out, said.err]), encoding="utf-8")

    def said(self, name: str) -> Said:
        """Return what a command said while the project was made."""
        path = self.folder.parent / "said" / f"{name}.json"
        return Said(*json.loads(path.read_text(encoding="utf-8")))

    def experiments(self) -> set[str]:
        """Return the names of the experiments that git holds."""
        listed = self.git("for-each-ref", "--format=%(refname)", "refs/exps/*/*/*")
        return {line.rpartition("/")[2] for line in listed.split()}

    def forget_target(self) -> None:
        """Let the next `crivo init` find a table of another target, and plan for it anew."""
        self.replace("params.yaml", "    target: returned", "    target: something_else")

    def copy(self, parent: Path) -> Shop:
        """Return a copy to do anything with; its remotes are copies, too."""
        shutil.copytree(self.folder.parent, parent, symlinks=True)
        copy = Shop(parent / self.folder.name)
        copy.write(".dvc/config.local", f"['remote \"storage\"']\n    url = {parent / 'store'}\n")
        return copy


def orders() -> pd.DataFrame:
    """Return 300 orders; whether one comes back depends on the product of `price` and `age`."""
    rng = np.random.default_rng(3)
    price, age = rng.normal(size=(2, ROWS)).round(3)
    returned = 3 * price * age + 2 * price + rng.normal(scale=0.5, size=ROWS) > 0
    return pd.DataFrame(
        {
            "order": [f"o{i:03}" for i in range(ROWS)],
            "price": price,
            "age": age,
            "country": rng.choice(["pt", "br", "de"], ROWS),
            "returned": np.where(returned, "yes", "no"),
        }
    )


def make_shop(parent: Path) -> None:
    """Make the project: `main` is linear, `trees` is better, `flat` worse, `stiff` alike."""
    shop = Shop(copy_project(parent / "project").folder)
    _leave_out_the_library(shop)
    orders().to_csv(parent / "orders.csv", index=False)
    shop.keep("init", "init", "../orders.csv", "--target", "returned", "--id", "order")
    shop.write("params.yaml", edited_params(shop.folder / "params.yaml", SETTINGS))
    shop.dvc("remote", "add", "--default", "storage", str(parent / "store"))
    shop.dvc("repro", "--quiet")
    shop.commit("Take our orders")
    shop.git("clone", "--quiet", "--bare", ".", "../hub.git")
    shop.git("remote", "add", "origin", "../hub.git")
    # What `confirm` and `share` write is committed where a test is about it.
    shop.write(".git/info/exclude", "metrics/trials.csv\n")
    shop.git("fetch", "--quiet", "origin")
    hypothesis = "Prices and ages interact"
    shop.keep("trees", "try", "model=boosting", "--name", "trees", "-m", hypothesis, "--json")
    shop.keep("stiff", "try", "models.linear.C=0.5", "--name", "stiff")
    shop.keep("flat", "try", "model=prior", "--name", "flat", "--json")
    shop.keep("seeds", "repeat", "trees", "--seeds", "2")
    shop.keep("folds", "repeat", "trees", "--folds", "2", "--json")
    parts = ("--fractions", "0.5", "--fractions", "0.25")
    shop.keep("curve", "repeat", "stiff", *parts)
    space = ("models.linear.C=0.3,0.7", "--sampler", "grid", "--name", "cs")
    shop.keep("search", "search", *space, "--json")
    shop.keep("confirm", "confirm", "trees")
    shop.keep("share", "share", "trees", "--json")
    shop.keep("verify", "verify", "trees", "--json")


def _leave_out_the_library(shop: Shop) -> None:
    for name in LEFT_OUT:
        shutil.rmtree(shop.folder / name)
    lines = shop.read("dvc.yaml").splitlines(keepends=True)
    shop.write("dvc.yaml", "".join(line for line in lines if "src/crivo" not in line))
    for key, value in (("user.name", "Ana"), ("user.email", "ana@example.org")):
        shop.git("config", key, value)
