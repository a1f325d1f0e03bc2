"""Getting raw files onto the disk; no stage needs it."""
