"""One site file becomes one whole on-premises GPU cluster."""
