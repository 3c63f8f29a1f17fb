/** A line of the doctor. */
export interface Finding {
  readonly level: "ok" | "warn" | "fail"
  readonly check: string
  readonly text: string
  /** What to do, unless the text says it. Something that is fine has no remedy. */
  readonly remedy?: string
}

export const ok = (check: string, text: string): Finding => ({ level: "ok", check, text })

export const warn = (check: string, text: string, remedy: string): Finding => ({
  level: "warn",
  check,
  text,
  remedy
})

export const fail = (check: string, text: string, remedy?: string): Finding => ({
  level: "fail",
  check,
  text,
  ...(remedy === undefined ? {} : { remedy })
})
