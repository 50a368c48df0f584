"""More programs as tutorials teach them, with what is less usual: gradients of gradients, gradients by the input,
control flow, hooks on layers, losses put together by hand. As in test_tutorials.py, each prints the same with PyTorch.
"""

from __future__ import annotations

import copy
import math
import random
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import minigrad


def polynomials(torch: Any) -> list[float]:
    """A sine fitted by a cubic: by hand, by autograd, by a Function, and by a module whose graph differs each time."""
    nn = torch.nn
    torch.manual_seed(0)
    random.seed(1)
    x = torch.linspace(-math.pi, math.pi, 100)
    y = torch.sin(x)
    printed = []

    a, b = torch.randn(()), torch.randn(())
    for _ in range(5):
        y_pred = a + b * x
        printed.append((y_pred - y).pow(2).sum().item())
        grad_y_pred = 2.0 * (y_pred - y)
        a -= 1e-4 * grad_y_pred.sum()
        b -= 1e-4 * (grad_y_pred * x).sum()

    class LegendrePolynomial3(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, input: Any) -> Any:
            ctx.save_for_backward(input)
            return 0.5 * (5 * input**3 - 3 * input)

        @staticmethod
        def backward(ctx: Any, grad_output: Any) -> Any:
            (input,) = ctx.saved_tensors
            return grad_output * 1.5 * (5 * input**2 - 1)

    starts = (0.0, -1.0, 0.0, 0.3)
    a, b, c, d = (torch.full((), start, requires_grad=True) for start in starts)
    for _ in range(10):
        loss = (a + b * LegendrePolynomial3.apply(c + d * x) - y).pow(2).sum()
        loss.backward()
        with torch.no_grad():
            for p in (a, b, c, d):
                p -= 5e-6 * p.grad
                p.grad = None
        printed.append(loss.item())

    class DynamicNet(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.a, self.b, self.e = (nn.Parameter(torch.randn(())) for _ in range(3))

        def forward(self, x: Any) -> Any:
            y = self.a + self.b * x
            for power in range(4, random.randint(4, 6)):
                y = y + self.e * x**power
            return y

    model = DynamicNet()
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-8, momentum=0.9)
    for _ in range(20):
        loss = nn.MSELoss(reduction="sum")(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        printed.append(loss.item())
    return printed


def gradients_by_hand(torch: Any) -> list[float]:
    """A network of letters, each step of which is differentiated by hand and compared with what autograd retained."""
    F = torch.nn.functional
    g = torch.Generator().manual_seed(2147483647)
    n, vocabulary = 8, 9
    C = torch.randn((vocabulary, 4), generator=g)
    W1, W2 = torch.randn((12, 10), generator=g) * 0.5, torch.randn((10, vocabulary), generator=g) * 0.1
    gain = torch.randn((1, 10), generator=g) * 0.1 + 1.0
    for p in (C, W1, W2, gain):
        p.requires_grad = True
    Xb, Yb = torch.randint(0, vocabulary, (n, 3), generator=g), torch.randint(0, vocabulary, (n,), generator=g)

    emb = C[Xb]
    hprebn = emb.view(emb.shape[0], -1) @ W1
    bndiff = hprebn - 1 / n * hprebn.sum(0, keepdim=True)
    bnvar_inv = (1 / (n - 1) * (bndiff**2).sum(0, keepdim=True) + 1e-5) ** -0.5
    bnraw = bndiff * bnvar_inv
    h = torch.tanh(gain * bnraw)
    logits = h @ W2
    logit_maxes = logits.max(1, keepdim=True).values
    counts = (logits - logit_maxes).exp()
    probs = counts * counts.sum(1, keepdims=True) ** -1
    logprobs = probs.log()
    loss = -logprobs[range(n), Yb].mean()
    for t in (logprobs, probs, counts, logit_maxes, logits, h, bnraw, hprebn, emb):
        t.retain_grad()
    loss.backward()

    printed = [loss.item()]
    dlogprobs = torch.zeros_like(logprobs)
    dlogprobs[range(n), Yb] = -1.0 / n
    dlogits = F.softmax(logits, 1)
    dlogits[range(n), Yb] -= 1
    dlogits /= n
    dh = dlogits @ W2.T
    dhpreact = (1.0 - h**2) * dh
    dhprebn = gain * bnvar_inv / n * (n * dhpreact - dhpreact.sum(0) - n / (n - 1) * bnraw * (dhpreact * bnraw).sum(0))
    demb = (dhprebn @ W1.T).view(emb.shape)
    dC = torch.zeros_like(C)
    for k in range(Xb.shape[0]):
        for j in range(Xb.shape[1]):
            dC[Xb[k, j]] += demb[k, j]
    pairs = ((dlogprobs, logprobs), (dlogits, logits), (dh, h), (dhprebn, hprebn), (demb, emb), (dC, C))
    for dt, t in pairs:
        printed += [float(torch.allclose(dt, t.grad, atol=1e-6)), (dt - t.grad).abs().max().item()]
    return [*printed, C.nelement(), torch.all(dh.abs() < 1).item(), logit_maxes.grad.abs().sum().item()]


def translations(torch: Any) -> list[float]:
    """Sequences are read by one network, and written by another that looks at parts of what was read."""
    nn, F = torch.nn, torch.nn.functional
    torch.manual_seed(2)
    width, vocabulary, length = 8, 7, 5

    class EncoderRNN(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embedding, self.dropout = nn.Embedding(vocabulary, width), nn.Dropout(0.1)
            self.gru = nn.GRU(width, width, batch_first=True)

        def forward(self, input: Any) -> Any:
            return self.gru(self.dropout(self.embedding(input)))

    class BahdanauAttention(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.Wa, self.Ua, self.Va = nn.Linear(width, width), nn.Linear(width, width), nn.Linear(width, 1)

        def forward(self, query: Any, keys: Any) -> Any:
            scores = self.Va(torch.tanh(self.Wa(query) + self.Ua(keys)))
            weights = F.softmax(scores.squeeze(2).unsqueeze(1), dim=-1)
            return torch.bmm(weights, keys), weights

    class AttnDecoderRNN(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embedding, self.dropout = nn.Embedding(vocabulary, width), nn.Dropout(0.1)
            self.attention, self.out = BahdanauAttention(), nn.Linear(width, vocabulary)
            self.gru = nn.GRU(2 * width, width, batch_first=True)

        def forward(self, encoder_outputs: Any, hidden: Any, target: Any = None) -> Any:
            input = torch.empty(encoder_outputs.size(0), 1, dtype=torch.long).fill_(0)
            outputs, attentions = [], []
            for i in range(length):
                embedded = self.dropout(self.embedding(input))
                context, weights = self.attention(hidden.permute(1, 0, 2), encoder_outputs)
                output, hidden = self.gru(torch.cat((embedded, context), dim=2), hidden)
                outputs.append(self.out(output))
                attentions.append(weights)
                if target is not None:
                    input = target[:, i].unsqueeze(1)
                else:
                    _, topi = outputs[-1].topk(1)
                    input = topi.squeeze(-1).detach()
            return F.log_softmax(torch.cat(outputs, dim=1), dim=-1), torch.cat(attentions, dim=1)

    encoder, decoder = EncoderRNN(), AttnDecoderRNN()
    optimizers = [torch.optim.Adam(part.parameters(), lr=0.01) for part in (encoder, decoder)]
    x = torch.randint(2, vocabulary, (6, length))
    y = x.flip(1)
    printed = []
    for _ in range(3):
        for optimizer in optimizers:
            optimizer.zero_grad()
        outputs, _ = decoder(*encoder(x), y)
        loss = nn.NLLLoss()(outputs.view(-1, outputs.size(-1)), y.view(-1))
        loss.backward()
        for optimizer in optimizers:
            optimizer.step()
        printed.append(loss.item())
    encoder.eval()
    decoder.eval()
    with torch.no_grad():
        outputs, attentions = decoder(*encoder(x))
        _, topi = outputs.topk(1)
        for idx in topi.squeeze()[0]:
            printed.append(idx.item())
    return [*printed, *attentions.sum(-1).flatten().tolist()]


def tasks(torch: Any) -> list[float]:
    """Learning to learn: the loss after steps of training is differentiated through these steps."""
    nn, F = torch.nn, torch.nn.functional
    torch.manual_seed(3)
    net = nn.Sequential(nn.Linear(1, 8), nn.Tanh(), nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 1))
    weights = list(net.parameters())
    optimizer = torch.optim.Adam(weights, 1e-2)

    def forward(x: Any, w: Any) -> Any:
        x = torch.tanh(F.linear(x, w[0], w[1]))
        return F.linear(F.relu(F.linear(x, w[2], w[3])), w[4], w[5])

    printed = []
    for _ in range(3):
        total = 0
        for _ in range(2):
            amplitude, phase = float(torch.rand(1)) * 4.9 + 0.1, float(torch.rand(1)) * np.pi
            x = torch.rand(10, 1) * 10 - 5
            fast = [w.clone() for w in weights]
            for _ in range(2):
                loss = F.mse_loss(forward(x, fast), amplitude * torch.sin(x + phase))
                grads = torch.autograd.grad(loss, fast, create_graph=True)
                fast = [w - 0.01 * g for w, g in zip(fast, grads, strict=True)]
            x = torch.rand(10, 1) * 10 - 5
            total = total + F.mse_loss(forward(x, fast), amplitude * torch.sin(x + phase))
        for w, g in zip(weights, torch.autograd.grad(total / 2, weights), strict=True):
            w.grad = g
        optimizer.step()
        printed.append(total.item())

    clone = copy.deepcopy(net)
    inner = torch.optim.SGD(clone.parameters(), lr=0.01)
    inner.zero_grad()
    F.mse_loss(clone(x), torch.zeros_like(x)).backward()
    inner.step()
    return [*printed, *(p.sum().item() for p in clone.parameters())]


def equations(torch: Any) -> list[float]:
    """A network that obeys an equation: its derivatives by what goes in are part of the loss."""
    nn = torch.nn
    torch.manual_seed(123)
    pinn = nn.Sequential(nn.Linear(1, 12), nn.Tanh(), nn.Sequential(nn.Linear(12, 12), nn.Tanh()), nn.Linear(12, 1))
    optimizer = torch.optim.Adam(pinn.parameters(), lr=1e-3)
    t_boundary = torch.tensor(0.0).view(-1, 1).requires_grad_(True)
    t_physics = torch.linspace(0, 1, 15).view(-1, 1).requires_grad_(True)
    friction = nn.Parameter(torch.zeros(1, requires_grad=True))
    optimizer.add_param_group({"params": [friction]})
    printed = []
    for _ in range(5):
        optimizer.zero_grad()
        u = pinn(t_boundary)
        loss1 = (torch.squeeze(u) - 1) ** 2
        dudt = torch.autograd.grad(u, t_boundary, torch.ones_like(u), create_graph=True)[0]
        loss2 = torch.squeeze(dudt) ** 2
        u = pinn(t_physics)
        dudt = torch.autograd.grad(u, t_physics, torch.ones_like(u), create_graph=True)[0]
        d2udt2 = torch.autograd.grad(dudt, t_physics, torch.ones_like(dudt), create_graph=True)[0]
        loss3 = torch.mean((d2udt2 + friction * dudt + 400 * u) ** 2)
        loss = loss1 + 1e-1 * loss2 + 1e-4 * loss3
        loss.backward()
        optimizer.step()
        printed.append(loss.item())

    net = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1))
    x, t = torch.rand(6, 1, requires_grad=True), torch.rand(6, 1, requires_grad=True)
    u = net(torch.cat([x, t], dim=1))
    u_x = torch.autograd.grad(u.sum(), x, create_graph=True)[0]
    u_xx = torch.autograd.grad(u_x.sum(), x, create_graph=True)[0]
    u_t = torch.autograd.grad(u, t, grad_outputs=torch.ones_like(u), retain_graph=True, create_graph=True)[0]
    (torch.mean((u_t + u * u_x - (0.01 / np.pi) * u_xx) ** 2) + nn.MSELoss()(u, -torch.sin(np.pi * x))).backward()
    return [*printed, friction.item(), *(p.grad.norm().item() for p in net.parameters())]


def painted(torch: Any) -> list[float]:
    """A picture is what is learned: by style, against a classifier, and where a classifier looks."""
    nn, F = torch.nn, torch.nn.functional
    torch.manual_seed(4)
    cnn = nn.Sequential(nn.Conv2d(3, 4, 3, padding=1), nn.ReLU(inplace=True), nn.MaxPool2d(2), nn.Conv2d(4, 6, 3))
    cnn.add_module("out", nn.Sequential(nn.Flatten(), nn.Linear(24, 3)))
    cnn.eval().requires_grad_(False)
    seen: dict[str, Any] = {}
    handle = cnn[0].register_forward_hook(lambda module, inputs, output: seen.update(features=output))

    def gram_matrix(input: Any) -> Any:
        a, b, c, d = input.size()
        features = input.view(a * b, c * d)
        return torch.mm(features, features.t()).div(a * b * c * d)

    content, style = torch.rand(1, 3, 8, 8), torch.rand(1, 3, 8, 8)
    cnn(style)
    target = gram_matrix(seen["features"]).detach()
    img = content.clone()
    img.requires_grad_(True)
    optimizer = torch.optim.Adam([img], lr=0.05)
    printed = []
    for _ in range(4):
        with torch.no_grad():
            img.clamp_(0, 1)
        optimizer.zero_grad()
        cnn(img)
        score = 0
        score += 1e3 * F.mse_loss(gram_matrix(seen["features"]), target)
        score += ((img[:, :, :, :-1] - img[:, :, :, 1:]) ** 2).sum() * 1e-3
        score.backward()
        optimizer.step()
        printed.append(score.item())

    data, labels = torch.rand(2, 3, 8, 8), torch.tensor([0, 2])
    data.requires_grad = True
    scores = cnn(data)
    F.nll_loss(F.log_softmax(scores, dim=1), labels).backward()
    perturbed = torch.clamp(data + 0.1 * data.grad.data.sign(), 0, 1)
    printed += [perturbed.mean().item(), scores.max(1, keepdim=True)[1].eq(cnn(perturbed).argmax(1)).sum().item()]
    data.grad.zero_()
    picked = cnn(data).gather(1, labels.view(-1, 1)).squeeze()
    picked.backward(torch.ones_like(picked))
    saliency, _ = torch.max(data.grad.data.abs(), dim=1)
    printed.append(saliency.sum().item())
    for _ in range(2):
        cnn(img)
        seen["features"].norm().backward()
        g = img.grad.data
        g /= g.std() + 1e-8
        img.data += 0.01 * g
        img.grad.data.zero_()
        printed.append(img.mean().item())
    handle.remove()
    return printed


def actions(torch: Any) -> list[float]:
    """Actions that paid become more likely: an actor with a critic, then with a bound on how far it may move."""
    nn, F = torch.nn, torch.nn.functional
    torch.manual_seed(5)
    rng = np.random.RandomState(0)

    class Policy(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.affine1, self.action_head, self.value_head = nn.Linear(4, 16), nn.Linear(16, 2), nn.Linear(16, 1)

        def forward(self, x: Any) -> Any:
            x = F.relu(self.affine1(x))
            return F.softmax(self.action_head(x), dim=-1), self.value_head(x)

    model = Policy()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-2)
    eps = np.finfo(np.float32).eps.item()
    printed = []
    for _ in range(3):
        saved, rewards = [], []
        state = rng.randn(4)
        for _ in range(6):
            probs, value = model(torch.from_numpy(state).float())
            action = torch.multinomial(probs, 1)
            saved.append((torch.log(probs[action]), value))
            state = rng.randn(4)
            rewards.append(float(state[1] * (1 if action.item() else -1)))
        R, returns = 0.0, []
        for r in rewards[::-1]:
            R = r + 0.99 * R
            returns.insert(0, R)
        gains = torch.tensor(returns)
        gains = (gains - gains.mean()) / (gains.std() + eps)
        policy_losses = [-log_prob * (R - value.item()) for (log_prob, value), R in zip(saved, gains, strict=True)]
        value_losses = [F.smooth_l1_loss(v, torch.tensor([R])) for (_, v), R in zip(saved, gains, strict=True)]
        optimizer.zero_grad()
        loss = torch.stack(policy_losses).sum() + torch.stack(value_losses).sum()
        loss.backward()
        optimizer.step()
        printed.append(loss.item())

    obs = torch.as_tensor(rng.randn(16, 4), dtype=torch.float32)
    advantages = torch.tensor(rng.randn(16), dtype=torch.float32)
    with torch.no_grad():
        probs, values = model(obs)
        taken = torch.multinomial(probs, 1).squeeze(1)
        old = torch.log(probs.gather(1, taken[:, None])).squeeze(1)
    for ix in torch.randperm(16).split(8):
        probs, value = model(obs[ix])
        ratio = (torch.log(probs[range(8), taken[ix]]) - old[ix]).exp()
        surrogate = torch.min(ratio * advantages[ix], torch.clamp(ratio, 1 - 0.2, 1 + 0.2) * advantages[ix])
        entropy = -(probs * probs.log()).sum(-1).mean()
        loss = -surrogate.mean() + 0.5 * F.mse_loss(value.squeeze(-1), values[ix, 0]) - 0.01 * entropy
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 0.5)
        optimizer.step()
        printed.append(loss.item())
    return printed


def densities(torch: Any) -> list[float]:
    """A mixture of bells whose places a network gives, and a flow that can be run backwards."""
    nn, F = torch.nn, torch.nn.functional
    torch.manual_seed(6)
    hidden, pi, sigma, mu = nn.Linear(1, 12), nn.Linear(12, 4), nn.Linear(12, 4), nn.Linear(12, 4)
    y = torch.linspace(-10, 10, 30).unsqueeze(1)
    x = 7 * torch.sin(0.75 * y) + 0.5 * y + torch.randn(30).unsqueeze(1)
    optimizer = torch.optim.Adam([p for part in (hidden, pi, sigma, mu) for p in part.parameters()], lr=1e-2)
    printed = []
    for _ in range(5):
        z = torch.tanh(hidden(x))
        shares, width, centre = F.softmax(pi(z), -1), torch.exp(sigma(z)), mu(z)
        bell = torch.exp(-0.5 * ((y - centre) * torch.reciprocal(width)) ** 2) * torch.reciprocal(width)
        loss = torch.mean(-torch.log(torch.sum(bell * shares, dim=1) / math.sqrt(2 * math.pi)))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        printed.append(loss.data.tolist())

    class Coupling(nn.Module):
        def __init__(self, mask: Any) -> None:
            super().__init__()
            self.register_buffer("mask", mask)
            self.s = nn.Sequential(nn.Linear(2, 8), nn.LeakyReLU(), nn.Linear(8, 2), nn.Tanh())
            self.t = nn.Sequential(nn.Linear(2, 8), nn.LeakyReLU(), nn.Linear(8, 2))

        def both(self, kept: Any) -> Any:
            return self.s(kept) * (1 - self.mask), self.t(kept) * (1 - self.mask)

        def forward(self, x: Any) -> Any:
            s, t = self.both(x * self.mask)
            return x * self.mask + (1 - self.mask) * (x * torch.exp(s) + t), s.sum(dim=1)

        def inverse(self, z: Any) -> Any:
            s, t = self.both(z * self.mask)
            return z * self.mask + (1 - self.mask) * (z - t) * torch.exp(-s)

    masks = torch.from_numpy(np.array([[0, 1], [1, 0]] * 2).astype(np.float32))
    layers = nn.ModuleList([Coupling(mask) for mask in masks])
    optimizer = torch.optim.Adam(layers.parameters(), lr=1e-2)
    for _ in range(5):
        z, log_det = torch.randn(16, 2) * torch.tensor([1.0, 0.3]) + 1, torch.zeros(16)
        for layer in layers:
            z, more = layer(z)
            log_det = log_det + more
        loss = -(-0.5 * (z**2).sum(1) - math.log(2 * math.pi) + log_det).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        printed.append(loss.item())
    with torch.no_grad():
        z = back = torch.randn(4, 2)
        for layer in reversed(layers):
            back = layer.inverse(back)
        for layer in layers:
            back, _ = layer(back)
    return [*printed, float(torch.allclose(back, z, atol=1e-5))]


def noise(torch: Any) -> list[float]:
    """A network learns to take noise away, a slow copy of it follows, and pictures come out of noise."""
    nn, F = torch.nn, torch.nn.functional
    torch.manual_seed(3)
    steps = 10
    betas = torch.linspace(1e-4, 0.02, steps)
    alphas_cumprod = torch.exp(torch.cumsum(torch.log(1.0 - betas), 0))
    before = F.pad(alphas_cumprod[:-1], (1, 0), value=1.0)
    variance = betas * (1.0 - before) / (1.0 - alphas_cumprod)

    def extract(a: Any, t: Any, shape: Any) -> Any:
        return a.gather(-1, t).reshape(t.shape[0], *((1,) * (len(shape) - 1))).to(t.device)

    class Denoiser(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.time = nn.Sequential(nn.Linear(8, 16), nn.SiLU(), nn.Linear(16, 4))
            self.conv, self.norm, self.down = (
                nn.Conv2d(1, 4, 3, padding=1),
                nn.GroupNorm(2, 4),
                nn.Conv2d(4, 4, 4, 2, 1),
            )
            self.up, self.out = nn.Upsample(scale_factor=2, mode="nearest"), nn.Conv2d(8, 1, 3, padding=1)

        def forward(self, x: Any, t: Any) -> Any:
            embedded = t[:, None] * torch.exp(torch.arange(4) * -math.log(10000) / 3)[None, :]
            embedded = torch.cat((embedded.sin(), embedded.cos()), dim=-1)
            h = F.silu(self.norm(self.conv(x)) + self.time(embedded)[:, :, None, None])
            return self.out(torch.cat((h, self.up(F.gelu(self.down(h)))), dim=1))

    model = Denoiser()
    ema = copy.deepcopy(model).eval().requires_grad_(False)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=4)
    printed = []
    for _ in range(4):
        x0, t = torch.rand(4, 1, 8, 8) * 2 - 1, torch.randint(0, steps, (4,)).long()
        added = torch.randn_like(x0)
        share = extract(alphas_cumprod, t, x0.shape)
        loss = F.smooth_l1_loss(added, model(share.sqrt() * x0 + (1 - share).sqrt() * added, t))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        scheduler.step()
        with torch.no_grad():
            for slow, p in zip(ema.parameters(), model.parameters(), strict=True):
                slow.mul_(0.9).add_(p, alpha=0.1)
        printed += [loss.item(), scheduler.get_last_lr()[0]]

    @torch.inference_mode()
    def sampled() -> Any:
        img = torch.randn(2, 1, 8, 8)
        for i in reversed(range(steps)):
            t = torch.full((2,), i, dtype=torch.long)
            taken = extract(betas, t, img.shape) * ema(img, t) / (1 - extract(alphas_cumprod, t, img.shape)).sqrt()
            img = (img - taken) / (1 - extract(betas, t, img.shape)).sqrt()
            if i > 0:
                img = img + extract(variance, t, img.shape).sqrt() * torch.randn_like(img)
        return img

    img = sampled()
    return [*printed, img.mean().item(), img.clamp(-1, 1).std().item()]


PROGRAMS = [polynomials, gradients_by_hand, translations, tasks, equations, painted, actions, densities, noise]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_it_prints_what_it_prints_with_torch(program: Any, torch: ModuleType) -> None:
    theirs, ours = program(torch), program(minigrad)
    np.testing.assert_allclose(ours, theirs, rtol=2e-4, atol=1e-5)
