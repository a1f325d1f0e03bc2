"""Writes the pages that are made from the code: `python -m crivo.reference`."""

from pathlib import Path

from crivo.core.results import VERSION
from crivo.reference import pages, python, settings

PAGES = {
    "docs/reference/settings.md": settings.settings_page,
    "docs/reference/commands.md": pages.commands_page,
    "docs/reference/python.md": python.python_page,
    "docs/checks.md": pages.checks_page,
    "docs/json.md": pages.documents_page,
    f"docs/json-schema-{VERSION}.json": pages.schema_text,
}

if __name__ == "__main__":
    for page, made in PAGES.items():
        Path(page).write_text(made(), encoding="utf-8", newline="\n")
