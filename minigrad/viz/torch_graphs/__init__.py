"""A real PyTorch graph, for the pictures and the stepper: `viz.draw(loss)` and `viz.BackwardStepper(loss)` take one.

`torch_source` answers what the pictures ask of PyTorch's tensors and nodes; `saved_tensors` tells what a node keeps and
what PyTorch hides; `formulas` finds the text of its rule, among minigrad's or in `own_rules`; `torch_pass` runs
PyTorch's own backward and stops it after each node, with `torch_hooks` for the learner's functions in it; `queue` knows
which node is next; `lines` notes which line of the learner's made which node, in `with watch():`; `modules` finds out
which module's call it was where no `watch()` did.

torch is never imported here: a graph of PyTorch's can only be there if the learner's program has.
"""
