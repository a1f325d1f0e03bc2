import pytest


@pytest.mark.parametrize("added", ["idle: 1\n", "idle:\n  a: 1\n  b: 2\n"])
def test_a_setting_that_no_stage_declares_is_one_error(project, added):
    project.leave("params.yaml", (project.root / "params.yaml").read_text() + added)
    assert project.found("S004") == [("S004", "idle")]


def test_a_setting_used_in_a_template_is_used(project):
    project.leave("params.yaml", (project.root / "params.yaml").read_text() + "table: table\n")
    assert project.found("S004") == [("S004", "table")]
    project.edit("dvc.yaml", "raw/table.csv", "raw/${table}.csv")
    assert project.found("S004") == []


def test_a_changed_setting_of_the_block_in_use_is_no_matter(project):
    project.edit("params.yaml", "depth: 2", "depth: 3")
    assert project.found("S006") == []
