"""Ways to send rows that workers lack: plainly, or in sums."""
