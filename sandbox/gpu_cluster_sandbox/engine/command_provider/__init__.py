"""A stand-in for the Pulumi provider `command`, for machines that have no Pulumi release.

It knows `command:local:Command` alone; docs/command-stand-in.md lists what it does alike.
"""
