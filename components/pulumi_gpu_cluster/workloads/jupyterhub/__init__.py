"""JupyterHub."""
