"""The experiments of Tiresias."""
