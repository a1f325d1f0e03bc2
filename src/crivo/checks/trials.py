"""R011 and R015: what do the recorded trials say of the model that is checked out?"""

from __future__ import annotations

from collections.abc import Iterator

from crivo.checks.project import Project, check
from crivo.checks.quality import about
from crivo.core.errors import CrivoError
from crivo.core.findings import Found, NotApplicable
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
    example="boosting: linear is equivalent to it, and its model file has 0.02 MB instead of "
    "0.59 MB; use the simpler one: `dvc exp apply linear`.",
)
def simpler_equal(project: Project) -> Iterator[Found]:
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
        yield Found(
            str(project.settings.get("model")),
            f"{name} is equivalent to it, and its model file has {row['model_bytes'] / 1e6:.2f} MB "
            f"instead of {size / 1e6:.2f} MB; use the simpler one: `dvc exp apply {name}`.",
        )


@check(
    "R015",
    "The best of a search lies at the edge of its space",
    severity="note",
    example="models.boosting: learning_rate=0.01 lies at the lower end of the range log(0.01, 0.3) "
    "of search-1; better settings may lie beyond it: widen the range and search again.",
)
def at_the_edge(project: Project) -> Iterator[Found]:
    """If the best settings of a search lie at an end of a range, better ones may lie beyond it. The
    check applies if the result that is checked out has the predictions of a trial of a search.
    An end that the setting doesn't allow to move isn't reported.
    """
    about(project)
    history, own, _ = _recorded(project)
    # The same predictions have the same settings, so those of the trial that gave them.
    alike = {own.origin.revision} | {
        one.origin.revision for one in history.trials if usable(one) and _same(one, own)
    }
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
            yield Found(
                section or edge.key,
                f"{name}={edge.value} lies at the {edge.end} end of the range {edge.searched} of "
                f"{search.name}; better settings may lie beyond it: widen the range and search "
                "again.",
            )


def _same(one: Record, own: Record) -> bool:
    return one.predictions == own.predictions and one.about["rows"] == own.about["rows"]


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
