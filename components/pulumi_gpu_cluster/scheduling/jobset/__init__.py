"""JobSet: several jobs that start, fail and end as one."""
