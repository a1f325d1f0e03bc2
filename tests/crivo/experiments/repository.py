"""Small repositories with experiments as DVC records them, written through git's plumbing."""

import json
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from crivo.records.record import Record
from crivo.repository.commits import Origin
from crivo.repository.git import GitObject

SETTINGS = {
    "seed": 1,
    # One trial: it may spend nearly all of the error, 4.5 of 5 %.
    "compare": {"planned_trials": 1, "planned_looks": 1},
    "dataset": "table",
    "splitter": "by_time",
    "model": "boosting",
    "baseline": "prior",
    "evaluator": "standard",
    "evaluate": {"split": "valid", "cluster": "date", "block": 5},
    "splitters": {"by_time": {"valid_from": "2013-09-01"}},
    "models": {"boosting": {"learning_rate": 0.1}, "linear": {"C": 1.0}, "prior": {}},
    "evaluators": {"standard": {"primary": "roc_auc"}},
}
FOLDER = "metrics/evaluation"
# What `git init` writes, without a process for each of hundreds of tests.
EMPTY = {
    "HEAD": "ref: refs/heads/main\n",
    "config": "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n"
    "\tlogallrefupdates = true\n[user]\n\tname = Ana\n\temail = ana@example.org\n",
}


def evaluation_files(
    metrics: Mapping[str, tuple[float, Sequence[float]]],
    /,
    *,
    settings: Mapping[str, Any] = SETTINGS,
    predictions: str = "",
    model: str = "",
    prepared: str = "",
    **about: Any,
) -> dict[str, str]:
    """Return the files of an experiment: each metric has a value and one without each cluster."""
    known = {"rows": "r1", "definition": "d1", "split": "valid", "task": "binary"}
    known |= {"primary": next(iter(metrics)), "n_rows": 100} | about
    clusters = range(len(next(iter(metrics.values()))[1]))
    known.setdefault("effective_clusters", float(len(clusters)))
    known = {name: value for name, value in known.items() if value is not None}
    table = [["cluster", *metrics], *([c, *(d[c] for _, d in metrics.values())] for c in clusters)]
    intervals = ["metric,of,value,se,low,high,verdict"]
    intervals += [f"{name},model,{value},.01,{value - 0.02},{value + 0.02}," for
                  name, (value, _) in metrics.items()]  # fmt: skip
    outs = [
        {"path": f"{FOLDER}/predictions.parquet", "md5": predictions or repr(metrics)},
        {"path": "models/model.skops", "md5": model or repr(metrics)},
        *([{"path": "data/prepared/valid.parquet", "md5": prepared}] if prepared else []),
    ]
    return {
        "params.yaml": json.dumps(settings),
        "dvc.lock": json.dumps({"stages": {"evaluate": {"deps": [], "outs": outs}}}),
        f"{FOLDER}/evaluation.json": json.dumps(known),
        f"{FOLDER}/intervals.csv": "\n".join(intervals) + "\n",
        f"{FOLDER}/jackknife.csv": "\n".join(",".join(map(str, row)) for row in table) + "\n",
    }


def record_of(files: Mapping[str, str], name: str = "", when: int = 0) -> Record:
    """Return what would be read of an experiment with these files."""
    blobs = {path: GitObject(name + path, text.encode()) for path, text in files.items()}
    return Record(Origin(name, name, None, "Ana", when, ""), blobs)


def about(files: Mapping[str, str], **changes: Any) -> dict[str, str]:
    """Return an experiment's `evaluation.json` with some of it changed."""
    path = f"{FOLDER}/evaluation.json"
    return {path: json.dumps(json.loads(files[path]) | changes)}


class Project:
    """A repository to fill with commits and experiments."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        if not (folder / ".git").exists():
            for name in ("objects/info", "objects/pack", "refs/heads", "refs/tags"):
                (folder / ".git" / name).mkdir(parents=True)
            for name, text in EMPTY.items():
                (folder / ".git" / name).write_text(text)
        self.clock = 1_700_000_000

    def git(self, *arguments: str, given: str | bytes = b"") -> str:
        """Return what a git command prints."""
        data = given if isinstance(given, bytes) else given.encode()
        done = subprocess.run(["git", *arguments], cwd=self.folder, input=data, capture_output=True)
        assert done.returncode == 0, done.stderr
        return done.stdout.decode().strip()

    def commit(
        self,
        files: Mapping[str, str | bytes],
        *,
        ref: str = "refs/heads/main",
        parent: str = "",
        author: str = "Ana",
        message: str = "Change",
    ) -> str:
        """Add a commit with just these files and return its hash."""
        self.clock += 60
        start = [f"commit {ref}", "mark :1", f"committer {author} <a@b> {self.clock} +0000"]
        start += [f"data {len(message.encode())}", message]
        if parent:
            start.append(f"from {parent}")
        stream = "\n".join([*start, "deleteall\n"]).encode()
        for path, content in files.items():
            data = content if isinstance(content, bytes) else content.encode()
            stream += f"M 644 inline {path}\ndata {len(data)}\n".encode() + data + b"\n"
        return self.git("fast-import", "--quiet", "--force", given=stream + b"get-mark :1\n")

    def head(self) -> str:
        """Return the commit that is checked out, without a process where a file says it."""
        head = (self.folder / ".git/HEAD").read_text().strip()
        branch = self.folder / ".git" / head.removeprefix("ref: ")
        return branch.read_text().strip() if branch.is_file() else self.git("rev-parse", "HEAD")

    def trial(
        self,
        name: str,
        files: Mapping[str, str | bytes],
        *,
        parent: str = "",
        kind: str = "",
        **more: str,
    ) -> str:
        """Add an experiment as DVC keeps it, started from a commit (the branch's tip).

        `kind`: what its commit says of it; nothing, as if DVC had made it.
        """
        parent = parent or self.head()
        ref = f"refs/exps/{parent[:2]}/{parent[2:]}/{name}"
        more.setdefault("message", "dvc: commit experiment 0123abc")
        more["message"] += f"\n\nCrivo-Kind: {kind}" if kind else ""
        return self.commit(files, ref=ref, parent=parent, **more)


# Nine clusters. The deleted values of `spread(v, a)` have the jackknife standard error
# sqrt(8/9 * 8 * a**2) = 8/3 * a; those of the two patterns are uncorrelated.
ONE_WAY = (1, 1, -1, -1, 1, 1, -1, -1, 0)
OTHER_WAY = (1, -1, 1, -1, 1, -1, 1, -1, 0)


def spread(
    value: float, step: float = 0.0, pattern: Sequence[int] = ONE_WAY
) -> tuple[float, list[float]]:
    """Return a metric's value and its value without each of nine clusters."""
    return value, [round(value + step * sign, 10) for sign in pattern]


def settings(base: Mapping[str, Any] = SETTINGS, /, **changes: Any) -> dict[str, Any]:
    """Return settings with some changed; `models__boosting__learning_rate` reaches inside."""
    result = json.loads(json.dumps(base))
    for key, value in changes.items():
        *folders, name = key.split("__")
        section = result
        for folder in folders:
            section = section.setdefault(folder, {})
        section[name] = value
    return result


def evaluated(
    value: float,
    step: float = 0.0,
    pattern: Sequence[int] = ONE_WAY,
    *,
    metric: str = "roc_auc",
    log_loss: float | None = None,
    **about: Any,
) -> dict[str, str]:
    """Return the files of an experiment with one metric, and a log loss that varies as it does."""
    others = {} if log_loss is None else {"log_loss": spread(log_loss, step, pattern)}
    return evaluation_files({metric: spread(value, step, pattern), **others}, **about)
