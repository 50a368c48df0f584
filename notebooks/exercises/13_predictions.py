"""The predictions of chapter 13."""

from minigrad.teach import Option, Prediction

PREDICTIONS = [
    Prediction(
        name="how_many_are_right",
        question="All six engines have learned. How many of them compute right gradients?",
        options=(
            Option(
                "six: with a wrong gradient the loss does not fall like that",
                "It does, if the wrong gradient points downhill as well, or if this network never asks for what is "
                "wrong.",
            ),
            Option(
                "five: engine 2 is the one that learns otherwise",
                "Engine 2 is wrong, that much can be seen. But a curve that lies on that of a right engine proves only "
                "that this one network gets right gradients.",
            ),
            Option(
                "one",
                "Five of them have one wrong line each. Four of these make no difference to this network, and the "
                "fifth hardly any.",
                True,
            ),
            Option(
                "none: with right gradients all of them would be at 100 %",
                "These are images that were not trained on, and 96 % is what this small network reaches in so few "
                "steps.",
            ),
        ),
    ),
    Prediction(
        name="after_equals",
        question="In engine_a a node does this to each of its inputs. h is used three times. What is in h.grad "
        "after the walk?",
        about="one.grad = fitted(gradient, one.data.shape)",
        options=(
            Option(
                "what arrived first",
                "The first is there for a while. Then somebody else assigns, and it is gone.",
            ),
            Option(
                "what arrived last",
                "Each assignment replaces what was there. The last to run is the product h * h, and of its two "
                "gradients the second stays.",
                True,
            ),
            Option(
                "the sum: the engine adds elsewhere",
                "This is the only line of the engine in which a gradient is passed on.",
            ),
            Option(
                "nothing: it waits for all three and gives up",
                "Nobody waits in this engine. The order sees to it that all have sent when h runs.",
            ),
        ),
    ),
    Prediction(
        name="found_order",
        question="engine_b runs the nodes in the order in which it finds them, level by level, away from the loss. "
        "In which program are gradients wrong?",
        options=(
            Option(
                "h + h.exp().exp()",
                "h is found in the first level, beside the exp that has yet to send to it. It runs with half of its "
                "gradient.",
                True,
            ),
            Option(
                "h * h",
                "One node uses h twice, and sends both gradients when it runs. Then h runs.",
            ),
            Option(
                "h.exp().exp().exp()",
                "A chain is found in the order in which it has to run, however long it is.",
            ),
            Option(
                "h.exp() * h.relu()",
                "Both ways to h are equally long: h is found in the level below both, and runs after both.",
            ),
        ),
    ),
    Prediction(
        name="what_has_k",
        question="x is [3, 5, 7]. Both engines walk through the same loss, and engine_k says that the slope at x[2] is "
        "100. Which of these is its bug?",
        about="loss = (x[[0, 2, 2]] * weights).sum(axis=0)      # weights are [1, 10, 100]\n"
        "right     [1, 0, 110]\nengine_k  [1, 0, 100]",
        options=(
            Option(
                "= for += where a node passes its gradients on",
                "x is used by one node here, the index, which sends one gradient to it. There is nothing to replace.",
            ),
            Option(
                "nodes run before all has arrived",
                "This graph is a chain. In a chain every order that follows it is right.",
            ),
            Option(
                "a gradient is not summed back to the shape of x",
                "It has the shape of x: three numbers. Nothing was broadcast.",
            ),
            Option(
                "the rule of the index writes each place once",
                "Place 2 was picked twice, and should get 10 + 100. The last one has replaced the first.",
                True,
            ),
        ),
    ),
    Prediction(
        name="without_zero_grad",
        question="w begins at 0, the loss is (w - 5)², the rate 0.1. Nobody calls zero_grad(). What does w do?",
        options=(
            Option(
                "it goes to 5 as before: old gradients point there, too",
                "They do as long as w is below 5. When it arrives they are still there, and push it on.",
            ),
            Option(
                "it goes away from 5, further with each step",
                "Beyond 5 the new gradients point back, and slowly outweigh the old ones. It turns round.",
            ),
            Option(
                "it swings about 5 for ever, as far as 10",
                "The sum of all gradients is like a speed: at 5 it is largest. Nothing slows it down, as in a pendulum "
                "without friction.",
                True,
            ),
            Option(
                "an error in the second backward()",
                "Adding to .grad is what backward() is meant to do. Nobody can know that you did not mean it.",
            ),
        ),
    ),
    Prediction(
        name="detached_fake",
        question="The generator is to be trained by what the critic says. What happens to the generator?",
        about="fake = generator(noise)\nloss = -critic(fake.detach()).mean()\nloss.backward()\n"
        "of_generator.step()      # its optimizer",
        options=(
            Option(
                "an error in backward(): the graph was cut",
                "The loss still has a graph, that of the critic. The walk goes through it and ends at fake.detach().",
            ),
            Option(
                "nothing: its .grad is None, and step() passes over it",
                "No way leads back to it. An optimizer leaves out parameters without a gradient, and says nothing.",
                True,
            ),
            Option(
                "it learns, since fake shares its memory with fake.detach()",
                "Numbers are shared, the history is not. Gradients follow the history.",
            ),
            Option(
                "an error in step(): there is no gradient",
                "That is no error: a model may have parameters that this loss does not use.",
            ),
        ),
    ),
]
