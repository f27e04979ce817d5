"""The program of every site: one stack file, one cluster."""

import pulumi

from pulumi_gpu_cluster import GpuCluster, checked_site

site = checked_site()
cluster = GpuCluster(site.name, site)
for output, value in cluster.outputs.items():
    pulumi.export(output, value)
