"""R011 and R015: checks of the checked-out model against the recorded trials."""

from __future__ import annotations

from crivo.checks.project import Findings, Project, check
from crivo.checks.quality import about
from crivo.core.errors import CrivoError
from crivo.core.findings import NotApplicable
from crivo.records.history import History, read_history
from crivo.records.record import Record, usable
from crivo.records.searches import searches
from crivo.trials.search.space import at_edge, read_space

# A model is simpler when its file is at most this part of the other's.
MUCH_SMALLER = 0.5


@check(
    "R011",
    "Larger than an equivalent model",
    severity="note",
    sentence="{name} is equivalent to it, and its model file has {small:.2f} MB instead of "
    "{size:.2f} MB; use the simpler one: `dvc exp apply {name}`.",
    example=("boosting", {"name": "linear", "small": 0.02, "size": 0.59}),
)
def simpler_equal(project: Project) -> Findings:
    """Of two equally good models, the smaller one is faster, cheaper and easier to explain. The
    check reports a recorded experiment if it is *equivalent* to the result that is checked out
    and its model file is at most half as large. The verdict *equivalent* needs a margin: set
    `evaluators.standard.margin` to the largest difference that doesn't matter.
    """
    from crivo.comparison.compare import compare

    about(project)
    _, own, others = _recorded(project)
    try:
        table = compare(against="HEAD", folder=project.root).table
    except CrivoError as error:
        raise NotApplicable(str(error).rstrip(".")) from None
    equal = table[table["verdict"] == "equivalent"].dropna(subset="model_bytes")
    size = own.model_bytes
    if not others or not size:
        raise NotApplicable("no trial on the same rows is recorded with its model's size")
    small = equal[equal["model_bytes"] <= MUCH_SMALLER * size].sort_values("model_bytes")
    for name, row in small.head(1).iterrows():
        sizes = {"small": row["model_bytes"] / 1e6, "size": size / 1e6}
        yield str(project.settings.get("model")), {"name": name, **sizes}


@check(
    "R015",
    "The best of a search lies at the edge of its space",
    severity="note",
    sentence="{setting} lies at the {end} end of the range {searched} of {search}; better settings "
    "may lie beyond it: widen the range and search again.",
    example=(
        "models.boosting",
        {
            "setting": "learning_rate=0.01",
            "end": "lower",
            "searched": "log(0.01, 0.3)",
            "search": "search-1",
        },
    ),
)
def at_the_edge(project: Project) -> Findings:
    """If the best settings of a search lie at an end of a range, better ones may lie beyond it. The
    check applies if the result that is checked out has the predictions of a trial of a search.
    An end that the setting doesn't allow to move isn't reported.
    """
    about(project)
    history, own, _ = _recorded(project)
    # The same predictions have the same settings, so those of the trial that gave them.
    alike = {own.origin.revision} | {
        one.origin.revision
        for one in history.trials
        if usable(one) and one.predictions == own.predictions
        and one.about["rows"] == own.about["rows"]
    }  # fmt: skip
    made = [
        (search, trial)
        for search in searches(history.repository).values()
        for trial in search.trials
        if trial.whole and trial.revision in alike
    ]
    if not made:
        raise NotApplicable("the result doesn't come from a search")
    for search, trial in made:
        given = [f"{key}={text}" for key, text in search.space.items()]
        try:
            edges = at_edge(read_space(own.settings, given), trial.values)
        except CrivoError:  # a block or a setting of then is gone
            continue
        for edge in edges:
            section, _, name = edge.key.rpartition(".")
            setting = f"{name}={edge.value}"
            found = {"setting": setting, "end": edge.end, "searched": edge.searched}
            yield section or edge.key, {**found, "search": search.name}


def _recorded(project: Project) -> tuple[History, Record, list[Record]]:
    """Return the history, the result that is checked out, and the trials on its rows."""
    try:
        history = read_history(project.root)
        own = history.find("HEAD")
    except CrivoError as error:
        raise NotApplicable(str(error).rstrip(".")) from None
    if not usable(own):
        raise NotApplicable("the commit that is checked out has no evaluation")
    others = [
        one
        for one in history.counted
        if one.origin.trial and usable(one) and one.about["rows"] == own.about["rows"]
        and one.predictions != own.predictions
    ]  # fmt: skip
    return history, own, others
