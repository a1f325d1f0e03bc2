"""Former names of commands and options.

They run for one release, with a warning.
"""

from __future__ import annotations

from crivo.commands.printing import say

# A command, and the word of its arguments that tells, if it isn't the command: what it is now.
FORMER = {
    ("init", ""): "start . --data",
    ("gate", ""): "check --only limits",
    ("merge", ""): "resolve",
    ("star", ""): "note --star",
    ("diff", ""): "compare --rows",
    ("incumbent", "set"): "incumbent",
    ("incumbent", "show"): "incumbent",
    ("incumbent", "clear"): "incumbent --clear",
    ("verify", "--stored"): "check --stored",
    ("plan", "--learning-curve"): "repeat --fractions 0.125 --fractions 0.25 --fractions 0.5",
    ("compare", "--author"): "compare --where author=",
    ("compare", "--since"): "compare --where since=",
    ("compare", "--search"): "compare --where search=",
    ("compare", "--verdict"): "compare --where verdict=",
    ("compare", "--html"): "board --output=",
    ("prune", "--older-than"): "prune --where before=",
    ("prune", "--search"): "prune --where search=",
    ("prune", "--verdict"): "prune --where verdict=",
}


def todays(arguments: list[str]) -> list[str]:
    """Return a command line in today's names; warn of each former one."""
    for (command, word), new in FORMER.items():
        while (place := _place(arguments, command, word)) is not None:
            say(
                f"warning: `crivo {f'{command} {word}'.strip()}` is `crivo {new}` now; the old "
                "name will be removed in the next release.",
                err=True,
            )
            name, *added = new.split()
            _, sign, value = arguments[place].partition("=")
            after = [*([value] if sign else []), *arguments[place + 1 :]]
            if new.endswith("=") and after:
                added[-1] += after.pop(0)
            elif added and added[0] in arguments:  # given already
                added = []
            arguments = [name, *arguments[1:place], *added, *after]
    return arguments


def _place(arguments: list[str], command: str, word: str) -> int | None:
    """Return where a former name stands; None where it doesn't."""
    if arguments[:1] != [command]:
        return None
    if not word:
        return 0
    names = [one.partition("=")[0] for one in arguments[1:]]
    return names.index(word) + 1 if word in names else None
