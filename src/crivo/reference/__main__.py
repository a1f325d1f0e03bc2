"""Writes the reference pages into docs/reference."""

from crivo.reference import commands, documents, python, settings_page


def main() -> None:
    for page, text in (
        (settings_page.PAGE, settings_page.settings_page()),
        (commands.PAGE, commands.commands_page()),
        (python.PAGE, python.python_page()),
        (documents.PAGE, documents.documents_page()),
        (documents.SCHEMA, documents.schema_text()),
    ):
        page.write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
