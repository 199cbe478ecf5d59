"""Fields and curve groups over Python's integers, by definition. Elements are tuples of coefficients."""

from hashlib import shake_256


class Field:
    """A prime field, or a ring of polynomials over one modulo a binomial, or the tower of two square roots."""

    def __init__(self, p, shape):
        kind, *numbers = shape
        self.p, self.degree = p, numbers[0] if kind == "binomial" else 4
        self.width = 4 if p < 1 << 32 else 8 * -(-p.bit_length() // 64)
        self.bytes = self.width * self.degree
        self.zero, self.one = self.element(0), self.element(1)
        # What two basis elements multiply to.
        made = self._tower(*numbers) if kind == "tower" else self._binomial(*numbers)
        self.products = {pair: [c % p for c in product] for pair, product in made.items()}

    def _binomial(self, n, w):
        def product(i, j):
            out = [0] * n
            out[(i + j) % n] = w if i + j >= n else 1
            return out

        return {(i, j): product(i, j) for i in range(n) for j in range(n)}

    def _tower(self, a, b):
        def product(i, j):
            sign, low = (-1 if i & j & 1 else 1), (i ^ j) & 1  # i² = -1
            real, imaginary = (sign, 0) if low == 0 else (0, sign)
            if i & j & 2:  # u² = a + b·i
                return [real * a - imaginary * b, real * b + imaginary * a, 0, 0]
            return [0, 0, real, imaginary] if (i | j) & 2 else [real, imaginary, 0, 0]

        return {(i, j): product(i, j) for i in range(4) for j in range(4)}

    def element(self, value):
        return (value % self.p, *(0,) * (self.degree - 1))

    def add(self, a, b):
        return tuple((x + y) % self.p for x, y in zip(a, b))

    def neg(self, a):
        return tuple(-x % self.p for x in a)

    def sub(self, a, b):
        return self.add(a, self.neg(b))

    def mul(self, a, b):
        if self.degree == 1:
            return (a[0] * b[0] % self.p,)
        out = [0] * self.degree
        for i, x in enumerate(a):
            for j, y in enumerate(b):
                for k, c in enumerate(self.products[i, j]):
                    out[k] += x * y * c
        return tuple(x % self.p for x in out)

    def inv(self, a):
        """The solution x of a·x = 1 by elimination; 0 where there is none."""
        p, n = self.p, self.degree
        if n == 1:
            return (pow(a[0], -1, p),) if a[0] else a
        columns = [self.mul(a, tuple(int(i == j) for i in range(n))) for j in range(n)]
        rows = [[column[i] for column in columns] + [int(i == 0)] for i in range(n)]
        for k in range(n):
            pivot = next((i for i in range(k, n) if rows[i][k]), None)
            if pivot is None:
                return self.zero
            rows[k], rows[pivot] = rows[pivot], rows[k]
            scale = pow(rows[k][k], -1, p)
            rows[k] = [x * scale % p for x in rows[k]]
            for i in range(n):
                if i != k and rows[i][k]:
                    rows[i] = [(x - rows[i][k] * y) % p for x, y in zip(rows[i], rows[k])]
        return tuple(row[n] for row in rows)

    def div(self, a, b):
        return self.mul(a, self.inv(b))

    def pow(self, a, exponent):
        out = self.one
        for bit in bin(exponent)[2:]:
            out = self.mul(out, out)
            if bit == "1":
                out = self.mul(out, a)
        return out

    def sum(self, values):
        out = self.zero
        for value in values:
            out = self.add(out, value)
        return out

    def product(self, values):
        out = self.one
        for value in values:
            out = self.mul(out, value)
        return out

    def value(self, coefficients, x):
        """A polynomial at a point."""
        return self.sum(self.mul(c, self.pow(x, i)) for i, c in enumerate(coefficients))

    def divide(self, numerator, denominator):
        """Quotient and remainder, each as long as the numerator."""
        rest, quotient = list(numerator), [self.zero] * len(numerator)
        m = max(i for i, c in enumerate(denominator) if c != self.zero)
        lead = self.inv(denominator[m])
        assert self.mul(lead, denominator[m]) == self.one
        for i in reversed(range(len(numerator) - m)):
            quotient[i] = self.mul(rest[i + m], lead)
            for j in range(m + 1):
                rest[i + j] = self.sub(rest[i + j], self.mul(quotient[i], denominator[j]))
        return quotient, rest

    def montgomery(self, a):
        return tuple((x << 8 * self.width) % self.p for x in a)

    def hex(self, a):
        """The element's bytes in memory."""
        return b"".join(x.to_bytes(self.width, "little") for x in a).hex()

    def draw(self, label, n):
        """Elements that depend on the label alone."""
        return [tuple(self._integer(f"{label}/{i}/{j}") for j in range(self.degree)) for i in range(n)]

    def _integer(self, label):
        # 16 bytes more than needed, so that all residues are about as likely.
        return int.from_bytes(shake_256(label.encode()).digest(self.width + 16), "big") % self.p


class Curve:
    """The points of y² = x³ + b by the chord-and-tangent rule: (x, y), or None at infinity."""

    def __init__(self, base, b, generator):
        self.base, self.b, self.generator = base, b, generator

    def contains(self, point):
        f, (x, y) = self.base, point
        return f.mul(y, y) == f.add(f.mul(x, f.mul(x, x)), self.b)

    def neg(self, p):
        return None if p is None else (p[0], self.base.neg(p[1]))

    def add(self, p, q):
        if p is None or q is None:
            return q if p is None else p
        f, (x1, y1), (x2, y2) = self.base, p, q
        if x1 == x2 and f.add(y1, y2) == f.zero:
            return None
        if p == q:
            slope = f.div(f.mul(f.element(3), f.mul(x1, x1)), f.add(y1, y1))
        else:
            slope = f.div(f.sub(y2, y1), f.sub(x2, x1))
        x = f.sub(f.mul(slope, slope), f.add(x1, x2))
        return x, f.sub(f.mul(slope, f.sub(x1, x)), y1)

    def times(self, k, p):
        out = None
        for bit in bin(k)[2:]:
            out = self.add(out, out)
            if bit == "1":
                out = self.add(out, p)
        return out

    def sum(self, points):
        out = None
        for point in points:
            out = self.add(out, point)
        return out

    def affine(self, p):
        """Coordinates of the affine form."""
        return (self.base.zero,) * 2 if p is None else p

    def projective(self, p, z=None):
        """Coordinates of the homogeneous form; normalised without a z."""
        f = self.base
        z = f.one if z is None else z
        return (f.zero, z, f.zero) if p is None else (f.mul(p[0], z), f.mul(p[1], z), z)

    def hex(self, coordinates):
        return "".join(map(self.base.hex, coordinates))
