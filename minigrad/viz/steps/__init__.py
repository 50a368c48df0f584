"""A backward pass, node by node, as one `Frame` per step.

`frame_maker` runs the pass and writes the frames. It asks the others what to say: `pass_progress` who waits for what,
`contributions` what each gradient is made of, `cells` which of its numbers came from which, `story` the sentences,
`watching` and `printed` what the learner's own hooks and prints do meanwhile, `events` everything beside a step, from
a hook to a NaN. `grads_by_frame` lets Back bring each `.grad` back, `values_now` says which values have changed since
the picture was drawn, `breakpoints` where a pass stops, `trace` writes a whole pass as text, and `what_if` asks for the
pass with other numbers, for which `replay` computes the recorded graph once more. `session` walks through all this,
forward and back, and `stop_button` says where the notebook's stop button ends it.
"""
