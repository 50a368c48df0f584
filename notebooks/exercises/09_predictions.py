"""Chapter 09: the predictions."""

from minigrad.teach import Option, Prediction

PREDICTIONS = (
    Prediction(
        name="which_switch",
        question="One change is enough for validate() to leave the model as it is. Which?",
        options=(
            Option(
                "with mg.inference_mode() in the place of mg.no_grad()",
                "It is stricter about recording. What a layer computes, and what it writes down, is the same in both.",
            ),
            Option(
                "model.requires_grad_(False) before the forward pass",
                "That is for parameters. What has changed is no parameter: no gradient moved it, but the forward pass.",
            ),
            Option(
                "model.eval() before the forward pass",
                "The layer itself asks in which mode it is, and moves its running mean in train mode only.",
                True,
            ),
            Option(
                "model(inputs.detach()) in the place of model(inputs)",
                "The inputs have no history anyway. The layer looks at their numbers, and these stay.",
            ),
        ),
    ),
    Prediction(
        name="while_it_waits",
        question="The generator stands at its yield. What does the print below it say?",
        about=(
            "def answers(model, batches):\n    with mg.no_grad():\n        for batch in batches:\n"
            "            yield model(batch)\n\nfor answer in answers(model, batches):\n"
            "    print(mg.is_grad_enabled())"
        ),
        options=(
            Option(
                "False: the with block of the generator has begun and has not ended",
                (
                    "The mode belongs to the thread, not to the function. A generator that waits inside its block "
                    "leaves the block open for all who run meanwhile."
                ),
                True,
            ),
            Option(
                "True: the print stands outside of the with block",
                "Outside of its text. But the block is left when the generator goes past its end, and it waits inside.",
            ),
            Option(
                "True: each function has a mode of its own",
                "There is one mode for each thread. A function called in a no_grad() block is not recorded either.",
            ),
            Option(
                "an error: a generator cannot wait inside of no_grad()",
                "Nothing forbids it, neither here nor in PyTorch.",
            ),
        ),
    ),
    Prediction(
        name="what_eval_saves",
        question=(
            "In train mode the forward pass of this network keeps 100 % for backward(). How much does it keep after "
            "model.eval(), without no_grad()?"
        ),
        options=(
            Option(
                "nothing: in eval mode there is no backward()",
                "There is one: eval() tells layers what to compute. The operations are recorded as ever.",
            ),
            Option(
                "a good half: one layer keeps nothing, and the next no tensor of its own",
                (
                    "Dropout keeps which numbers it has dropped, and the layer behind it what dropout gave it. In eval "
                    "mode dropout does nothing. The others save what they saved."
                ),
                True,
            ),
            Option(
                "exactly 100 %: what is saved depends on the recording alone",
                "It also depends on which operations run. In eval mode one layer of this network runs none.",
            ),
            Option(
                "a few percent: numbers are computed, and nothing is written down but results",
                "All that is recorded saves what its slope needs, in either mode: inputs and results of operations.",
            ),
        ),
    ),
    Prediction(
        name="three_steps_later",
        question="What hangs on total after three steps?",
        about=(
            "total = 0.0\nfor x in batches:              # three of them\n    loss = (w * x - 1) ** 2\n"
            "    loss.backward()\n    total = total + loss"
        ),
        options=(
            Option(
                "nothing: each backward() takes the graph of its loss down",
                "backward() frees what the nodes have saved. The nodes stay as long as somebody holds the result.",
            ),
            Option(
                "the graph of the last loss: each step replaces the one before",
                "loss is another tensor in each step. But total was computed from all of them.",
            ),
            Option(
                "three numbers, which the sum is made of",
                "total is a tensor which requires a gradient: it knows how it was computed, and from what.",
            ),
            Option(
                "the nodes of all three steps, and those of the additions",
                "Each addition leads to the loss of its step and to the total before, and so to all.",
                True,
            ),
        ),
    ),
    Prediction(
        name="what_passes",
        question="All parameters of the backbone are frozen. What does shift get in the walk?",
        about=(
            "backbone.requires_grad_(False)\nfeatures = backbone(inputs + shift)     # shift.requires_grad is True\n"
            "head(features).sum().backward()"
        ),
        options=(
            Option(
                "nothing: the walk ends where the frozen backbone begins",
                "It ends where nothing requires a gradient. features was computed from shift, which does.",
            ),
            Option(
                "zeros: a frozen layer lets nothing through",
                "The slope of a layer with respect to its input is what it is. Frozen is the layer's own parameter.",
            ),
            Option(
                "its gradient, as if nothing were frozen",
                "requires_grad is a flag of leaves. Operations are recorded if any input requires a gradient.",
                True,
            ),
            Option(
                "an error: backward() meets leaves that require no gradient",
                "inputs is one of those, too. For such a leaf there is no edge, and nothing is sent.",
            ),
        ),
    ),
    Prediction(
        name="features_in_training",
        question=(
            "features come from inference_mode(), w is a leaf that requires a gradient. Which line fails in the "
            "forward pass?"
        ),
        options=(
            Option(
                "features + w: a tensor from inference mode takes part in no operation",
                "It may be an input of any. The question is what the operation has to save.",
            ),
            Option(
                "features * w: the gradient of w is features, so they would be saved",
                "A saved tensor has to be watched by its version counter, and these have none.",
                True,
            ),
            Option(
                "features.sum(): there is nothing to record",
                "Nothing that requires a gradient is in it, so it is computed as a constant is.",
            ),
            Option(
                "features.clone() * w: the clone is as bad as what it is made of",
                "A clone that is made outside of inference mode is a normal tensor.",
            ),
        ),
    ),
)
