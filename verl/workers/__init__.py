"""The workers."""
