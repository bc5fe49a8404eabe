"""The networks that are timed beside other frameworks: each as its own users write it."""
