/** The code below the first `@example` of a docstring, or of a file of them, as it is written. */
export const exampleIn = (text: string): string | undefined =>
  /@example\n([\s\S]*?)\n \* @/
    .exec(text)?.[1]
    ?.replace(/^ \* ?/gm, "")
    .trim()
