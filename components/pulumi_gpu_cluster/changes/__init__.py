"""What a `pulumi up` would change, judged before it does."""
