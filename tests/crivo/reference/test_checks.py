from pathlib import Path

from crivo.checks.review import CHECKS
from crivo.reference.checks import PAGE, SIMULATED, document, renewed

ROOT = Path(__file__).parents[3]


def test_the_page_is_what_the_checks_say():
    text = (ROOT / PAGE).read_text(encoding="utf-8")
    assert text == renewed(text), "run `make docs`"


def test_the_page_keeps_what_was_simulated_when_it_is_renewed():
    assert renewed("old") == document() + "\n"
    page = renewed(f"old\n\n{SIMULATED}\nfigures\n")
    assert page == f"{document()}\n\n{SIMULATED}\nfigures\n"


def test_an_example_names_its_subject_first():
    for check in CHECKS.values():
        subject, _, message = check.example.partition(": ")
        assert subject
        assert message
