"""What `--json` prints: one document per command, whose fields are a contract with programs."""

from crivo.commands.documents.base import VERSION, Document

__all__ = ["VERSION", "Document"]
