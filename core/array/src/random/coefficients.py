"""Derive the polynomials of `normal.rs` with mpmath: `python coefficients.py`.

Each interpolates its function at Chebyshev nodes, in the square of the argument; printed with the greatest relative error of
the exact polynomial with rounded coefficients.
"""

import mpmath as mp

mp.mp.prec = 240


def interpolate(function, end, terms):
    """Coefficients, lowest first, of the polynomial through `terms` Chebyshev nodes of [0, end]."""
    nodes = [end / 2 * (1 + mp.cos(mp.pi * (2 * k + 1) / (2 * terms))) for k in range(terms)]
    powers = mp.matrix([[x**j for j in range(terms)] for x in nodes])
    return list(mp.lu_solve(powers, mp.matrix([function(x) for x in nodes])))


def rounded(x, bits):
    with mp.workprec(bits):
        return +x


def atanh_rest(z):
    """(atanh(s) / s - 1) / s^2 for z = s^2."""
    if z < mp.mpf(10) ** -20:
        return mp.mpf(1) / 3 + z / 5
    s = mp.sqrt(z)
    return (mp.atanh(s) / s - 1) / z


def sine(z):
    """sin(pi/2 t) / t for z = t^2."""
    t = mp.sqrt(z)
    return mp.sin(mp.pi / 2 * t) / t if t else mp.pi / 2


def cosine(z):
    return mp.cos(mp.pi / 2 * mp.sqrt(z))


widest = ((mp.sqrt(2) - 1) / (mp.sqrt(2) + 1)) ** 2
quarter = mp.mpf(1) / 4
for bits, counts in [(24, (3, 5, 5)), (53, (7, 9, 9))]:
    for (name, function, end), terms in zip(
        [("ATANH", atanh_rest, widest), ("SINE", sine, quarter), ("COSINE", cosine, quarter)], counts, strict=True
    ):
        coefficients = [rounded(c, bits) for c in interpolate(function, end, terms)]
        points = [end * k / 997 for k in range(998)]
        value = [mp.polyval(coefficients[::-1], z) for z in points]
        error = max(abs(v / function(z) - 1) for v, z in zip(value, points, strict=True))
        digits = 9 if bits == 24 else 17
        print(f"f{32 if bits == 24 else 64} {name}: 2^{float(mp.log(error, 2)):.1f}")
        print("    [" + ", ".join(mp.nstr(c, digits) for c in coefficients) + "]")
    # ln 2 in two parts, the first so short that products with exponents are exact.
    short = rounded(mp.log(2), bits - 8)
    print("LN2:", mp.nstr(short, 20), mp.nstr(rounded(mp.log(2) - short, bits), 17))
