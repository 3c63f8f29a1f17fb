// Nothing: what Node itself takes.
export {}
