"""A graph as it stands, copied into boxes and edges: nothing here draws, and nothing runs.

`snapshot` is where it all comes together, and `source` is all that is asked of an engine for it: `observer` notes which
line of the learner's code made a node, `nodes` puts the nodes in order, `naming`, `expressions` and `learner_code` say
what stands in a box and beside the picture, `operation_marks` which of it a step marks, `values` how numbers are
written, `saved_values` what a node has saved, `rules` what it will do with it (`simplifying` makes a formula of that,
`formula_text` writes it, `meanings` and `own_backward` say what it calls), `constants` adds the tensors that need no
gradient, and `groups` puts boxes into groups that open and close. `boxes` is what all of them fill.
"""
