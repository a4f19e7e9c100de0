"""What ``ckpt-defaults`` does, one file a subcommand, and what changed since a revision."""
