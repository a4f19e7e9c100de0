"""What a page shows of the config: tables, listings, single values, and their nodes in each medium."""
