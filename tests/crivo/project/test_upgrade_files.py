"""What becomes of each file, setting and locked package in an upgrade."""

import pytest

from crivo.core.parsing import parse_yaml
from crivo.project.upgrade.lock import merged_lock
from crivo.project.upgrade.merging import Change, Versions, change
from crivo.project.upgrade.params_merge import merged_settings

OLD = b"a = 1\nb = 2\nc = 3\nd = 4\ne = 5\n"
TEAM = b"a = 10\nb = 2\nc = 3\nd = 4\ne = 5\n"
NEW = b"a = 1\nb = 2\nc = 3\nd = 4\ne = 50\n"
BOTH = b"a = 10\nb = 2\nc = 3\nd = 4\ne = 50\n"
AGAINST = b"a = 11\nb = 2\nc = 3\nd = 4\ne = 5\n"


@pytest.mark.parametrize(
    ("base", "ours", "new", "outcome", "content"),
    [
        (OLD, OLD, NEW, "replaced", NEW),
        (OLD, TEAM, NEW, "merged", BOTH),
        (OLD, TEAM, AGAINST, "conflict", AGAINST),
        (None, None, NEW, "added", NEW),
        (None, TEAM, NEW, "conflict", NEW),  # both made a file of that name
        (OLD, OLD, None, "removed", None),
        (OLD, TEAM, None, "kept", TEAM),
        (OLD, None, NEW, "kept", None),  # the team removed it
    ],
)
def test_a_file_follows_unless_the_team_edited_it(
    base: bytes | None, ours: bytes | None, new: bytes | None, outcome: str, content: bytes | None
) -> None:
    found = change("src/train.py", Versions(base, ours, new))
    assert isinstance(found, Change)
    assert (found.outcome, found.content) == (outcome, content)


@pytest.mark.parametrize(
    ("base", "ours", "new"),
    [(OLD, TEAM, OLD), (OLD, NEW, NEW), (OLD, None, None), (None, TEAM, None), (None, NEW, NEW)],
)
def test_nothing_is_said_of_a_file_that_stays(
    base: bytes | None, ours: bytes | None, new: bytes | None
) -> None:
    assert change("src/train.py", Versions(base, ours, new)) is None


def test_lines_that_fit_and_make_no_valid_file_are_a_conflict() -> None:
    base, ours, new = b'{\n"a": 1\n}\n', b'{\n"a": 1\n\n\n\n}\n', b'{\n"a": 1\n}\n]\n'
    found = change("x.json", Versions(base, ours, new))
    assert found is not None
    assert found.outcome == "conflict"


SETTINGS = """\
# All settings
seed: 13
train:
  # How much is watched
  early_stopping_fraction: 0.1
# What follows
models:
  boosting:
    max_iter: 50
    rate: 0.1
  forest:
    trees: 100
limits:
  roc_auc_low:
    at_least: 0.6
"""


def test_new_settings_come_with_their_comments_and_own_values_stay() -> None:
    ours = SETTINGS.replace("max_iter: 50", "max_iter: 7")
    new = SETTINGS.replace(
        "  early_stopping_fraction: 0.1\n", "  early_stopping_fraction: 0.1\n  # New\n  folds: 3\n"
    )
    text, said = merged_settings(SETTINGS, ours, new.replace("rate: 0.1", "rate: 0.3"))
    assert text == ours.replace(
        "  early_stopping_fraction: 0.1\n", "  early_stopping_fraction: 0.1\n  # New\n  folds: 3\n"
    )
    assert said == [
        "new setting train.folds: 3",
        "the default of models.boosting.rate is now 0.3; your 0.1 stays",
    ]


def test_settings_are_added_where_lines_contradict_and_comments_stay() -> None:
    ours = SETTINGS.replace(
        "  early_stopping_fraction: 0.1\n", "  early_stopping_fraction: 0.2 # ours\n"
    )
    new = SETTINGS.replace(
        "  early_stopping_fraction: 0.1\n", "  early_stopping_fraction: 0.1\n  folds:\n    n: 3\n"
    )
    text, _ = merged_settings(SETTINGS, ours, new)
    assert text == ours.replace("# ours\n", "# ours\n  folds:\n    n: 3\n")


def test_a_dropped_setting_goes_only_when_it_is_as_it_came() -> None:
    new = SETTINGS.replace("    rate: 0.1\n", "")
    text, said = merged_settings(SETTINGS, SETTINGS.replace("seed: 13", "seed: 1"), new)
    assert text == new.replace("seed: 13", "seed: 1")
    assert said == ["the setting models.boosting.rate is gone"]
    own = SETTINGS.replace("rate: 0.1", "rate: 0.2")
    text, said = merged_settings(SETTINGS, own, new)
    assert text == own
    assert said[0].startswith("models.boosting.rate is no longer a setting")


@pytest.mark.parametrize(
    ("ours", "new"),
    [
        # The team's limits, and the blocks that it has, are its own choice.
        (
            SETTINGS.replace("  roc_auc_low:\n    at_least: 0.6\n", "  rmse:\n    at_most: 1\n"),
            SETTINGS + "  brier:\n    at_most: 1\n",
        ),
        (
            SETTINGS.replace("  forest:\n    trees: 100\n", ""),
            SETTINGS.replace("trees: 100\n", "trees: 100\n    depth: 5\n"),
        ),
    ],
)
def test_what_the_team_took_out_does_not_come_back(ours: str, new: str) -> None:
    assert parse_yaml(merged_settings(SETTINGS, ours, new)[0]) == parse_yaml(ours)


def test_a_setting_that_changed_its_name_keeps_its_value_and_its_comment() -> None:
    former = SETTINGS.replace("early_stopping_fraction: 0.1", "watch: 0.1 # the default")
    ours = former.replace("watch: 0.1", "watch: 0.25")
    new = SETTINGS.replace("trees: 100", "trees: 200")
    text, said = merged_settings(former, ours, new)
    assert "  early_stopping_fraction: 0.25 # the default\n" in text
    assert "watch:" not in text
    assert said[0] == "the setting train.watch is called train.early_stopping_fraction now"


def lock(*entries: str, wheel: str = "1") -> str:
    """Write a lock: `pandas==3 crivo,plotly` is a package and who needs it."""
    head = f"./vendor/crivo-{wheel}-py3-none-any.whl \\\n    --hash=sha256:0{wheel}\n"
    text = f"{head}    # via churn (pyproject.toml)\n"
    for entry in entries:
        pin, _, needed = entry.partition(" ")
        who = [one.replace("team", "churn (pyproject.toml)") for one in needed.split(",")]
        via = f" {who[0]}\n" if len(who) == 1 else "".join(["\n", *(f"    #   {w}\n" for w in who)])
        text += f"{pin} \\\n    --hash=sha256:ab\n    # via{via}"
    return text


BASE = ("numpy==1 crivo,pandas", "pandas==3 crivo", "six==1 pandas")


@pytest.mark.parametrize(
    ("ours", "new", "expected"),
    [
        # As it was started: the new lock.
        (BASE, ("numpy==2 crivo", "polars==1 crivo"), ("numpy==2 crivo", "polars==1 crivo")),
        # What the team added stays, with what only that needs.
        (
            (*BASE[:2], "plotly==5 team", "six==1 pandas,plotly"),
            ("numpy==2 crivo", "polars==1 crivo"),
            ("numpy==2 crivo", "plotly==5 team", "polars==1 crivo", "six==1 plotly"),
        ),
        # The team's version stays while the library's doesn't move, and goes when it does.
        (("numpy==9 crivo,pandas", *BASE[1:]), BASE, ("numpy==9 crivo,pandas", *BASE[1:])),
        (
            ("numpy==9 crivo,pandas", *BASE[1:]),
            ("numpy==10 crivo,pandas", *BASE[1:]),
            ("numpy==10 crivo,pandas", *BASE[1:]),
        ),
        # What the team took out stays out, unless something new needs it.
        (("numpy==1 crivo",), ("numpy==2 crivo", *BASE[1:]), ("numpy==2 crivo",)),
        (
            ("numpy==1 crivo",),
            ("numpy==1 crivo,pandas", "pandas==3 crivo,polars", "polars==1 crivo"),
            ("numpy==1 crivo", "pandas==3 polars", "polars==1 crivo"),
        ),
    ],
)
def test_a_lock_follows_package_by_package(
    ours: tuple[str, ...], new: tuple[str, ...], expected: tuple[str, ...]
) -> None:
    text, _ = merged_lock(lock(*BASE), lock(*ours), lock(*new, wheel="2"))
    assert text == lock(*expected, wheel="2")


def test_a_version_of_the_team_s_that_goes_is_named() -> None:
    ours, new = ("numpy==9 crivo",), ("numpy==10 crivo",)
    _, said = merged_lock(lock("numpy==1 crivo"), lock(*ours), lock(*new, wheel="2"))
    assert said == ["numpy==9 of yours is now numpy==10"]
