"""Train a small network on scikit-learn's digits, the samples divided over all ranks, one process each.

usage: mpiexec -n 4 python data_parallel.py
       torchrun --nproc-per-node 4 data_parallel.py

Every rank has the whole model and its share of the samples. A step is forward, backward, the sum of all ranks' gradients, update.
The gradients of the last layer are summed while those of the layer before are computed. As sums are taken in the order of ranks, all
replicas keep the same bits; and so does one device that goes through the shares in that order.
"""

from concurrent.futures import ThreadPoolExecutor

import numpy
from sklearn.datasets import load_digits

import icicle
from icicle import xp

EPOCHS, RATE, HIDDEN = 60, 0.5, 32


def data(device):
    """Pixels from 0 to 1, and labels as rows of one 1."""
    digits = load_digits()
    labels = numpy.eye(10, dtype=numpy.float32)[digits.target]
    return [xp.asarray(x.astype(numpy.float32), device=device) for x in (digits.data / 16, labels)]


def share(x, rank, size):
    """A rank's share of the samples, all of one length; what is left over is left out."""
    n = x.shape[0] // size
    return x[rank * n : (rank + 1) * n]


def model(device):
    """Weights and biases of two layers, the same at every rank as they are functions of a key."""
    keys = icicle.random.Key(7).split(2)
    layers = []
    for key, (rows, columns) in zip(keys, [(64, HIDDEN), (HIDDEN, 10)]):
        weights = icicle.random.normal(key, (rows, columns), dtype=xp.float32, device="cpu").to_device(device)
        layers.append((weights * (1 / rows) ** 0.5, xp.zeros(columns, dtype=xp.float32, device=device)))
    return layers


def forward(layers, x):
    (w1, b1), (w2, b2) = layers
    hidden = xp.maximum(x @ w1 + b1, 0.0)
    logits = hidden @ w2 + b2
    powers = xp.exp(logits - xp.max(logits, axis=1, keepdims=True))
    return hidden, powers / xp.sum(powers, axis=1, keepdims=True)


def backward(layers, x, labels, n):
    """Gradients of the mean cross-entropy of `n` samples, of which these are some: those of the last layer first."""
    hidden, probabilities = forward(layers, x)
    error = (probabilities - labels) / n
    yield 1, (hidden.T @ error, xp.sum(error, axis=0))
    error = (error @ layers[1][0].T) * xp.astype(hidden > 0, error.dtype)
    yield 0, (x.T @ error, xp.sum(error, axis=0))


def update(layers, gradients):
    return [
        tuple(value - RATE * gradient for value, gradient in zip(layer, gradients[k])) for k, layer in enumerate(layers)
    ]


def train(comm, x, labels):
    """Train on this rank's share; one thread sums what another has computed."""
    layers, n = model(comm.device), x.shape[0] * comm.size
    with ThreadPoolExecutor(1) as communication:
        for _ in range(EPOCHS):
            sums = {}
            for k, parts in backward(layers, x, labels, n):
                sums[k] = [communication.submit(comm.all_reduce, part) for part in parts]
            layers = update(layers, {k: [sum.result() for sum in sums[k]] for k in sums})
    return layers


def train_alone(device, shares):
    """The same on one device: gradients are summed over the shares, in the order of ranks."""
    layers, n = model(device), sum(x.shape[0] for x, _ in shares)
    for _ in range(EPOCHS):
        sums = {}
        for x, labels in shares:
            for k, parts in backward(layers, x, labels, n):
                sums[k] = [a + b for a, b in zip(sums[k], parts)] if k in sums else parts
        layers = update(layers, sums)
    return layers


def values(layers):
    on_host = [numpy.asarray(value.to_device("cpu")) for layer in layers for value in layer]
    return numpy.concatenate([value.reshape(-1) for value in on_host])


def main():
    with icicle.Communicator.init(ordered=True) as comm, comm.device:
        x, labels = data(comm.device)
        mine = [share(values, comm.rank, comm.size) for values in (x, labels)]
        layers = train(comm, *mine)

        # All replicas have the same bits.
        replicas = comm.all_gather(values(layers).view(numpy.uint32)).reshape(comm.size, -1)
        assert (replicas == replicas[0]).all()
        if comm.rank == 0:
            shares = [[share(values, rank, comm.size) for values in (x, labels)] for rank in range(comm.size)]
            alone = values(train_alone(comm.device, shares))
            assert (alone.view(numpy.uint32) == replicas[0]).all(), "one device has other bits"
            # Summed in another order they are rounded otherwise.
            n = mine[0].shape[0] * comm.size
            whole = values(train_alone(comm.device, [(x[:n], labels[:n])]))
            numpy.testing.assert_allclose(whole, alone, rtol=1e-2, atol=1e-3)
            _, probabilities = forward(layers, x)
            right = xp.argmax(probabilities, axis=1) == xp.argmax(labels, axis=1)
            accuracy = float(xp.mean(xp.astype(right, xp.float32)))
            assert accuracy > 0.9, accuracy
            print(f"{comm.size} ranks: {accuracy:.1%} of the digits are recognised, and one device has the same bits")


if __name__ == "__main__":
    main()
