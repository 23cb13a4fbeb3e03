"""What commands share: files, output, progress, options, the choice of rows."""
