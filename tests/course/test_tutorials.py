"""Programs of the kinds that the well-known tutorials teach, run with PyTorch and with minigrad: the same numbers.

Each is written as such programs are, for `torch`, and returns what it printed on the way: losses, accuracies, samples.
A learner who pastes a loop of this kind into a notebook meets no error that PyTorch would not raise.
"""

from __future__ import annotations

import math
from collections import deque
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import minigrad


def characters(torch: Any) -> list[float]:
    """Names, letter by letter: a table of counts, then an embedding with a small network, then samples from it."""
    F = torch.nn.functional
    names = ["emma", "olivia", "ava", "isabella", "sophia", "mia", "amelia", "ella"]
    letters = ["."] + sorted(set("".join(names)))
    number = {letter: place for place, letter in enumerate(letters)}
    counts = torch.zeros((len(letters), len(letters)), dtype=torch.int32)
    xs, ys = [], []
    for name in names:
        context = [0] * 3
        for letter in [*name, "."]:
            counts[context[-1], number[letter]] += 1
            xs.append(context)
            ys.append(number[letter])
            context = [*context[1:], number[letter]]
    P = (counts + 1).float()
    P /= P.sum(1, keepdim=True)
    X, Y = torch.tensor(xs), torch.tensor(ys)
    printed = [-P[X[:, -1], Y].log().mean().item()]

    g = torch.Generator().manual_seed(42)
    C = torch.randn((len(letters), 4), generator=g)
    W1 = torch.randn((12, 20), generator=g) * (5 / 3) / 12**0.5
    gain, shift = torch.ones((1, 20)), torch.zeros((1, 20))
    W2, b2 = torch.randn((20, len(letters)), generator=g) * 0.01, torch.zeros(len(letters))
    parameters = [C, W1, gain, shift, W2, b2]
    for p in parameters:
        p.requires_grad = True
    for step in range(30):
        ix = torch.randint(0, X.shape[0], (16,), generator=g)
        emb = C[X[ix]]
        pre = emb.view(emb.shape[0], -1) @ W1
        mean, std = pre.mean(0, keepdim=True), pre.std(0, keepdim=True)
        h = torch.tanh(gain * (pre - mean) / std + shift)
        logits = h @ W2 + b2
        loss = F.cross_entropy(logits, Y[ix])
        for p in parameters:
            p.grad = None
        loss.backward()
        for p in parameters:
            p.data += -(0.1 if step < 20 else 0.01) * p.grad
        printed.append(loss.log10().item())
    with torch.no_grad():
        logprobs = F.log_softmax(logits, dim=1)
        printed.append((-logprobs[range(16), Y[ix]]).mean().item())
        probs = F.softmax(logits, dim=1)
        printed += torch.multinomial(probs[:1], num_samples=5, replacement=True, generator=g)[0].tolist()
        printed.append((F.one_hot(Y[:5], num_classes=len(letters)).float() @ W2.T).sum().item())
    return printed


def by_hand(torch: Any) -> list[float]:
    """The spiral of three arms, with gradients written by hand beside those of autograd."""
    rng = np.random.default_rng(0)
    points, arms = np.zeros((60, 2)), np.zeros(60, dtype=np.int64)
    for arm in range(3):
        place = slice(20 * arm, 20 * (arm + 1))
        radius, angle = np.linspace(0.0, 1, 20), np.linspace(arm * 4, (arm + 1) * 4, 20) + rng.normal(size=20) * 0.2
        points[place] = np.c_[radius * np.sin(angle), radius * np.cos(angle)]
        arms[place] = arm
    X, y = torch.from_numpy(points), torch.from_numpy(arms)
    W = torch.tensor(0.01 * rng.normal(size=(2, 16)), requires_grad=True)
    b = torch.zeros(1, 16, dtype=torch.float64, requires_grad=True)
    W2 = torch.tensor(0.01 * rng.normal(size=(16, 3)), requires_grad=True)
    printed = []
    for _ in range(12):
        hidden = torch.maximum(torch.tensor(0.0, dtype=torch.float64), X @ W + b)
        scores = hidden @ W2
        exp_scores = torch.exp(scores)
        probs = exp_scores / exp_scores.sum(dim=1, keepdim=True)
        loss = (-torch.log(probs[range(60), y])).sum() / 60 + 0.5 * 1e-3 * (W * W).sum()
        grads = torch.autograd.grad(loss, [W, b, W2])
        with torch.no_grad():
            dscores = probs.clone()
            dscores[range(60), y] -= 1
            dscores /= 60
            dhidden = dscores @ W2.t()
            dhidden[hidden <= 0] = 0
            by_hand = X.t() @ dhidden + 1e-3 * W, dhidden.sum(0, keepdim=True), hidden.t() @ dscores
            printed += [float((a - b).abs().max() < 1e-9) for a, b in zip(grads, by_hand, strict=True)]
            for value, grad in zip([W, b, W2], grads, strict=True):
                value -= grad
        printed += [loss.item(), (scores.argmax(dim=1) == y).double().mean().item()]
    return printed


def pictures(torch: Any) -> list[float]:
    """A small convolutional network for pictures in ten classes, with running losses and accuracy per class."""
    nn, F = torch.nn, torch.nn.functional
    torch.manual_seed(1)

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.conv1 = nn.Conv2d(3, 6, 5)
            self.pool = nn.MaxPool2d(2, 2)
            self.conv2 = nn.Conv2d(6, 8, 5)
            self.fc1 = nn.Linear(8 * 5 * 5, 20)
            self.fc2 = nn.Linear(20, 10)

        def forward(self, x: Any) -> Any:
            x = self.pool(F.relu(self.conv1(x)))
            x = self.pool(F.relu(self.conv2(x)))
            x = torch.flatten(x, 1)
            return self.fc2(F.relu(self.fc1(x)))

    net = Net()
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)
    dataset = torch.utils.data.TensorDataset(torch.randn(24, 3, 32, 32), torch.randint(0, 10, (24,)))
    loader = torch.utils.data.DataLoader(dataset, batch_size=8, shuffle=True)
    printed, running_loss = [], 0.0
    for _ in range(2):
        for inputs, labels in loader:
            optimizer.zero_grad()
            outputs = net(inputs)
            loss = criterion(outputs, labels)
            loss.backward()
            optimizer.step()
            running_loss += loss.item()
        printed.append(running_loss)
    state = {name: value.clone() for name, value in net.state_dict().items()}
    net = Net()
    net.load_state_dict(state)
    net.eval()
    correct, total = dict.fromkeys(range(10), 0), 0
    with torch.no_grad():
        for images, labels in torch.utils.data.DataLoader(dataset, batch_size=8):
            _, predicted = torch.max(net(images), 1)
            total += labels.size(0)
            for label, prediction in zip(labels, predicted, strict=True):
                correct[label.item()] += int(label == prediction)
    return [*printed, total, *correct.values()]


def language_model(torch: Any) -> list[float]:
    """A transformer that is trained on text, with weights of two groups, a schedule and clipping, and then writes."""
    nn, F = torch.nn, torch.nn.functional
    torch.manual_seed(2)

    class Attention(nn.Module):
        def __init__(self, width: int, heads: int, block: int) -> None:
            super().__init__()
            self.heads = heads
            self.c_attn, self.c_proj = nn.Linear(width, 3 * width, bias=False), nn.Linear(width, width, bias=False)
            self.register_buffer("bias", torch.tril(torch.ones(block, block)).view(1, 1, block, block))

        def forward(self, x: Any) -> Any:
            B, T, C = x.size()
            q, k, v = self.c_attn(x).split(C, dim=2)
            q, k, v = (part.view(B, T, self.heads, C // self.heads).transpose(1, 2) for part in (q, k, v))
            att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
            att = att.masked_fill(self.bias[:, :, :T, :T] == 0, float("-inf"))
            y = F.softmax(att, dim=-1) @ v
            return self.c_proj(y.transpose(1, 2).contiguous().view(B, T, C))

    class Block(nn.Module):
        def __init__(self, width: int, heads: int, block: int) -> None:
            super().__init__()
            self.ln_1, self.attn = nn.LayerNorm(width), Attention(width, heads, block)
            self.ln_2 = nn.LayerNorm(width)
            self.mlp = nn.ModuleDict(
                {"c_fc": nn.Linear(width, 4 * width), "gelu": nn.GELU(), "c_proj": nn.Linear(4 * width, width)}
            )

        def forward(self, x: Any) -> Any:
            x = x + self.attn(self.ln_1(x))
            return x + self.mlp["c_proj"](self.mlp["gelu"](self.mlp["c_fc"](self.ln_2(x))))

    class GPT(nn.Module):
        def __init__(self, vocabulary: int, width: int = 16, heads: int = 2, layers: int = 2, block: int = 8) -> None:
            super().__init__()
            self.block = block
            self.transformer = nn.ModuleDict(
                {
                    "wte": nn.Embedding(vocabulary, width),
                    "wpe": nn.Embedding(block, width),
                    "drop": nn.Dropout(0.1),
                    "h": nn.ModuleList([Block(width, heads, block) for _ in range(layers)]),
                    "ln_f": nn.LayerNorm(width),
                }
            )
            self.lm_head = nn.Linear(width, vocabulary, bias=False)
            self.transformer["wte"].weight = self.lm_head.weight
            self.apply(self._init_weights)
            for name, p in self.named_parameters():
                if name.endswith("c_proj.weight"):
                    torch.nn.init.normal_(p, mean=0.0, std=0.02 / math.sqrt(2 * layers))

        def _init_weights(self, module: Any) -> None:
            if isinstance(module, nn.Linear):
                torch.nn.init.normal_(module.weight, mean=0.0, std=0.02)
                if module.bias is not None:
                    torch.nn.init.zeros_(module.bias)
            elif isinstance(module, nn.Embedding):
                torch.nn.init.normal_(module.weight, mean=0.0, std=0.02)

        def forward(self, idx: Any, targets: Any = None) -> Any:
            pos = torch.arange(0, idx.size(1), dtype=torch.long, device=idx.device)
            x = self.transformer["drop"](self.transformer["wte"](idx) + self.transformer["wpe"](pos))
            for block in self.transformer["h"]:
                x = block(x)
            x = self.transformer["ln_f"](x)
            if targets is None:
                return self.lm_head(x[:, [-1], :]), None
            logits = self.lm_head(x)
            loss = F.cross_entropy(logits.view(-1, logits.size(-1)), targets.view(-1), ignore_index=-1)
            return logits, loss

        @torch.no_grad()
        def generate(self, idx: Any, count: int, temperature: float = 1.0, top_k: int | None = None) -> Any:
            for _ in range(count):
                logits, _ = self(idx if idx.size(1) <= self.block else idx[:, -self.block :])
                logits = logits[:, -1, :] / temperature
                if top_k is not None:
                    v, _ = torch.topk(logits, min(top_k, logits.size(-1)))
                    logits[logits < v[:, [-1]]] = -float("Inf")
                idx = torch.cat((idx, torch.multinomial(F.softmax(logits, dim=-1), num_samples=1)), dim=1)
            return idx

    text = "to be or not to be that is the question "
    letters = sorted(set(text))
    data = torch.tensor([letters.index(letter) for letter in text * 3], dtype=torch.long)
    model = GPT(len(letters))
    named = dict(model.named_parameters())
    groups = [
        {"params": [p for p in named.values() if p.dim() >= 2], "weight_decay": 0.1},
        {"params": [p for p in named.values() if p.dim() < 2], "weight_decay": 0.0},
    ]
    optimizer = torch.optim.AdamW(groups, lr=1e-2, betas=(0.9, 0.95))
    printed: list[float] = [sum(p.numel() for p in model.parameters())]
    for step in range(8):
        for group in optimizer.param_groups:
            group["lr"] = 1e-2 * 0.5 * (1.0 + math.cos(math.pi * step / 8))
        for _ in range(2):
            ix = torch.randint(len(data) - 8, (4,))
            x = torch.stack([data[i : i + 8] for i in ix])
            y = torch.stack([data[i + 1 : i + 1 + 8] for i in ix])
            _, loss = model(x, y)
            (loss / 2).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        printed.append(loss.item())
    model.eval()
    return [*printed, *model.generate(data[None, :3], 12, temperature=0.8, top_k=5)[0].tolist()]


def adversaries(torch: Any) -> list[float]:
    """A generator against a critic whose gradient is kept near 1."""
    nn = torch.nn
    torch.manual_seed(3)
    G = nn.Sequential(nn.Linear(2, 16), nn.BatchNorm1d(16), nn.ReLU(True), nn.Linear(16, 2))
    D = nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(0.2, inplace=True), nn.Linear(16, 1))
    optimizer_G = torch.optim.Adam(G.parameters(), lr=1e-2, betas=(0.5, 0.999))
    optimizer_D = torch.optim.Adam(D.parameters(), lr=1e-2, betas=(0.5, 0.999))
    printed = []
    for step in range(10):
        real = torch.randn(8, 2) * 0.3 + torch.tensor([1.0, -1.0])
        fake = G(torch.randn(8, 2)).detach()
        alpha = torch.rand(8, 1)
        between = (alpha * real + (1 - alpha) * fake).requires_grad_(True)
        (gradients,) = torch.autograd.grad(
            outputs=D(between), inputs=between, grad_outputs=torch.ones(8, 1), create_graph=True, retain_graph=True
        )
        penalty = ((gradients.view(8, -1).norm(2, dim=1) - 1) ** 2).mean()
        optimizer_D.zero_grad()
        loss_D = D(fake).mean() - D(real).mean() + 10 * penalty
        loss_D.backward()
        optimizer_D.step()
        printed.append(loss_D.item())
        if step % 2 == 0:
            for p in D.parameters():
                p.requires_grad_(False)
            optimizer_G.zero_grad()
            loss_G = -D(G(torch.randn(8, 2))).mean()
            loss_G.backward()
            optimizer_G.step()
            for p in D.parameters():
                p.requires_grad_(True)
            printed.append(loss_G.item())
    criterion, label = nn.BCEWithLogitsLoss(), torch.full((8,), 1.0)
    loss = criterion(D(real).view(-1), label) + criterion(D(fake).view(-1), label.fill_(0.0))
    return [*printed, loss.item(), torch.sigmoid(D(real)).mean().item()]


def rewards(torch: Any) -> list[float]:
    """Q-learning with a replay memory and a slow copy of the network."""
    nn, F = torch.nn, torch.nn.functional
    torch.manual_seed(4)
    rng = np.random.default_rng(0)

    class DQN(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer1, self.layer2 = nn.Linear(3, 16), nn.Linear(16, 2)

        def forward(self, x: Any) -> Any:
            return self.layer2(F.relu(self.layer1(x)))

    policy_net, target_net = DQN(), DQN()
    target_net.load_state_dict(policy_net.state_dict())
    optimizer = torch.optim.AdamW(policy_net.parameters(), lr=1e-2)
    memory: Any = deque(maxlen=100)
    state = torch.tensor(rng.normal(size=3), dtype=torch.float32).unsqueeze(0)
    printed = []
    for step in range(24):
        with torch.no_grad():
            greedy = policy_net(state).max(1).indices.view(1, 1)
        action = greedy if rng.random() > 0.3 else torch.tensor([[int(rng.integers(2))]], dtype=torch.long)
        reward = torch.tensor([float(rng.normal())])
        ended = step % 6 == 5
        next_state = None if ended else torch.tensor(rng.normal(size=3), dtype=torch.float32).unsqueeze(0)
        memory.append((state, action, next_state, reward))
        state = torch.zeros(1, 3) if next_state is None else next_state
        if len(memory) < 8:
            continue
        states, actions, nexts, given = zip(*[memory[i] for i in rng.choice(len(memory), 8)], strict=True)
        non_final_mask = torch.tensor(tuple(s is not None for s in nexts), dtype=torch.bool)
        state_action_values = policy_net(torch.cat(states)).gather(1, torch.cat(actions))
        next_state_values = torch.zeros(8)
        if non_final_mask.any():
            with torch.no_grad():
                future = target_net(torch.cat([s for s in nexts if s is not None]))
                next_state_values[non_final_mask] = future.max(1).values
        expected = (next_state_values * 0.99) + torch.cat(given)
        loss = nn.SmoothL1Loss()(state_action_values, expected.unsqueeze(1))
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_value_(policy_net.parameters(), 100)
        optimizer.step()
        target, policy = target_net.state_dict(), policy_net.state_dict()
        for key in policy:
            target[key] = policy[key] * 0.05 + target[key] * 0.95
        target_net.load_state_dict(target)
        printed.append(loss.item())
    return printed


def variations(torch: Any) -> list[float]:
    """A variational autoencoder: drawn codes, a reconstruction, and a divergence in closed form."""
    nn, F = torch.nn, torch.nn.functional
    torch.manual_seed(5)

    class VAE(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.fc1, self.fc21, self.fc22 = nn.Linear(16, 12), nn.Linear(12, 3), nn.Linear(12, 3)
            self.fc3, self.fc4 = nn.Linear(3, 12), nn.Linear(12, 16)

        def encode(self, x: Any) -> Any:
            h1 = F.relu(self.fc1(x))
            return self.fc21(h1), self.fc22(h1)

        def reparameterize(self, mu: Any, logvar: Any) -> Any:
            std = torch.exp(0.5 * logvar)
            eps = torch.randn_like(std)
            return mu + eps * std

        def decode(self, z: Any) -> Any:
            return torch.sigmoid(self.fc4(F.relu(self.fc3(z))))

        def forward(self, x: Any) -> Any:
            mu, logvar = self.encode(x.view(-1, 16))
            return self.decode(self.reparameterize(mu, logvar)), mu, logvar

    model = VAE()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    data = torch.rand(24, 1, 4, 4).round()
    printed = []
    for _ in range(3):
        model.train()
        for batch in data.split(8):
            optimizer.zero_grad()
            recon, mu, logvar = model(batch)
            BCE = F.binary_cross_entropy(recon, batch.view(-1, 16), reduction="sum")
            KLD = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
            (BCE + KLD).backward()
            optimizer.step()
            printed.append((BCE + KLD).item() / len(batch))
    model.eval()
    with torch.no_grad():
        sample = model.decode(torch.randn(2, 3)).view(2, 1, 4, 4)
    return [*printed, *sample.flatten().tolist()]


PROGRAMS = [characters, by_hand, pictures, language_model, adversaries, rewards, variations]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_it_prints_what_it_prints_with_torch(program: Any, torch: ModuleType) -> None:
    import torch.utils.data  # tutorials import it by its own name

    theirs, ours = program(torch), program(minigrad)
    np.testing.assert_allclose(ours, theirs, rtol=2e-4, atol=1e-5)
