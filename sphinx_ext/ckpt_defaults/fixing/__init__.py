"""A wrong value replaced where it stands, in the spelling of its place, and looked at before it is written."""
