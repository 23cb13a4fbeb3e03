"""Hue says which job, darkness says how much contention.

The hues keep a distance (CIE Lab, 19 or more) from each other in normal, red-blind and
green-blind vision, and all of them are light, so that a darker bar always means a slower
ring, also in a grey print.
"""

HUES = ("#5ba6ea", "#fea36d", "#74f0c0", "#da86b4", "#eade3b", "#b5dffe", "#d69404")
"""Colours of rings, which tell jobs apart and mean nothing else."""

INK, SOFT_INK, FAINT, PAPER = "#1f2328", "#59636e", "#d8dce2", "#ffffff"
BAND = "#f3f5f7"
PALE_KEY, KEY, KEY_EDGE = "#d5dae1", "#aab3be", "#4c545f"
"""Greys of a legend, where they stand for any hue."""
WRONG = "#c00018"
"""The colour of rule violations."""

SHADE = "#10131a"
STEPS = 20
"""Number of contention levels drawn."""


def ring_colour(hue: int) -> str:
    """Return the colour of a job that is spread over servers."""
    return HUES[hue % len(HUES)]


def quiet_colour(hue: int) -> str:
    """Return the quieter tone of a job inside one server."""
    return mixed(mixed(ring_colour(hue), "#dfe3e8", 0.5), PAPER, 0.35)


def edge_colour(hue: int) -> str:
    """Return a dark tone of a job's hue, for outlines and ties."""
    return mixed(ring_colour(hue), "#000000", 0.55)


def mixed(colour: str, other: str, part: float) -> str:
    """Mix a part of another colour into a colour."""
    pairs = zip(bytes.fromhex(colour[1:]), bytes.fromhex(other[1:]), strict=True)
    return "#" + "".join(f"{round(a + (b - a) * part):02x}" for a, b in pairs)


def ink_on(colour: str, step: int = 0) -> str:
    """Return the ink that can be read on a colour under a shade."""
    red, green, blue = bytes.fromhex(mixed(colour, SHADE, shade_opacity(step))[1:])
    return INK if 0.3 * red + 0.59 * green + 0.11 * blue > 125 else PAPER


def lost_part(slowdown: float) -> float:
    """Return the share of its bandwidth that a ring has lost, which is drawn as darkness."""
    return 1 - 1 / max(1.0, slowdown)


def shade_step(lost: float) -> int:
    """Return the step of darkness for a lost part of bandwidth."""
    return min(STEPS, round(STEPS * lost))


def shade_opacity(step: int) -> float:
    """Return the opacity of a shade step."""
    return round(0.68 * step / STEPS, 3)
