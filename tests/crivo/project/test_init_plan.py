"""What `crivo start` sets for a table, and that it brings a file whole, or leaves all as it was."""

import re
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import yaml
from tests.crivo.project.tables import KINDS
from tests.crivo.schemas import few_columns
from tests.crivo.settings import SETTINGS

from crivo.core.errors import CrivoError
from crivo.core.params import read_params
from crivo.core.registry import make_block
from crivo.preparation.prepared import split_rows
from crivo.project import start
from crivo.project.choices import Request
from crivo.project.params_file import edited_params
from crivo.project.split_choice import Split, choose_split
from crivo.project.start import init_table, make_plan

CSV = "a,b,y\n" + "".join(f"{i},{'uvw'[i % 3]},{'no' if i % 3 else 'yes'}\n" for i in range(81))


pytestmark = pytest.mark.usefixtures("no_comparison")
PLANS = Path(__file__).with_name("plans.txt").read_text(encoding="utf-8")
SAID = dict(re.findall(r"^## (\w+)\n((?:(?!## ).*\n)*)", PLANS, re.MULTILINE))


def plan_of(
    folder: Path, text: str, request: Request, allowed: float | None = 0.05
) -> dict[str, object]:
    folder.mkdir(exist_ok=True)
    (folder / "rows.csv").write_text(text)
    return make_plan(folder, request, {"prepare": {"quarantine_limit": allowed}}).settings


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_found_said_and_set_for_a_kind_of_table(tmp_path: Path, kind: str) -> None:
    KINDS[kind].rows(np.random.default_rng(0)).to_csv(tmp_path / "rows.csv", index=False)
    given: dict[str, Any] = {}
    for option, value in zip(*2 * [iter(KINDS[kind].options)], strict=True):
        name = option.removeprefix("--")
        given[name] = (*given.get(name, ()), value) if name == "id" else value
    plan = make_plan(tmp_path, Request("y", **given), yaml.safe_load(SETTINGS))
    set_to = [f"{key}: {value!r}" for key, value in plan.settings.items()]
    told = ["Found:", *plan.found, "Dangers:", *plan.dangers, "Changes:", *plan.changes]
    assert "\n".join([*told, "Settings:", *set_to, ""]) == SAID[kind]


def test_how_a_file_is_read_stays_and_two_classes_may_be_rare(tmp_path: Path) -> None:
    text = "a,y\n" + "".join(f"{i},{'no' if i % 10 else 'yes'}\n" for i in range(81))
    settings = plan_of(tmp_path, text, Request("y"))
    assert settings["datasets.table.min_class_rows"] == 1
    for allowed in (None, 0.2):  # by default, a tenth
        assert plan_of(tmp_path, text + "2,\n" * 8, Request("y"), allowed) == settings
    assert Request("y", sheet="Sales").table({})["sheet"] == "Sales"
    names = "types missing delimiter encoding decimal marks day_first header sheet"
    known = dict.fromkeys(names.split(), "as it was")
    assert Request("y").table(known).items() >= known.items()


def test_what_is_just_at_a_limit_is_within_it(tmp_path: Path) -> None:
    """Unusable rows, rows of a class, and rows with the same id."""
    for bad, limit in ((5, None), (6, 0.06), (20, 0.2), (21, None)):
        rows = [f"{i},{'ab'[i % 2]}\n" for i in range(100 - bad)] + ["1,\n"] * bad
        refused = pytest.raises(
            CrivoError, match=r"^21.0 % of the rows can't be used: y is missing"
        )
        with refused if bad > 20 else nullcontext():
            found = plan_of(tmp_path, "".join(["a,y\n", *rows]), Request("y"))
            assert found.get("prepare.quarantine_limit") == limit
    for count, least in ((9, 10), (10, 1)):
        rows = [f"{i},{'abc'[i % 3]}\n" for i in range(81)] + ["1,rare\n"] * count
        found = plan_of(tmp_path, "".join(["a,y\n", *rows]), Request("y"))
        assert found["datasets.table.min_class_rows"] == least
    rows = [f"{max(i, 1)},{'ab'[i % 2]}\n" for i in range(40)]
    assert plan_of(tmp_path, "".join(["k,y\n", *rows]), Request("y", id=("k",)))


def test_what_is_asked_for_is_set(tmp_path: Path) -> None:
    asked = {"task": "binary", "positive": "0", "weight": "w", "outcome": ("o",), "drop": ("d",)}
    rows = "y,x,w,o,d\n" + "".join(f"{i % 2},{i},1,{i},2\n" for i in range(81))
    found = plan_of(tmp_path, rows, Request("y", **asked))
    assert [found[f"datasets.table.{name}"] for name in asked] == ["binary", 0, "w", ["o"], ["d"]]


def visits(groups: int, **columns: object) -> str:
    """Return a file of ten visits of each patient, as many patients as groups."""
    count = 10 * groups
    patients = [f"p{i % groups}" for i in range(count)]
    base = {"patient": patients, "x": range(count), "y": [0, 1] * (count // 2)}
    return pd.DataFrame(base | columns).to_csv(index=False)


@pytest.mark.parametrize(
    ("text", "option", "sentence"),
    [
        (visits(2), {"group": "patient"}, "empty .train 20.*without --group"),
        (visits(4, t=[2012, 2013] * 20), {"time": "t"}, "and t has 2; .*without --time"),
        (visits(4), {"id": ("patient",)}, "40 of 40 rows have 4 repeated values.*with --group"),
    ],
)
def test_what_can_not_be_split_is_refused_with_the_options_that_do(
    tmp_path: Path, text: str, option: dict[str, str], sentence: str
) -> None:
    with pytest.raises(CrivoError, match=sentence):
        plan_of(tmp_path, text, Request("y", **option))


def test_rows_that_straddle_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = visits(30, when=pd.date_range("2013-01-01", periods=300))
    (tmp_path / "rows.csv").write_text(text)
    with monkeypatch.context() as patch:
        patch.delattr("crivo.project.start.model_choice")  # no model is fitted for a refusal
        with pytest.raises(CrivoError, match="give only --time.*--yes sets these rows aside"):
            make_plan(tmp_path, Request("y", time="when", group="patient"), {})
    plan = make_plan(tmp_path, Request("y", time="when", group="patient", yes=True), {})
    (line,) = (line for line in plan.dangers if "sets aside" in line)
    assert re.match(r".* sets aside \d+ of 300 rows, because the other rows of their patient", line)
    assert "give only --time" in line


def dealt(folder: Path, rows: pd.DataFrame, settings: dict[str, object]) -> pd.Series:
    """Return the split of each id, with the settings of a plan."""
    rows.to_csv(folder / "rows.csv", index=False)
    block = str(settings["splitter"])
    blocks = ["datasets.table.", f"splitters.{block}."]
    table, split = (
        {key.removeprefix(start): value for key, value in settings.items() if key.startswith(start)}
        for start in blocks
    )
    dataset = make_block("dataset", "table", table)
    loaded = dataset.load(folder)
    schema = dataset.schema(loaded)
    kept, splits, _ = split_rows(make_block("splitter", block, split), block, loaded, schema)
    return splits.set_axis(kept[schema.id].to_numpy())


@pytest.mark.parametrize(
    ("when", "count", "grouped"),
    [
        ("days", 150, False),
        ("days", 1_200, True),
        ("hours", 1_200, False),
        ("numbers", 150, True),
        ("fractions", 1_200, False),
        ("none", 1_200, True),
        ("none", 1_200, False),
    ],
)
def test_added_rows_move_no_old_one(tmp_path: Path, when: str, count: int, grouped: bool) -> None:
    """Whatever is known of the rows, a third more of them, all later, leave the old ones alone."""
    total = count * 4 // 3
    rng = np.random.default_rng(0)
    times = {
        "days": pd.date_range("2013-01-01", periods=total // 5, freq="D").repeat(5).astype(str),
        "hours": pd.date_range("2013-01-01", periods=total, freq="37s").astype(str),
        "numbers": np.arange(total) // 7,
        "fractions": 1 + np.arange(total) / 8,
        "none": np.zeros(total),
    }
    rows = pd.DataFrame({"id": range(total), "when": times[when][:total]})
    rows["who"] = [f"g{i // 6}" for i in range(total)]
    rows = rows.assign(x=rng.normal(size=total), y=rng.choice(["no", "no", "yes"], total))
    request = Request(
        "y", id=("id",), time="when" if when != "none" else None, group="who" if grouped else None
    )
    rows[:count].to_csv(tmp_path / "rows.csv", index=False)
    settings = make_plan(tmp_path, request, {}).settings
    before = dealt(tmp_path, rows[:count], settings)
    after = dealt(tmp_path, rows, settings).reindex(before.index).dropna()
    assert (after == before.reindex(after.index)).all()
    assert before.value_counts(normalize=True).max() < 0.8


COUNT = 400
DAYS = pd.Series(pd.date_range("2024-01-01 06:00", periods=COUNT // 4, freq="D").repeat(4))
GROUPS = [f"g{number % 100}" for number in range(COUNT)]
PLAIN = {"valid": 0.2, "test": 0.2, "exact": False}


def chosen(count: int = COUNT, **columns: object) -> Split:
    target = np.random.default_rng(0).random(COUNT) < 0.5
    rows = pd.DataFrame({"key": range(COUNT), "y": target, "x": range(COUNT), **columns})[:count]
    roles = {"t": "time", "g": "group"}
    others = {name: roles.get(name, "feature") for name in rows.columns.drop(["key", "y"])}
    time, group = ("t" if "t" in rows else None), ("g" if "g" in rows else None)
    request = Request("y", time=time, group=group)
    return choose_split(request, rows, few_columns(False, True, **others))


@pytest.mark.parametrize(
    ("columns", "settings", "why"),
    [
        ({}, {**PLAIN, "copies_together": True, "seed": 0}, "rows have no time and no group"),
        ({"g": GROUPS}, PLAIN, "rows of one group stay in one split"),
        # By this seed 7 groups are test rows; of fewer than 50 groups, 10 have to be.
        ({"g": [f"d{number % 50}" for number in range(COUNT)]}, {**PLAIN, "seed": 0}, ""),
        ({"g": [f"d{number % 49}" for number in range(COUNT)]}, {**PLAIN, "seed": 1},
         "rows of one group stay in one split; of the seeds up to 1, this one divides the rows"),
        ({"t": DAYS}, {"valid_from": "2024-03-01", "test_from": "2024-03-21"},
         "rows have a time: later ones are evaluated"),
        # If the validation rows began with the second day, they would be 72 % of all.
        ({"t": pd.date_range("2024-01-01 23:00", periods=COUNT, freq="5min")},
         {"valid_from": "2024-01-02T19:00:00", "test_from": "2024-01-03T01:40:00"}, ""),
        ({"t": 5 + np.arange(COUNT) // 4}, {"valid_from": 65, "test_from": 85}, ""),
        ({"t": np.arange(COUNT) / COUNT}, {"valid_from": 0.6, "test_from": 0.8},
         "are evaluated; added rows will move some old ones, and `prepare` will refuse that"),
        ({"t": DAYS, "g": GROUPS}, {"valid": 0.25, "test": 0.25},
         "rows have a time and a group: later rows of other groups are evaluated"),
    ],
)  # fmt: skip
def test_the_settings_and_the_reason_suit_what_is_known_of_the_rows(
    columns: dict[str, object], settings: dict[str, object], why: str
) -> None:
    found = chosen(**columns)
    assert settings.items() <= found.settings.items()
    assert why in found.why


def test_too_few_rows_are_refused() -> None:
    assert len(chosen(5).rows) == 5
    with pytest.raises(CrivoError, match="too few usable rows .* .4.; you need at least 5, and"):
        chosen(4)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a folder that looks like a project, with DVC's and git's part left out."""
    folder = tmp_path / "project"
    (folder / ".dvc").mkdir(parents=True)
    (folder / "dvc.yaml").write_text("stages: {}\n")
    (folder / "params.yaml").write_text(SETTINGS)
    monkeypatch.setattr(start, "track", lambda project: None)
    return folder


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "my rows.csv"
    path.write_text(CSV)
    return path


def test_another_target_resets_what_names_columns_only(project: Path, source: Path) -> None:
    init_table(project, source, Request("y"))
    params = project / "params.yaml"
    params.write_text(edited_params(params, TEAMS_OWN))
    large = source.with_name("large.csv")
    large.write_text("a,z\n" + "".join(f"{i % 89},{abs(i % 89 - 44)}\n" for i in range(1, 70)))
    init_table(project, large, Request("z"), force=True)
    settings = read_params(params)
    dataset = settings.block("dataset")
    assert (dataset.task, dataset.words.rows) == ("regression", "rows")
    assert (settings.evaluate.slices, settings.limits, settings.evaluate.cluster) == ((), {}, None)
    assert settings.block("model").learning_rate == 0.03
    assert settings.prepare.quarantine_limit == 0.2


TEAMS_OWN = {
    "model": "forest",
    "prepare.quarantine_limit": 0.2,
    "models.boosting.learning_rate": 0.03,
    "splitters.at_random.valid": 0.3,
    "evaluate.cluster": "b",
    "evaluate.block": 3,
    "evaluate.slices": ["b"],
    "limits": {"roc_auc_low": {"at_least": 0.7}},
    "datasets.table.day_first": True,
    "datasets.table.words": {"rows": "shops"},
    "datasets.table.marks": {"b": ","},
}


def test_new_data_change_nothing_that_the_team_set(project: Path, source: Path) -> None:
    params = project / "params.yaml"
    init_table(project, source, Request("y", id=("a",)))
    params.write_text(edited_params(params, TEAMS_OWN))
    before = params.read_text()
    source.write_text(CSV + "".join(f"{i},u,yes\n" for i in range(100, 120)))
    plan = init_table(project, source, Request("y"), force=True)
    assert (project / "data/raw/table/my rows.csv").read_text() == source.read_text()
    assert params.read_text() == before
    assert plan.changes == ("nothing: these are new data for the same target",)


def test_too_many_unusable_rows_are_refused_with_their_reasons(project: Path, source: Path) -> None:
    source.write_text(CSV + "1,u,\n" * 40)
    said = r"^33\.1 % of the rows can't be used: y is missing \(40\)\. Correct .* --yes sets these"
    with pytest.raises(CrivoError, match=said):
        init_table(project, source, Request("y"))
    init_table(project, source, Request("y", yes=True))
    assert read_params(project / "params.yaml").prepare.quarantine_limit == 0.34


def test_a_command_that_fails_is_told_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(CrivoError, match=r"`dvc add .*data/raw/table` failed: "):
        start.track(tmp_path)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({}, "^data/raw/table already exists; --force replaces it"),
        ({"target": "sold"}, "sold"),
        ({"id": ("b",)}, "^--id b doesn't identify single rows: 81 of 81 rows have 3 rep"),
        ({"time": "b"}, "b"),
        ({"positive": "maybe"}, "maybe"),
        (
            {"target": "b", "positive": "yes"},
            "^--positive is 'yes', but the task is multi.* u, v, w. ",
        ),
    ],
)
def test_what_can_not_be_used_changes_nothing(
    project: Path, source: Path, asked: dict[str, Any], said: str
) -> None:
    (project / "data/raw/table").mkdir(parents=True)
    before = sorted(project.rglob("*"))
    for path, words in ((source, said), (source.with_name("none.csv"), "^There is no file .*none")):
        with pytest.raises(CrivoError, match=words if asked else said):
            init_table(project, path, Request(**{"target": "y", **asked}), force=bool(asked))
    assert sorted(project.rglob("*")) == before
    assert (project / "params.yaml").read_text() == SETTINGS
