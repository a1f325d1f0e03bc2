"""Sharing experiments through git and a DVC remote, and proving that all of it arrived.

`from crivo.sharing import share`, then `share("forest").uploaded`.
"""

from crivo.sharing.share import Shared, share

__all__ = ["Shared", "share"]
