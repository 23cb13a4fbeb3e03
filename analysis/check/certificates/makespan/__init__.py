"""Rules of `makespan`: of the instance and a step, each returns by when no schedule can end."""

from .configurations import configurations
from .counting import area, exclusion, longest_job
from .loads import loads
from .servers import servers
from .uplinks import uplinks

RULES = {
    "longest job": longest_job,
    "area": area,
    "exclusion": exclusion,
    "uplinks": uplinks,
    "loads": loads,
    "servers": servers,
    "configurations": configurations,
}
"""By name: what follows from an instance and a step."""
