"""A stage gets what its entry in dvc.yaml declares; what it doesn't need is named after a run."""

from tests.crivo.pipeline.project import Project

OWN_MODULE = "src/blocks/models/_own.py"


def test_code_that_only_an_unused_block_imports_is_no_dependency_of_a_stage(
    project: Project,
) -> None:
    """Its settings are checked all the same; the block in use is refused the same module."""
    project.write(OWN_MODULE, "DEPTH = 3\n")
    for model in ("forest", "boosting"):
        path = f"src/blocks/models/{model}.py"
        own = "from blocks.models._own import DEPTH\n\n"
        project.write(path, project.read(path).replace("from crivo", f"{own}from crivo", 1))
        printed = project.run("python", "src/train.py", fails=model == "boosting")
        assert (f"imports {OWN_MODULE}" in printed) == (model == "boosting")


def test_what_no_stage_makes_use_of_is_named_once_all_have_run(project: Project) -> None:
    project.write("params.yaml", project.read("params.yaml") + "search: {}\n")
    script, settings = "    - src/evaluate.py\n", "    - evaluators.${evaluator}\n"
    project.replace("dvc.yaml", script, f"{script}    - src/blocks/models/linear.py\n")
    project.replace("dvc.yaml", settings, f"{settings}    - search\n")
    assert "evaluate: d" not in project.run("crivo", "check", "--only", "structure")
    project.dvc("repro")
    said = project.run("crivo", "check", "--only", "structure", fails=True)
    assert "S003 error    evaluate: declares `search`, but no stage reads it" in said
    assert "D002 warning  evaluate: depends on src/blocks/models/linear.py but imports noth" in said
    project.run("crivo", "new", "check", "late")
    assert "src/blocks/checks but imports nothing" not in project.run(
        "crivo", "check", "--only", "structure", fails=True
    )
    project.replace("dvc.yaml", "    - seed\n", "")
    refused = project.dvc("repro", "--single-item", "--force", "evaluate", fails=True)
    assert "reads the setting seed, which its entry in dvc.yaml doesn't declare" in refused
