"""Helpers of this folder are on the path by their own names."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
