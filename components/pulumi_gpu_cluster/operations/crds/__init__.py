"""CRDs that Helm installs once and never upgrades: out of the pinned charts, into the cluster."""
