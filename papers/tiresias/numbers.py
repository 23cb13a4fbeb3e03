"""What the Tiresias paper (Gu et al., NSDI 2019) and its slides say: their numbers, not ours."""

EXAMPLE = {"SRSF": 9.3, "2D-Gittins, index of the slides": 10.0, "2D-LAS, quantum 1": 11.7}
"""Mean completion time in the worked example, in units of time."""

DRAWN = (0.25, 0.278, 0.375, 0.75, 0.2, 0.235, 0.333, 0.667, 0.125, 0.167, 0.25, 0.5)
"""The index after 0, 1, .. 11 units of service, measured as far as the slides' pixels tell."""

TESTBED: dict[str, dict[str, float]] = {
    "Tiresias-L": {"makespan_s": 27400, "mean_waiting_s": 963, "preemptions": 221},
    "Tiresias-G": {"preemptions": 297},
    "YARN-CS": {"makespan_s": 33270, "mean_waiting_s": 8146},
}
"""60 GPUs, 480 jobs: seconds, and a count, by columns of a row."""

TESTBED_RATIOS: dict[str, tuple[float, float]] = {"YARN-CS": (5.5, 27.0)}
"""Mean and median completion time over those under Tiresias-L, on the same."""

TRACE: dict[str, tuple[float, float, float]] = {
    "YARN-CS": (2.41, 30.85, 1.25),
    "Best-effort": (1.50, 9.03, 1.08),
    "SRTF": (1.00, 1.00, 0.84),
    "Gandiva": (2.00, 2.59, 2.08),
    "Tiresias-G": (0.97, 1.00, 0.85),
}
"""Mean, median and 95th percentile of completion times over those under Tiresias-L, simulated on a
trace of Microsoft."""

OVER_SRSF = {"SRTF": 1.03}
"""Mean completion time over that under SRSF, on the same trace."""

PLACEMENT = 1.67
"""The most that placement by the model's skew gains, as a factor of speed."""

QUEUES = 0.99
"""Mean completion time with 3 or 4 queues, over that with 2."""
