"""A loop that proposes settings by itself and keeps only what is better.

    python docs/examples/loop/loop.py docs/examples/loop/space.json --trials 20

It changes one setting a trial, runs `crivo try --json`, and goes on from what it kept. It never
looks at test rows, edits no file and commits nothing: what it keeps is the name of an experiment.
An agent or a better optimiser takes the place of `propose`; the rest stays as it is.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

# The values that each setting may take.
Space = Mapping[str, Sequence[Any]]
Settings = dict[str, Any]
# Runs a trial of some settings against an experiment (None: the incumbent or HEAD), for a reason;
# returns the document of `crivo try --json`.
Try = Callable[[Settings, str | None, str], Mapping[str, Any]]


@dataclass
class Kept:
    """What the loop kept: settings, the experiment that has them, and every trial's outcome."""

    settings: Settings = field(default_factory=dict)
    experiment: str | None = None
    outcomes: list[str] = field(default_factory=list)


def search(space: Space, run: Try, trials: int, seed: int = 0) -> Kept:
    """Try one change at a time, and keep a change only if it is better and nothing is worse."""
    chance, kept = random.Random(seed), Kept()
    tried: set[tuple[tuple[str, str], ...]] = set()
    for _ in range(trials):
        proposed = propose(space, kept.settings, tried, chance)
        if proposed is None:
            break
        name, value = proposed
        settings = {**kept.settings, name: value}
        tried.add(key_of(settings))
        why = f"{name}={value} may be better than what is kept"
        answer = run(settings, kept.experiment, why)
        kept.outcomes.append(str(answer["outcome"]))
        if answer.get("stop"):
            break
        if answer["outcome"] == "better" and not answer["comparison"]["experiments"][0]["worse"]:
            kept.settings, kept.experiment = settings, answer["experiment"]
    return kept


def propose(
    space: Space, kept: Settings, tried: set[tuple[tuple[str, str], ...]], chance: random.Random
) -> tuple[str, Any] | None:
    """Return a setting and a value that were not tried with what is kept; None for none left."""
    choices = [
        (name, value)
        for name, values in space.items()
        for value in values
        if key_of({**kept, name: value}) not in tried and kept.get(name) != value
    ]
    return chance.choice(choices) if choices else None


def key_of(settings: Settings) -> tuple[tuple[str, str], ...]:
    """Return what tells settings from others."""
    return tuple(sorted((name, str(value)) for name, value in settings.items()))


def crivo_try(budget: Sequence[str]) -> Try:
    """Return the function that runs a trial by `crivo try`."""

    def run(settings: Settings, against: str | None, why: str) -> Mapping[str, Any]:
        command = ["crivo", "try", *(f"{name}={value}" for name, value in settings.items())]
        command += ["--message", why, "--json", "--quiet"]
        command += ["--against", against] if against else []
        command += [part for one in budget for part in ("--budget", one)]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
        if done.returncode not in (0, 1, 2, 3) or not done.stdout:
            sys.exit(done.returncode or 3)  # interrupted, or it could not even start
        answer: Mapping[str, Any] = json.loads(done.stdout)
        told = answer["error"] or answer["comparison"]["answer"]
        print(f"{answer['outcome']:10} {told}", flush=True)
        return answer

    return run


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("space", type=Path, help="a JSON file: each setting with its values")
    parser.add_argument("--trials", type=int, default=20)
    parser.add_argument("--budget", action="append", default=[], help="as `crivo try` takes it")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    space = json.loads(options.space.read_text(encoding="utf-8"))
    budget = options.budget or [str(options.trials)]
    kept = search(space, crivo_try(budget), options.trials, options.seed)
    if kept.experiment is None:
        print(f"Nothing was kept of {len(kept.outcomes)} trials.")
        return
    print(f"Kept {kept.experiment}: {kept.settings}. Now, once: crivo confirm {kept.experiment}")


if __name__ == "__main__":
    main()
