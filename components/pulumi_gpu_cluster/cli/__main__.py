"""`python -m pulumi_gpu_cluster.cli`: the same as `gpu-cluster`."""

from pulumi_gpu_cluster.cli.main import main

main()
