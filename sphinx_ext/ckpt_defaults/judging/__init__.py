"""Statements and the config give verdicts: which key, which root, which value, and what is left alone."""
