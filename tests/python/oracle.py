"""Fields and curves from nothing but Python's integers: what the library is compared with."""

from __future__ import annotations


class Element:
    """An element of a field of the registry, as coefficients."""

    def __init__(self, field, value):
        self.field = field
        rest = (0,) * (field.degree - 1)
        coefficients = value if isinstance(value, tuple) else (value, *rest)
        self.c = tuple(x % field.modulus for x in coefficients)

    @property
    def value(self):
        """What `to_ints` gives."""
        return self.c if self.field.degree > 1 else self.c[0]

    def _new(self, coefficients):
        return Element(self.field, tuple(coefficients) if self.field.degree > 1 else coefficients[0])

    def __add__(self, other):
        return self._new([a + b for a, b in zip(self.c, other.c)])

    def __sub__(self, other):
        return self._new([a - b for a, b in zip(self.c, other.c)])

    def __mul__(self, other):
        kind = self.field.extension
        if kind is None:
            return self._new([self.c[0] * other.c[0]])
        name, numbers = kind
        if name == "complex tower":
            return self._new(_tower(self.c, other.c, *numbers))
        return self._new(_binomial(self.c, other.c, numbers[0]))

    def __pow__(self, exponent):
        out, base = Element(self.field, 1), self
        while exponent:
            out, base, exponent = (out * base if exponent & 1 else out), base * base, exponent >> 1
        return out

    def __eq__(self, other):
        return self.c == other.c

    def inverse(self):
        """Zero of zero. Not for rings."""
        p = self.field.modulus
        if not any(self.c):
            return self
        if self.field.degree == 1:
            return self._new([pow(self.c[0], -1, p)])
        if self.field.degree == 2:  # (a + b·x)(a - b·x) = a² - w·b²
            a, b = self.c
            norm = pow(a * a - self.field.extension[1][0] * b * b, -1, p)
            return self._new([a * norm, -b * norm])
        return self ** (p**self.field.degree - 2)  # Fermat


def _binomial(a, b, w):
    """Modulo x^n = w."""
    n = len(a)
    out = [0] * n
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            out[(i + j) % n] += x * y * (w if i + j >= n else 1)
    return out


def _tower(a, b, real, imaginary):
    """Over i² = -1, modulo u² = real + imaginary·i; coefficients of 1, i, u, iu."""

    def times(x, y):
        return x[0] * y[0] - x[1] * y[1], x[0] * y[1] + x[1] * y[0]

    (a0, a1), (b0, b1) = (a[:2], a[2:]), (b[:2], b[2:])
    low, high = times(a0, b0), times(times(a1, b1), (real, imaginary))
    cross, cross2 = times(a0, b1), times(a1, b0)
    return [low[0] + high[0], low[1] + high[1], cross[0] + cross2[0], cross[1] + cross2[1]]


def add(curve, p, q):
    """The sum of affine points as `to_ints` gives them, by the chord-and-tangent rule."""
    if p is None or q is None:
        return q if p is None else p
    (x1, y1), (x2, y2) = ([Element(curve.base, c) for c in point] for point in (p, q))
    zero = Element(curve.base, 0)
    if x1 == x2 and y1 + y2 == zero:
        return None
    if x1 == x2:
        slope = (x1 * x1) * Element(curve.base, 3) * (y1 + y1).inverse()
    else:
        slope = (y2 - y1) * (x2 - x1).inverse()
    x = slope * slope - x1 - x2
    return x.value, (slope * (x1 - x) - y1).value


def times(curve, k, p):
    """k·p by doubling and adding."""
    out = None
    while k:
        if k & 1:
            out = add(curve, out, p)
        p, k = add(curve, p, p), k >> 1
    return out


def values(field, n, rng):
    """Random elements, with 0, 1 and -1 among them."""
    edges = [0, 1, field.modulus - 1]

    def one(i):
        if i < len(edges):
            return edges[i]
        return rng.randrange(field.modulus)

    if field.degree == 1:
        return [one((i * 5) % n) if n > 3 else one(i) for i in range(n)]
    tail = field.degree - 1
    return [(one(i), *(0 if i < len(edges) else rng.randrange(field.modulus) for _ in range(tail))) for i in range(n)]
