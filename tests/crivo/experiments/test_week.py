"""A team of two with a bare remote over a week: no trial is lost, no verdict changes."""

import numpy as np

from crivo.comparison.compare import compare
from crivo.records.exchange import fetch_shared
from crivo.records.history import keep_trials, read_history
from crivo.repository.git import open_repository
from tests.crivo.experiments.repository import OTHER_WAY, Project
from tests.crivo.experiments.test_ledger import clone_of, files, pair, said, share

__all__ = ["pair"]

STEPS = 24
ACTIONS = ["try", "try", "code", "equal", "seed", "remove", "share", "fetch"]
FIRST = {f"{who}-{number}" for who in ("ana", "bob") for number in range(3)}


def remove(one: Project, name: str) -> None:
    """Remove an experiment as DVC does, which leaves crivo's reference to it."""
    for ref in one.git("for-each-ref", "--format=%(refname)", "refs/exps").split():
        if ref.endswith(f"/{name}"):
            one.git("update-ref", "-d", ref)


def act(one: Project, action: str, step: int, random: np.random.Generator) -> str:
    """Do one thing in a clone; return the name of a trial that counts, if it makes one."""
    if action == "try":
        one.trial(f"try-{step}", files(0.70 + random.integers(30) / 1000, 0.001 + step / 1e5))
        return f"try-{step}"
    if action == "code":  # the predictions of the clone's own first trial, by other code
        first = files(0.71, 0.002) if step % 2 == 0 else files(0.71, 0.003, OTHER_WAY)
        one.trial(f"code-{step}", first | {"src/train.py": f"# {step}\n"})
    elif action == "equal":  # to main's predictions
        one.trial(f"equal-{step}", files(0.70, 0.0))
    elif action == "seed":  # of `crivo repeat`
        one.trial(f"seed-{step}", files(0.705, 0.001 + step / 1e5), kind="seed")
    elif action == "remove":
        known = sorted(record.name for record in read_history(one.folder).trials)
        remove(one, str(random.choice(known)))
    elif action == "share":
        share(one)
    else:
        fetch_shared(open_repository(one.folder))
    return ""


def test_nothing_is_lost_or_counted_twice_and_no_verdict_changes(
    pair: tuple[Project, Project],
) -> None:
    """Both try, change only code or nothing, repeat, remove, share and fetch by chance."""
    random, cleo = np.random.default_rng(0), clone_of(pair[0], "cleo")  # Cleo tries nothing
    cleo.commit(files(0.715, 0.0018), parent=cleo.head())
    alone = said(compare(["HEAD"], folder=cleo.folder), "main")
    told: dict[str, tuple[object, ...]] = {}
    made = set(FIRST)
    for step in range(STEPS):
        one = pair[step % 2]
        made.add(act(one, str(random.choice(ACTIONS)), step, random))
        keep_trials(read_history(one.folder))
        found = compare(folder=one.folder)
        for name in found.table.index.intersection(list(made)):
            row = said(found, name)
            assert told.setdefault(name, row) == row, f"step {step}: {name}"
        fetch_shared(open_repository(cleo.folder))
        assert said(compare(["HEAD"], folder=cleo.folder), "main") == alone
    for one in (*pair, *pair):
        share(one)
        fetch_shared(open_repository(one.folder))
    assert {compare(folder=one.folder).trials for one in pair} == {len(made - {""})}
