"""Where a result comes from, and whether it comes out again.

from crivo.provenance import trace, verify
trace("models/model.skops").source.name
verify("HEAD").outcome
"""

from crivo.provenance.elsewhere import verify_elsewhere
from crivo.provenance.inputs import Source
from crivo.provenance.integrity import Integrity, verify_stored
from crivo.provenance.trace import Stored, Trace, trace
from crivo.provenance.verification import Verification, verify, verify_workspace

__all__ = [
    "Integrity",
    "Source",
    "Stored",
    "Trace",
    "Verification",
    "trace",
    "verify",
    "verify_elsewhere",
    "verify_stored",
    "verify_workspace",
]
