"""A project's own files: started, given a table and new blocks, and its raw data fetched."""
