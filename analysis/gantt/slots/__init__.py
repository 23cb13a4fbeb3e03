"""Machines against slots: schedules of the families `online` and `reserved`."""
