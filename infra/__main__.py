"""The program of every site: one stack file, one cluster."""

import gc

import pulumi

import pulumi_gpu_cluster as gpu_cluster

# Nearly all that a program makes lives to its end. Looking for garbage as often as a server does
# costs a quarter of a large site's run, and finds none.
gc.set_threshold(50_000, 20, 100)

site = gpu_cluster.checked_site()
cluster = gpu_cluster.GpuCluster(site.name, site)
for output, value in cluster.outputs.items():
    pulumi.export(output, value)
