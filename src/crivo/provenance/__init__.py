"""Provenance: where a result comes from, and whether it comes out again.

from crivo.provenance import trace, verify
trace("models/model.skops").source.name
verify("HEAD").outcome
"""

from crivo.provenance.integrity import Integrity, verify_stored
from crivo.provenance.trace import Trace, trace
from crivo.provenance.verification import Verification, verify, verify_workspace

__all__ = ["Integrity", "Trace", "Verification", "trace", "verify", "verify_stored",
           "verify_workspace"]  # fmt: skip
