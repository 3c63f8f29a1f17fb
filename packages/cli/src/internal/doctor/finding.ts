/** A line of the doctor. */
export interface Finding {
  readonly level: "ok" | "warn" | "fail"
  readonly check: string
  readonly text: string
  /** What to do, unless the text says it. Something that is fine has no remedy. */
  readonly remedy: string | undefined
}

const of =
  (level: Finding["level"]) =>
  (check: string, text: string, remedy?: string): Finding => ({ level, check, text, remedy })

export const ok = of("ok")
export const warn = of("warn")
export const fail = of("fail")
