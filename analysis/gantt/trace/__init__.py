"""Servers against time: schedules of the family `trace`, whose jobs may stop and move."""
