"""Code shared by commands: files, output, progress, options, the choice of rows."""
