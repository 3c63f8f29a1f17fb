/** The most rows or items that an error names. */
export const mostShown = 100
