import pytest


@pytest.mark.parametrize(
    "line",
    [
        "fit(params)",
        "other = params",
        'params["seed"]',
        'getattr(params, "seed")',
        "params.block(kind)",
        "params.model_dump()",
        "helper.run(params=params)",
    ],
)
def test_a_read_that_nobody_can_follow_is_an_error(project, line):
    project.edit("src/evaluate.py", "    print(", f"    {line}\n    print(")
    assert project.found("S005") == [("S005", "src/evaluate.py:10")]


def test_settings_under_another_name_are_an_error(project):
    project.edit("src/evaluate.py", "(params):", "(settings: Params, params):")
    assert project.found("S005") == [("S005", "src/evaluate.py:9")]


def test_settings_given_to_a_function_of_the_same_script_can_be_followed(project):
    project.edit(
        "src/evaluate.py",
        "    print(params",
        "    show(params)\n\n\ndef show(params):\n    print(params",
    )
    assert project.found("S") == []


@pytest.mark.parametrize("line", ['open("params.yaml")', "dvc.api.params_show()", "read_params()"])
def test_logic_that_reads_settings_itself_is_an_error(project, line):
    project.leave("src/crivo/training/fit.py", f"def fit(block, rows, seed):\n    {line}\n")
    assert project.found("S005") == [("S005", "src/crivo/training/fit.py")]


def test_a_script_that_reads_settings_by_another_name_is_an_error(project):
    project.edit("src/train.py", "    fit(", "    settings = read_params()\n    fit(")
    assert project.found("S005") == [("S005", "src/train.py")]


def test_a_changed_setting_of_a_block_not_in_use_is_noted(project):
    project.edit("params.yaml", "depth: 9", "depth: 8")
    (finding,) = project.findings("S006")
    assert (finding.severity, finding.subject) == ("note", "models.large.depth")


def test_a_changed_setting_of_the_block_in_use_is_no_matter(project):
    project.edit("params.yaml", "depth: 2", "depth: 3")
    assert project.found("S006") == []
