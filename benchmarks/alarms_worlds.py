"""The tables of `benchmarks/alarms.py`: honest ones of many kinds, and the same with a fault."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from scipy.optimize import brentq
from scipy.stats import norm
from sklearn.metrics import roc_auc_score

from crivo.core.schema import Column, Schema, Task
from crivo.featurization.row_checks import SplitRows

SPLITS = ("train", "valid", "test")
SHARES = (0.6, 0.2, 0.2)
SIZES = (200, 500, 1_000, 2_000, 5_000)
TASKS: tuple[Task, ...] = ("binary", "multiclass", "regression")


@dataclass(frozen=True)
class Table:
    """A made-up table: its rows, what its target is, which split each row is in."""

    rows: pd.DataFrame
    task: Task
    splits: np.ndarray
    # `key` is the row's id, which it gets here; further roles by column.
    roles: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if "key" not in self.rows:
            self.rows.insert(0, "key", [f"k{i}" for i in range(len(self.rows))])

    @property
    def schema(self) -> Schema:
        """What `prepare` would write: each column's role and type."""
        roles = {"key": "id", "y": "target", **self.roles}
        columns = tuple(
            Column(name=name, role=roles.get(name, "feature"), type=type_of(self.rows[name]))
            for name in self.rows
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


def type_of(values: pd.Series) -> Any:
    """Return the type of a column, as a schema names it."""
    kind = values.dtype.kind
    kinds = {"b": "boolean", "i": "number", "f": "number", "M": "date"}
    return kinds.get(kind, "category")


def at_random(count: int, random: np.random.Generator) -> np.ndarray:
    """Return a split for each row, by chance."""
    return random.choice(SPLITS, count, p=SHARES)


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
    kind: str,
    task: Task,
    random: np.random.Generator,
    *,
    count: int = 0,
    strength: float = 1.0,
    rare: float = 0.3,
) -> Table:
    """Return a table without a fault, split at random; without a `count` it is of any size."""
    count = count or a_size(random)
    rows, known = KINDS[kind](count, random)
    rows["y"] = target(known, task, strength, rare, random)
    return Table(rows, task, at_random(count, random))


def a_size(random: np.random.Generator, kinds: int = len(SIZES)) -> int:
    """Return how many rows a table has: one of the smallest sizes, by default of all."""
    return int(random.choice(SIZES[:kinds]))


def with_copies(table: Table, share: float, random: np.random.Generator) -> Table:
    """Return a table in which so many rows appear once more, with another id that is a feature."""
    again = table.rows.sample(frac=share, random_state=int(random.integers(2**31)))
    rows = pd.concat([table.rows, again], ignore_index=True).drop(columns="key")
    rows.insert(0, "number", random.permutation(len(rows)) + 1)
    return Table(rows, table.task, at_random(len(rows), random), table.roles)


def with_jitter(table: Table, random: np.random.Generator) -> Table:
    """Return a table in which a fifth of the rows appear once more, a little off in each number.

    The jitter is a thousandth of the column's standard deviation.
    """
    again = table.rows.sample(frac=0.2, random_state=int(random.integers(2**31)))
    columns = [name for name in again if again[name].dtype.kind == "f"]
    if random.random() < 0.5:
        columns = [name for name in columns if name != "y"]
    noise = 1e-3 * random.normal(size=(len(again), len(columns)))
    again[columns] += noise * table.rows[columns].std().to_numpy()
    rows = pd.concat([table.rows, again], ignore_index=True).drop(columns="key")
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
    table = any_fine(random)
    rows, count, size = table.rows, len(table.rows), int(random.choice([3, 10, 30]))
    shop = pd.Series(random.integers(max(count // size, 12), size=count))
    effect = random.choice([0.0, 0.5]) * random.normal(size=shop.max() + 1)[shop]
    if table.task == "regression":
        rows["y"] += effect
    known = rows["y"] if table.task == "regression" else rows["y"] == rows["y"].max()
    known = known.astype(float).where(held_out | (table.splits == "train"))
    found = known.groupby(shop).agg(["sum", "count"])
    drawn = float(random.choice([0.0, 10.0]))
    means = (found["sum"] + drawn * known.mean()) / (found["count"] + drawn)
    rows.insert(1, "level", means.fillna(known.mean())[shop].to_numpy())
    if random.random() < 0.5:
        rows.insert(1, "shop", [f"s{i}" for i in shop])
    return table


def any_fine(random: np.random.Generator) -> Table:
    """Return an honest table of fine columns, of any task and size."""
    task, count = random.choice(TASKS), a_size(random)
    return honest(f"{random.choice([3, 8, 25])} fine columns", task, random, count=count)


def with_parts(random: np.random.Generator) -> Table:
    """Return a table with two to four parts of the target, each rounded, as the target is."""
    parts, unit = int(random.choice([2, 3, 4])), float(random.choice([0.01, 0.1, 0.2]))
    table = honest("8 fine columns", "regression", random)
    split = random.normal(size=(len(table.rows), parts))
    split[:, 0] += table.rows["y"] - split.sum(axis=1)
    rows = table.rows.join(pd.DataFrame(unit * (split / unit).round()).add_prefix("part"))
    rows["y"] = unit * (rows.pop("y") / unit).round()
    return Table(rows, "regression", table.splits)


def rounded_line(random: np.random.Generator) -> Table:
    """Return a table with a column that is nearly the target, both rounded: R² 0.9 to 0.99."""
    table = honest("8 fine columns", "regression", random)
    unit, r2 = float(random.choice([0.1, 0.5, 1.0])), float(random.uniform(0.9, 0.99))
    y = table.rows["y"]
    near = y + np.sqrt(1 / r2 - 1) * y.std() * random.normal(size=len(y))
    columns = {"near": unit * (near / unit).round(), "y": unit * (y / unit).round()}
    return Table(table.rows.assign(**columns), "regression", table.splits)


def by_time(random: np.random.Generator) -> Table:
    """Return readings of sensors that drift, split by time."""
    count = a_size(random)
    drift = np.cumsum(random.normal(size=(count, 5)), axis=0) / np.sqrt(count)
    values = drift + np.sin(np.arange(count)[:, None] / random.integers(5, 50, 5))
    values += random.normal(size=values.shape)
    rows = pd.DataFrame(values).add_prefix("x")
    rows.insert(0, "at", pd.date_range("2024-01-01", periods=count, freq="h"))
    task: Task = random.choice(("binary", "regression"))
    rows["y"] = target(values[:, 0], task, 1.0, 0.3, random)
    splits = np.repeat(SPLITS, np.diff(np.rint(count * np.array([0, 0.6, 0.8, 1])).astype(int)))
    return Table(rows, task, splits, {"at": "time"})


def one_strong(random: np.random.Generator, r2: float = 0.0) -> Table:
    """Return a table with one strong and honest feature, and two to twenty weak ones.

    Its ROC AUC is at most 0.85, its R² at most 0.7, unless `r2` says what that is.
    """
    task: Task = "regression" if r2 else random.choice(TASKS)
    count = a_size(random, 4)
    others = int(random.choice([2, 5, 20]))
    features = pd.DataFrame(random.normal(size=(count, others))).add_prefix("x")
    known = random.normal(size=count)
    if random.random() < 0.3:
        known = known.round()
    rare = float(random.choice([0.1, 0.3, 0.5]))
    rows = pd.DataFrame({"strong": known}).join(features)
    signal = known + 0.2 * features.sum(axis=1).to_numpy() / others
    if task == "regression":
        r2 = r2 or random.uniform(0.4, 0.7)
        strength = float(np.sqrt(r2 / (1 - r2)))
    else:
        strength = strength_for(float(random.uniform(0.7, 0.85)), rare)
    rows["y"] = target(signal, task, strength, rare, random)
    return Table(rows, task, at_random(count, random))


def strength_for(area: float, rare: float) -> float:
    """Return how strong a signal is that has a ROC AUC for a class of this share."""
    random = np.random.default_rng(0)
    known, noise = random.normal(size=20_000), random.logistic(size=20_000)

    def missing(strength: float) -> float:
        latent = strength * known + noise
        return float(roc_auc_score(latent > np.quantile(latent, 1 - rare), known)) - area

    return float(brentq(missing, 0.1, 10, xtol=0.01))


def with_leak(random: np.random.Generator, strength: float) -> Table:
    """Return a table with a column made from the target: Gini coefficient or R² of a strength."""
    task: Task = random.choice(TASKS)
    count = a_size(random, 4)
    table = honest("8 fine columns", task, random, count=count, strength=0.7)
    y = table.rows["y"]
    number = y if task == "regression" else pd.Series(pd.factorize(y, sort=True)[0])
    # For classes, the noise with which two that are one apart have this Gini coefficient.
    spread = 1 / (np.sqrt(2) * norm.ppf((1 + strength) / 2))
    if task == "regression":
        spread = np.sqrt(1 / strength - 1) * number.std()
    rows = table.rows.assign(leak=number + spread * random.normal(size=count))
    return Table(rows, task, table.splits)


def with_code(random: np.random.Generator) -> Table:
    """Return a table with a code for each class, or the target in another unit."""
    task: Task = random.choice(TASKS)
    table = honest("3 fine columns", task, random)
    y = table.rows["y"]
    code = 32 + 1.8 * y if task == "regression" else y.map({v: f"<{v}>" for v in set(y)})
    return Table(table.rows.assign(code=code), task, table.splits)


def shifted(random: np.random.Generator) -> Table:
    """Return a table one of whose columns is a standard deviation higher in the test rows."""
    table = honest("3 fine columns", "binary", random)
    higher = table.rows["x0"] + (table.splits == "test")
    return Table(table.rows.assign(x0=higher), table.task, table.splits)
