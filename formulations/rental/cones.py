"""BOA's convex program in cones: hours and GPU-hours for an hour of work of every class.

Source: BOA (arXiv 2406.15560). The conic form is Ringyard's, as in `adapters/rental_cvxpy.py`.

Columns h[c] and z[c], and for Amdahl's law u[c] >= 1 / h[c] and v[c] >= 1 / z[c].

    power law k^q      z^q h^(1-q) >= 1, a power cone with a fraction as exponent
    Amdahl             (1-f) u + f v <= 1 with u h >= 1 and v z >= 1, quadratic cones
    table              a h + c z >= 1 for every piece a + c k of the least concave speed-up above it
    width              z >= h, and z <= 10^6 h
    budget             sum_c rho_c z_c <= b
"""

from collections.abc import Iterator
from fractions import Fraction

from ...instances import Amdahl, PowerLaw, RentalInstance, SpeedTable
from ...instances.speedup import MOST_GPUS
from ..adapters.rental_cvxpy import sides
from ..conic import Affine, ConicProgram, Held, conic_program, times_at_least_one
from .widths import Classes, classes_of, points


def cones(instance: RentalInstance) -> ConicProgram:
    """Return the conic program of an instance, with any widths."""
    classes = classes_of(instance)
    cost: dict[str, float] = {}
    for c, price in enumerate(classes.cost.tolist()):
        cost |= {f"h[{c}]": price, f"z[{c}]": 0.0}
    for c in _between(classes):
        cost |= {f"u[{c}]": 0.0, f"v[{c}]": 0.0}
    spent = {f"z[{c}]": -load for c, load in enumerate(classes.load.tolist())}
    budget = Held("budget", "positive", (Affine(spent, float(instance.budget_gpus)),))
    own = (held for c in range(len(classes.load)) for held in _held(classes, c))
    return conic_program(cost, [budget, *own])


def _between(classes: Classes) -> list[int]:
    """Return the classes under Amdahl's law that gain by GPUs, and not by all of them alike."""
    shapes = classes.shapes()
    return [c for c in classes.of(Amdahl) if 0 < shapes[c] < 1]


def _held(classes: Classes, c: int) -> Iterator[Held]:
    h, z, curve = f"h[{c}]", f"z[{c}]", classes.curves[c]
    widths = Affine({z: 1.0, h: -1.0}), Affine({h: float(MOST_GPUS), z: -1.0})
    yield Held(f"width[{c}]", "positive", widths)
    if isinstance(curve, SpeedTable):
        pieces = (Affine({h: a, z: more}, -1.0) for a, more in sides(*points(curve)))
        yield Held(f"table[{c}]", "positive", tuple(pieces))
        return
    shape = Fraction(curve.exponent if isinstance(curve, PowerLaw) else curve.parallel)
    if shape in (0, 1):
        yield Held(f"work[{c}]", "positive", (Affine({z if shape else h: 1.0}, -1.0),))
    elif isinstance(curve, PowerLaw):
        parts = Affine({z: 1.0}), Affine({h: 1.0}), Affine({}, 1.0)
        yield Held(f"work[{c}]", "power", parts, shape)
    else:
        alone, shared = float(1 - shape), float(shape)
        u, v = f"u[{c}]", f"v[{c}]"
        yield Held(f"work[{c}]", "positive", (Affine({u: -alone, v: -shared}, 1.0),))
        yield times_at_least_one(f"hours[{c}]", u, h)
        yield times_at_least_one(f"gpu_hours[{c}]", v, z)
