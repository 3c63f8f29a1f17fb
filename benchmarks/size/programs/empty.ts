// An empty program, to measure Node alone.
export {}
