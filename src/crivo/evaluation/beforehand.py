"""What each evaluation works out from the library's own files alone, done when this is imported.

A process that forks many stages imports it, so that its forks find it done: the report's template,
and the code that the metrics' fingerprint is made of. Nothing here depends on a project.
"""

from crivo.core.tasks import TASKS
from crivo.evaluation.definition import definition_of
from crivo.evaluation.metrics import metrics_of
from crivo.evaluation.report.page import template

template()
for task in TASKS:
    definition_of(metrics_of(task).values())
