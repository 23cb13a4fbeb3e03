"""What relaxations of `makespan` prove: columns, prices, and bounds in exact fractions."""
