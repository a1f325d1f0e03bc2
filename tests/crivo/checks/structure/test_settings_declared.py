import pytest


def test_a_setting_that_the_projects_own_code_refuses_is_an_error(project):
    project.edit("params.yaml", "depth: 2", "dpeth: 2")
    assert project.found("S001") == [("S001", "models.small.dpeth")]


@pytest.mark.parametrize(
    ("declared", "key"),
    [("    - seed\n", "seed"), ("    - models.${model}\n", "models.small.depth")],
)
def test_a_setting_that_is_read_and_not_declared_is_an_error(project, declared, key):
    project.edit("dvc.yaml", declared, "")
    (finding,) = project.findings("S002")
    assert finding.subject == "train"
    assert f"`{key}`" in finding.message


def test_a_setting_read_by_its_default_is_declared_by_its_section(project):
    project.edit("src/evaluate.py", "params.evaluate.split", "params.evaluate.slices")
    assert project.found("S002") == []
    project.edit("dvc.yaml", "    - evaluate\n", "    - evaluate.split\n")
    assert project.found("S002") == [("S002", "evaluate")]


def test_a_section_read_as_a_whole_needs_all_of_it_declared(project):
    project.edit("params.yaml", "  split: valid\n", "  split: valid\n  block: 5\n")
    project.edit("src/evaluate.py", "params.evaluate.split.upper()", "params.evaluate")
    project.edit("dvc.yaml", "    - evaluate\n", "    - evaluate.split\n")
    (finding,) = project.findings("S002")
    assert "`evaluate.block`" in finding.message


def test_a_declared_setting_that_is_never_read_is_an_error(project):
    project.edit("src/train.py", ", seed=params.seed", "")
    assert project.found("S003") == [("S003", "train")]


def test_one_unread_setting_of_a_declared_section_is_an_error(project):
    project.edit("params.yaml", "  rows: 10\n", "  rows: 10\n  early_stopping_fraction: 0.1\n")
    (finding,) = project.findings("S003")
    assert "`train.early_stopping_fraction`" in finding.message


@pytest.mark.parametrize("added", ["idle: 1\n", "idle:\n  a: 1\n  b: 2\n"])
def test_a_setting_that_no_stage_declares_is_one_error(project, added):
    project.leave("params.yaml", (project.root / "params.yaml").read_text() + added)
    assert project.found("S004") == [("S004", "idle")]


def test_a_setting_that_a_command_reads_may_be_undeclared(project):
    project.leave("params.yaml", (project.root / "params.yaml").read_text() + "margin: 1\n")
    project.leave("src/crivo/compare.py", "def compare(params):\n    return params.margin\n")
    assert project.found("S004") == []


def test_a_setting_used_in_a_template_is_used(project):
    project.leave("params.yaml", (project.root / "params.yaml").read_text() + "table: table\n")
    assert project.found("S004") == [("S004", "table")]
    project.edit("dvc.yaml", "raw/table.csv", "raw/${table}.csv")
    assert project.found("S004") == []


def test_an_unknown_setting_is_reported_once(project):
    project.edit("params.yaml", "models:\n", "models.small.dpeth: 1\nmodels:\n")
    assert [code for code, _ in project.found("S001", "S004")] == ["S001"]
