"""All documents by the command that prints them."""

from crivo.commands.documents.base import Document
from crivo.commands.documents.checks import CheckDocument, EvaluateDocument, GateDocument
from crivo.commands.documents.experiments import (
    CompareDocument,
    ConfirmDocument,
    DiffDocument,
    IncumbentDocument,
    RepeatDocument,
)
from crivo.commands.documents.planning import PlanDocument
from crivo.commands.documents.provenance import (
    IntegrityDocument,
    ShareDocument,
    TraceDocument,
    VerifyDocument,
)
from crivo.commands.documents.pruning import MergeDocument, PruneDocument, UndoDocument
from crivo.commands.documents.search import SearchDocument
from crivo.commands.documents.trials import TryDocument

DOCUMENTS: dict[str, type[Document]] = {
    "try": TryDocument,
    "search": SearchDocument,
    "compare": CompareDocument,
    "confirm": ConfirmDocument,
    "repeat": RepeatDocument,
    "plan": PlanDocument,
    "diff": DiffDocument,
    "incumbent show": IncumbentDocument,
    "check": CheckDocument,
    "gate": GateDocument,
    "evaluate": EvaluateDocument,
    "share": ShareDocument,
    "merge": MergeDocument,
    "prune": PruneDocument,
    "prune --undo": UndoDocument,
    "trace": TraceDocument,
    "verify": VerifyDocument,
    "verify --stored": IntegrityDocument,
}
