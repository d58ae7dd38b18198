"""An auto-encoder of sigmoid units trained row by row, in plain Python: lists, loops and gradients as matrices."""

import math


def sigmoid(value):
    return 1 / (1 + math.exp(-value))


def encode(values, encoder):
    """Hidden units of one row; the last weights are those of an input that is always 1."""
    inputs = [*values, 1.0]
    return [sigmoid(sum(inputs[i] * encoder[i][unit] for i in range(len(inputs)))) for unit in range(len(encoder[0]))]


def decode(hidden, decoder):
    return [
        sigmoid(sum(hidden[unit] * decoder[unit][j] for unit in range(len(hidden)))) for j in range(len(decoder[0]))
    ]


def loss(values, encoder, decoder):
    """½‖x − x̂‖² of one row."""
    return 0.5 * sum((x - back) ** 2 for x, back in zip(values, decode(encode(values, encoder), decoder)))


def gradients(values, encoder, decoder):
    """Gradients of the loss of one row, in both matrices of weights."""
    inputs, hidden = [*values, 1.0], encode(values, encoder)
    restored = decode(hidden, decoder)
    behind = [(back - x) * back * (1 - back) for x, back in zip(values, restored)]
    before = []
    for unit, h in enumerate(hidden):
        before.append(sum(error * decoder[unit][j] for j, error in enumerate(behind)) * h * (1 - h))
    return [[x * error for error in before] for x in inputs], [[h * error for error in behind] for h in hidden]


def train(rows, orders, encoder, decoder, learning_rate, momentum):
    """Weights after one epoch an order: minus the gradient, minus some of the gradient of the row before."""
    layers = [[list(row) for row in encoder], [list(row) for row in decoder]]
    last = [[[0.0] * len(row) for row in layer] for layer in layers]
    for order in orders:
        for place in order:
            now = gradients(rows[place], *layers)
            for layer, gradient, before in zip(layers, now, last):
                for i in range(len(layer)):
                    for j in range(len(layer[0])):
                        layer[i][j] -= learning_rate * gradient[i][j] + momentum * before[i][j]
            last = now
    return layers


def encoding_error(rows, encoder, decoder):
    """The losses of all rows, and |r| of all pairs of hidden units that vary."""
    hidden = [encode(row, encoder) for row in rows]
    total = sum(loss(row, encoder, decoder) for row in rows)
    units = list(zip(*hidden))
    for b in range(len(units)):
        for a in range(b):
            total += abs(pearson(units[a], units[b]))
    return total


def pearson(first, second):
    n = len(first)
    a, b = [x - sum(first) / n for x in first], [x - sum(second) / n for x in second]
    return sum(x * y for x, y in zip(a, b)) / math.sqrt(sum(x * x for x in a) * sum(y * y for y in b))
