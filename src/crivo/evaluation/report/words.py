"""The report's sentences and numbers as a person reads them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from crivo.core.evaluation import Evaluation

SPLITS = {"valid": "validation rows", "test": "test rows"}

VERDICTS = {
    "better": "better than the baseline",
    "worse": "worse than the baseline",
    "equivalent": "equivalent to the baseline",
    "identical": "identical to the baseline",
    "undecided": "not told apart from the baseline",
}


def title(settings: Mapping[str, str], about: Mapping[str, Any]) -> str:
    """Return what was evaluated: the model, the data, the split."""
    split = SPLITS.get(str(about.get("split")), "given rows")
    if "model" not in settings:
        return f"Predictions of {split}"
    return f"{settings['model']} on {settings['dataset']}, {split}"


def headline(evaluation: Evaluation, about: Mapping[str, Any]) -> str:
    """Return the sentence a person wants: the metric, its interval, the verdict."""
    name = evaluation.primary
    row = evaluation.metrics.to_dict("index")[name]
    if pd.isna(row["value"]):
        return f"{name} is not defined on these rows."
    sentence = f"{name} is {number(row['value'])} {interval(row)}".strip()
    if name not in evaluation.against_baseline.index:
        return f"{sentence}."
    versus = evaluation.against_baseline.to_dict("index")[name]
    verdict = VERDICTS.get(str(versus["verdict"]), "not compared with the baseline")
    difference = f"{signed(versus['difference'])} {interval(versus)}".strip()
    return f"{sentence}, {verdict} ({difference})."


def worse(evaluation: Evaluation) -> str:
    """Return which metrics are worse than the baseline's, in one sentence."""
    table = evaluation.against_baseline
    names = [str(name) for name in table.index[table["verdict"] == "worse"]]
    return (
        f"Worse than the baseline in {', '.join(names)}."
        if names
        else "No metric is shown to be worse than the baseline's."
    )


def beside(
    evaluation: Evaluation, headline: Mapping[str, Any], incumbent: Mapping[str, Any]
) -> list[str]:
    """Return what follows the first sentence: the incumbent, the value, what got worse."""
    lines = [worse(evaluation)]
    if incumbent:
        difference = f"{signed(incumbent['vs_incumbent'])} {_ends(incumbent, 'vs_incumbent')}"
        name, verdict = incumbent["verdict_against"], incumbent["verdict"]
        among = incumbent.get("incumbent_chosen_among", 1)
        chosen = f", chosen among {among} models" if among > 1 else ""
        lines.insert(0, f"Against the incumbent, {name}{chosen}: {verdict} ({difference}).")
    if (value := headline.get("value_per_1000")) is not None:
        ends = _ends(headline, "value_per_1000")
        lines.append(f"Worth {signed(value)} {ends} per 1,000 rows, by the gains that are set.")
    return lines


def if_chosen(facts: Mapping[str, Any]) -> list[str]:
    """Say on validation rows, which choose, what the intervals don't allow for."""
    if facts.get("split") != "valid":
        return []
    return [
        "These intervals take the model as named beforehand. If it was chosen by its result on "
        "these rows, `crivo compare` and `crivo gate` give the estimate after selection."
    ]


def doubts(checked: pd.DataFrame | None) -> list[str]:
    """Return the findings of the checks that make the numbers doubtful: all but the notes."""
    if checked is None:
        return []
    # What is worse than the baseline (R002) is said already.
    grave = checked[(checked["severity"] != "note") & (checked["code"] != "R002")]
    return [f"{one.code}, {one.subject}: {one.message}" for one in grave.itertuples()]


def _ends(headline: Mapping[str, Any], name: str) -> str:
    return interval({end: headline[f"{name}_{end}"] for end in ("low", "high")})


def with_intervals(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table whose numbers have their interval in the same cell, not in two columns."""
    columns: dict[str, Any] = {}
    for name in table.columns:
        ends = [f"{name}_low", f"{name}_high"]
        if set(ends) <= set(table.columns):
            rows = table[[name, *ends]].itertuples(index=False)
            columns[name] = [
                f"{cell(value)} {interval({'low': low, 'high': high})}".strip()
                for value, low, high in rows
            ]
        elif not str(name).endswith(("_low", "_high")):
            columns[name] = table[name]
    return pd.DataFrame(columns, index=table.index)


def about(settings: Mapping[str, str], facts: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return what was evaluated, as pairs of a name and a value."""
    rows, clusters = facts.get("n_rows"), facts.get("n_clusters")
    pairs = [(kind, name) for kind, name in settings.items()]
    pairs += [
        ("task", str(facts.get("task"))),
        ("rows", f"{rows:,} in {clusters} clusters" if rows is not None else "unknown"),
        ("split", SPLITS.get(str(facts.get("split")), "given rows")),
        *([("fitted on", str(facts["fitted_on"]))] if "fitted_on" in facts else []),
        ("code", _code(facts)),
        ("environment", _environment(str(facts.get("environment")))),
        ("fingerprint of the rows", str(facts.get("rows"))),
        ("fingerprint of the definition", str(facts.get("definition"))),
    ]
    return pairs


def is_external(facts: Mapping[str, Any]) -> bool:
    """Return whether a file's predictions were evaluated: nobody knows what made them."""
    return facts.get("environment", "unknown") == "unknown"


def _code(facts: Mapping[str, Any]) -> str:
    # No file can hold the name of the commit that will hold the file.
    if is_external(facts):
        return "not known: these are predictions of another system"
    return "of the commit whose dvc.lock names this report (crivo trace finds it)"


def _environment(state: str) -> str:
    if state == "locked":
        return "as locked in requirements.txt"
    return "differs from requirements.txt" if state == "differs" else state


def reproduce(facts: Mapping[str, Any]) -> list[str]:
    """Return the commands that make these numbers again."""
    if is_external(facts):
        return ["crivo evaluate --predictions FILE"]
    return ["git checkout REVISION", "make repro", "git diff --exit-code dvc.lock"]


def number(value: Any) -> str:
    """Return a number with four significant digits, or a word where there is none.

    >>> number(0.5), number(-15234.7), number(float("nan"))
    ('0.5000', '−15,235', 'not defined')
    """
    if pd.isna(value):
        return "not defined"
    text = f"{value:,.0f}" if abs(value) >= 1000 else f"{value:#,.4g}".removesuffix(".")
    return text.replace("-", "−")


def signed(value: Any) -> str:
    """Return a difference with its sign.

    >>> signed(0.0123), signed(-2.5)
    ('+0.01230', '−2.500')
    """
    if pd.isna(value):
        return "not defined"
    return ("+" if value >= 0 else "−") + number(abs(value))


def interval(row: Any) -> str:
    """Return the two ends in brackets, or nothing where there is no interval."""
    if pd.isna(row["low"]) or pd.isna(row["high"]):
        return ""
    return f"[{number(row['low'])}, {number(row['high'])}]"


def cell(value: Any) -> str:
    """Return a table's value: short numbers, nothing for what is missing."""
    if pd.api.types.is_scalar(value) and pd.isna(value):
        return ""
    if isinstance(value, float):
        return number(value)
    if isinstance(value, pd.Timestamp):
        return value.strftime("%Y-%m-%d %H:%M").removesuffix(" 00:00")
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
