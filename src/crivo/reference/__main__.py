"""Writes the pages that are made from the code: `python -m crivo.reference`."""

from crivo.reference import checks, commands, json_documents, python, settings


def main() -> None:
    for page, text in (
        (settings.PAGE, settings.settings_page()),
        (commands.PAGE, commands.commands_page()),
        (python.PAGE, python.python_page()),
        (json_documents.PAGE, json_documents.documents_page()),
        (json_documents.SCHEMA, json_documents.schema_text()),
        (checks.PAGE, checks.document() + "\n"),
    ):
        page.write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
