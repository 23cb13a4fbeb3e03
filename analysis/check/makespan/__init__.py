"""The judge of `makespan` schedules: its rules, the runs and the times, in exact fractions."""
