/**
 * What of an answer may be shown: never a value that the request marked as sensitive, and of a
 * body that could not be read only its outline.
 */
import * as Encoding from "effect/Encoding"

const struck = "<redacted>"

const excerptLength = 200

/** The forms in which a value may come back: raw, JSON-escaped, URL-encoded, base64. */
const forms = (value: string): ReadonlyArray<string> => [
  value,
  JSON.stringify(value).slice(1, -1),
  encodeURIComponent(value.replace(/\p{Surrogate}/gu, "\ufffd")),
  Encoding.encodeBase64(value).replace(/=+$/, "")
]

/** Strikes the sensitive values out of a text. */
export const scrubText = (sensitive: ReadonlyArray<string>, text: string): string =>
  sensitive
    .flatMap(forms)
    .sort((a, b) => b.length - a.length)
    .reduce((scrubbed, form) => scrubbed.replaceAll(form, struck), text)

/** Strikes the sensitive values out of every string and key within a JSON value. */
export const scrubJson = (sensitive: ReadonlyArray<string>, value: unknown): unknown => {
  if (sensitive.length === 0) return value
  if (typeof value === "string") return scrubText(sensitive, value)
  if (typeof value === "number") return sensitive.includes(String(value)) ? struck : value
  if (Array.isArray(value)) return value.map((item) => scrubJson(sensitive, item))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      scrubText(sensitive, key),
      scrubJson(sensitive, item)
    ])
  )
}

/**
 * The beginning of a body that is not JSON: strings, digits and long words are struck out, since a
 * body that was cut short may end in the middle of a token or a name.
 */
export const excerpt = (sensitive: ReadonlyArray<string>, text: string): string =>
  scrubText(sensitive, text.slice(0, excerptLength))
    .replace(/"(?:[^"\\]|\\.)*(?:"|$)/g, `"…"`)
    .replace(/[^\s<>"]{16,}/g, "…")
    .replace(/[0-9]{2,}/g, "#")
