"""The stage featurize, and the checks of prepared rows."""
