NAME ringyard
ROWS
 N obj
 G r0
 G r1
 E r2
 G r3
 L r4
 L r5
 L r6
 G r7
 L r8
 L r9
 G r10
 G r11
 G r12
 G r13
 L r14
 L r15
 L r16
 G r17
 L r18
 L r19
 G r20
COLUMNS
 MARK1 'MARKER' 'INTORG'
 x0 r9 1
 x0 r10 1
 x0 r12 1
 x1 r6 -1
 x1 r7 -1
 x1 r11 1
 x1 r14 1
 MARK2 'MARKER' 'INTEND'
 x2 r6 -1
 x2 r7 -1
 x2 r17 1
 x2 r18 1
 x3 r5 1
 x3 r13 1
 x4 r16 1
 x4 r20 1
 x5 r0 0.007
 x5 r4 1
 x6 r0 0.007
 x6 r8 1
 x7 r0 0.007
 x7 r15 1
 x8 r0 0.007
 x8 r19 1
 x9 r1 1
 x9 r8 30
 x9 r9 1
 x10 r2 1
 x10 r15 30
 x10 r16 1
 x11 r3 1
 x11 r19 30
 MARK3 'MARKER' 'INTORG'
 x12 r4 -30
 x12 r5 -1
 x12 r6 -1
 x12 r7 -1
 x13 r1 1
 x13 r10 -1
 x13 r11 -1
 x14 r2 1
 x14 r17 -1
 x15 r1 1
 x15 r12 -1
 x15 r13 -1
 x15 r14 1
 x16 r2 1
 x16 r18 1
 x17 r3 1
 x17 r20 -1
 MARK4 'MARKER' 'INTEND'
RHS
 RHS r0 0.6
 RHS r1 1
 RHS r2 1
 RHS r3 1
 RHS r6 -1
 RHS r7 -1
 RHS r8 30
 RHS r9 1
 RHS r14 1
 RHS r15 30
 RHS r16 1
 RHS r18 1
 RHS r19 30
RANGES
BOUNDS
 FR BND x0
 FR BND x1
 FR BND x2
 FR BND x3
 FR BND x4
 FR BND x5
 FR BND x6
 FR BND x7
 FR BND x8
 FR BND x9
 FR BND x11
 FR BND x12
 LO BND x13 0
 PL BND x13
 LO BND x14 0
 PL BND x14
 LO BND x15 0
 PL BND x15
 LO BND x16 0
 PL BND x16
 LO BND x17 0
 PL BND x17
ENDATA
