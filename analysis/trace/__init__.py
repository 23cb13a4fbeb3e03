"""What a `trace` schedule means to those who wait for jobs and those who pay for GPUs."""
