/** The code of the first `@example` in a docstring or a source file. */
export const exampleIn = (text: string): string | undefined =>
  /@example\n([\s\S]*?)\n \* @/
    .exec(text)?.[1]
    ?.replace(/^ \* ?/gm, "")
    .trim()
