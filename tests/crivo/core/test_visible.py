"""What can't be seen is written out wherever people read; nowhere else."""

from __future__ import annotations

import json
import logging
import sys
import unicodedata

import pytest

from crivo.core.errors import CrivoError
from crivo.core.logs import VisibleFormatter
from crivo.core.visible import visible, visible_json

# The characters of Unicode that turn the direction of writing round (PropList.txt, Bidi_Control).
TURNS = [0x61C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)]
EVIL = "\x1b]0;owned\x07\r\u202ecod.exe\u2066\x9b31m"


def test_no_control_character_and_no_turn_of_direction_is_left() -> None:
    control = [c for c in range(sys.maxunicode) if unicodedata.category(chr(c)) in ("Cc", "Cs")]
    for code in {*control, *TURNS} - {ord("\n"), ord("\t")}:
        assert visible(chr(code)).isascii(), hex(code)
        assert visible(chr(code)).isprintable(), hex(code)


@pytest.mark.parametrize(
    "text",
    [
        "a\nb\tc",
        "ação ± –",
        "“Größe”",
        "👩‍👩‍👧",
        "می‌خواهم",
        "a\u00a0b",
        "日本語",
        "e\u0301",
        r"C:\x1b",
    ],
)
def test_what_can_be_seen_stays_as_it_is(text: str) -> None:
    assert visible(text) == text


def test_json_means_the_same_and_is_safe_to_look_at() -> None:
    text = json.dumps({"name": EVIL, "tag": "\U000e0041", "ok": "é"}, ensure_ascii=False)
    shown = visible_json(text)
    assert json.loads(shown) == json.loads(text)
    assert visible(shown) == shown
    assert "é" in shown


def test_errors_and_log_lines_are_safe_to_look_at() -> None:
    assert str(CrivoError(f"no {EVIL}")) == f"no {visible(EVIL)}"
    record = logging.LogRecord("crivo", logging.WARNING, "", 0, "%s!", (EVIL,), None)
    assert VisibleFormatter("%(levelname)s: %(message)s").format(record) == (
        f"WARNING: {visible(EVIL)}!"
    )
