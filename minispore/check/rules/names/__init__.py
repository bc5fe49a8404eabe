"""What a version of MindSpore has no longer."""
