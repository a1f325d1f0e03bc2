"""Nothing that somebody else wrote steers the terminal."""

import json
import re
from contextlib import redirect_stdout

import pytest

from crivo.commands import printing
from crivo.commands.printing import say
from crivo.core.text_guard import escape_control
from tests.crivo.cli import invoke
from tests.crivo.experiments.repository import Project, evaluated, settings
from tests.crivo.repository.test_progress import Terminal

EVIL = "\x1b[2J\u202ecod\x9b31m\rnone"


@pytest.mark.parametrize("arguments", [
    ["compare", "--details"], ["compare", "--md"], ["compare", "--json"], ["trace", "evil"],
])  # fmt: skip
def test_messages_authors_settings_and_names_are_shown_as_text(
    project: Project, monkeypatch: pytest.MonkeyPatch, arguments: list[str]
) -> None:
    project.commit(evaluated(0.70))
    chosen = settings(model=EVIL, models={EVIL: {"a": EVIL}})
    files = evaluated(0.72, 0.003, settings=chosen)
    stage = {"params": {"params.yaml": {EVIL: EVIL}}, "outs": [{"path": "a", "md5": "1"}]}
    files["dvc.lock"] = json.dumps({"stages": {"train": stage}})
    project.trial("evil", files, author=f"Eve {EVIL}", message=f"Why {EVIL}")
    project.trial("evil\u202e", {**files, "metrics/evaluation/evaluation.json": f'"{EVIL}'})
    (project.folder / ".dvc").mkdir()
    monkeypatch.chdir(project.folder)
    output = invoke(*arguments, catch_exceptions=False).output
    assert escape_control(output) == output
    assert r"\u202ecod" in output
    if "--json" in arguments:
        assert json.dumps(EVIL)[1:7] in output
        json.loads(output)


def test_printed_predictions_are_exact_unless_a_terminal_shows_them(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    printing.say_table(f"id\n{EVIL}\n")
    assert capsys.readouterr().out == f"id\n{EVIL}\n"
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    printing.say_table(f"id\n{EVIL}\n")
    assert capsys.readouterr().out == f"id\n{escape_control(EVIL)}\n"


@pytest.fixture(autouse=True)
def xterm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")


def shown(text: str) -> str:
    """Return what a terminal gets."""
    with redirect_stdout(Terminal()) as terminal:
        say(text)
    return terminal.getvalue()


@pytest.mark.parametrize(
    ("text", "colours"),
    [
        ("slow is better than main: roc_auc +0.02", ["32mbetter"]),
        ("slow vs main is undecided: roc_auc +0.02", ["33mundecided"]),
        ("experiment   roc_auc ±  vs main   verdict", ["1mexperiment"]),
        ("slow         0.72 ±0.02 +0.02     worse", ["31mworse"]),
        ("S004 error    seed: x\nS005 warning  y: z", ["31merror", "33mwarning"]),
        ("violated     roc_auc 0.65\nholds        size  3", ["31mviolated", "32mholds"]),
        ("Refused:", ["31mRefused"]),
        ("worse-model  0.72 ±0.02 “is it [red]better[/red] than that”", []),
        ("no metric is worse; trial 1 of 1", []),
    ],
)
def test_a_verdict_is_coloured_and_not_a_word_in_a_name_or_message(
    text: str, colours: list[str]
) -> None:
    assert re.findall(r"\x1b\[(\d+m.*?)\x1b\[0m", shown(text)) == colours
    assert re.sub(r"\x1b\[\d+m", "", shown(text)) == f"{text}\n"


@pytest.mark.parametrize(("name", "value"), [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_a_terminal_is_coloured_unless_no_color_is_set(
    name: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "\x1b[32mbetter" in shown("a is better than b")
    monkeypatch.setenv(name, value)
    assert shown("a is better than b") == "a is better than b\n"
