"""Is the README in Portuguese in step with the one in English?"""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
ENGLISH, PORTUGUESE = (
    (ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "README.pt-BR.md")
)
COMMAND = re.compile(r"(?:make|source|dvc|git|crivo|python|pip) ")


def sections(page: str) -> list[str]:
    """Return the parts of a page, each from its heading to the next."""
    return re.split(r"^(?=#+ )", page, flags=re.MULTILINE)[1:]


def blocks(page: str) -> list[list[str]]:
    """Return the lines of each code block, without their comments."""
    found = re.findall(r"^```(?:\w*)\n(.*?)^```$", page, flags=re.MULTILINE | re.DOTALL)
    return [[line.partition(" # ")[0].rstrip() for line in block.splitlines()] for block in found]


def names(line: str) -> list[str]:
    """Return a command as it stands, and of any other line the files and folders it names."""
    if COMMAND.match(line):
        return [line]
    return re.findall(r"(?:[\w{},-]+[/.])+[\w{},-]*|─\w+→", line)


def numbers(text: str) -> list[str]:
    """Return the numbers of a text, sorted, however a language writes them: 0.744 and 0,744."""
    found = re.findall(r"\d(?:[\d.,]*\d)?|\.\d+", text)
    return sorted(re.sub(r"[.,]", "", number).lstrip("0") for number in found)


def test_headings_are_of_the_same_levels() -> None:
    levels = [[part.partition(" ")[0] for part in sections(page)] for page in (ENGLISH, PORTUGUESE)]
    assert levels[0] == levels[1]


def test_code_blocks_give_the_same_commands_and_files() -> None:
    ours, theirs = (
        [[name for line in block for name in names(line)] for block in blocks(page)]
        for page in (PORTUGUESE, ENGLISH)
    )
    assert ours == theirs
    assert all(ours)


def test_links_lead_to_the_same_pages_in_the_same_order() -> None:
    ours, theirs = (re.findall(r"\]\(([^)]+)\)", page) for page in (PORTUGUESE, ENGLISH))
    assert ours[0] == "README.md"
    assert theirs[0] == "README.pt-BR.md"
    assert ours[1:] == theirs[1:]


def test_each_section_names_the_same_numbers_code_and_rows() -> None:
    for ours, theirs in zip(sections(PORTUGUESE), sections(ENGLISH), strict=True):
        heading = theirs.splitlines()[0]
        assert numbers(ours) == numbers(theirs), heading
        assert ours.count("\n|") == theirs.count("\n|"), heading
        code = [re.findall(r"`([^`\n]+)`", part) for part in (ours, theirs)]
        assert sorted(code[0]) == sorted(code[1]), heading
