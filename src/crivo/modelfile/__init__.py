"""Files of fitted estimators: written canonically, and read without running code."""
