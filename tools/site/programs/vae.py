"""A variational autoencoder

A sample stands between encoder and decoder, and still the encoder learns: noise times std plus mu has a slope for
both. Two losses meet at mu and logvar.
"""

import torch
from torch import nn


class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Linear(6, 8)
        self.mu, self.logvar = nn.Linear(8, 2), nn.Linear(8, 2)
        self.decoder = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 6))

    def forward(self, x):
        h = torch.relu(self.encoder(x))
        mu, logvar = self.mu(h), self.logvar(h)
        std = torch.exp(0.5 * logvar)
        z = mu + std * torch.randn_like(std)
        return torch.sigmoid(self.decoder(z)), mu, logvar


torch.manual_seed(0)
model = VAE()
x = torch.rand(4, 6)
rebuilt, mu, logvar = model(x)
difference = nn.functional.binary_cross_entropy(rebuilt, x, reduction="sum")
divergence = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
loss = difference + divergence
