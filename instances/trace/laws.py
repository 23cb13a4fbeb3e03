"""What jobs of published traces ask for, how long they take, and what they train."""

from typing import Literal

Widths = Literal["tiresias", "philly", "helios", "pai", "tiny"]

WIDTHS: dict[str, tuple[tuple[int, int], ...]] = {
    "tiresias": ((1, 240), (2, 40), (4, 80), (8, 90), (16, 25), (32, 5)),
    "philly": ((1, 830), (2, 50), (4, 65), (8, 43), (16, 10), (32, 2)),
    "helios": ((1, 580), (2, 110), (4, 120), (8, 145), (16, 25), (32, 12), (64, 8)),
    "pai": ((1, 700), (2, 120), (4, 80), (8, 70), (16, 20), (32, 10)),
    "tiny": ((1, 3), (2, 2), (3, 1)),
}
"""GPUs of a job, and how many such jobs there are in a batch of the mix."""

Durations = Literal["pareto", "uniform", "philly", "helios", "pai"]

QUANTILES: dict[str, tuple[tuple[float, float], ...]] = {
    "philly": (
        (0, 5), (0.05, 48), (0.1, 61), (0.25, 130), (0.5, 1200), (0.75, 3300), (0.9, 13_000),
        (0.95, 50_000), (0.99, 290_000), (0.999, 1_360_000), (1, 5_184_000),
    ),
    "helios": (
        (0, 1), (0.05, 3), (0.25, 35), (0.5, 206), (0.75, 1220), (0.9, 6040), (0.95, 15_700),
        (0.99, 90_000), (0.999, 550_000), (1, 4_320_000),
    ),
    "pai": (
        (0, 5), (0.05, 58), (0.25, 380), (0.5, 1380), (0.75, 5040), (0.9, 16_200),
        (0.95, 32_600), (0.99, 121_000), (1, 604_800),
    ),
}  # fmt: skip
"""Which part of the jobs takes at most how many seconds; in between, logarithms are linear."""

SKEWED = ("VGG19", "VGG16", "VGG11", "AlexNet")
"""Models that one tensor makes up most of."""
MODELS = (*SKEWED, "ResNet152", "ResNet101", "ResNet50", "Inception4", "Inception3", "GoogLeNet")
"""The models of the Tiresias experiments; each trains as many jobs."""
