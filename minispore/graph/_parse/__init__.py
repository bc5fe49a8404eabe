"""The package in which MindSpore has the switches of its graph compiler."""
