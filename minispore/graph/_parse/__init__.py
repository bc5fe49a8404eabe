"""Import path of MindSpore's graph compiler switches."""
