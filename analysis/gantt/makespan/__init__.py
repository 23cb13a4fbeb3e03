"""Servers against time: schedules of the family `makespan`, whose rings slow each other down."""
