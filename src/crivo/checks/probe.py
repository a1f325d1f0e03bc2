"""Run as a program: what does a project's own code say about its settings and blocks?

It runs in a process of its own, with the project's `src` first on the path as a stage has it,
so it imports nothing of the checks: the project may be a copy, or an older commit.
"""

from __future__ import annotations

import atexit
import gc
import json
from collections.abc import Iterator
from contextlib import suppress

Sentence = tuple[str, str]  # subject, message


def _broken_blocks() -> Iterator[Sentence]:
    from crivo.core.blocks import KINDS
    from crivo.core.errors import CrivoError
    from crivo.core.registry import BLOCKS, block_names, find_block

    for kind, (folder, _) in KINDS.items():
        for name in block_names(kind):
            path = f"{BLOCKS}/{folder}/{name}.py"
            try:
                find_block(kind, name)
            except CrivoError as error:
                yield path, str(error).removeprefix(f"{path} ")
            except Exception as error:  # whatever the file does when it is imported
                yield path, f"can't be imported ({type(error).__name__}: {error}); fix it."


def _wrong_settings() -> Iterator[Sentence]:
    from crivo.core.errors import CrivoError
    from crivo.core.params import read_params
    from crivo.core.problems import Problems

    try:
        read_params()
    except Problems as error:
        yield from ((problem.key, problem.message) for problem in error.problems)
    except CrivoError as error:
        yield "params.yaml", str(error)


def main() -> None:
    gc.disable()  # it ends at once
    atexit.register(gc.freeze)
    with suppress(ImportError):  # the code of an older commit has no such module
        from crivo.core.lateimports import import_late

        import_late("pandas")  # no block uses it while it is imported
    blocks = list(dict.fromkeys(_broken_blocks()))
    # A block that can't be imported can't be asked for its settings either.
    settings = [] if blocks else list(_wrong_settings())
    print(json.dumps({"settings": settings, "blocks": blocks}))


if __name__ == "__main__":
    main()
