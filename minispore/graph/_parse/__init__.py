"""Where MindSpore keeps the switches of its graph compiler."""
