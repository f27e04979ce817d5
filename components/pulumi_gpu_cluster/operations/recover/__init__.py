"""What a killed run leaves behind, and how it is settled so that the next run converges."""
