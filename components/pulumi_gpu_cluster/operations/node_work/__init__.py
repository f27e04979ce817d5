"""Work on single nodes, over the Kubernetes API: the same code for the program and for people."""
