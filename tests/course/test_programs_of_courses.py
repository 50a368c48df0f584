"""Programs in the manner of courses and example collections, with made data: each runs with PyTorch and with minigrad
and prints the same. They use what such programs use beside the usual layers: lazy layers, einsum, distributions,
samplers, pads that mirror. As in test_further_tutorials.py.
"""

from __future__ import annotations

import copy
import math
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import minigrad


def lazy_convolutions(torch: Any) -> list[float]:
    """A network for images whose layers are told nothing of what comes in, with weights set after a first batch."""
    nn = torch.nn
    torch.manual_seed(0)

    def block(channels: int) -> Any:
        return nn.Sequential(
            nn.LazyConv2d(channels, kernel_size=3, padding=1), nn.LazyBatchNorm2d(), nn.ReLU(), nn.MaxPool2d(2)
        )

    class Classifier(nn.Module):
        def __init__(self, widths: Any, classes: int) -> None:
            super().__init__()
            self.net = nn.Sequential(*[block(width) for width in widths], nn.Flatten())
            self.net.add_module("last", nn.Sequential(nn.LazyLinear(12), nn.Dropout(0.2), nn.LazyLinear(classes)))

        def forward(self, images: Any) -> Any:
            return self.net(images)

    def initialized(module: Any) -> None:
        if type(module) in (nn.Linear, nn.Conv2d):
            nn.init.xavier_uniform_(module.weight)

    model = Classifier((4, 6), 3)
    images, labels = torch.randn(24, 1, 8, 8), torch.randint(0, 3, (24,))
    model(images[:2])
    model.apply(initialized)
    loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(images, labels), batch_size=8, shuffle=True)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    printed = [sum(p.numel() for p in model.parameters())]
    for _ in range(2):
        for X, y in loader:
            loss = nn.CrossEntropyLoss()(model(X), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            printed.append(loss.item())
    clone = Classifier((4, 6), 3)
    clone(images[:1])
    clone.load_state_dict(model.state_dict())
    return [*printed, (clone.eval()(images).argmax(1) == model.eval()(images).argmax(1)).float().mean().item()]


def attention(torch: Any) -> list[float]:
    """Attention with masks for sequences of different lengths, additive and in several heads, in one encoder block."""
    nn, F = torch.nn, torch.nn.functional
    torch.manual_seed(1)

    def masked_softmax(X: Any, valid_lens: Any) -> Any:
        if valid_lens is None:
            return F.softmax(X, dim=-1)
        shape = X.shape
        valid_lens = torch.repeat_interleave(valid_lens, shape[1]) if valid_lens.dim() == 1 else valid_lens.reshape(-1)
        X = X.reshape(-1, shape[-1])
        mask = torch.arange(X.size(1), dtype=torch.float32)[None, :] < valid_lens[:, None]
        X[~mask] = -1e6
        return F.softmax(X.reshape(shape), dim=-1)

    class AdditiveAttention(nn.Module):
        def __init__(self, hiddens: int) -> None:
            super().__init__()
            self.W_k, self.W_q = nn.LazyLinear(hiddens, bias=False), nn.LazyLinear(hiddens, bias=False)
            self.w_v = nn.LazyLinear(1, bias=False)

        def forward(self, queries: Any, keys: Any, values: Any, valid_lens: Any) -> Any:
            features = torch.tanh(self.W_q(queries).unsqueeze(2) + self.W_k(keys).unsqueeze(1))
            return torch.bmm(masked_softmax(self.w_v(features).squeeze(-1), valid_lens), values)

    class Heads(nn.Module):
        def __init__(self, hiddens: int, heads: int) -> None:
            super().__init__()
            self.heads = heads
            self.W_q, self.W_k, self.W_v, self.W_o = (nn.LazyLinear(hiddens, bias=False) for _ in range(4))

        def forward(self, X: Any, valid_lens: Any) -> Any:
            q, k, v = (
                W(X).reshape(X.shape[0], X.shape[1], self.heads, -1).permute(0, 2, 1, 3)
                for W in (self.W_q, self.W_k, self.W_v)
            )
            scores = torch.einsum("bhqd,bhkd->bhqk", q, k) / math.sqrt(q.shape[-1])
            lengths = torch.repeat_interleave(valid_lens, repeats=self.heads, dim=0)
            weights = masked_softmax(scores.reshape(-1, *scores.shape[2:]), lengths).view(scores.shape)
            out = torch.einsum("bhqk,bhkd->bqhd", weights, v)
            return self.W_o(out.reshape(out.shape[0], out.shape[1], -1))

    class Block(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.attention, self.norm1, self.norm2 = Heads(8, 2), nn.LayerNorm(8), nn.LayerNorm(8)
            self.dense1, self.dense2 = nn.LazyLinear(12), nn.LazyLinear(8)

        def forward(self, X: Any, valid_lens: Any) -> Any:
            Y = self.norm1(self.attention(X, valid_lens) + X)
            return self.norm2(self.dense2(F.relu(self.dense1(Y))) + Y)

    queries, keys, lengths = torch.randn(2, 3, 5), torch.randn(2, 4, 2), torch.tensor([2, 4])
    values = torch.arange(24, dtype=torch.float32).reshape(1, 4, 6).repeat(2, 1, 1)
    additive = AdditiveAttention(8)
    printed = additive(queries, keys, values, lengths).flatten().tolist()
    positions = torch.arange(4, dtype=torch.float32).reshape(-1, 1) / torch.pow(10000, torch.arange(0, 8, 2) / 8)
    encoding = torch.zeros((1, 4, 8))
    encoding[:, :, 0::2], encoding[:, :, 1::2] = torch.sin(positions), torch.cos(positions)
    block, X = Block(), torch.randn(2, 4, 8) + encoding
    block(X, lengths)
    optimizer = torch.optim.Adam(block.parameters(), lr=0.01)
    for _ in range(3):
        loss = (block(X, lengths) - X.tile(1).flip(1)).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        printed.append(loss.item())
    return printed


def policies(torch: Any) -> list[float]:
    """An actor and a critic that play a game of their own, and a policy of real numbers that may not move far."""
    nn, F = torch.nn, torch.nn.functional
    from_module = torch.distributions
    torch.manual_seed(2)

    class Policy(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.affine, self.dropout = nn.Linear(3, 16), nn.Dropout(p=0.6)
            self.action_head, self.value_head = nn.Linear(16, 2), nn.Linear(16, 1)

        def forward(self, x: Any) -> Any:
            x = F.relu(self.dropout(self.affine(x)))
            return F.softmax(self.action_head(x), dim=-1), self.value_head(x)

    policy = Policy()
    optimizer = torch.optim.Adam(policy.parameters(), lr=3e-2)
    printed = []
    for _ in range(4):
        saved, rewards, state = [], [], torch.tensor([1.0, 0.0, -1.0])
        for _ in range(8):
            probs, value = policy(state)
            m = from_module.Categorical(probs)
            action = m.sample()
            saved.append((m.log_prob(action), value, m.entropy()))
            rewards.append(1.0 if action.item() == int(state[0] > 0) else -0.5)
            state = torch.cat((state[1:], state[:1]))
        R, returns = 0.0, []
        for r in rewards[::-1]:
            R = r + 0.99 * R
            returns.insert(0, R)
        gains = torch.tensor(returns)
        gains = (gains - gains.mean()) / (gains.std() + 1e-6)
        parts = [
            -log_prob * (g - value.item()) + F.smooth_l1_loss(value, g.reshape(1)) - 0.01 * entropy
            for (log_prob, value, entropy), g in zip(saved, gains, strict=True)
        ]
        optimizer.zero_grad()
        loss = torch.cat([part.reshape(1) for part in parts]).sum()
        loss.backward()
        optimizer.step()
        printed += [loss.item(), sum(rewards)]

    mean, log_std = nn.Linear(3, 2), nn.Parameter(torch.zeros(2))
    observations = torch.randn(16, 3)
    with torch.no_grad():
        before = from_module.Normal(mean(observations), log_std.exp())
        actions = before.sample()
        old = before.log_prob(actions).sum(-1)
    optimizer = torch.optim.Adam([*mean.parameters(), log_std], lr=0.01)
    for _ in range(3):
        now = from_module.Normal(mean(observations), log_std.exp())
        ratio = (now.log_prob(actions).sum(-1) - old).exp()
        gain = -(actions**2).sum(-1)
        kl = from_module.kl_divergence(before, now).sum(-1).mean()
        loss = -torch.min(ratio * gain, ratio.clamp(0.8, 1.2) * gain).mean() + kl - 0.01 * now.entropy().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        printed += [loss.item(), kl.item()]
    return printed


def autoencoder(torch: Any) -> list[float]:
    """What goes in is squeezed through numbers of chance, and comes out again."""
    nn, F = torch.nn, torch.nn.functional
    D = torch.distributions
    torch.manual_seed(3)

    class VAE(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.encoder = nn.Sequential(nn.LazyLinear(16), nn.ReLU())
            self.mu, self.log_var = nn.LazyLinear(2), nn.LazyLinear(2)
            self.decoder = nn.Sequential(nn.LazyLinear(16), nn.ReLU(), nn.LazyLinear(20))

        def forward(self, x: Any) -> Any:
            hidden = self.encoder(x.view(-1, 20))
            posterior = D.Normal(self.mu(hidden), (0.5 * self.log_var(hidden)).exp())
            return posterior, self.decoder(posterior.rsample())

    model = VAE()
    data = torch.bernoulli(torch.rand(12, 4, 5))
    model(data)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    prior, printed = D.Normal(torch.zeros(2), torch.ones(2)), []
    for _ in range(4):
        posterior, logits = model(data)
        likelihood = -F.binary_cross_entropy_with_logits(logits, data.view(-1, 20), reduction="none").sum(1)
        kl = D.kl_divergence(posterior, prior).sum(1)
        by_hand = -0.5 * torch.sum(1 + posterior.variance.log() - posterior.mean.pow(2) - posterior.variance, dim=1)
        loss = (kl - likelihood).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        bce = F.binary_cross_entropy(torch.sigmoid(logits), data.view(-1, 20), reduction="sum").item()
        printed += [loss.item(), kl.sum().item(), by_hand.sum().item(), bce]
    with torch.no_grad():
        grid = torch.stack(torch.meshgrid(torch.linspace(-1, 1, 3), torch.linspace(-1, 1, 2), indexing="xy"), -1)
        printed += torch.sigmoid(model.decoder(grid.reshape(-1, 2))).mean(1).tolist()
    return printed


def digits(torch: Any) -> list[float]:
    """Convolutions whose channels are dropped, an optimizer that needs no rate, a rate that falls all the same."""
    nn, F = torch.nn, torch.nn.functional
    torch.manual_seed(4)

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.conv1, self.conv2 = nn.Conv2d(1, 4, 3, 1), nn.Conv2d(4, 8, 3, 1)
            self.conv2_drop, self.dropout = nn.Dropout2d(0.25), nn.Dropout(0.5)
            self.fc1, self.fc2 = nn.Linear(32, 16), nn.Linear(16, 10)

        def forward(self, x: Any) -> Any:
            x = F.relu(self.conv1(x))
            x = F.relu(self.conv2_drop(self.conv2(x)))
            x = F.max_pool2d(x, 2)
            x = torch.flatten(x, 1)
            x = self.fc2(self.dropout(F.relu(self.fc1(x))))
            return F.log_softmax(x, dim=1)

    model = Net()
    optimizer = torch.optim.Adadelta(model.parameters(), lr=1.0)
    scheduler = torch.optim.lr_scheduler.MultiStepLR(optimizer, milestones=[2, 3], gamma=0.7)
    images, labels = torch.randn(20, 1, 8, 8), torch.randint(0, 10, (20,))
    loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(images, labels), 10, shuffle=True)
    printed = []
    for _ in range(4):
        model.train()
        for data, target in loader:
            optimizer.zero_grad()
            loss = F.nll_loss(model(data), target)
            loss.backward()
            optimizer.step()
            printed.append(loss.item())
        scheduler.step()
        printed.append(optimizer.param_groups[0]["lr"])
    model.eval()
    with torch.no_grad():
        pred = model(images).argmax(dim=1, keepdim=True)
        printed.append(pred.eq(labels.view_as(pred)).sum().item())
        printed += [
            *torch.zeros(10).index_add(0, labels, torch.ones(20)).tolist(),
            *torch.unique(labels, return_counts=True)[1].tolist(),
        ]
    return printed


def language_model(torch: Any) -> list[float]:
    """A small transformer that learns to sort, with samples drawn for ever, and weights that decay or do not."""
    nn, F = torch.nn, torch.nn.functional
    from_data = torch.utils.data.dataloader
    torch.manual_seed(5)
    length, digits, width, heads = 3, 3, 12, 2

    class SortDataset(torch.utils.data.Dataset):
        def __len__(self) -> int:
            return 50

        def __getitem__(self, idx: int) -> Any:
            inp = torch.randint(digits, size=(length,), dtype=torch.long)
            cat = torch.cat((inp, torch.sort(inp)[0]), dim=0)
            x, y = cat[:-1].clone(), cat[1:].clone()
            y[: length - 1] = -1
            return x, y

    class CausalSelfAttention(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.c_attn, self.c_proj = nn.Linear(width, 3 * width), nn.Linear(width, width)
            self.register_buffer("bias", torch.tril(torch.ones(8, 8)).view(1, 1, 8, 8))

        def forward(self, x: Any) -> Any:
            B, T, C = x.size()
            q, k, v = (t.view(B, T, heads, C // heads).transpose(1, 2) for t in self.c_attn(x).split(width, dim=2))
            att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
            att = F.softmax(att.masked_fill(self.bias[:, :, :T, :T] == 0, float("-inf")), dim=-1)
            return self.c_proj((att @ v).transpose(1, 2).contiguous().view(B, T, C))

    class GPT(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.transformer = nn.ModuleDict(
                {"wte": nn.Embedding(digits, width), "wpe": nn.Embedding(8, width), "ln": nn.LayerNorm(width)}
            )
            self.attention, self.lm_head = CausalSelfAttention(), nn.Linear(width, digits, bias=False)
            self.apply(self._init_weights)

        def _init_weights(self, module: Any) -> None:
            if isinstance(module, nn.Linear | nn.Embedding):
                torch.nn.init.normal_(module.weight, mean=0.0, std=0.02)

        def forward(self, idx: Any, targets: Any = None) -> Any:
            pos = torch.arange(0, idx.size(1), dtype=torch.long).unsqueeze(0)
            x = self.transformer.wte(idx) + self.transformer.wpe(pos)
            logits = self.lm_head(x + self.attention(self.transformer.ln(x)))
            if targets is None:
                return logits, None
            return logits, F.cross_entropy(logits.view(-1, logits.size(-1)), targets.view(-1), ignore_index=-1)

    model = GPT()
    decay, no_decay = [], []
    for name, parameter in model.named_parameters():
        is_decayed = parameter.dim() > 1 and not name.startswith("transformer.w")
        (decay if is_decayed else no_decay).append(parameter)
    groups = [{"params": decay, "weight_decay": 0.1}, {"params": no_decay, "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups, lr=5e-3, betas=(0.9, 0.95))
    dataset = SortDataset()
    sampler = torch.utils.data.RandomSampler(dataset, replacement=True, num_samples=int(1e10))
    loader, printed = iter(from_data.DataLoader(dataset, sampler=sampler, shuffle=False, batch_size=16)), []
    for _ in range(6):
        x, y = next(loader)
        _, loss = model(x, y)
        model.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        printed.append(loss.item())
    idx = torch.tensor([[0, 2, 1]], dtype=torch.long)
    for _ in range(length):
        logits, _ = model(idx)
        v, _ = torch.topk(logits[:, -1, :], 2)
        last = logits[:, -1, :].clone()
        last[last < v[:, [-1]]] = -float("Inf")
        idx = torch.cat((idx, torch.multinomial(F.softmax(last, dim=-1), num_samples=1)), dim=1)
    return [*printed, *idx.flatten().tolist()]


def styles(torch: Any) -> list[float]:
    """A network that paints: borders mirrored, each picture normalized by itself."""
    nn, F = torch.nn, torch.nn.functional
    torch.manual_seed(6)

    class ConvLayer(nn.Module):
        def __init__(
            self, inputs: int, outputs: int, kernel_size: int, stride: int, upsample: int | None = None
        ) -> None:
            super().__init__()
            self.upsample, self.reflection_pad = upsample, nn.ReflectionPad2d(kernel_size // 2)
            self.conv2d = nn.Conv2d(inputs, outputs, kernel_size, stride)

        def forward(self, x: Any) -> Any:
            if self.upsample:
                x = F.interpolate(x, mode="nearest", scale_factor=self.upsample)
            return self.conv2d(self.reflection_pad(x))

    class TransformerNet(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.conv1, self.in1 = ConvLayer(3, 4, 3, 1), nn.InstanceNorm2d(4, affine=True)
            self.conv2, self.in2 = ConvLayer(4, 6, 3, 2), nn.InstanceNorm2d(6, affine=True)
            self.deconv, self.in3 = ConvLayer(6, 4, 3, 1, upsample=2), nn.InstanceNorm2d(4)
            self.last = ConvLayer(4, 3, 5, 1)

        def forward(self, X: Any) -> Any:
            y = F.relu(self.in2(self.conv2(F.relu(self.in1(self.conv1(X))))))
            return self.last(F.relu(self.in3(self.deconv(y))))

    def gram_matrix(y: Any) -> Any:
        return torch.einsum("bchw,bdhw->bcd", y, y) / (y.shape[1] * y.shape[2] * y.shape[3])

    net, images, style = TransformerNet(), torch.rand(2, 3, 8, 8), torch.rand(1, 3, 8, 8)
    optimizer = torch.optim.Adagrad(net.parameters(), lr=0.05)
    wanted, printed = gram_matrix(style).expand(2, -1, -1), []
    for _ in range(3):
        optimizer.zero_grad()
        painted = net(images)
        loss = F.mse_loss(painted, images) + 10 * F.mse_loss(gram_matrix(painted), wanted)
        loss.backward()
        optimizer.step()
        printed.append(loss.item())

    return printed


def sequences(torch: Any) -> list[float]:
    """Words of different lengths, filled up, read by convolutions along the text; and letters counted by hand."""
    nn, F = torch.nn, torch.nn.functional
    torch.manual_seed(7)
    words = ["emma", "olivia", "ava", "isabella", "sophia"]
    letters = {letter: number for number, letter in enumerate(sorted({*"".join(words)}), 1)}
    encoded = [torch.tensor([letters[letter] for letter in word]) for word in words]
    batch = torch.stack([nn.functional.pad(word, (0, 8 - len(word))) for word in encoded])
    lengths = torch.tensor([len(word) for word in words])

    class TextCNN(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embedding, self.pool = nn.Embedding(len(letters) + 1, 6, padding_idx=0), nn.AdaptiveAvgPool1d(1)
            self.convs = nn.ModuleList([nn.LazyConv1d(channels, kernel) for channels, kernel in ((4, 2), (3, 3))])
            self.scales = nn.ParameterList([torch.ones(1) for _ in self.convs])
            self.decoder = nn.LazyLinear(2)

        def forward(self, inputs: Any) -> Any:
            embedded = self.embedding(inputs).permute(0, 2, 1)
            features = [
                self.pool(F.relu(c(embedded))).squeeze(-1) * s for c, s in zip(self.convs, self.scales, strict=True)
            ]
            return self.decoder(torch.cat(features, dim=1))

    net, target = TextCNN(), (lengths > 5).long()
    net(batch)
    optimizer, printed = torch.optim.Adam(net.parameters(), lr=0.05), []
    for _ in range(4):
        loss = F.cross_entropy(net(batch), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        printed.append(loss.item())
    counts = torch.zeros(len(letters) + 1, dtype=torch.int32)
    flat = torch.cat(encoded)
    for number in flat.unique():
        counts[number] = (flat == number).sum()
    P = (counts + 1).float()
    P /= P.sum()
    nll = -torch.stack([P[word].log().sum() for word in encoded]).sum() / lengths.sum()
    mask = torch.arange(batch.shape[1])[None, :] < lengths[:, None]
    return [*printed, nll.item(), *counts.tolist(), mask.sum().item(), *torch.mv(batch.float(), torch.ones(8)).tolist()]


def densities(torch: Any) -> list[float]:
    """Coins and dice, a likelihood on a grid, noise that is added step by step, as lectures draw them."""
    torch.manual_seed(8)
    torch.set_printoptions(precision=3, sci_mode=False)
    dice = torch.distributions.Categorical(torch.tensor([0.5, 0.3, 0.2])).sample((20,))
    counts = torch.nn.functional.one_hot(dice, 3).float()
    shares = counts.cumsum(dim=0) / counts.cumsum(dim=0).sum(dim=1, keepdims=True)
    printed = [*shares[-1].tolist(), len(repr(shares))]
    torch.set_printoptions(profile="default")

    x = torch.randn(40) * 2 + 1
    means, deviations = torch.meshgrid(torch.linspace(-1, 3, 5), torch.linspace(0.5, 4, 4), indexing="ij")
    grid = torch.distributions.Normal(means, deviations).log_prob(x.reshape(-1, 1, 1)).sum(0)
    printed += [*grid.flatten().tolist(), grid.argmax().item()]

    beta = torch.linspace(0.01, 0.3, 10)
    alpha = torch.cumprod(1 - beta, dim=0)
    z = torch.einsum("t,n->tn", alpha.sqrt(), x) + torch.einsum("t,n->tn", (1 - alpha).sqrt(), torch.randn(40))
    net = torch.nn.Sequential(torch.nn.LazyLinear(16), torch.nn.Tanh(), torch.nn.LazyLinear(1))
    steps = torch.arange(10).float().repeat_interleave(40)
    inputs = torch.stack((z.flatten(), steps / 10), dim=1)
    net(inputs)
    optimizer = torch.optim.Adam(net.parameters(), lr=0.02)
    scheduler = torch.optim.lr_scheduler.MultiStepLR(optimizer, [1, 3], gamma=0.9)
    for _ in range(4):
        loss = (net(inputs).squeeze(1) - x.tile(10)).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        scheduler.step()
        printed += [loss.item(), scheduler.get_last_lr()[0]]
    slow = copy.deepcopy(net)
    for parameter in slow.parameters():
        parameter.data.index_fill_(0, torch.tensor([0]), 0.0)
    return [*printed, slow(inputs).abs().sum().item()]


PROGRAMS = [
    lazy_convolutions, attention, policies, autoencoder, digits, language_model, styles, sequences, densities,
]  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_it_prints_what_it_prints_with_torch(program: Any, torch: ModuleType) -> None:
    theirs, ours = program(torch), program(minigrad)
    np.testing.assert_allclose(ours, theirs, rtol=2e-4, atol=1e-5)
