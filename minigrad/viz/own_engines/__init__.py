"""An engine of the learner's own, for the pictures: `viz.draw(L, engine=MyEngine())` and all that steps take one.

`adapter` is what a learner derives from: ten questions in the words of those who have just written an engine;
`own_source` answers by them what the pictures ask; `own_pass` runs its backward, one node per step.
"""
