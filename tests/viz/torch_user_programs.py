"""PyTorch programs as their users write them: networks, losses and tricks, each small enough to be stepped.

Importing this module adds them to `PROGRAMS`.
"""

from typing import Any

from viz.torch_programs import F, leaf, nn, program, torch


@program
def an_unrolled_cell() -> Any:
    cell, head = nn.GRUCell(2, 3), nn.Linear(3, 1)
    h = torch.zeros(2, 3)
    loss = torch.zeros(())
    for x in torch.randn(3, 2, 2):
        h = cell(x, h)
        loss = loss + head(h).pow(2).mean()
    return loss, [*cell.parameters(), *head.parameters()]


@program
def a_packed_sequence() -> Any:
    net = nn.LSTM(2, 3, batch_first=True)
    x = leaf(2, 4, 2)
    packed = nn.utils.rnn.pack_padded_sequence(x, [4, 2], batch_first=True)
    out, _ = nn.utils.rnn.pad_packed_sequence(net(packed)[0], batch_first=True)
    return out.pow(2).sum(), [x, *net.parameters()]


@program
def attention_with_a_mask() -> Any:
    attend = nn.MultiheadAttention(4, 2, batch_first=True)
    x = leaf(2, 3, 4)
    mask = torch.triu(torch.ones(3, 3, dtype=torch.bool), 1)
    out, weights = attend(x, x, x, attn_mask=mask)
    return out.pow(2).sum() + weights.std(), [x, *attend.parameters()]


@program
def fused_attention() -> Any:
    q, k, v = leaf(1, 2, 3, 4), leaf(1, 2, 3, 4), leaf(1, 2, 3, 4)
    return F.scaled_dot_product_attention(q, k, v, is_causal=True).pow(2).sum(), [q, k, v]


@program
def a_unet_in_small() -> Any:
    down, up = nn.Conv2d(1, 2, 3, stride=2, padding=1), nn.ConvTranspose2d(2, 1, 2, stride=2)
    out = nn.Conv2d(2, 1, 1)
    x = torch.randn(1, 1, 4, 4)
    joined = torch.cat([up(F.silu(down(x))), x], 1)
    grown = F.interpolate(out(joined), scale_factor=2, mode="bilinear", align_corners=False)
    return F.mse_loss(grown, torch.zeros_like(grown)), [*down.parameters(), *up.parameters(), *out.parameters()]


class Halves(torch.autograd.Function):  # type: ignore[misc, name-defined]
    """Three results: two that carry a gradient, and one that does not."""

    @staticmethod
    def forward(ctx: Any, x: Any, scale: float) -> Any:
        ctx.save_for_backward(x)
        ctx.scale = scale
        signs = x.sign()
        ctx.mark_non_differentiable(signs)
        return x * scale, x.pow(2), signs

    @staticmethod
    def backward(ctx: Any, first: Any, second: Any, _: Any) -> Any:
        (x,) = ctx.saved_tensors
        return first * ctx.scale + second * 2 * x, None


@program
def a_function_with_several_results() -> Any:
    a = leaf(3)
    scaled, squared, signs = Halves.apply(a, 3.0)
    only_one, _, _ = Halves.apply(a * 2, 0.5)
    return (scaled * squared * signs).sum() + only_one.sum(), [a]


class Doubled(torch.autograd.Function):  # type: ignore[misc, name-defined]
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        ctx.mark_dirty(x)
        return x.mul_(2)

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return g * 2


@program
def a_function_in_place() -> Any:
    a = leaf(4)
    b = a + 1
    Doubled.apply(b[1:3])
    return (Doubled.apply(a * 1) * b).sum(), [a]


@program
def strides_and_windows() -> Any:
    a = leaf(3, 4)
    windows = a.unfold(1, 2, 1).mean(-1)
    band = torch.as_strided(a, (2, 2), (5, 1))
    first, second = a.chunk(2, 1)
    return windows.sum() * band.diagonal().sum() + (first * second.roll(1, 0)).sum(), [a]


@program
def writes_by_mask_and_index() -> Any:
    a, b = leaf(2, 3), leaf(3)
    c = a.clone()
    c.masked_fill_(c > 0.5, 0.0)
    c[torch.tensor([1]), torch.tensor([2])] = b[0]
    c[0].copy_(b)
    c.index_add_(0, torch.tensor([0, 0]), a * 2)
    return c.tanh().sum() + c.clamp(-0.5, 0.5).prod(), [a, b]


@program
def a_reentrant_checkpoint() -> Any:
    from torch.utils.checkpoint import checkpoint

    net = nn.Sequential(nn.Linear(2, 3), nn.Tanh())
    x = leaf(2, 2)
    middle = checkpoint(net, x * 2, use_reentrant=True)
    return (middle * middle).sum() + net(x).sum(), [x, *net.parameters()]


@program
def checkpoints_in_a_row() -> Any:
    from torch.utils.checkpoint import checkpoint_sequential

    net = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 3), nn.Tanh(), nn.Linear(3, 1))
    return checkpoint_sequential(net, 2, torch.randn(2, 2), use_reentrant=False).sum(), list(net.parameters())


@program
def hooks_of_modules_and_of_several_tensors() -> Any:
    net = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
    net.register_full_backward_hook(lambda module, given, came: (None if given[0] is None else given[0] * 2,))
    net[0].register_full_backward_pre_hook(lambda module, came: (came[0] * 3,))
    a, b = leaf(2), leaf(2)
    torch.autograd.graph.register_multi_grad_hook((a, b), lambda gradients: None)
    return net((a * b).unsqueeze(0)).sum() + a.sum(), [a, b, *net.parameters()]


@program
def bags_and_rare_words() -> Any:
    bag = nn.EmbeddingBag(6, 3, mode="mean", sparse=True)
    words = nn.Embedding(6, 3, padding_idx=0, scale_grad_by_freq=True)
    index = torch.tensor([[0, 1, 1], [2, 0, 3]])
    return bag(index).pow(2).sum() + words(index).sin().sum(), [bag.weight, words.weight]


@program
def waves() -> Any:
    a, phase = leaf(8), leaf(5)
    spectrum = torch.fft.rfft(a) * torch.polar(torch.ones(5), phase)
    back = torch.fft.irfft(spectrum)
    return back.pow(2).sum() + torch.view_as_real(spectrum).abs().mean(), [a, phase]


@program
def contractions_and_running_sums() -> Any:
    a, b = leaf(2, 3), leaf(3, 2)
    product = torch.einsum("ij,jk->ik", a, b)
    return product.cumsum(1).logcumsumexp(0).sum() + torch.tensordot(a, b.mT, 2) + a.cumprod(1).norm(), [a, b]


@program
def a_mapped_function() -> Any:
    w, x = leaf(3), leaf(4, 3)
    return torch.func.vmap(lambda row: torch.tanh(row @ w))(x).sum(), [w, x]


@program
def a_gradient_penalty() -> Any:
    critic = nn.Sequential(nn.Linear(2, 3), nn.Softplus(), nn.Linear(3, 1))
    x = torch.randn(2, 2, requires_grad=True)
    (slope,) = torch.autograd.grad(critic(x).sum(), x, create_graph=True)
    return (slope.norm(2, dim=1) - 1).pow(2).mean(), list(critic.parameters())


@program
def experts_by_turns() -> Any:
    gate, experts = nn.Linear(2, 3), nn.ModuleList([nn.Linear(2, 1) for _ in range(3)])
    x = torch.randn(4, 2)
    weight, chosen = gate(x).softmax(1).topk(2, 1)
    every = torch.stack([expert(x).squeeze(1) for expert in experts], 1)
    return (every.gather(1, chosen) * weight).sum(), [*gate.parameters(), *experts.parameters()]


@program
def losses_of_many_kinds() -> Any:
    a, b = leaf(4, 3), leaf(4, 3)
    spoken = F.ctc_loss(a.log_softmax(1).unsqueeze(1), torch.tensor([[1, 2]]), (4,), (2,))
    apart = F.triplet_margin_loss(a, b, b.flip(0)) + F.cosine_embedding_loss(a, b, torch.tensor([1, -1, 1, -1]))
    spread = F.gaussian_nll_loss(a, b.detach(), b.exp()) + F.kl_div(a.log_softmax(1), b.softmax(1), reduction="sum")
    return spoken + apart + spread + F.smooth_l1_loss(a, b) + F.poisson_nll_loss(a, b.detach().abs()), [a, b]


@program
def normed_weights() -> Any:
    normed = nn.utils.parametrizations.weight_norm(nn.Linear(2, 3))
    straight = nn.utils.parametrizations.orthogonal(nn.Linear(3, 3))
    return straight(normed(torch.randn(2, 2)).relu()).sum(), [*normed.parameters(), *straight.parameters()]


@program
def drawn_numbers() -> Any:
    mean, spread, scores = leaf(3), leaf(3), leaf(4)
    drawn = torch.distributions.Normal(mean, spread.exp()).rsample()
    choice = torch.distributions.Categorical(logits=scores).log_prob(torch.tensor(2))
    straight = (torch.round(drawn) - drawn).detach() + drawn  # the gradient goes through as if nothing was rounded
    return straight.pow(2).sum() - choice + F.gumbel_softmax(scores, hard=True).max(), [mean, spread, scores]


@program
def lower_precision_by_autocast() -> Any:
    net = nn.Sequential(nn.Linear(4, 4), nn.LayerNorm(4), nn.GELU(), nn.Linear(4, 2))
    with torch.autocast("cpu", dtype=torch.bfloat16):
        loss = net(torch.randn(3, 4)).float().logsumexp(1).mean()
    return loss, list(net.parameters())


@program
def sparse_matrices() -> Any:
    w = leaf(3, 2)
    table = torch.sparse_coo_tensor(torch.tensor([[0, 1, 1], [2, 0, 2]]), torch.tensor([3.0, 4.0, 5.0]), (2, 3))
    return torch.sparse.mm(table, w).pow(2).sum(), [w]


@program
def picks_and_ranks() -> Any:
    a = leaf(3, 5)
    middle = a.median(1).values.sum() + a.kthvalue(2, 1).values.prod() + a.quantile(0.3)
    lowest = a.take_along_dim(a.argsort(1), 1)[:, 0]
    return middle + a.amax(0).sum() + a.repeat_interleave(2, 0).var() + lowest.sum(), [a]


@program
def kept_on_the_side() -> Any:
    a = leaf(3)
    with torch.autograd.graph.save_on_cpu():
        return (a.exp() * a.sigmoid()).sum(), [a]


@program
def gradients_that_were_zeroed_in_place() -> Any:
    net = nn.Linear(2, 1)
    net(torch.ones(1, 2)).sum().backward()
    net.zero_grad(set_to_none=False)
    return net(torch.randn(3, 2)).pow(2).sum(), list(net.parameters())


@program
def a_traced_function() -> Any:
    w = leaf(3)
    return torch.compile(lambda x: (x.sin() * w).sum(), backend="aot_eager")(w * 2), [w]
