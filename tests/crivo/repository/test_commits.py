"""Which commits have names, and in which order they came."""

from crivo.repository.commits import commits_changing, named_commits
from crivo.repository.git import open_repository
from tests.crivo.experiments.repository import Project


def test_tips_are_named_by_the_branch_that_is_checked_out_then_branches_tags_and_remotes(
    project: Project,
) -> None:
    first = project.commit({"a": "1"})
    second = project.commit({"a": "2"}, ref="refs/heads/a/b", parent=first)
    third = project.commit({"a": "3"}, ref="refs/remotes/a/c", parent=first, author="Bob")
    fourth = project.commit({"a": "4"}, ref="refs/tags/a", parent=third, message="Last")
    blob = project.git("hash-object", "-w", "--stdin")
    for name, what in {
        "heads/a/a": first, "remotes/a/a": fourth, "remotes/b/HEAD": second, "tags/data": blob,
    }.items():  # fmt: skip
        project.git("update-ref", f"refs/{name}", what)
    found = named_commits(open_repository(project.folder))
    assert [(one.name, one.revision, one.author, one.parent, one.message) for one in found] == [
        ("main", first, "Ana", None, "Change"), ("a/b", second, "Ana", first, "Change"),
        ("a", fourth, "Ana", third, "Last"), ("a/c", third, "Bob", first, "Change"),
    ]  # fmt: skip


def test_a_merge_belongs_to_its_first_parent_and_comes_after_both(project: Project) -> None:
    start = project.commit({"a": "1"})
    side = project.commit({"a": "2"}, ref="refs/heads/side", parent=start)
    main = project.commit({"a": "3"}, parent=start)
    tree = project.git("rev-parse", f"{project.commit({'a': '4'}, ref='refs/x')}^{{tree}}")
    merge = project.git("commit-tree", tree, "-p", main, "-p", side, "-m", "Merge")
    project.git("update-ref", "refs/heads/main", merge)
    found = commits_changing(open_repository(project.folder), "a")
    assert [one.revision for one in found] == [merge, main, side, start]
    assert [one.parent for one in found] == [main, start, start, None]
