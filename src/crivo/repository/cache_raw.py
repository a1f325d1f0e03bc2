"""Puts raw data that were fetched, and so never entered DVC's cache, into it."""

from __future__ import annotations

from typing import Any


def store_raw(repo: Any) -> None:
    """Store the workspace's raw data in the cache, where they are what their `.dvc` file records.

    `crivo fetch` brings raw data without DVC, and `dvc push` has only the cache to push from.
    """
    for stage in repo.index.stages:
        if not stage.is_data_source or stage.is_import:
            continue
        for out in stage.outs:
            if out.hash_info and out.exists and out.changed_cache() and not out.changed_checksum():
                out.commit(relink=False)
