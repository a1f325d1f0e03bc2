"""A section is added to params.yaml, and every other line stays as it is."""

import io

import pytest
from ruamel.yaml import YAML
from tests.crivo.settings import SETTINGS as WHOLE

from crivo.core.errors import CrivoError
from crivo.project.new_section import with_section

SETTINGS = "# How deep.\ndepth: 4"


def added(text: str, folder: str = "models", settings: str = SETTINGS) -> str:
    return with_section(text, folder, "tree", settings)


@pytest.mark.parametrize("folder", ["datasets", "splitters", "featurizers", "models", "evaluators"])
def test_all_other_lines_stay(folder: str) -> None:
    new = ["  tree:", "    # How deep.", "    depth: 4"]
    lines = added(WHOLE, folder).splitlines()
    start = lines.index("  tree:")
    assert lines[start : start + 3] == new
    assert lines[:start] + lines[start + 3 :] == WHOLE.splitlines()


def test_dvc_would_write_the_result_as_it_is() -> None:
    """`-S` reads and writes the file with ruamel.yaml; the new lines keep their form."""
    text, stream = added(WHOLE), io.StringIO()
    yaml = YAML()
    yaml.dump(yaml.load(text), stream)
    assert "  tree:\n    # How deep.\n    depth: 4\n" in stream.getvalue()


def test_the_section_comes_before_the_blank_line_and_the_next_comment() -> None:
    text = "models:\n  prior: {}\n\n# What evaluates.\nevaluators: {}\n"
    assert added(text) == (
        "models:\n  prior: {}\n  tree:\n    # How deep.\n    depth: 4\n\n# What evaluates.\n"
        "evaluators: {}\n"
    )


@pytest.mark.parametrize("empty", ["models: {}\n", "models:\n", "models: null\n"])
def test_an_empty_section_is_begun(empty: str) -> None:
    assert (
        added(f"seed: 1\n{empty}") == "seed: 1\nmodels:\n  tree:\n    # How deep.\n    depth: 4\n"
    )


def test_a_missing_section_is_begun_at_the_end() -> None:
    assert added("seed: 1\n") == "seed: 1\n\nmodels:\n  tree:\n    # How deep.\n    depth: 4\n"


def test_wider_indents_are_kept() -> None:
    text = "models:\n    prior: {}\n"
    assert "\n    tree:\n      # How deep.\n      depth: 4\n" in added(text)


def test_a_comment_that_ends_a_section_stays_in_it() -> None:
    text = "models:\n  prior:\n    a: 1\n    # About a.\nseed: 1\n"
    assert added(text).startswith("models:\n  prior:\n    a: 1\n    # About a.\n  tree:\n")


def test_a_section_that_is_there_is_left_alone() -> None:
    with pytest.raises(CrivoError, match=r"has a section models\.tree already"):
        added("models:\n  tree: {}\n")


@pytest.mark.parametrize("text", ["models: {prior: {}}\n", "{models: {prior: {}}}\n"])
def test_a_file_in_another_form_is_left_alone(text: str) -> None:
    with pytest.raises(CrivoError, match="in a form that can't be added to|isn't valid YAML"):
        added(text)


@pytest.mark.parametrize("text", ["models: [\n", "just words\n", ""])
def test_a_file_without_settings_is_refused(text: str) -> None:
    with pytest.raises(CrivoError, match="isn't valid YAML|holds no settings"):
        added(text)
