"""What the exercises and predictions of chapter 01 share: its name."""

CHAPTER = "01_tensors_and_leaves"
