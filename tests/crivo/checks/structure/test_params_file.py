import pytest


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("columns: [a, b]\n", 1),
        ('a: 1\nday: "2013-09-01"\n', 2),
        ("a: 1\n\nb:\n  - x\n", 4),
        ("a:\n    b: 1\n", 2),
        ("model: x\nname: ${model}\n", 2),
        (f"a: {'word ' * 30}end\n", 1),
        ("a: 1\r\n", 1),
    ],
)
def test_a_form_that_dvc_rewrites_is_named_by_its_line(project, text, line):
    (project.root / "params.yaml").write_bytes(text.encode())
    (finding,) = project.findings("S007")
    assert (finding.severity, finding.subject) == ("warning", f"params.yaml:{line}")


def test_plain_block_form_stays(project):
    text = "# head\na: 1   # why\n\nlist:\n- 1\n- 2\nday: '2013-09-01'\nrate: 1e-5\nnone: {}\n"
    project.leave("params.yaml", text)
    assert project.found("S007") == []


def test_what_dvc_cannot_rewrite_at_all_is_an_error(project):
    project.leave("params.yaml", "a: ${missing}\n")
    assert project.found("S007") == [("P001", "params.yaml")]
