/** Times as people write them. The page of a runner shares them. */

/** A moment in the time zone of the reader, such as `2026-11-24 14:03:07`. */
export const moment = (millis: number): string => new Date(millis).toLocaleString("sv-SE")

const units = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60]
] as const

/** Such as `2 hours` or `40 s`: a second at least. */
export const span = (millis: number): string => {
  const seconds = Math.max(1, Math.round(millis / 1_000))
  const [unit, size] = units.find(([, size]) => seconds >= size) ?? []
  if (unit === undefined) return `${seconds} s`
  const count = Math.round(seconds / size)
  return `${count} ${unit}${count === 1 ? "" : "s"}`
}

/** Such as `in 40 s` or `1 minute ago`. */
export const distance = (millis: number, now: number): string =>
  millis >= now ? `in ${span(millis - now)}` : `${span(now - millis)} ago`
