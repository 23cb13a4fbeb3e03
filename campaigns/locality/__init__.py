"""What is lost because jobs may run in some regions only."""
