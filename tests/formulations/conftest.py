"""Helpers of this folder are on the path by their own names: `formulations` is a room, too."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
