"""Checks the text of a LightGBM model before LightGBM reads it, which jumps by its numbers."""

from __future__ import annotations

import re
from typing import Any

from crivo.core.modeltrees import require, require_descent

WHOLE = re.compile(r"-?[0-9]{1,10}", re.ASCII)
# LightGBM ends the process at another text, as it reads trees in several threads.
REAL = re.compile(r"-?([0-9]+(\.[0-9]+)?(e[-+]?[0-9]{1,3})?|inf|nan)", re.ASCII)
LARGEST = 2**31
LINEAR = {"leaf_const", "num_features", "leaf_features", "leaf_coeff"}
OF_SPLITS = {"split_feature", "threshold", "decision_type", "left_child", "right_child"}
OF_SPLITS_OR_NOT = {"split_gain", "internal_value", "internal_weight", "internal_count"}
OF_LEAVES_OR_NOT = {"leaf_weight", "leaf_count"}
ONCE = {"num_leaves", "num_cat", "leaf_value", "cat_boundaries", "cat_threshold", "is_linear"}
WHOLES = {
    "num_leaves", "num_cat", "is_linear", "split_feature", "decision_type", "left_child",
    "right_child", "cat_boundaries", "cat_threshold", "leaf_count", "internal_count",
}  # fmt: skip
KEYS = OF_SPLITS | OF_SPLITS_OR_NOT | OF_LEAVES_OR_NOT | ONCE | {"shrinkage"}


def check_lightgbm(text: Any) -> None:
    """Raise ValueError unless a text is a model that LightGBM can follow to its leaves."""
    require(isinstance(text, str), "a LightGBM model isn't text")
    data = text.encode()
    start = data.find(b"\nTree=") + 1
    require(text.startswith("tree\n") and start, "a LightGBM model has no trees")
    require(not {"\0", "\r"} & set(text), "a LightGBM model is cut")
    head = _head(data[:start].decode())
    features = _number(head, "max_feature_idx") + 1
    _check_classes(head)
    sizes = _numbers(head, "tree_sizes")
    per_round = _number(head, "num_tree_per_iteration")
    require(len(sizes) % per_round == 0, "a LightGBM model ends within a round")
    for i, size in enumerate(sizes):
        require(0 < size <= len(data) - start, "a LightGBM tree has another size")
        _check_text_tree(_tree(data[start : start + size].decode(), i), features)
        start += size
    require(data[start:].startswith(b"end of trees\n"), "a LightGBM tree has another size")


def _head(text: str) -> dict[str, str]:
    entries: dict[str, str] = {}
    for line in filter(None, text.split("\n")):
        key, _, value = line.partition("=")
        plain = "=" not in value or key in ("feature_names", "monotone_constraints")
        require(re.fullmatch("[a-z_]+", key) and plain, "a LightGBM model has a strange line")
        require(key not in entries, f"a LightGBM model has {key[:40]} twice")
        entries[key] = value
    return entries


def _check_classes(head: dict[str, str]) -> None:
    """The objective writes a number for each class into the place of one row."""
    classes = _number(head, "num_class")
    per_round = _number(head, "num_tree_per_iteration")
    require(0 < classes == per_round, "a LightGBM model has other trees than classes")
    name, *settings = head.get("objective", "").split(" ")
    if name.startswith("multiclass"):
        own = [item for item in settings if item.startswith("num_class")]
        require(own == [f"num_class:{classes}"], "a LightGBM objective has other classes")


def _tree(text: str, index: int) -> dict[str, str]:
    """Return the lines of a tree, which end with empty ones."""
    require(text.endswith("\n\n"), "a LightGBM tree has another size")
    first, *lines = text.rstrip("\n").split("\n")
    require(first == f"Tree={index}", "a LightGBM tree has another size")
    entries: dict[str, str] = {}
    for line in lines:
        key, equals, value = line.partition("=")
        known = equals and key in KEYS and key not in entries
        require(known, "a LightGBM tree is linear" if key in LINEAR else "a LightGBM tree is none")
        entries[key] = value
    return entries


def _check_text_tree(tree: dict[str, str], features: int) -> None:
    leaves = _number(tree, "num_leaves")
    require(leaves >= 1, "a LightGBM tree has no leaves")
    for key in tree:
        kind = WHOLE if key in WHOLES else REAL
        own = all(map(kind.fullmatch, _words(tree, key)))
        require(own, f"{key} of a LightGBM tree isn't a number")
    require(tree.get("is_linear", "0") == "0", "a LightGBM tree is linear")
    counts = dict.fromkeys(OF_SPLITS, leaves - 1) | {"leaf_value": leaves}
    if leaves > 1:
        counts |= dict.fromkeys(OF_SPLITS_OR_NOT & set(tree), leaves - 1)
        counts |= dict.fromkeys(OF_LEAVES_OR_NOT & set(tree), leaves)
    for key, count in counts.items():
        require(len(_words(tree, key)) == count, f"a LightGBM tree has another number of {key}")
    if leaves == 1:
        return
    left, right = _numbers(tree, "left_child"), _numbers(tree, "right_child")
    # A leaf ~c follows the splits, so that both are numbered as nodes are.
    sides = [[c if c >= 0 else leaves - 2 - c for c in side] for side in (left, right)]
    require_descent(sides[0], sides[1], 2 * leaves - 1)
    require(max(left + right) < leaves - 1, "a child of a tree is out of range")
    split = _numbers(tree, "split_feature")
    require(min(split) >= 0 and max(split) < features, "a feature of a tree is out of range")
    _check_text_categories(tree)


def _check_text_categories(tree: dict[str, str]) -> None:
    count = _number(tree, "num_cat")
    kinds = _numbers(tree, "decision_type")
    require(min(kinds) >= 0 and max(kinds) < 128, "a split of a tree is of no kind")
    edges, words = [0], [0][:0]
    if count:
        edges, words = _numbers(tree, "cat_boundaries"), _numbers(tree, "cat_threshold")
    rising = edges[:1] == [0] and edges == sorted(edges) and edges[-1] == len(words)
    require(len(edges) == count + 1 and rising, "a set of categories is out of range")
    require(all(0 <= word < 2**32 for word in words), "a set of categories is none")
    for kind, threshold in zip(kinds, _words(tree, "threshold"), strict=True):
        own = kind & 1 == 0 or (WHOLE.fullmatch(threshold) and 0 <= int(threshold) < count)
        require(own, "a set of categories is out of range")


def _words(lines: dict[str, str], key: str) -> list[str]:
    require(key in lines, f"a LightGBM model has no {key}")
    return lines[key].split(" ") if lines[key] else []


def _numbers(lines: dict[str, str], key: str) -> list[int]:
    words = _words(lines, key)
    require(all(map(WHOLE.fullmatch, words)), f"{key} of a LightGBM model isn't a whole number")
    return [int(word) for word in words]


def _number(lines: dict[str, str], key: str) -> int:
    numbers = _numbers(lines, key)
    require(len(numbers) == 1 and numbers[0] < LARGEST, f"a LightGBM model has no {key}")
    return numbers[0]
