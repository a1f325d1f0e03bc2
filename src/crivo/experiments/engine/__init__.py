"""Where experiments run: an interface, and the adapters that fill it."""

from crivo.experiments.engine.interface import Engine
from crivo.experiments.engine.local import LocalEngine, local_engine

__all__ = ["Engine", "LocalEngine", "local_engine"]
