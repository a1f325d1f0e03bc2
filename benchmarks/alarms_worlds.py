"""The tables of `benchmarks/alarms.py`: honest ones of many kinds, and the same with a fault."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import norm
from sklearn.preprocessing import TargetEncoder

from crivo.core.schema import Column, Schema, Task
from crivo.featurization.row_checks import SplitRows

SPLITS = ("train", "valid", "test")
SIZES = (200, 500, 1_000, 2_000, 5_000)
TASKS: tuple[Task, ...] = ("binary", "multiclass", "regression")

# What columns are: by their names, and by the kind of their values.
ROLES = {"key": "id", "y": "target", "at": "time"}
TYPES: dict[str, Any] = {"b": "boolean", "i": "number", "f": "number", "M": "date"}


@dataclass(frozen=True)
class Table:
    """A made-up table: its rows, what its target is, which split each row is in."""

    rows: pd.DataFrame
    task: Task
    splits: np.ndarray

    def __post_init__(self) -> None:
        if "key" not in self.rows:
            self.rows.insert(0, "key", [f"k{i}" for i in range(len(self.rows))])

    @property
    def schema(self) -> Schema:
        """What `prepare` would write: each column's role and type."""
        columns = tuple(
            Column(name=name, role=ROLES.get(name, "feature"), type=TYPES.get(kind, "category"))
            for name, kind in ((name, self.rows[name].dtype.kind) for name in self.rows)
        )
        classes = () if self.task == "regression" else tuple(sorted(set(self.rows["y"].tolist())))
        positive = classes[-1] if self.task == "binary" else None
        return Schema(task=self.task, columns=columns, classes=classes, positive=positive)

    def split(self, name: str) -> pd.DataFrame:
        """Return the rows of one split."""
        return self.rows[self.splits == name].reset_index(drop=True)

    def split_rows(self) -> SplitRows:
        """Return the table as the checks of rows look at it."""
        return SplitRows(self.schema, self.split)


def at_random(count: int, random: np.random.Generator) -> np.ndarray:
    """Return a split for each row, by chance."""
    return random.choice(SPLITS, count, p=[0.6, 0.2, 0.2])


# What a maker of features returns: the columns, and what of them the target depends on.
Features = tuple[pd.DataFrame, np.ndarray]


def fine(count: int, random: np.random.Generator, columns: int) -> Features:
    """Return so many continuous numbers, of which up to five tell something."""
    values = random.normal(size=(count, columns))
    told = min(columns, 5)
    known = values[:, :told] @ random.normal(size=told) + 0.7 * values[:, 0] * values[:, -1]
    return pd.DataFrame(values).add_prefix("x"), known


def coarse(count: int, random: np.random.Generator, columns: int, levels: int) -> Features:
    """Return independent columns of a few levels, unequally frequent."""
    shares = [random.dirichlet(np.full(levels, 2.0)) for _ in range(columns)]
    values = np.column_stack([random.choice(levels, count, p=share) for share in shares])
    effects = random.normal(size=(columns, levels))
    known = sum(effects[i][values[:, i]] for i in range(min(columns, 5)))
    return pd.DataFrame(values).astype("str").add_prefix("c"), np.asarray(known)


def dependent(count: int, random: np.random.Generator) -> Features:
    """Return coarse columns that depend on a hidden kind of row, strongly."""
    kind = random.choice(6, count, p=random.dirichlet(np.ones(6)))
    usual = random.integers(4, size=(6, 5))
    odd = random.random((count, 5)) < 0.15
    values = np.where(odd, random.integers(4, size=(count, 5)), usual[kind])
    return pd.DataFrame(values).astype("str").add_prefix("c"), random.normal(size=6)[kind]


def products(count: int, random: np.random.Generator) -> Features:
    """Return sales of some products: price, weight and brand follow from the product."""
    number = max(10, count // 10)
    price, weight = random.lognormal(3, 1, number).round(2), random.lognormal(0, 1, number)
    brand, liked = random.integers(8, size=number), random.normal(size=number)
    sold = random.choice(number, count, p=random.dirichlet(np.ones(number)))
    week = random.integers(7, size=count)
    rows = {"price": price[sold], "weight": weight[sold], "brand": brand[sold], "weekday": week}
    return pd.DataFrame(rows), liked[sold]


def sparse(count: int, random: np.random.Generator) -> Features:
    """Return counts that are mostly 0, so that many rows are 0 throughout."""
    values = random.poisson(0.05, (count, 20)) * random.integers(1, 9, (count, 20))
    return pd.DataFrame(values).add_prefix("n"), values[:, :5] @ random.normal(size=5)


def skewed(count: int, random: np.random.Generator) -> Features:
    """Return whole numbers, money in round sums, a gap here and there, and a class of ticket."""
    ticket = random.choice(3, count, p=[0.2, 0.2, 0.6])
    fare = np.where(ticket == 2, random.choice([7.75, 7.9, 8.05], count), 0)
    fare = np.where(ticket < 2, random.lognormal(3.5, 0.6, count).round(0), fare)
    age = np.where(random.random(count) < 0.2, np.nan, random.normal(30, 12, count).round())
    sex = random.choice(["f", "m"], count, p=[0.35, 0.65])
    rows = {"ticket": ticket, "fare": fare, "age": age, "sex": sex}
    return pd.DataFrame(rows), (ticket == 2) * -1.0 + (sex == "f") * 2.0


KINDS: dict[str, Callable[[int, np.random.Generator], Features]] = {
    "3 fine columns": partial(fine, columns=3),
    "8 fine columns": partial(fine, columns=8),
    "25 fine columns": partial(fine, columns=25),
    "2 coarse columns": partial(coarse, columns=2, levels=4),
    "4 coarse columns": partial(coarse, columns=4, levels=6),
    "10 coarse columns": partial(coarse, columns=10, levels=3),
    "5 dependent columns": dependent,
    "products sold again": products,
    "counts, mostly 0": sparse,
    "classes, fares and ages": skewed,
}
FINE = [kind for kind in KINDS if "fine" in kind]
COARSE = ["4 coarse columns", "10 coarse columns"]


def target(
    known: np.ndarray, task: Task, strength: float, rare: float, random: np.random.Generator
) -> np.ndarray:
    """Return a target of which `known` tells something; `rare` is the share of the last class."""
    spread = known.std() or 1.0
    signal = strength * (known - known.mean()) / spread
    if task == "regression":
        numbers: np.ndarray = signal + random.normal(size=len(known))
        return numbers
    latent = signal + random.logistic(size=len(known))
    if task == "binary":
        return np.asarray(latent > np.quantile(latent, 1 - rare))
    cuts = np.quantile(latent, [(1 - rare) / 2, 1 - rare])
    return np.array(["a", "b", "c"])[np.digitize(latent, cuts)]


def honest(
    random: np.random.Generator,
    kinds: Iterable[str] = KINDS,
    tasks: Sequence[Task] = TASKS,
    *,
    sizes: int = len(SIZES),
    strengths: Sequence[float] = (0.5, 1.0, 2.0, 4.0),
    fresh: int = 0,
) -> Table:
    """Return a table without a fault, split at random, whose kind, task and size are drawn.

    `sizes`: from how many of the smallest sizes; `strengths`: how much the features may tell;
    `fresh`: how many rows there are beside the table, as a split of this name.
    """
    kind, task = str(random.choice(list(kinds))), random.choice(tasks)
    count = int(random.choice(SIZES[:sizes]))
    strength, rare = random.choice(strengths), random.choice([0.1, 0.3, 0.5])
    rows, known = KINDS[kind](count + fresh, random)
    rows["y"] = target(known, task, strength, rare, random)
    return Table(rows, task, np.append(at_random(count, random), ["fresh"] * fresh))


def with_copies(
    share: float, kinds: Iterable[str], jitter: float, random: np.random.Generator
) -> Table:
    """Return a table in which so many rows appear once more, with another number that is a feature.

    With `jitter` the copies are off by so many standard deviations in each feature that isn't
    whole, in half of the tables in the target, too, and no feature counts the rows.
    """
    table = honest(random, kinds)
    again = table.rows.sample(frac=share, random_state=int(random.integers(2**31)))
    columns = [name for name in again if again[name].dtype.kind == "f"]
    if random.random() < 0.5:
        columns = [name for name in columns if name != "y"]
    noise = jitter * random.normal(size=(len(again), len(columns)))
    again[columns] += noise * table.rows[columns].std().to_numpy()
    rows = pd.concat([table.rows, again], ignore_index=True).drop(columns="key")
    if not jitter:
        rows.insert(0, "number", random.permutation(len(rows)) + 1)
    return Table(rows, table.task, at_random(len(rows), random))


def with_groups(random: np.random.Generator, effect: float, named: bool = True) -> Table:
    """Return a table of 3 to 20 rows a patient, which nobody declared, split at random.

    `effect`: the standard deviation of what a patient's rows have in common beyond the features;
    `named`: a column says which patient it is. Three features are the patient's own.
    """
    count, size = int(random.choice(SIZES[1:])), int(random.choice([3, 5, 10, 20]))
    patient = random.integers(max(count // size, 12), size=count)
    own = random.normal(size=(patient.max() + 1, 4))
    values = np.column_stack([own[patient, :3], random.normal(size=(count, 3))])
    rows = pd.DataFrame(values).add_prefix("x")
    if named:
        told = patient if random.random() < 0.5 else [f"p{i:04}" for i in patient]
        rows.insert(0, "patient", told)
    task: Task = random.choice(TASKS)
    known = values[:, 2:5] @ random.normal(size=3) + effect * own[patient, 3]
    rows["y"] = target(known, task, 1.5, 0.3, random)
    return Table(rows, task, at_random(count, random))


def with_encoding(random: np.random.Generator, held_out: bool = True) -> Table:
    """Return a table with the mean target of each shop as a column, of 3 to 30 rows each.

    `held_out`: those of all rows, else those of the training rows alone. In half of the tables the
    mean is drawn to that of all rows, and in half of them the shops' names are gone.
    """
    table = honest(random, FINE)
    rows, count, size = table.rows, len(table.rows), int(random.choice([3, 10, 30]))
    shop = pd.Series(random.integers(max(count // size, 12), size=count))
    effect = random.choice([0.0, 0.5]) * random.normal(size=shop.max() + 1)[shop]
    if table.task == "regression":
        rows["y"] += effect
    known = rows["y"] if table.task == "regression" else rows["y"] == rows["y"].max()
    seen = held_out | (table.splits == "train")
    means = TargetEncoder(target_type="continuous", smooth=float(random.choice([0.0, 10.0])))
    means.fit(shop.to_frame()[seen], known[seen].astype(float))
    rows.insert(1, "level", means.transform(shop.to_frame())[:, 0])
    if random.random() < 0.5:
        rows.insert(1, "shop", [f"s{i}" for i in shop])
    return table


def with_parts(random: np.random.Generator) -> Table:
    """Return a table with two to four parts of the target, each rounded, as the target is."""
    parts, unit = int(random.choice([2, 3, 4])), float(random.choice([0.01, 0.1, 0.2]))
    table = honest(random, FINE, ["regression"])
    split = random.normal(size=(len(table.rows), parts))
    split[:, 0] += table.rows["y"] - split.sum(axis=1)
    rows = table.rows.join(pd.DataFrame(unit * (split / unit).round()).add_prefix("part"))
    rows["y"] = unit * (rows.pop("y") / unit).round()
    return Table(rows, "regression", table.splits)


def rounded_line(random: np.random.Generator) -> Table:
    """Return a table with a column that is nearly the target, both rounded: R² 0.9 to 0.99."""
    table = honest(random, FINE, ["regression"])
    unit, r2 = float(random.choice([0.1, 0.5, 1.0])), float(random.uniform(0.9, 0.99))
    y = table.rows["y"]
    near = y + np.sqrt(1 / r2 - 1) * y.std() * random.normal(size=len(y))
    columns = {"near": unit * (near / unit).round(), "y": unit * (y / unit).round()}
    return Table(table.rows.assign(**columns), "regression", table.splits)


def by_time(random: np.random.Generator) -> Table:
    """Return readings of sensors that drift, split by time."""
    count = int(random.choice(SIZES))
    drift = np.cumsum(random.normal(size=(count, 5)), axis=0) / np.sqrt(count)
    values = drift + np.sin(np.arange(count)[:, None] / random.integers(5, 50, 5))
    values += random.normal(size=values.shape)
    rows = pd.DataFrame(values).add_prefix("x")
    rows.insert(0, "at", pd.date_range("2024-01-01", periods=count, freq="h"))
    task: Task = random.choice(("binary", "regression"))
    rows["y"] = target(values[:, 0], task, 1.0, 0.3, random)
    splits = np.repeat(SPLITS, np.diff(np.rint(count * np.array([0, 0.6, 0.8, 1])).astype(int)))
    return Table(rows, task, splits)


def one_strong(
    low: float, high: float, random: np.random.Generator, tasks: Sequence[Task] = TASKS
) -> Table:
    """Return a table with a column of a strength between two: a Gini coefficient or R².

    All others are weak. The column may be an honest feature, or made from the target.
    """
    table = honest(random, FINE, tasks, sizes=4, strengths=(0.5, 1.0))
    y, strength = table.rows["y"], random.uniform(low, high)
    number = y if table.task == "regression" else pd.Series(pd.factorize(y, sort=True)[0])
    # For classes, the noise with which two that are one apart have this Gini coefficient.
    spread = 1 / (np.sqrt(2) * norm.ppf((1 + strength) / 2))
    if table.task == "regression":
        spread = np.sqrt(1 / strength - 1) * number.std()
    rows = table.rows.assign(strong=number + spread * random.normal(size=len(y)))
    return Table(rows, table.task, table.splits)


def with_code(random: np.random.Generator) -> Table:
    """Return a table with a code for each class, or the target in another unit."""
    table = honest(random, FINE)
    y = table.rows["y"]
    code = 32 + 1.8 * y if table.task == "regression" else y.map({v: f"<{v}>" for v in set(y)})
    return Table(table.rows.assign(code=code), table.task, table.splits)


def shifted(random: np.random.Generator) -> Table:
    """Return a table one of whose columns is a standard deviation higher in the test rows."""
    table = honest(random, FINE)
    higher = table.rows["x0"] + (table.splits == "test")
    return Table(table.rows.assign(x0=higher), table.task, table.splits)
