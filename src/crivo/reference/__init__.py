"""Makes pages of docs from the code, each below its words in `heads`."""
