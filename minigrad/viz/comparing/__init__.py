"""Two backward passes of the same computation, beside each other: `viz.compare(a, b)` is made of this.

`pairs` finds which node of the one graph is which of the other; `passes` runs a pass to its end and keeps what it did;
`differences` finds where two passes part; `words` says what is wrong there.
"""
