"""Writes the pages that are made from the code: `python -m crivo.reference`."""

from pathlib import Path

from crivo.reference.pages import PAGES

if __name__ == "__main__":
    for page, made in PAGES.items():
        Path(page).write_text(made(), encoding="utf-8", newline="\n")
