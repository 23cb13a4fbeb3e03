"""What would this scheduler do? The papers' schedulers and their baselines."""
