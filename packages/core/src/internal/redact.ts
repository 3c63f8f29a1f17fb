/**
 * What of an answer may be shown: nothing that the request marked as sensitive, not its token, and
 * of a body that could not be read only its outline.
 */
import * as Encoding from "effect/Encoding"

export interface Redactor {
  /** Strikes the sensitive values out of a text, which stays as long as it is otherwise. */
  readonly strike: (text: string) => string
  /** The sensitive values as numbers, which begin with no zero. */
  readonly numbers: ReadonlySet<number>
  /** The same for what is shown: on one line, and not longer than a person reads. */
  readonly text: (text: string) => string
  /** Strikes them out of every string, number and key within a JSON value. */
  readonly json: (value: unknown) => unknown
  /** The beginning of a body that is not JSON. */
  readonly excerpt: (text: string) => string
}

const struck = "<redacted>"

/**
 * A piece of a value this long gives it away: an echo may lack the dialling code of a phone number,
 * or be cut off in the middle of a token.
 */
const pieceLength = 8

/** Longer texts of a service are cut off: an error is read by a person. */
const textLength = 500

const excerptLength = 200

/** A line break of a service would begin a line in the log that nobody wrote. */
const control = /[\p{Cc}\u2028\u2029]/gu

/** Deeper than this nothing is shown: what follows could exhaust the stack of whoever prints it. */
const maxDepth = 50

/** Longer than any token. A longer value costs too much to look for: then nothing is shown. */
const valueLength = 8192

/** About as many values of a service's details are shown. */
const maxValues = 1000

const nothing: Redactor = {
  strike: () => struck,
  numbers: new Set(),
  text: () => struck,
  json: () => struck,
  excerpt: () => struck
}

export const make = (values: ReadonlyArray<string>): Redactor => {
  if (values.some((value) => value.length > valueLength)) return nothing
  const pieces = new Set<string>()
  const short: Array<string> = []
  const numbers = new Set<number>()
  for (const value of values) {
    const digits = withoutSeparators(value)
    if (/^\d+$/.test(digits)) numbers.add(Number(digits))
    for (const form of new Set([...forms(value), ...forms(digits)])) {
      if (form.length < pieceLength) short.push(form)
      for (let i = 0; i + pieceLength <= form.length; i++) {
        pieces.add(form.slice(i, i + pieceLength))
      }
    }
  }

  const strike = (text: string): string => {
    const lower = lowerCase(text)
    const hidden = new Uint8Array(text.length)
    hideAll(lower, (i) => i, pieces, short, hidden)
    // And what has separators between: `+229 01-61`.
    const places = placesOf(lower)
    if (places.length < lower.length) {
      const joined = withoutSeparators(lower)
      hideAll(joined, (i) => places[i] ?? 0, pieces, short, hidden)
    }
    return withoutHidden(text, hidden)
  }
  return from(strike, numbers)
}

/** Both redactors in one: nothing is cut off before both have struck. */
export const both = (first: Redactor, second: Redactor): Redactor =>
  first === nothing || second === nothing
    ? nothing
    : from(
        (text) => second.strike(first.strike(text)),
        new Set([...first.numbers, ...second.numbers])
      )

const from = (strike: Redactor["strike"], numbers: Redactor["numbers"]): Redactor => {
  // Cut off after striking: a value that is cut in two would not be found.
  const begin = (long: string, most: number): string => {
    const begun = strike(long.slice(0, most * 4))
    // Where it is cut may be the beginning of what would have been struck.
    return (long.length > most * 4 ? begun.slice(0, -pieceLength) : begun).slice(0, most)
  }
  const text = (long: string) => begin(long, textLength).replace(control, " ")

  const json = (root: unknown): unknown => {
    let left = maxValues
    const within = (value: unknown, depth: number): unknown => {
      left--
      if (typeof value === "string") return text(value)
      if (typeof value === "number") {
        return numbers.has(value) || strike(String(value)) !== String(value) ? struck : value
      }
      if (typeof value !== "object" || value === null) return value
      if (depth > maxDepth) return "…"
      const most = Math.max(0, left)
      if (Array.isArray(value)) {
        return counted(value.slice(0, most)).map((item) => within(item, depth + 1))
      }
      const members = counted(firstMembers(value, most))
      return Object.fromEntries(members.map(([key, item]) => [text(key), within(item, depth + 1)]))
    }
    const counted = <A>(taken: ReadonlyArray<A>): ReadonlyArray<A> => {
      left -= taken.length
      return taken
    }
    return within(root, 0)
  }

  // A body that was cut short may end in the middle of a token or a name of the service's own.
  const excerpt = (body: string) =>
    begin(body, excerptLength)
      .replace(/"(?:[^"\\]|\\[\s\S])*(?:"|\\?$)/g, `"…"`)
      .replace(/[^\s<>"]{16,}/g, "…")
      .replace(/[0-9]{2,}/g, "#")

  return { strike, numbers, text, json, excerpt }
}

/** Not `Object.entries`: of a million members it would make pairs before the first is looked at. */
const firstMembers = (value: object, most: number): ReadonlyArray<readonly [string, unknown]> => {
  const members: Array<readonly [string, unknown]> = []
  for (const key in value) {
    if (members.length >= most) break
    members.push([key, Reflect.get(value, key)])
  }
  return members
}

/** As people write phone numbers and codes, marks that cannot be seen included; as URLs escape that. */
const separators =
  /[\s.()/_+\p{Dash}\p{Format}]|%(?:20|28|29|2b|2d|2e|2f|5f|c2%a[0d]|e2%8[018]%[0-9a-f]{2})/giu

const withoutSeparators = (text: string): string => text.replace(separators, "")

/** Where the characters of a text are that are no separators. */
const placesOf = (text: string): ReadonlyArray<number> => {
  const places: Array<number> = []
  let i = 0
  for (const { 0: separator, index } of text.matchAll(separators)) {
    for (; i < index; i++) places.push(i)
    i += separator.length
  }
  for (; i < text.length; i++) places.push(i)
  return places
}

/** Hides what is found in a text, of which the character `i` is at `placeOf(i)` of what is shown. */
const hideAll = (
  text: string,
  placeOf: (i: number) => number,
  pieces: ReadonlySet<string>,
  short: ReadonlyArray<string>,
  hidden: Uint8Array
): void => {
  const hide = (i: number, length: number) =>
    hidden.fill(1, placeOf(i), placeOf(i + length - 1) + 1)
  for (let i = 0; i + pieceLength <= text.length; i++) {
    if (pieces.has(text.slice(i, i + pieceLength))) hide(i, pieceLength)
  }
  for (const form of short) {
    for (let i = text.indexOf(form); i !== -1; i = text.indexOf(form, i + 1)) hide(i, form.length)
  }
}

/** The forms in which a value may come back, in lower case. */
const forms = (value: string): ReadonlyArray<string> => {
  if (value === "") return []
  const bytes = new TextEncoder().encode(value)
  // In base64 a value looks different behind one byte, and behind two.
  const base64 = [0, 1, 2].flatMap((offset) => {
    const shifted = new Uint8Array(offset + bytes.length)
    shifted.set(bytes, offset)
    const first = Math.ceil((offset * 8) / 6)
    const count = Math.floor((bytes.length * 8) / 6)
    return [Encoding.encodeBase64(shifted), Encoding.encodeBase64Url(shifted)].map((encoded) =>
      encoded.slice(first, first + count - (offset === 0 ? 0 : 1))
    )
  })
  const wellFormed = value.replace(/\p{Surrogate}/gu, "\ufffd")
  return [
    value,
    JSON.stringify(value).slice(1, -1),
    encodeURIComponent(wellFormed),
    ...base64.filter((form) => form.length >= pieceLength)
  ].map(lowerCase)
}

/** Of ASCII letters only, so that places stay where they are. */
const lowerCase = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())

const withoutHidden = (text: string, hidden: Uint8Array): string => {
  let shown = ""
  for (let i = 0; i < text.length; i++) {
    if (hidden[i] === 0) shown += text[i]
    else if (hidden[i - 1] !== 1) shown += struck
  }
  return shown
}
