"""The journal of a search: what was proposed and what became of it, kept as it happens.

Optuna writes it and proposes from it. It lies beside DVC's own temporary files, is read by the
driver alone, and a killed search goes on from it.
"""

from __future__ import annotations

import hashlib
import re
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import TypeAdapter

from crivo.core.errors import CrivoError
from crivo.records.history import History
from crivo.records.searches import KeptTrial
from crivo.repository.searches import kept_searches
from crivo.trials.search.dimensions import Choices, Dimension
from crivo.trials.search.space import Space, Values

if TYPE_CHECKING:
    from optuna import Study, Trial
    from optuna.samplers import BaseSampler

Sampler = Literal["tpe", "random", "grid"]

NAME = re.compile(r"[\w][\w.=+-]*")
FOLDER = Path(".dvc/tmp/crivo/searches")
# What Optuna's study and trials keep for us.
ABOUT, VALUES, OUTCOME = "crivo", "values", "outcome"


@dataclass(frozen=True)
class About:
    """What a search was begun with; going on needs the same.

    `window`: how many trials are proposed before the first of them must be told. What is proposed
    depends on it, and not on which trial ends first. `state`: what identifies the code and the
    settings of the workspace. `mark`: see `KeptSearch`.
    """

    name: str
    sampler: Sampler
    seed: int
    window: int
    space: Mapping[str, str]
    state: str
    against: str | None = None
    trials: int | None = None
    mark: str = ""


@dataclass(frozen=True)
class Proposal:
    """A point that was proposed, and what became of it: None until it is told."""

    number: int
    values: Values
    outcome: Mapping[str, Any] | None = field(default=None, compare=False)


class Journal:
    """The proposals of one search in their order; one process at a time has it open."""

    def __init__(self, study: Study, about: About, space: Space) -> None:
        self.about, self.space = about, space
        self._study = study
        self._points = space.points() if about.sampler == "grid" else None

    @property
    def size(self) -> int | None:
        """How many points there are in all; None for any number."""
        return None if self._points is None else len(self._points)

    def extend(self, trials: int) -> None:
        """Set how many trials there are to be."""
        self.about = replace(self.about, trials=trials)
        self._study.set_user_attr(ABOUT, _values(self.about))

    def proposals(self) -> list[Proposal]:
        """Return all that was proposed so far, in its order."""
        return [self._proposal(frozen) for frozen in self._study.get_trials(deepcopy=False)]

    def _proposal(self, frozen: Any) -> Proposal:
        outcome = frozen.user_attrs.get(OUTCOME) if frozen.state.is_finished() else None
        values = frozen.user_attrs.get(VALUES)
        if values is None:  # it was killed while it was proposed
            values = self._draw(_opened(self._study, frozen))
        return Proposal(frozen.number, values, outcome)

    def ask(self) -> Proposal:
        """Propose the next point: it depends on the seed, its number and what was told so far."""
        with _quiet():
            trial = self._study.ask()
            return Proposal(trial.number, self._draw(trial))

    def _draw(self, trial: Trial) -> Values:
        if self._points is not None:
            values = self._points[trial.number]
        else:
            values = self.space.draw(lambda key, one: self._suggest(trial, key, one))
        trial.set_user_attr(VALUES, values)
        return values

    def _suggest(self, trial: Trial, key: str, dimension: Dimension) -> Any:
        # Its own generator for each: what was drawn before a search was killed is drawn again.
        self._study.sampler = self._sampler(f"{trial.number} {key}")
        if isinstance(dimension, Choices):
            return trial.suggest_categorical(key, dimension.values)
        low, high, scale = dimension.low, dimension.high, dimension.logarithmic
        if dimension.whole:
            whole = trial.suggest_int(key, int(low), int(high), step=dimension.step, log=scale)
            return dimension.rounded(whole)
        return dimension.rounded(trial.suggest_float(key, low, high, log=scale))

    def _sampler(self, place: str) -> BaseSampler:
        from optuna.samplers import RandomSampler, TPESampler

        text = f"{self.about.seed} {place}"
        seed = int.from_bytes(hashlib.blake2b(text.encode(), digest_size=4).digest())
        if self.about.sampler == "tpe":
            # What still runs counts as bad, so that the same isn't proposed again meanwhile.
            return TPESampler(seed=seed, constant_liar=True)
        return RandomSampler(seed=seed)

    def tell(self, number: int, value: float | None, outcome: Mapping[str, Any]) -> None:
        """Say what became of a proposal; `value` is the greater the better, None for a failure."""
        from optuna.trial import TrialState

        frozen = self._study.get_trials(deepcopy=False)[number]
        state = TrialState.FAIL if value is None else TrialState.COMPLETE
        with _quiet():
            _opened(self._study, frozen).set_user_attr(OUTCOME, dict(outcome))
            self._study.tell(number, value, state=state)


def _opened(study: Study, frozen: Any) -> Trial:
    from optuna.trial import Trial

    return Trial(study, frozen._trial_id)


@contextmanager
def _quiet() -> Iterator[None]:
    """Leave out what Optuna says of its own interfaces."""
    import optuna

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        yield


def _values(about: About) -> dict[str, Any]:
    return {**vars(about), "space": dict(about.space)}


@contextmanager
def begun(project: Path, about: About, space: Space) -> Iterator[Journal]:
    """Begin a journal; interrupted before it has begun, it leaves the name free."""
    with ExitStack() as opened:
        try:
            study = opened.enter_context(_study(project, about.name, new=True))
            study.set_user_attr(ABOUT, _values(about))
        except BaseException:
            _place(project, about.name).unlink(missing_ok=True)
            raise
        yield Journal(study, about, space)


@contextmanager
def resumed(project: Path, name: str, space_of: Callable[[About], Space]) -> Iterator[Journal]:
    """Open the journal of a search that was begun; `space_of` makes its space of the texts."""
    if not _place(project, name).is_file():
        raise CrivoError(
            f"There is no journal of {name} in this clone (in {FOLDER}), so it can't be resumed. "
            "A new search uses the results of its trials if the settings and the code are the same."
        )
    with _study(project, name, new=False) as study:
        if ABOUT not in study.user_attrs:
            _place(project, name).unlink()
            raise CrivoError(
                f"{name} was interrupted before its first trial, so there is nothing to resume; "
                "start it again, its name is free now."
            )
        about = _read(study, project, name)
        yield Journal(study, about, space_of(about))


def _read(study: Study, project: Path, name: str) -> About:
    """Return what a search was begun with; CrivoError where its journal isn't as it was written."""
    kept = study.user_attrs[ABOUT]
    if isinstance(kept, Mapping) and kept.get("halving"):
        raise CrivoError(
            f"{name} was begun with --halving, which there is no more; start a new search, which "
            "uses the results of its whole trials."
        )
    try:
        about = TypeAdapter(About).validate_python(kept)
        for place, frozen in enumerate(study.get_trials(deepcopy=False)):
            values, outcome = (frozen.user_attrs.get(key) for key in (VALUES, OUTCOME))
            ended = frozen.state.is_finished()
            if frozen.number != place or (ended and None in (values, outcome)):
                raise ValueError("a line is missing")
            TypeAdapter(dict[str, Any] | None).validate_python(values)
            if outcome is not None:
                TypeAdapter(KeptTrial).validate_python(vars(KeptTrial(**outcome)))
    except (TypeError, ValueError):
        raise _damaged(project, name) from None
    return about


def _damaged(project: Path, name: str) -> CrivoError:
    place = _place(project, name).relative_to(project)
    return CrivoError(
        f"The journal of {name}, {place}, is damaged, so the search can't be resumed; delete the "
        "file and start a search under another name: it uses the results of the trials that ended."
    )


def _place(project: Path, name: str) -> Path:
    return project / FOLDER / f"{name}.journal"


@contextmanager
def _study(project: Path, name: str, *, new: bool) -> Iterator[Study]:
    import optuna
    from filelock import FileLock, Timeout
    from optuna.storages import JournalStorage
    from optuna.storages.journal import JournalFileBackend, JournalFileOpenLock

    place = _place(project, name)
    place.parent.mkdir(parents=True, exist_ok=True)
    try:
        with FileLock(place.with_suffix(".running"), timeout=0), _quiet():
            inner = Path(f"{place}.lock")
            inner.unlink(missing_ok=True)  # of one that was killed
            if new:
                place.write_bytes(b"")
            else:
                _drop_half_line(place)
            lock = JournalFileOpenLock(str(place))
            try:
                storage = JournalStorage(JournalFileBackend(str(place), lock_obj=lock))
                study = optuna.create_study(
                    storage=storage, study_name=name, direction="maximize", load_if_exists=True
                )
            except OSError:
                raise
            except Exception:  # Optuna says that in many ways
                raise _damaged(project, name) from None
            yield study
    except Timeout:
        raise CrivoError(
            f"{name} is running in another process; let it end, or interrupt it there first."
        ) from None


def _drop_half_line(place: Path) -> None:
    """Take away the end of a journal whose writer was killed in a line."""
    content = place.read_bytes()
    whole = content[: content.rfind(b"\n") + 1]
    if whole != content:
        with place.open("r+b") as file:
            file.truncate(len(whole))


def journals(project: Path) -> list[str]:
    """Return the names of the searches that can go on here, the newest first."""
    found = (project / FOLDER).glob("*.journal")
    ordered = sorted(found, key=lambda path: path.stat().st_mtime, reverse=True)
    return [path.stem for path in ordered]


def require_free(history: History, name: str | None) -> None:
    """Raise CrivoError for a name that git doesn't take, or that a search has."""
    if name is None:
        return
    if not NAME.fullmatch(name) or ".." in name or name.endswith((".lock", ".")):
        raise CrivoError(f"--name is {name!r}; expected letters, digits, -, _, ., + and =.")
    if name in _names(history):
        raise CrivoError(
            f"There is a search {name} already; `crivo search --resume {name}` goes on with it, "
            "or give another name."
        )


def take_name(history: History, name: str | None) -> str:
    """Take a name for a search, which no other process gets then, and return it."""
    while True:
        taken = _names(history)
        numbers = (f"search-{number}" for number in range(1, len(taken) + 2))
        found = name or next(one for one in numbers if one not in taken)
        require_free(history, name)
        place = _place(history.repository.project, found)
        place.parent.mkdir(parents=True, exist_ok=True)
        with suppress(FileExistsError):
            place.touch(exist_ok=False)
            return found


def _names(history: History) -> set[str]:
    kept = {key.name for key in kept_searches(history.repository)}
    return kept | {*journals(history.repository.project)}
