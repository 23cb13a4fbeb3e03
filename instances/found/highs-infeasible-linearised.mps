NAME ringyard
ROWS
 N obj
 E r0
 E r1
 G r2
 L r3
 L r4
 L r5
COLUMNS
 MARK1 'MARKER' 'INTORG'
 x0 r0 -1
 x1 r1 -1
 MARK2 'MARKER' 'INTEND'
 x2 r0 1
 x2 r1 -1
 x2 r5 -1
 x3 r1 1
 x3 r2 -1
 x3 r4 -1
 x3 r5 -3
 x4 r2 1
 x4 r3 1
 x5 r3 -1
 x5 r4 1
RHS
 RHS r5 -3
RANGES
BOUNDS
 FR BND x0
 FR BND x1
 MI BND x2
 UP BND x2 1
 FR BND x3
 FR BND x4
 MI BND x5
 UP BND x5 1
ENDATA
