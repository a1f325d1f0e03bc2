from pathlib import Path

import typer

from crivo.cli import app
from crivo.reference.commands import PAGE, commands_page

ROOT = Path(__file__).parents[3]
TEXT = (ROOT / PAGE).read_text(encoding="utf-8")


def test_the_page_is_what_the_commands_say() -> None:
    assert commands_page() == TEXT, "run `make docs`"


def test_every_option_stands_in_its_command_s_section_and_says_what_it_does() -> None:
    commands = typer.main.get_group(app).commands
    for name, command in commands.items():
        if command.hidden:
            continue
        section = TEXT.split(f"\n## `crivo {name}`\n")[1].split("\n## ")[0]
        for option in [
            one for one in command.params if one.param_type_name == "option" and not one.hidden
        ]:
            assert all(spelling in section for spelling in option.opts)
            assert option.help in section
