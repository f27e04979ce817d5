"""What the engine starts: the pack of all rules. Serving blocks, so nothing else lives here."""

from gpu_cluster_policies import RULES
from gpu_cluster_policies.analyzer import serve

serve(RULES)
