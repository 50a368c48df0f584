"""The layers, and Module, which they are made from: one file for each subject."""
