"""Runs the real `pulumi up` and `destroy` of a site against its simulated cluster."""
