"""A stand-in for Pulumi's Python language host, for machines that have no Pulumi release.

It runs programs and policy packs; it installs nothing and generates no code.
"""
