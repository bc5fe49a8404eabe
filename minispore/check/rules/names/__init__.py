"""Rules about names that a version of MindSpore does not have."""
