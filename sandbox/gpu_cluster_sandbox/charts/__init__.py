"""Stand-ins for the third-party charts: real names, versions, CRDs and value paths.

A stand-in installs the real CRDs' structural schemas the way the real chart does, refuses a
value path that the real chart does not know, records the values it was given in the ConfigMap
`<release>-values`, and makes a Deployment of the operator's name, so that a release has
something to wait for. It runs nothing.
"""

from __future__ import annotations

from gpu_cluster_sandbox.charts.checks import unchecked, values_schema
from gpu_cluster_sandbox.charts.write import write_charts

__all__ = ["unchecked", "values_schema", "write_charts"]
