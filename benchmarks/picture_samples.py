"""Ninety short programs as people bring them to a picture of their graph, of 5 to 80 boxes, with modules and without.

Each is a function of the library, as in picture_programs.py, which runs them. Those with layers are in NETWORKS, those
without in FORMULAS; all run in either library, and those in USUAL are measured in both.
"""

# ruff: noqa: RET504, N806, B007, RUF007 (learners write so: a loss by its name, matrices as on paper, `for step in`)

from __future__ import annotations

from collections.abc import Callable
from typing import Any

# ---------------------------------------------------------------- formulas, without layers


def temperature(torch: Any) -> Any:
    """A cross entropy whose logits are divided by one learned number."""
    logits = torch.tensor([[2.0, 0.5, -1.0], [0.1, 1.2, 0.3]])
    labels = torch.tensor([0, 2])
    T = torch.tensor(1.5, requires_grad=True)
    loss = torch.nn.functional.cross_entropy(logits / T, labels)
    return loss


def logistic_regression(torch: Any) -> Any:
    """Two features, one class or the other."""
    torch.manual_seed(0)
    X, y = torch.randn(8, 2), torch.tensor([0.0, 1, 1, 0, 1, 0, 0, 1])
    w = torch.zeros(2, requires_grad=True)
    b = torch.zeros((), requires_grad=True)
    p = torch.sigmoid(X @ w + b)
    loss = -(y * torch.log(p) + (1 - y) * torch.log(1 - p)).mean()
    return loss


def line_through_points(torch: Any) -> Any:
    """A straight line, its error summed up point by point."""
    points = [(1.0, 2.0), (2.0, 3.9), (3.0, 6.1)]
    m = torch.tensor(1.0, requires_grad=True)
    c = torch.tensor(0.0, requires_grad=True)
    error = 0.0
    for x, y in points:
        guess = m * x + c
        error = error + (guess - y) ** 2
    loss = error / len(points)
    return loss


def polynomial_fit(torch: Any) -> Any:
    """A cubic through samples of a sine, with four coefficients."""
    x = torch.linspace(-3, 3, 20)
    y = torch.sin(x)
    a = torch.tensor(0.1, requires_grad=True)
    b = torch.tensor(0.5, requires_grad=True)
    c = torch.tensor(-0.1, requires_grad=True)
    d = torch.tensor(-0.05, requires_grad=True)
    y_pred = a + b * x + c * x**2 + d * x**3
    loss = (y_pred - y).pow(2).sum()
    return loss


def ridge(torch: Any) -> Any:
    """Least squares with a penalty on the weights."""
    torch.manual_seed(0)
    X, y = torch.randn(10, 3), torch.randn(10)
    w = torch.randn(3, requires_grad=True)
    alpha = 0.1
    residual = X @ w - y
    loss = residual.square().mean() + alpha * w.square().sum()
    return loss


def soft_kmeans(torch: Any) -> Any:
    """Points belong to each centre by a softmax of their distances."""
    torch.manual_seed(0)
    points = torch.randn(12, 2)
    centers = torch.randn(3, 2, requires_grad=True)
    gaps = points[:, None, :] - centers[None, :, :]
    distances = gaps.square().sum(dim=2)
    belongs = torch.softmax(-distances / 0.5, dim=1)
    loss = (belongs * distances).sum(dim=1).mean()
    return loss


def gaussian_mixture(torch: Any) -> Any:
    """The negative log likelihood of samples under a mixture of three normals."""
    torch.manual_seed(0)
    x = torch.randn(20)
    weights = torch.zeros(3, requires_grad=True)
    means = torch.tensor([-1.0, 0.0, 1.0], requires_grad=True)
    log_stds = torch.zeros(3, requires_grad=True)
    z = (x[:, None] - means) / log_stds.exp()
    log_prob = -0.5 * z**2 - log_stds - 0.9189385
    joint = log_prob + torch.log_softmax(weights, dim=0)
    nll = -torch.logsumexp(joint, dim=1).mean()
    return nll


def gnn_layer(torch: Any) -> Any:
    """Two graph convolutions: the normed adjacency times the features times the weights."""
    torch.manual_seed(0)
    A = torch.tensor([[0.0, 1, 0, 0], [1, 0, 1, 1], [0, 1, 0, 1], [0, 1, 1, 0]])
    A_hat = A + torch.eye(4)
    D_inv = torch.diag(A_hat.sum(dim=1) ** -0.5)
    A_norm = D_inv @ A_hat @ D_inv
    X = torch.randn(4, 3)
    W1 = torch.randn(3, 8, requires_grad=True)
    W2 = torch.randn(8, 2, requires_grad=True)
    H = torch.relu(A_norm @ X @ W1)
    logits = A_norm @ H @ W2
    loss = torch.nn.functional.cross_entropy(logits, torch.tensor([0, 1, 1, 0]))
    return loss


def attention_head(torch: Any) -> Any:
    """One head of causal attention, with its mask."""
    torch.manual_seed(0)
    x = torch.randn(5, 8)
    Wq = torch.randn(8, 4, requires_grad=True)
    Wk = torch.randn(8, 4, requires_grad=True)
    Wv = torch.randn(8, 4, requires_grad=True)
    q, k, v = x @ Wq, x @ Wk, x @ Wv
    scores = q @ k.T / 4**0.5
    mask = torch.tril(torch.ones(5, 5))
    scores = scores.masked_fill(mask == 0, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    out = weights @ v
    loss = out.square().mean()
    return loss


def maml(torch: Any) -> Any:
    """Three tasks, two inner steps each; the outer loss goes back through the inner steps."""
    torch.manual_seed(0)
    w = torch.tensor([0.5, -0.5], requires_grad=True)
    tasks = [(torch.randn(3, 2), torch.randn(3)) for _ in range(3)]
    meta_loss = 0.0
    for X, y in tasks:
        fast = w
        for step in range(2):
            inner_loss = (X @ fast - y).square().mean()
            (grad,) = torch.autograd.grad(inner_loss, fast, create_graph=True)
            fast = fast - 0.1 * grad
        meta_loss = meta_loss + (X @ fast - y).square().mean()
    return meta_loss


def maml_one_task(torch: Any) -> Any:
    """One task and one inner step."""
    torch.manual_seed(0)
    theta = torch.randn(2, requires_grad=True)
    X, y = torch.randn(4, 2), torch.randn(4)
    train_loss = ((X @ theta - y) ** 2).mean()
    (g,) = torch.autograd.grad(train_loss, theta, create_graph=True)
    adapted = theta - 0.1 * g
    test_loss = ((X @ adapted - y) ** 2).mean()
    return test_loss


def seq2seq(torch: Any) -> Any:
    """Three words in, two words out; the decoder looks back at the encoder's states."""
    torch.manual_seed(0)
    W = torch.randn(4, 4, requires_grad=True)
    U = torch.randn(4, 4, requires_grad=True)
    V = torch.randn(8, 6, requires_grad=True)
    source, target = torch.randn(3, 4), [2, 5]
    h = torch.zeros(4)
    states = []
    for word in source:
        h = torch.tanh(word @ U + h @ W)
        states.append(h)
    memory = torch.stack(states)
    loss = 0.0
    for label in target:
        h = torch.tanh(h @ W)
        attention = torch.softmax(memory @ h, dim=0)
        context = attention @ memory
        logits = torch.cat([h, context]) @ V
        loss = loss - torch.log_softmax(logits, dim=0)[label]
    return loss


def crf_forward(torch: Any) -> Any:
    """The forward algorithm of a linear chain CRF over seven words, and the score of the true tags."""
    torch.manual_seed(0)
    emissions = torch.randn(7, 3, requires_grad=True)
    transitions = torch.randn(3, 3, requires_grad=True)
    tags = [0, 2, 1, 1, 0, 2, 2]
    alpha = emissions[0]
    score = emissions[0, tags[0]]
    for t in range(1, 7):
        alpha = torch.logsumexp(alpha[:, None] + transitions, dim=0) + emissions[t]
        score = score + transitions[tags[t - 1], tags[t]] + emissions[t, tags[t]]
    loss = torch.logsumexp(alpha, dim=0) - score
    return loss


def hmm_likelihood(torch: Any) -> Any:
    """The likelihood of six tosses of two hidden coins."""
    tosses = [0, 1, 1, 0, 1, 1]
    start = torch.zeros(2, requires_grad=True)
    stay = torch.zeros(2, 2, requires_grad=True)
    coins = torch.tensor([[0.4, -0.4], [-0.3, 0.3]], requires_grad=True)
    log_A = torch.log_softmax(stay, dim=1)
    log_B = torch.log_softmax(coins, dim=1)
    log_alpha = torch.log_softmax(start, dim=0) + log_B[:, tosses[0]]
    for toss in tosses[1:]:
        log_alpha = torch.logsumexp(log_alpha[:, None] + log_A, dim=0) + log_B[:, toss]
    nll = -torch.logsumexp(log_alpha, dim=0)
    return nll


def lstm_by_hand(torch: Any) -> Any:
    """One LSTM cell with its four gates, over two steps."""
    torch.manual_seed(0)
    W = torch.randn(7, 16, requires_grad=True)
    b = torch.zeros(16, requires_grad=True)
    xs, target = torch.randn(2, 1, 3), torch.randn(1, 4)
    h, c = torch.zeros(1, 4), torch.zeros(1, 4)
    for x in xs:
        gates = torch.cat([x, h], dim=1) @ W + b
        i, f, g, o = gates.chunk(4, dim=1)
        c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
        h = torch.sigmoid(o) * torch.tanh(c)
    loss = (h - target).square().mean()
    return loss


def gru_by_hand(torch: Any) -> Any:
    """Two steps of a GRU cell: update gate, reset gate, candidate."""
    torch.manual_seed(0)
    xs, h = torch.randn(2, 1, 3), torch.zeros(1, 4)
    Wz = torch.randn(3, 4, requires_grad=True)
    Uz = torch.randn(4, 4, requires_grad=True)
    Wr = torch.randn(3, 4, requires_grad=True)
    Ur = torch.randn(4, 4, requires_grad=True)
    Wn = torch.randn(3, 4, requires_grad=True)
    Un = torch.randn(4, 4, requires_grad=True)
    for x in xs:
        z = torch.sigmoid(x @ Wz + h @ Uz)
        r = torch.sigmoid(x @ Wr + h @ Ur)
        n = torch.tanh(x @ Wn + r * (h @ Un))
        h = (1 - z) * n + z * h
    loss = h.square().sum()
    return loss


def batch_norm_by_hand(torch: Any) -> Any:
    """Mean, variance, scale and shift, as in the paper."""
    torch.manual_seed(0)
    x = torch.randn(6, 3, requires_grad=True)
    gamma = torch.ones(3, requires_grad=True)
    beta = torch.zeros(3, requires_grad=True)
    mu = x.mean(dim=0)
    xc = x - mu
    var = (xc**2).mean(dim=0)
    xhat = xc / torch.sqrt(var + 1e-5)
    out = gamma * xhat + beta
    loss = (out * torch.arange(18.0).view(6, 3)).sum()
    return loss


def layer_norm_by_hand(torch: Any) -> Any:
    """The same along the features, before a linear map."""
    torch.manual_seed(0)
    x = torch.randn(2, 5)
    g = torch.ones(5, requires_grad=True)
    b = torch.zeros(5, requires_grad=True)
    W = torch.randn(5, 5, requires_grad=True)
    h = x @ W
    mean = h.mean(-1, keepdim=True)
    std = h.std(-1, keepdim=True)
    y = g * (h - mean) / (std + 1e-6) + b
    loss = torch.nn.functional.gelu(y).mean()
    return loss


def affine_coupling(torch: Any) -> Any:
    """Two coupling layers of a normalizing flow, and the likelihood of the data under a normal."""
    torch.manual_seed(0)
    x = torch.randn(6, 2)
    s1 = torch.tensor(0.3, requires_grad=True)
    t1 = torch.tensor(0.1, requires_grad=True)
    s2 = torch.tensor(-0.2, requires_grad=True)
    t2 = torch.tensor(0.4, requires_grad=True)
    x1, x2 = x[:, 0], x[:, 1]
    log_s1 = torch.tanh(s1 * x1)
    z2 = x2 * torch.exp(log_s1) + t1 * x1
    log_s2 = torch.tanh(s2 * z2)
    z1 = x1 * torch.exp(log_s2) + t2 * z2
    log_det = log_s1 + log_s2
    log_p = -0.5 * (z1**2 + z2**2)
    nll = -(log_p + log_det).mean()
    return nll


def neural_ode(torch: Any) -> Any:
    """Five Euler steps of a learned vector field."""
    torch.manual_seed(0)
    W1 = torch.randn(2, 4, requires_grad=True)
    W2 = torch.randn(4, 2, requires_grad=True)

    def f(y):
        return torch.tanh(y @ W1) @ W2

    y = torch.tensor([[1.0, 0.0]])
    dt = 0.1
    for step in range(5):
        y = y + dt * f(y)
    loss = (y - torch.tensor([[0.0, 1.0]])).square().sum()
    return loss


def runge_kutta(torch: Any) -> Any:
    """One step of the classical Runge-Kutta method for a pendulum whose length is learned."""
    length = torch.tensor(1.2, requires_grad=True)

    def slope(angle, speed):
        return speed, -9.81 / length * torch.sin(angle)

    angle, speed, dt = torch.tensor(0.5), torch.tensor(0.0), 0.1
    a1, s1 = slope(angle, speed)
    a2, s2 = slope(angle + dt / 2 * a1, speed + dt / 2 * s1)
    a3, s3 = slope(angle + dt / 2 * a2, speed + dt / 2 * s2)
    a4, s4 = slope(angle + dt * a3, speed + dt * s3)
    angle = angle + dt / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
    speed = speed + dt / 6 * (s1 + 2 * s2 + 2 * s3 + s4)
    loss = (angle - 0.4) ** 2 + speed**2
    return loss


def physics_loss(torch: Any) -> Any:
    """A network u(t) that is to obey u' = -u and u(0) = 1: the loss holds its derivative."""
    torch.manual_seed(0)
    W1 = torch.randn(1, 6, requires_grad=True)
    b1 = torch.zeros(6, requires_grad=True)
    W2 = torch.randn(6, 1, requires_grad=True)

    def u(t):
        return torch.tanh(t @ W1 + b1) @ W2

    t = torch.linspace(0, 1, 5).reshape(5, 1).requires_grad_()
    out = u(t)
    (du_dt,) = torch.autograd.grad(out.sum(), t, create_graph=True)
    physics = (du_dt + out).square().mean()
    start = (u(torch.zeros(1, 1)) - 1).square().mean()
    loss = physics + start
    return loss


def gram_style(torch: Any) -> Any:
    """The style loss of neural style transfer: Gram matrices of two feature maps."""
    torch.manual_seed(0)
    image = torch.randn(3, 4, 4, requires_grad=True)
    style = torch.randn(3, 4, 4)

    def gram(features):
        flat = features.reshape(3, 16)
        return flat @ flat.T / 48

    loss = 0.0
    for size in (1, 2):
        ours = torch.nn.functional.avg_pool2d(image[None], size)[0] if size > 1 else image
        theirs = torch.nn.functional.avg_pool2d(style[None], size)[0] if size > 1 else style
        if size == 1:
            loss = loss + (gram(ours) - gram(theirs)).square().sum()
        else:
            content = (ours - theirs).square().mean()
            loss = loss + 0.1 * content
    return loss


def focal_loss(torch: Any) -> Any:
    """Focal loss on a few logits."""
    torch.manual_seed(0)
    logits = torch.randn(6, requires_grad=True)
    y = torch.tensor([1.0, 0, 0, 1, 0, 1])
    p = torch.sigmoid(logits)
    p_t = p * y + (1 - p) * (1 - y)
    alpha, gamma = 0.25, 2.0
    loss = (-alpha * (1 - p_t) ** gamma * torch.log(p_t)).mean()
    return loss


def label_smoothing(torch: Any) -> Any:
    """Cross entropy by hand, with a tenth of the weight for all classes."""
    torch.manual_seed(0)
    logits = torch.randn(4, 5, requires_grad=True)
    y = torch.tensor([0, 3, 2, 4])
    eps = 0.1
    logp = torch.log_softmax(logits, dim=1)
    nll = -logp.gather(1, y[:, None]).squeeze(1)
    smooth = -logp.mean(dim=1)
    loss = ((1 - eps) * nll + eps * smooth).mean()
    return loss


def dice_loss(torch: Any) -> Any:
    """Dice on a small mask."""
    torch.manual_seed(0)
    scores = torch.randn(4, 4, requires_grad=True)
    mask = (torch.rand(4, 4) > 0.5).float()
    p = torch.sigmoid(scores)
    overlap = (p * mask).sum()
    dice = (2 * overlap + 1) / (p.sum() + mask.sum() + 1)
    loss = 1 - dice
    return loss


def word2vec(torch: Any) -> Any:
    """Skip-gram with negative samples."""
    torch.manual_seed(0)
    words = torch.randn(10, 4, requires_grad=True)
    contexts = torch.randn(10, 4, requires_grad=True)
    center, positive, negatives = 3, 5, [1, 7, 8, 2, 9, 0, 6, 4]
    v = words[center]
    logsigmoid = torch.nn.functional.logsigmoid
    loss = -logsigmoid(contexts[positive] @ v)
    for k in negatives:
        loss = loss - logsigmoid(-(contexts[k] @ v))
    return loss


def matrix_factorization(torch: Any) -> Any:
    """Ratings as products of user and film vectors, with biases and a penalty."""
    torch.manual_seed(0)
    users, films = torch.tensor([0, 0, 1, 2]), torch.tensor([1, 2, 0, 2])
    ratings = torch.tensor([4.0, 3.0, 5.0, 1.0])
    P = torch.randn(3, 2, requires_grad=True)
    Q = torch.randn(3, 2, requires_grad=True)
    b_user = torch.zeros(3, requires_grad=True)
    b_film = torch.zeros(3, requires_grad=True)
    predicted = (P[users] * Q[films]).sum(dim=1) + b_user[users] + b_film[films] + 3.2
    mse = (predicted - ratings).square().mean()
    loss = mse + 0.01 * (P.square().sum() + Q.square().sum())
    return loss


def bilinear_attention(torch: Any) -> Any:
    """A question picks from a document, by a bilinear form."""
    torch.manual_seed(0)
    question, document = torch.randn(3), torch.randn(5, 4)
    W = torch.randn(3, 4, requires_grad=True)
    v = torch.randn(4, requires_grad=True)
    scores = document @ (question @ W)
    alpha = scores.softmax(dim=0)
    summary = alpha @ document
    answer = torch.sigmoid(summary @ v)
    loss = (answer - 1.0) ** 2
    return loss


def kalman_step(torch: Any) -> Any:
    """Five steps of a Kalman filter in one dimension, with learned noises."""
    log_q = torch.tensor(-1.0, requires_grad=True)
    log_r = torch.tensor(0.0, requires_grad=True)
    q, r = log_q.exp(), log_r.exp()
    x, P = torch.tensor(0.0), torch.tensor(1.0)
    nll = 0.0
    for z in (0.9, 1.2, 0.8, 1.1, 1.0):
        P = P + q
        S = P + r
        K = P / S
        y = z - x
        x = x + K * y
        P = (1 - K) * P
        nll = nll + 0.5 * (y**2 / S + torch.log(S))
    return nll


def pca_by_gradient(torch: Any) -> Any:
    """The direction along which data vary most, by the error of what it cannot say."""
    torch.manual_seed(0)
    X = torch.randn(20, 3)
    w = torch.randn(3, requires_grad=True)
    u = w / w.norm()
    projected = (X @ u)[:, None] * u
    loss = (X - projected).square().sum(dim=1).mean()
    return loss


def logistic_map(torch: Any) -> Any:
    """The logistic map, seven times."""
    x = torch.tensor(0.2, requires_grad=True)
    y = x
    for _ in range(7):
        y = 3.7 * y * (1 - y)
    return y


def chain_of_30(torch: Any) -> Any:
    """Thirty functions in one chain."""
    x = torch.tensor(0.3, requires_grad=True)
    y = x
    for _ in range(10):
        y = torch.sin(y)
        y = torch.exp(y)
        y = torch.tanh(y)
    return y


def chain_of_7(torch: Any) -> Any:
    """Seven lines, each with a name of its own."""
    x = torch.tensor(0.5, requires_grad=True)
    a = x.sin()
    b = a.exp()
    c = b.sqrt()
    d = c.log1p()
    e = d.tanh()
    p = e.sigmoid()
    loss = -p.log()
    return loss


def diamonds(torch: Any) -> Any:
    """A number that is used again and again."""
    x = torch.tensor(2.0, requires_grad=True)
    a = x * x
    b = x + a
    c = a * b
    d = b + c + x
    e = c * d + a
    f = d * e - b
    y = f + e * x
    return y


def in_place(torch: Any) -> Any:
    """Writes to a tensor, whole and in parts."""
    w = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    h = w * 2
    h += 1
    h.mul_(w)
    h[0] = 0.0
    h[1:] *= 3
    h.relu_()
    loss = h.sum()
    return loss


def views_and_slices(torch: Any) -> Any:
    """Parts of one matrix, turned, cut and put together again."""
    M = torch.arange(12.0).reshape(3, 4).requires_grad_()
    top, rest = M[0], M[1:]
    left, right = rest[:, :2], rest[:, 2:]
    turned = left.T
    flat = right.reshape(-1)
    joined = torch.cat([turned.flatten(), flat])
    middle = joined.view(2, 4)[:, 1:3]
    loss = (middle * middle).sum() + top.max()
    return loss


def branches(torch: Any) -> Any:
    """A Huber loss by `where`, with a clamp and an absolute value."""
    torch.manual_seed(0)
    w = torch.randn(5, requires_grad=True)
    target = torch.randn(5)
    clipped = w.clamp(-1, 1)
    error = clipped - target
    small = error.abs() < 0.5
    huber = torch.where(small, 0.5 * error**2, 0.5 * (error.abs() - 0.25))
    loss = huber.mean()
    return loss


def own_function(torch: Any) -> Any:
    """A straight-through estimator as an operation of one's own."""

    class Round(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.round()

        @staticmethod
        def backward(ctx, grad):
            return grad

    w = torch.tensor([0.4, 1.7, -2.2], requires_grad=True)
    scale = torch.tensor(0.5, requires_grad=True)
    quantized = Round.apply(w / scale) * scale
    loss = (quantized - w).square().sum() + quantized.abs().sum()
    return loss


def jacobian_penalty(torch: Any) -> Any:
    """A penalty on the whole Jacobian of a small map, row by row."""
    torch.manual_seed(0)
    W = torch.randn(3, 2, requires_grad=True)
    x = torch.tensor([0.5, -1.0], requires_grad=True)
    y = torch.tanh(W @ x)
    rows = [torch.autograd.grad(y[k], x, create_graph=True)[0] for k in range(3)]
    J = torch.stack(rows)
    loss = (J**2).sum() + y.sum()
    return loss


def hessian_vector(torch: Any) -> Any:
    """The product of a Hessian and a vector, by a backward through a backward."""
    w = torch.tensor([1.0, -2.0, 0.5], requires_grad=True)
    v = torch.tensor([1.0, 0.0, -1.0])
    f = (w**3).sum() + w[0] * w[1] * w[2]
    (gradient,) = torch.autograd.grad(f, w, create_graph=True)
    slope = gradient @ v
    return slope


def two_outputs(torch: Any) -> Any:
    """An operation of one's own that returns two tensors: a length and a direction."""

    class Polar(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            length = x.norm()
            direction = x / length
            ctx.save_for_backward(length, direction)
            return length, direction

        @staticmethod
        def backward(ctx, of_length, of_direction):
            length, direction = ctx.saved_tensors
            across = of_direction - direction * (of_direction * direction).sum()
            return of_length * direction + across / length

    w = torch.tensor([3.0, 4.0], requires_grad=True)
    target = torch.tensor([0.0, 1.0])
    length, direction = Polar.apply(w * 2)
    loss = (direction - target).square().sum() + 0.1 * (length - 1) ** 2
    return loss


def several_losses(torch: Any) -> Any:
    """Four terms with their weights, summed at the end."""
    torch.manual_seed(0)
    X, y = torch.randn(6, 3), torch.randn(6)
    w = torch.randn(3, requires_grad=True)
    b = torch.zeros((), requires_grad=True)
    pred = X @ w + b
    mse = ((pred - y) ** 2).mean()
    mae = (pred - y).abs().mean()
    l1 = w.abs().sum()
    l2 = (w**2).sum()
    smooth = ((w[1:] - w[:-1]) ** 2).sum()
    loss = mse + 0.5 * mae + 0.01 * l1 + 0.01 * l2 + 0.1 * smooth
    return loss


def support_vectors(torch: Any) -> Any:
    """The hinge loss of a linear classifier."""
    torch.manual_seed(0)
    X, y = torch.randn(8, 2), torch.tensor([1.0, -1, 1, 1, -1, -1, 1, -1])
    w = torch.randn(2, requires_grad=True)
    b = torch.tensor(0.0, requires_grad=True)
    margin = y * (X @ w + b)
    hinge = torch.clamp(1 - margin, min=0).mean()
    loss = hinge + 0.5 * w.dot(w)
    return loss


def policy_gradient(torch: Any) -> Any:
    """REINFORCE over six steps of an episode, with discounted returns."""
    torch.manual_seed(0)
    theta = torch.randn(3, 2, requires_grad=True)
    states, actions, rewards = torch.randn(6, 3), [0, 1, 1, 0, 0, 1], [1.0, 0.0, 2.0, 0.0, 0.0, 3.0]
    returns, R = [], 0.0
    for r in reversed(rewards):
        R = r + 0.9 * R
        returns.insert(0, R)
    loss = 0.0
    for state, action, R in zip(states, actions, returns, strict=True):
        log_prob = torch.log_softmax(state @ theta, dim=0)[action]
        loss = loss - R * log_prob
    return loss


def softmax_by_hand(torch: Any) -> Any:
    """A hidden layer and a cross entropy with nothing but arithmetic."""
    torch.manual_seed(0)
    X, Y = torch.randn(4, 3), torch.tensor([0, 1, 1, 0])
    W1 = torch.randn(3, 5, requires_grad=True)
    b1 = torch.zeros(5, requires_grad=True)
    W2 = torch.randn(5, 2, requires_grad=True)
    b2 = torch.zeros(2, requires_grad=True)
    hpreact = X @ W1 + b1
    h = torch.tanh(hpreact)
    logits = h @ W2 + b2
    logit_maxes = logits.max(1, keepdim=True).values
    norm_logits = logits - logit_maxes
    counts = norm_logits.exp()
    counts_sum = counts.sum(1, keepdim=True)
    counts_sum_inv = counts_sum**-1
    probs = counts * counts_sum_inv
    logprobs = probs.log()
    loss = -logprobs[range(4), Y].mean()
    return loss


def two_neurons(torch: Any) -> Any:
    """A network of scalars, each weight with its name."""
    x1, x2 = 0.5, -1.0
    w11 = torch.tensor(0.3, requires_grad=True)
    w12 = torch.tensor(-0.2, requires_grad=True)
    w21 = torch.tensor(0.8, requires_grad=True)
    w22 = torch.tensor(0.1, requires_grad=True)
    v1 = torch.tensor(1.0, requires_grad=True)
    v2 = torch.tensor(-1.0, requires_grad=True)
    h1 = torch.tanh(w11 * x1 + w12 * x2)
    h2 = torch.tanh(w21 * x1 + w22 * x2)
    out = v1 * h1 + v2 * h2
    loss = (out - 1.0) ** 2
    return loss


def orbit(torch: Any) -> Any:
    """Five steps of a planet around its sun, from a velocity that is learned."""
    vx = torch.tensor(0.0, requires_grad=True)
    vy = torch.tensor(1.0, requires_grad=True)
    x, y, ux, uy, dt = torch.tensor(1.0), torch.tensor(0.0), vx, vy, 0.1
    for step in range(5):
        r3 = (x * x + y * y) ** 1.5
        ux = ux - dt * x / r3
        uy = uy - dt * y / r3
        x = x + dt * ux
        y = y + dt * uy
    loss = (x - 0.9) ** 2 + (y - 0.3) ** 2
    return loss


def hyperparameter(torch: Any) -> Any:
    """The gradient of a learning rate: six steps of training, and what they come to."""
    lr = torch.tensor(0.1, requires_grad=True)
    w = torch.tensor(2.0)
    for step in range(6):
        slope = 2 * (w - 1) + 0.4 * w**3
        w = w - lr * slope
    loss = (w - 1) ** 2 + 0.1 * w**4
    return loss


def heat_equation(torch: Any) -> Any:
    """A network that is to obey the heat equation: first and second derivatives in its loss."""
    torch.manual_seed(0)
    W = torch.randn(2, 4, requires_grad=True)
    v = torch.randn(4, requires_grad=True)
    x = torch.rand(5).requires_grad_()
    t = torch.rand(5).requires_grad_()
    u = torch.tanh(torch.stack([x, t], dim=1) @ W) @ v
    grad = torch.autograd.grad
    u_x, u_t = grad(u.sum(), (x, t), create_graph=True)
    (u_xx,) = grad(u_x.sum(), x, create_graph=True)
    residual = u_t - 0.1 * u_xx
    loss = residual.square().mean()
    return loss


def graph_attention(torch: Any) -> Any:
    """A graph attention layer with two heads over four nodes."""
    torch.manual_seed(0)
    X = torch.randn(4, 3)
    A = torch.tensor([[1.0, 1, 0, 0], [1, 1, 1, 1], [0, 1, 1, 1], [0, 1, 1, 1]])
    heads = []
    for head in range(2):
        W = torch.randn(3, 4, requires_grad=True)
        a_left = torch.randn(4, requires_grad=True)
        a_right = torch.randn(4, requires_grad=True)
        H = X @ W
        e = (H @ a_left)[:, None] + (H @ a_right)[None, :]
        e = torch.nn.functional.leaky_relu(e, 0.2).masked_fill(A == 0, float("-inf"))
        alpha = torch.softmax(e, dim=1)
        heads.append(torch.relu(alpha @ H))
    V = torch.randn(8, 2, requires_grad=True)
    logits = torch.cat(heads, dim=1) @ V
    loss = torch.nn.functional.cross_entropy(logits, torch.tensor([0, 1, 1, 0]))
    return loss


def both_directions(torch: Any) -> Any:
    """A recurrent network that reads four words forwards and backwards."""
    torch.manual_seed(0)
    xs, label = torch.randn(4, 3), torch.tensor(1)
    Wf = torch.randn(4, 4, requires_grad=True)
    Uf = torch.randn(3, 4, requires_grad=True)
    Wb = torch.randn(4, 4, requires_grad=True)
    Ub = torch.randn(3, 4, requires_grad=True)
    V = torch.randn(8, 2, requires_grad=True)
    forwards, backwards = torch.zeros(4), torch.zeros(4)
    for x in xs:
        forwards = torch.tanh(x @ Uf + forwards @ Wf)
    for x in xs.flip(0):
        backwards = torch.tanh(x @ Ub + backwards @ Wb)
    logits = torch.cat([forwards, backwards]) @ V
    loss = torch.nn.functional.cross_entropy(logits, label)
    return loss


def xor_of_scalars(torch: Any) -> Any:
    """A network of five neurons for three of the cases of XOR, in numbers."""
    names = ["a1", "a2", "a3", "b1", "b2", "b3", "c1", "c2", "c3"]
    start = [0.5, -0.4, 0.1, 0.9, 1.0, -0.3, 1.1, -0.9, 0.2]
    p = {name: torch.tensor(value, requires_grad=True) for name, value in zip(names, start, strict=True)}

    def predict(x1, x2):
        left = torch.tanh(p["a1"] * x1 + p["a2"] * x2 + p["a3"])
        right = torch.tanh(p["b1"] * x1 + p["b2"] * x2 + p["b3"])
        return torch.sigmoid(p["c1"] * left + p["c2"] * right + p["c3"])

    loss = 0.0
    for x1, x2, y in [(0.0, 1.0, 1.0), (1.0, 0.0, 1.0), (1.0, 1.0, 0.0)]:
        loss = loss + (predict(x1, x2) - y) ** 2
    return loss


def momentum(torch: Any) -> Any:
    """Seven steps of gradient descent with momentum, as a function of its two settings."""
    lr = torch.tensor(0.1, requires_grad=True)
    beta = torch.tensor(0.9, requires_grad=True)
    x, y, vx, vy = torch.tensor(1.5), torch.tensor(-1.0), 0.0, 0.0
    for step in range(7):
        vx = beta * vx + 2 * x
        vy = beta * vy + 20 * y
        x = x - lr * vx
        y = y - lr * vy
    loss = x**2 + 10 * y**2
    return loss


def memory_network(torch: Any) -> Any:
    """Three hops over a memory: what was asked picks sentences, and what they say asks again."""
    torch.manual_seed(0)
    story, question = torch.randn(5, 6), torch.randn(6)
    A = torch.randn(6, 4, requires_grad=True)
    B = torch.randn(6, 4, requires_grad=True)
    C = torch.randn(6, 4, requires_grad=True)
    H = torch.randn(4, 4, requires_grad=True)
    keys, values = story @ A, story @ C
    u = question @ B
    for hop in range(3):
        p = torch.softmax(keys @ u, dim=0)
        o = p @ values
        u = torch.relu(u @ H + o)
    logits = values @ u
    loss = -torch.log_softmax(logits, dim=0)[2]
    return loss


def predator_prey(torch: Any) -> Any:
    """The Lotka-Volterra equations, whose four rates are to be found: five Euler steps and what was counted."""
    alpha = torch.tensor(1.1, requires_grad=True)
    beta = torch.tensor(0.4, requires_grad=True)
    gamma = torch.tensor(0.4, requires_grad=True)
    delta = torch.tensor(0.1, requires_grad=True)
    prey, predators, dt = torch.tensor(10.0), torch.tensor(5.0), 0.1
    loss = 0.0
    for counted in (9.0, 8.2, 7.5, 7.0, 6.4):
        meetings = prey * predators
        prey, predators = (
            prey + dt * (alpha * prey - beta * meetings),
            predators + dt * (delta * meetings - gamma * predators),
        )
        loss = loss + (prey - counted) ** 2
    return loss


def recursive_tree(torch: Any) -> Any:
    """A sentence as a tree: one matrix joins two parts, again and again, from the words to the root."""
    torch.manual_seed(0)
    words = torch.randn(8, 3, requires_grad=True)
    W = torch.randn(6, 3, requires_grad=True)
    b = torch.zeros(3, requires_grad=True)
    score = torch.randn(3, requires_grad=True)

    def join(tree):
        if isinstance(tree, int):
            return words[tree]
        left, right = tree
        return torch.tanh(torch.cat([join(left), join(right)]) @ W + b)

    root = join((((0, 1), (2, 3)), ((4, 5), (6, 7))))
    loss = torch.nn.functional.softplus(-(root @ score))
    return loss


def contrastive_pairs(torch: Any) -> Any:
    """All pairs of four points, drawn together or pushed apart."""
    a = torch.tensor([0.1, 0.2], requires_grad=True)
    b = torch.tensor([0.9, 0.1], requires_grad=True)
    c = torch.tensor([-0.5, 0.8], requires_grad=True)
    d = torch.tensor([0.4, -0.9], requires_grad=True)
    pairs = [(a, b, True), (a, c, False), (a, d, False), (b, c, False), (b, d, True), (c, d, True)]
    loss = 0.0
    for left, right, are_alike in pairs:
        distance = (left - right).norm()
        loss = loss + (distance**2 if are_alike else torch.relu(1.5 - distance) ** 2)
    return loss


# ---------------------------------------------------------------- networks, of layers


def autoencoder(torch: Any) -> Any:
    """Down to two numbers and up again."""
    nn = torch.nn
    torch.manual_seed(0)
    encoder = nn.Sequential(nn.Linear(8, 4), nn.ReLU(), nn.Linear(4, 2))
    decoder = nn.Sequential(nn.Linear(2, 4), nn.ReLU(), nn.Linear(4, 8))
    x = torch.rand(5, 8)
    code = encoder(x)
    loss = nn.functional.mse_loss(decoder(code), x)
    return loss


def one_layer(torch: Any) -> Any:
    """The smallest network: a linear layer and a squared error."""
    nn = torch.nn
    torch.manual_seed(0)
    model = nn.Linear(3, 1)
    x, y = torch.randn(4, 3), torch.randn(4, 1)
    loss = nn.functional.mse_loss(model(x), y)
    return loss


def vae(torch: Any) -> Any:
    """A variational autoencoder: two heads, a sample between them, and two losses."""
    nn = torch.nn

    class VAE(nn.Module):
        def __init__(self):
            super().__init__()
            self.enc = nn.Linear(6, 8)
            self.mu, self.logvar = nn.Linear(8, 2), nn.Linear(8, 2)
            self.dec1, self.dec2 = nn.Linear(2, 8), nn.Linear(8, 6)

        def forward(self, x):
            h = torch.relu(self.enc(x))
            mu, logvar = self.mu(h), self.logvar(h)
            std = torch.exp(0.5 * logvar)
            z = mu + std * torch.randn_like(std)
            recon = torch.sigmoid(self.dec2(torch.relu(self.dec1(z))))
            return recon, mu, logvar

    torch.manual_seed(0)
    model = VAE()
    x = torch.rand(4, 6)
    recon, mu, logvar = model(x)
    bce = nn.functional.binary_cross_entropy(recon, x, reduction="sum")
    kl = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
    loss = bce + kl
    return loss


def siamese(torch: Any) -> Any:
    """Two towers with the same weights and a contrastive loss."""
    nn = torch.nn

    class Tower(nn.Module):
        def __init__(self):
            super().__init__()
            self.fc1, self.fc2 = nn.Linear(4, 8), nn.Linear(8, 2)

        def forward(self, x):
            return self.fc2(torch.relu(self.fc1(x)))

    torch.manual_seed(0)
    tower = Tower()
    left, right = torch.randn(3, 4), torch.randn(3, 4)
    same = torch.tensor([1.0, 0.0, 1.0])
    a, b = tower(left), tower(right)
    d = (a - b).pow(2).sum(1).sqrt()
    loss = (same * d**2 + (1 - same) * torch.clamp(1 - d, min=0) ** 2).mean()
    return loss


def triplet(torch: Any) -> Any:
    """An anchor, a positive and a negative through one embedding."""
    nn = torch.nn
    torch.manual_seed(0)
    embed = nn.Sequential(nn.Linear(4, 6), nn.ReLU(), nn.Linear(6, 2))
    anchor, positive, negative = torch.randn(3, 4), torch.randn(3, 4), torch.randn(3, 4)
    a, p, n = embed(anchor), embed(positive), embed(negative)
    near = (a - p).square().sum(dim=1)
    far = (a - n).square().sum(dim=1)
    loss = torch.relu(near - far + 0.2).mean()
    return loss


def gan_critic(torch: Any) -> Any:
    """The discriminator's step: real and fake samples, and a generator that is held fixed."""
    nn = torch.nn
    torch.manual_seed(0)
    G = nn.Sequential(nn.Linear(2, 6), nn.ReLU(), nn.Linear(6, 3))
    D = nn.Sequential(nn.Linear(3, 6), nn.LeakyReLU(0.2), nn.Linear(6, 1))
    real, noise = torch.randn(4, 3), torch.randn(4, 2)
    bce = nn.functional.binary_cross_entropy_with_logits
    d_real = bce(D(real), torch.ones(4, 1))
    d_fake = bce(D(G(noise).detach()), torch.zeros(4, 1))
    d_loss = d_real + d_fake
    return d_loss


def dqn(torch: Any) -> Any:
    """The temporal difference of a Q network, against a target network."""
    nn = torch.nn
    torch.manual_seed(0)
    q_net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
    target_net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
    s, s2 = torch.randn(5, 4), torch.randn(5, 4)
    a, r = torch.tensor([0, 1, 0, 1, 1]), torch.randn(5)
    q = q_net(s).gather(1, a.unsqueeze(1)).squeeze(1)
    with torch.no_grad():
        target = r + 0.99 * target_net(s2).max(1).values
    loss = nn.functional.smooth_l1_loss(q, target)
    return loss


def actor_critic(torch: Any) -> Any:
    """A body with two heads: what to do, and what it is worth."""
    nn = torch.nn

    class ActorCritic(nn.Module):
        def __init__(self):
            super().__init__()
            self.body = nn.Linear(4, 8)
            self.actor, self.critic = nn.Linear(8, 2), nn.Linear(8, 1)

        def forward(self, state):
            h = torch.tanh(self.body(state))
            return torch.log_softmax(self.actor(h), dim=-1), self.critic(h).squeeze(-1)

    torch.manual_seed(0)
    model = ActorCritic()
    states, actions, returns = torch.randn(3, 4), torch.tensor([0, 1, 1]), torch.tensor([1.0, 0.5, 2.0])
    logp, value = model(states)
    advantage = returns - value
    chosen = logp[torch.arange(3), actions]
    actor_loss = -(chosen * advantage.detach()).mean()
    critic_loss = advantage.pow(2).mean()
    entropy = -(logp.exp() * logp).sum(dim=1).mean()
    loss = actor_loss + 0.5 * critic_loss - 0.01 * entropy
    return loss


def ppo_clip(torch: Any) -> Any:
    """The clipped objective of PPO."""
    nn = torch.nn
    torch.manual_seed(0)
    policy = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 2))
    states, actions = torch.randn(4, 3), torch.tensor([0, 1, 1, 0])
    old_logp, adv = torch.tensor([-0.7, -0.6, -0.9, -0.5]), torch.tensor([1.0, -0.5, 0.3, 2.0])
    logp = torch.log_softmax(policy(states), dim=1).gather(1, actions[:, None])[:, 0]
    ratio = torch.exp(logp - old_logp)
    unclipped = ratio * adv
    clipped = torch.clamp(ratio, 0.8, 1.2) * adv
    loss = -torch.min(unclipped, clipped).mean()
    return loss


def conv_net(torch: Any) -> Any:
    """Convolution, batch norm, pool, twice; then a linear layer."""
    nn = torch.nn

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv1, self.bn1 = nn.Conv2d(1, 4, 3, padding=1), nn.BatchNorm2d(4)
            self.conv2, self.bn2 = nn.Conv2d(4, 8, 3, padding=1), nn.BatchNorm2d(8)
            self.pool, self.fc = nn.MaxPool2d(2), nn.Linear(32, 10)

        def forward(self, x):
            x = self.pool(torch.relu(self.bn1(self.conv1(x))))
            x = self.pool(torch.relu(self.bn2(self.conv2(x))))
            return self.fc(torch.flatten(x, 1))

    torch.manual_seed(0)
    net = Net()
    images, labels = torch.randn(2, 1, 8, 8), torch.tensor([3, 8])
    loss = nn.functional.cross_entropy(net(images), labels)
    return loss


def residual_block(torch: Any) -> Any:
    """Two convolutions with norms, and what came in added to what goes out."""
    nn = torch.nn

    class BasicBlock(nn.Module):
        def __init__(self, c_in, c_out):
            super().__init__()
            self.conv1, self.bn1 = nn.Conv2d(c_in, c_out, 3, padding=1, bias=False), nn.BatchNorm2d(c_out)
            self.conv2, self.bn2 = nn.Conv2d(c_out, c_out, 3, padding=1, bias=False), nn.BatchNorm2d(c_out)
            self.shortcut = nn.Conv2d(c_in, c_out, 1)

        def forward(self, x):
            out = torch.relu(self.bn1(self.conv1(x)))
            out = self.bn2(self.conv2(out))
            return torch.relu(out + self.shortcut(x))

    torch.manual_seed(0)
    block = BasicBlock(2, 4)
    x = torch.randn(2, 2, 6, 6)
    loss = block(x).mean()
    return loss


def squeeze_excite(torch: Any) -> Any:
    """Channels are weighed by what is in them."""
    nn = torch.nn

    class SEBlock(nn.Module):
        def __init__(self, channels):
            super().__init__()
            self.fc1, self.fc2 = nn.Linear(channels, 2), nn.Linear(2, channels)

        def forward(self, x):
            s = x.mean(dim=(2, 3))
            s = torch.sigmoid(self.fc2(torch.relu(self.fc1(s))))
            return x * s[:, :, None, None]

    torch.manual_seed(0)
    conv, se = nn.Conv2d(1, 4, 3), SEBlock(4)
    x = torch.randn(2, 1, 6, 6)
    loss = se(conv(x)).square().mean()
    return loss


def tiny_unet(torch: Any) -> Any:
    """One level down, one up, and a connection across."""
    nn = torch.nn

    class TinyUNet(nn.Module):
        def __init__(self):
            super().__init__()
            self.down, self.mid = nn.Conv2d(1, 4, 3, padding=1), nn.Conv2d(4, 8, 3, padding=1)
            self.up, self.out = nn.ConvTranspose2d(8, 4, 2, stride=2), nn.Conv2d(8, 1, 3, padding=1)

        def forward(self, x):
            d = torch.relu(self.down(x))
            m = torch.relu(self.mid(nn.functional.max_pool2d(d, 2)))
            u = self.up(m)
            return self.out(torch.cat([d, u], dim=1))

    torch.manual_seed(0)
    net = TinyUNet()
    x, mask = torch.randn(1, 1, 8, 8), (torch.rand(1, 1, 8, 8) > 0.5).float()
    loss = nn.functional.binary_cross_entropy_with_logits(net(x), mask)
    return loss


def tied_autoencoder(torch: Any) -> Any:
    """An autoencoder whose way up has the weights of the way down."""
    nn = torch.nn

    class Tied(nn.Module):
        def __init__(self):
            super().__init__()
            self.enc = nn.Linear(6, 3)
            self.bias = nn.Parameter(torch.zeros(6))

        def forward(self, x):
            h = torch.sigmoid(self.enc(x))
            return torch.sigmoid(nn.functional.linear(h, self.enc.weight.t(), self.bias))

    torch.manual_seed(0)
    net = Tied()
    x = torch.rand(4, 6)
    loss = (net(x) - x).square().mean()
    return loss


def distillation(torch: Any) -> Any:
    """A student learns from labels and from a teacher's softened answers."""
    nn = torch.nn
    F = nn.functional
    torch.manual_seed(0)
    teacher = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 3))
    student = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 3))
    x, y = torch.randn(5, 4), torch.tensor([0, 2, 1, 1, 0])
    T = 3.0
    with torch.no_grad():
        soft = F.softmax(teacher(x) / T, dim=1)
    logits = student(x)
    hard_loss = F.cross_entropy(logits, y)
    soft_loss = -(soft * F.log_softmax(logits / T, dim=1)).sum(dim=1).mean() * T**2
    loss = 0.3 * hard_loss + 0.7 * soft_loss
    return loss


def mixup(torch: Any) -> Any:
    """Two images and their labels, mixed."""
    nn = torch.nn
    torch.manual_seed(0)
    model = nn.Sequential(nn.Flatten(), nn.Linear(16, 8), nn.ReLU(), nn.Linear(8, 3))
    x, y = torch.rand(4, 4, 4), torch.tensor([0, 1, 2, 1])
    lam, order = 0.7, torch.tensor([2, 0, 3, 1])
    mixed = lam * x + (1 - lam) * x[order]
    logits = model(mixed)
    loss = lam * nn.functional.cross_entropy(logits, y) + (1 - lam) * nn.functional.cross_entropy(logits, y[order])
    return loss


def bag_of_words(torch: Any) -> Any:
    """Embeddings, their mean, and a class."""
    nn = torch.nn

    class Classifier(nn.Module):
        def __init__(self):
            super().__init__()
            self.embedding, self.fc = nn.Embedding(20, 5), nn.Linear(5, 2)

        def forward(self, tokens):
            return self.fc(self.embedding(tokens).mean(dim=1))

    torch.manual_seed(0)
    model = Classifier()
    tokens, labels = torch.tensor([[1, 5, 2], [7, 3, 3]]), torch.tensor([1, 0])
    loss = nn.functional.cross_entropy(model(tokens), labels)
    return loss


def mixture_of_experts(torch: Any) -> Any:
    """Six experts and a gate that weighs their answers."""
    nn = torch.nn

    class MoE(nn.Module):
        def __init__(self):
            super().__init__()
            self.gate = nn.Linear(4, 6)
            self.experts = nn.ModuleList([nn.Linear(4, 2) for _ in range(6)])

        def forward(self, x):
            weights = torch.softmax(self.gate(x), dim=-1)
            outputs = torch.stack([expert(x) for expert in self.experts], dim=1)
            return (weights.unsqueeze(-1) * outputs).sum(dim=1)

    torch.manual_seed(0)
    moe = MoE()
    x, y = torch.randn(5, 4), torch.randn(5, 2)
    loss = nn.functional.mse_loss(moe(x), y)
    return loss


def hypernetwork(torch: Any) -> Any:
    """A network that writes the weights of another one."""
    nn = torch.nn
    torch.manual_seed(0)
    hyper = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 8))
    task, x, y = torch.randn(2), torch.randn(5, 3), torch.randn(5, 2)
    params = hyper(task)
    W, b = params[:6].view(2, 3), params[6:]
    out = nn.functional.linear(x, W, b)
    loss = nn.functional.mse_loss(out, y)
    return loss


def dropout_net(torch: Any) -> Any:
    """Two layers with dropout between them."""
    nn = torch.nn
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(5, 8), nn.ReLU(), nn.Dropout(0.5), nn.Linear(8, 1))
    net.train()
    x, y = torch.randn(6, 5), torch.randn(6, 1)
    loss = nn.functional.mse_loss(net(x), y)
    return loss


def highway(torch: Any) -> Any:
    """Six highway layers: a gate decides how much goes through unchanged."""
    nn = torch.nn

    class Highway(nn.Module):
        def __init__(self, size):
            super().__init__()
            self.transform, self.gate = nn.Linear(size, size), nn.Linear(size, size)

        def forward(self, x):
            t = torch.sigmoid(self.gate(x))
            return t * torch.relu(self.transform(x)) + (1 - t) * x

    torch.manual_seed(0)
    layers = nn.Sequential(*[Highway(4) for _ in range(6)], nn.Linear(4, 1))
    x = torch.randn(3, 4)
    loss = layers(x).square().mean()
    return loss


def simclr(torch: Any) -> Any:
    """Two views of each image, and a contrastive loss over all pairs."""
    nn = torch.nn
    F = nn.functional
    torch.manual_seed(0)
    encoder, projector = nn.Sequential(nn.Linear(6, 8), nn.ReLU()), nn.Linear(8, 4)
    view1, view2 = torch.randn(3, 6), torch.randn(3, 6)
    z1, z2 = projector(encoder(view1)), projector(encoder(view2))
    z1 = z1 / z1.norm(dim=1, keepdim=True)
    z2 = z2 / z2.norm(dim=1, keepdim=True)
    similarity = z1 @ z2.T / 0.1
    labels = torch.arange(3)
    loss = (F.cross_entropy(similarity, labels) + F.cross_entropy(similarity.T, labels)) / 2
    return loss


def char_rnn(torch: Any) -> Any:
    """A character model: embedding, GRU cell and a loss at each of three letters."""
    nn = torch.nn
    torch.manual_seed(0)
    embedding, cell, head = nn.Embedding(8, 4), nn.GRUCell(4, 6), nn.Linear(6, 8)
    text = torch.tensor([2, 5, 1, 3])
    h = torch.zeros(1, 6)
    loss = 0.0
    for now, following in zip(text[:-1], text[1:], strict=True):
        h = cell(embedding(now[None]), h)
        loss = loss + nn.functional.cross_entropy(head(h), following[None])
    return loss


def self_attention(torch: Any) -> Any:
    """One head of attention as a module, with projections."""
    nn = torch.nn

    class Head(nn.Module):
        def __init__(self, size):
            super().__init__()
            self.query, self.key = nn.Linear(size, 4, bias=False), nn.Linear(size, 4, bias=False)
            self.value, self.proj = nn.Linear(size, 4, bias=False), nn.Linear(4, size)

        def forward(self, x):
            q, k, v = self.query(x), self.key(x), self.value(x)
            att = q @ k.transpose(-2, -1) * 4**-0.5
            mask = torch.tril(torch.ones(x.shape[1], x.shape[1]))
            att = att.masked_fill(mask == 0, float("-inf")).softmax(dim=-1)
            return x + self.proj(att @ v)

    torch.manual_seed(0)
    head = Head(8)
    x = torch.randn(2, 4, 8)
    loss = head(x).square().mean()
    return loss


def deep_set(torch: Any) -> Any:
    """A sum over a set, between two networks."""
    nn = torch.nn
    torch.manual_seed(0)
    phi = nn.Sequential(nn.Linear(2, 6), nn.ReLU(), nn.Linear(6, 6))
    rho = nn.Sequential(nn.Linear(6, 6), nn.ReLU(), nn.Linear(6, 1))
    points = torch.randn(3, 5, 2)
    pooled = phi(points).sum(dim=1)
    loss = nn.functional.mse_loss(rho(pooled), torch.ones(3, 1))
    return loss


def mixer(torch: Any) -> Any:
    """Two blocks of an MLP mixer: over places, then over channels."""
    nn = torch.nn

    class MLP(nn.Module):
        def __init__(self, size):
            super().__init__()
            self.fc1, self.fc2 = nn.Linear(size, 2 * size), nn.Linear(2 * size, size)

        def forward(self, x):
            return self.fc2(nn.functional.gelu(self.fc1(x)))

    class Mixer(nn.Module):
        def __init__(self, places, channels):
            super().__init__()
            self.norm1, self.norm2 = nn.LayerNorm(channels), nn.LayerNorm(channels)
            self.tokens, self.channels = MLP(places), MLP(channels)

        def forward(self, x):
            x = x + self.tokens(self.norm1(x).transpose(1, 2)).transpose(1, 2)
            return x + self.channels(self.norm2(x))

    torch.manual_seed(0)
    blocks = nn.Sequential(Mixer(4, 6), Mixer(4, 6))
    x = torch.randn(2, 4, 6)
    loss = blocks(x).square().mean()
    return loss


def two_tower(torch: Any) -> Any:
    """A recommender: users and films in towers of their own, and the dot product of what comes out."""
    nn = torch.nn

    class TwoTower(nn.Module):
        def __init__(self):
            super().__init__()
            self.users, self.films = nn.Embedding(6, 4), nn.Embedding(9, 4)
            self.user_mlp = nn.Sequential(nn.Linear(4, 6), nn.ReLU(), nn.Linear(6, 3))
            self.film_mlp = nn.Sequential(nn.Linear(4, 6), nn.ReLU(), nn.Linear(6, 3))

        def forward(self, user, film):
            u = self.user_mlp(self.users(user))
            f = self.film_mlp(self.films(film))
            return (u * f).sum(dim=1)

    torch.manual_seed(0)
    model = TwoTower()
    user, film, clicked = torch.tensor([0, 3, 5]), torch.tensor([8, 1, 2]), torch.tensor([1.0, 0.0, 1.0])
    loss = nn.functional.binary_cross_entropy_with_logits(model(user, film), clicked)
    return loss


def multi_task(torch: Any) -> Any:
    """One body, three heads, and losses weighed by learned uncertainties."""
    nn = torch.nn

    class MultiTask(nn.Module):
        def __init__(self):
            super().__init__()
            self.body = nn.Sequential(nn.Linear(5, 8), nn.ReLU(), nn.Linear(8, 8), nn.ReLU())
            self.age, self.kind, self.height = nn.Linear(8, 1), nn.Linear(8, 3), nn.Linear(8, 1)
            self.log_vars = nn.Parameter(torch.zeros(3))

        def forward(self, x):
            h = self.body(x)
            return self.age(h), self.kind(h), self.height(h)

    torch.manual_seed(0)
    net = MultiTask()
    x = torch.randn(4, 5)
    age, kind, height = net(x)
    losses = [
        nn.functional.mse_loss(age, torch.rand(4, 1)),
        nn.functional.cross_entropy(kind, torch.tensor([0, 2, 1, 1])),
        nn.functional.l1_loss(height, torch.rand(4, 1)),
    ]
    loss = 0.0
    for k, task_loss in enumerate(losses):
        loss = loss + torch.exp(-net.log_vars[k]) * task_loss + net.log_vars[k]
    return loss


def deep_mlp(torch: Any) -> Any:
    """Ten layers of one width, from a list."""
    nn = torch.nn

    class Deep(nn.Module):
        def __init__(self, depth):
            super().__init__()
            self.layers = nn.ModuleList([nn.Linear(4, 4) for _ in range(depth)])
            self.out = nn.Linear(4, 1)

        def forward(self, x):
            for layer in self.layers:
                x = torch.tanh(layer(x))
            return self.out(x)

    torch.manual_seed(0)
    net = Deep(10)
    x, y = torch.randn(3, 4), torch.randn(3, 1)
    loss = nn.functional.mse_loss(net(x), y)
    return loss


def inception(torch: Any) -> Any:
    """Three branches beside each other, joined along the channels."""
    nn = torch.nn

    class Inception(nn.Module):
        def __init__(self):
            super().__init__()
            self.one = nn.Conv2d(2, 2, 1)
            self.three = nn.Sequential(nn.Conv2d(2, 2, 1), nn.ReLU(), nn.Conv2d(2, 3, 3, padding=1))
            self.pool = nn.Sequential(nn.MaxPool2d(3, stride=1, padding=1), nn.Conv2d(2, 1, 1))

        def forward(self, x):
            branches = [self.one(x), self.three(x), self.pool(x)]
            return torch.relu(torch.cat(branches, dim=1))

    torch.manual_seed(0)
    net = nn.Sequential(Inception(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(6, 2))
    images, labels = torch.randn(2, 2, 6, 6), torch.tensor([0, 1])
    loss = nn.functional.cross_entropy(net(images), labels)
    return loss


def diffusion_step(torch: Any) -> Any:
    """A denoiser that is told the time: it guesses the noise in a sample."""
    nn = torch.nn

    class Denoiser(nn.Module):
        def __init__(self):
            super().__init__()
            self.time, self.inp = nn.Linear(1, 8), nn.Linear(3, 8)
            self.hidden, self.out = nn.Linear(8, 8), nn.Linear(8, 3)

        def forward(self, x, t):
            h = torch.relu(self.inp(x) + self.time(t))
            h = h + torch.relu(self.hidden(h))
            return self.out(h)

    torch.manual_seed(0)
    model = Denoiser()
    x0, eps = torch.randn(4, 3), torch.randn(4, 3)
    t = torch.tensor([[0.1], [0.4], [0.7], [0.9]])
    noisy = (1 - t).sqrt() * x0 + t.sqrt() * eps
    loss = nn.functional.mse_loss(model(noisy, t), eps)
    return loss


def small_resnet(torch: Any) -> Any:
    """Four residual blocks between a stem and a head."""
    nn = torch.nn

    class Block(nn.Module):
        def __init__(self, channels):
            super().__init__()
            self.conv1, self.bn1 = nn.Conv2d(channels, channels, 3, padding=1), nn.BatchNorm2d(channels)
            self.conv2, self.bn2 = nn.Conv2d(channels, channels, 3, padding=1), nn.BatchNorm2d(channels)

        def forward(self, x):
            out = torch.relu(self.bn1(self.conv1(x)))
            return torch.relu(x + self.bn2(self.conv2(out)))

    class SmallResNet(nn.Module):
        def __init__(self):
            super().__init__()
            self.stem = nn.Conv2d(1, 4, 3, padding=1)
            self.blocks = nn.Sequential(Block(4), Block(4), Block(4), Block(4))
            self.head = nn.Linear(4, 3)

        def forward(self, x):
            return self.head(self.blocks(self.stem(x)).mean(dim=(2, 3)))

    torch.manual_seed(0)
    net = SmallResNet()
    images, labels = torch.randn(2, 1, 6, 6), torch.tensor([0, 2])
    loss = nn.functional.cross_entropy(net(images), labels)
    return loss


def dense_block(torch: Any) -> Any:
    """A DenseNet's block: each of five layers sees what all before it have made."""
    nn = torch.nn

    class DenseBlock(nn.Module):
        def __init__(self, channels, growth, depth):
            super().__init__()
            sizes = [channels + growth * k for k in range(depth)]
            self.norms = nn.ModuleList([nn.BatchNorm2d(size) for size in sizes])
            self.convs = nn.ModuleList([nn.Conv2d(size, growth, 3, padding=1) for size in sizes])

        def forward(self, x):
            features = [x]
            for norm, conv in zip(self.norms, self.convs, strict=True):
                together = torch.cat(features, dim=1)
                features.append(conv(torch.relu(norm(together))))
            return torch.cat(features, dim=1)

    torch.manual_seed(0)
    stem, block = nn.Conv2d(1, 4, 3), DenseBlock(4, 2, 5)
    x = torch.randn(2, 1, 6, 6)
    loss = block(stem(x)).square().mean()
    return loss


def cross_attention(torch: Any) -> Any:
    """A decoder's layer: attention within, attention to the encoder's words, and an MLP, each added to what came."""
    nn = torch.nn

    class Attention(nn.Module):
        def __init__(self, size):
            super().__init__()
            self.q, self.k, self.v = nn.Linear(size, size), nn.Linear(size, size), nn.Linear(size, size)
            self.size = size

        def forward(self, x, memory):
            scores = self.q(x) @ self.k(memory).transpose(-2, -1) / self.size**0.5
            return scores.softmax(dim=-1) @ self.v(memory)

    class DecoderLayer(nn.Module):
        def __init__(self, size):
            super().__init__()
            self.within, self.across = Attention(size), Attention(size)
            self.mlp = nn.Sequential(nn.Linear(size, 2 * size), nn.ReLU(), nn.Linear(2 * size, size))
            self.norm1, self.norm2, self.norm3 = nn.LayerNorm(size), nn.LayerNorm(size), nn.LayerNorm(size)

        def forward(self, x, memory):
            x = self.norm1(x + self.within(x, x))
            x = self.norm2(x + self.across(x, memory))
            return self.norm3(x + self.mlp(x))

    torch.manual_seed(0)
    layer = DecoderLayer(4)
    x, memory = torch.randn(1, 3, 4), torch.randn(1, 5, 4)
    loss = layer(x, memory).square().mean()
    return loss


def cycle_gan(torch: Any) -> Any:
    """The step of both generators: fool two critics, and come back to where one began."""
    nn = torch.nn
    torch.manual_seed(0)
    G = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 3))
    F = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 3))
    D_A, D_B = nn.Linear(3, 1), nn.Linear(3, 1)
    horses, zebras = torch.randn(2, 3), torch.randn(2, 3)
    fake_zebras, fake_horses = G(horses), F(zebras)
    adversarial = (D_B(fake_zebras) - 1).square().mean() + (D_A(fake_horses) - 1).square().mean()
    cycle = (F(fake_zebras) - horses).abs().mean() + (G(fake_horses) - zebras).abs().mean()
    identity = (G(zebras) - zebras).abs().mean() + (F(horses) - horses).abs().mean()
    loss = adversarial + 10 * cycle + 5 * identity
    return loss


def twin_critics(torch: Any) -> Any:
    """The critics' step of a soft actor critic: two Q networks and one target."""
    nn = torch.nn

    class Critic(nn.Module):
        def __init__(self):
            super().__init__()
            self.net = nn.Sequential(nn.Linear(5, 8), nn.ReLU(), nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 1))

        def forward(self, state, action):
            return self.net(torch.cat([state, action], dim=1)).squeeze(1)

    torch.manual_seed(0)
    q1, q2 = Critic(), Critic()
    policy = nn.Linear(4, 1)
    state, target = torch.randn(3, 4), torch.randn(3)
    action = torch.tanh(policy(state))
    critic_loss = (q1(state, action) - target).square().mean() + (q2(state, action) - target).square().mean()
    actor_loss = -torch.min(q1(state, action), q2(state, action)).mean()
    loss = critic_loss + actor_loss
    return loss


def conv_vae(torch: Any) -> Any:
    """A variational autoencoder of convolutions."""
    nn = torch.nn

    class ConvVAE(nn.Module):
        def __init__(self):
            super().__init__()
            self.encoder = nn.Sequential(
                nn.Conv2d(1, 4, 3, stride=2, padding=1), nn.ReLU(), nn.Conv2d(4, 8, 3, stride=2, padding=1), nn.ReLU()
            )
            self.mu, self.logvar, self.fc = nn.Linear(32, 2), nn.Linear(32, 2), nn.Linear(2, 32)
            self.decoder = nn.Sequential(
                nn.ConvTranspose2d(8, 4, 2, stride=2), nn.ReLU(), nn.ConvTranspose2d(4, 1, 2, stride=2), nn.Sigmoid()
            )

        def encode(self, x):
            h = self.encoder(x).flatten(1)
            return self.mu(h), self.logvar(h)

        def reparameterize(self, mu, logvar):
            std = torch.exp(0.5 * logvar)
            return mu + torch.randn_like(std) * std

        def decode(self, z):
            return self.decoder(torch.relu(self.fc(z)).view(-1, 8, 2, 2))

        def forward(self, x):
            mu, logvar = self.encode(x)
            return self.decode(self.reparameterize(mu, logvar)), mu, logvar

    torch.manual_seed(0)
    model = ConvVAE()
    images = torch.rand(2, 1, 8, 8)
    recon, mu, logvar = model(images)
    recon_loss = (recon - images).square().sum()
    kl_loss = -0.5 * (1 + logvar - mu.square() - logvar.exp()).sum()
    loss = recon_loss + kl_loss
    return loss


def tagger(torch: Any) -> Any:
    """An LSTM cell over four words, and a tag for each."""
    nn = torch.nn

    class Tagger(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed, self.cell, self.tag = nn.Embedding(10, 4), nn.LSTMCell(4, 5), nn.Linear(5, 3)

        def forward(self, words):
            h, c = torch.zeros(1, 5), torch.zeros(1, 5)
            scores = []
            for word in words:
                h, c = self.cell(self.embed(word.view(1)), (h, c))
                scores.append(self.tag(h))
            return torch.cat(scores)

    torch.manual_seed(0)
    model = Tagger()
    words, tags = torch.tensor([3, 1, 4, 1]), torch.tensor([0, 2, 1, 1])
    loss = nn.functional.cross_entropy(model(words), tags)
    return loss


def message_passing(torch: Any) -> Any:
    """Two rounds of messages along the edges of a molecule, then a sum over its atoms."""
    nn = torch.nn

    class MPNN(nn.Module):
        def __init__(self, size):
            super().__init__()
            self.message, self.update = nn.Linear(2 * size, size), nn.Linear(2 * size, size)
            self.readout = nn.Sequential(nn.Linear(size, size), nn.ReLU(), nn.Linear(size, 1))

        def forward(self, h, sources, targets, adjacency):
            for step in range(2):
                pairs = torch.cat([h[sources], h[targets]], dim=1)
                messages = torch.relu(self.message(pairs))
                gathered = adjacency @ messages
                h = torch.tanh(self.update(torch.cat([h, gathered], dim=1)))
            return self.readout(h.sum(dim=0))

    torch.manual_seed(0)
    net = MPNN(4)
    atoms, sources, targets = torch.randn(3, 4), torch.tensor([0, 1, 1, 2]), torch.tensor([1, 0, 2, 1])
    adjacency = torch.nn.functional.one_hot(targets, 3).float().T
    energy = net(atoms, sources, targets, adjacency)
    loss = (energy - 2.0).square().sum()
    return loss


def feature_pyramid(torch: Any) -> Any:
    """Three levels of features, joined from the coarsest to the finest, with a head on each."""
    nn = torch.nn

    class Pyramid(nn.Module):
        def __init__(self):
            super().__init__()
            self.c1, self.c2 = nn.Conv2d(1, 4, 3, padding=1), nn.Conv2d(4, 4, 3, stride=2, padding=1)
            self.c3 = nn.Conv2d(4, 4, 3, stride=2, padding=1)
            self.laterals = nn.ModuleList([nn.Conv2d(4, 3, 1) for _ in range(3)])
            self.up = nn.ConvTranspose2d(3, 3, 2, stride=2)
            self.head = nn.Conv2d(3, 1, 1)

        def forward(self, x):
            f1 = torch.relu(self.c1(x))
            f2 = torch.relu(self.c2(f1))
            f3 = torch.relu(self.c3(f2))
            p3 = self.laterals[2](f3)
            p2 = self.laterals[1](f2) + self.up(p3)
            p1 = self.laterals[0](f1) + self.up(p2)
            return [self.head(p) for p in (p1, p2, p3)]

    torch.manual_seed(0)
    net = Pyramid()
    image = torch.randn(1, 1, 8, 8)
    loss = sum(level.square().mean() for level in net(image))
    return loss


FORMULAS: tuple[Callable[[Any], Any], ...] = (temperature, logistic_regression, line_through_points, polynomial_fit)
FORMULAS += (ridge, soft_kmeans, gaussian_mixture, gnn_layer, attention_head, maml, maml_one_task, seq2seq)
FORMULAS += (crf_forward, hmm_likelihood, lstm_by_hand, gru_by_hand, batch_norm_by_hand, layer_norm_by_hand)
FORMULAS += (affine_coupling, neural_ode, runge_kutta, physics_loss, gram_style, focal_loss, label_smoothing, dice_loss)
FORMULAS += (word2vec, matrix_factorization, bilinear_attention, kalman_step, pca_by_gradient, logistic_map)
FORMULAS += (chain_of_7, chain_of_30, diamonds, in_place, views_and_slices, branches, own_function, several_losses)
FORMULAS += (support_vectors, policy_gradient, softmax_by_hand, two_neurons, orbit, hyperparameter)
FORMULAS += (heat_equation, graph_attention, both_directions, xor_of_scalars, momentum, memory_network, predator_prey)
FORMULAS += (recursive_tree, contrastive_pairs, jacobian_penalty, hessian_vector, two_outputs)
NETWORKS: tuple[Callable[[Any], Any], ...] = (autoencoder, one_layer, vae, siamese, triplet, gan_critic, dqn)
NETWORKS += (actor_critic, ppo_clip, conv_net, residual_block, squeeze_excite, tiny_unet, tied_autoencoder)
NETWORKS += (distillation, mixup, bag_of_words, mixture_of_experts, hypernetwork, dropout_net, highway, simclr)
NETWORKS += (char_rnn, self_attention, deep_set, mixer, two_tower, multi_task, deep_mlp, inception, diffusion_step)
NETWORKS += (small_resnet, dense_block, cross_attention, cycle_gan, twin_critics, conv_vae, tagger, message_passing)
NETWORKS += (feature_pyramid,)
USUAL = (vae, siamese, attention_head, maml_one_task, actor_critic, conv_net, highway, char_rnn, mixture_of_experts)
USUAL += (gnn_layer, distillation, tiny_unet, tagger, cycle_gan)
