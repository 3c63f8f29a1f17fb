/**
 * Every string of the service passes here before it enters a message, a log, a span or an error: secrets
 * are redacted, control and bidirectional characters escaped, and the length is limited.
 */

export interface Sanitizer {
  /** A text for a person: at most 500 characters. */
  readonly text: (text: string) => string
  /** An id, a reference or a correlation id: whole, unless it holds a secret or unprintable text. */
  readonly identifier: (text: string) => string
  /** A JSON value: at most 1,000 values, 50 levels deep. */
  readonly json: (value: unknown) => unknown
  /** The beginning of a body that is not JSON, without quoted text, numbers and ids. */
  readonly excerpt: (text: string) => string
}

const redacted = "<redacted>"

/**
 * A piece of a secret of this length counts as the secret: an echo may lack the country code of a phone
 * number, or end in the middle of a token.
 */
const pieceLength = 8

const textLength = 500
const excerptLength = 200
const identifierLength = 255
const maxDepth = 50
const maxValues = 1000

/** Longer than any token. Searching for longer values costs too much: then no text is shown. */
const secretLength = 8192

export const make = (secrets: ReadonlyArray<string>): Sanitizer => {
  const wanted = secrets.map(normalize).flatMap(writings)
  const isTooLong = secrets.some((secret) => secret.length > secretLength)
  const pieces = new Set(wanted.flatMap(piecesOf))
  const short = wanted.filter((secret) => secret.length < pieceLength)
  const redact = (text: string): string =>
    isTooLong ? redacted : wanted.length === 0 ? text : withoutSecrets(text, pieces, short)

  /** Cut after redaction: half a secret would not be found. */
  const begin = (text: string, length: number): string => {
    const begun = redact(text.slice(0, length * 4))
    return (text.length > length * 4 ? begun.slice(0, -pieceLength) : begun).slice(0, length)
  }
  // Limited again: an escaped character is longer.
  const text = (long: string): string => escape(begin(long, textLength)).slice(0, textLength)

  const identifier = (name: string): string => {
    const normal = normalize(name)
    const isKept =
      name.length <= identifierLength &&
      /^[\x20-\x7e]*$/.test(name) &&
      // A reference may contain digits of a phone number by chance, but not the whole number.
      !wanted.some((secret) => secret.length >= pieceLength && normal.includes(secret))
    return isKept ? name : text(name)
  }

  const json = (root: unknown): unknown => {
    let left = maxValues
    const within = (value: unknown, depth: number): unknown => {
      if (typeof value === "string") return text(value)
      if (typeof value === "number")
        return redact(String(value)) === String(value) ? value : redacted
      if (typeof value !== "object" || value === null) return value
      if (depth > maxDepth) return "…"
      if (Array.isArray(value)) {
        const taken = value.slice(0, Math.max(0, left))
        left -= taken.length
        return taken.map((item) => within(item, depth + 1))
      }
      const members: Array<readonly [string, unknown]> = []
      // Not `Object.entries`, which would build pairs of a million members first.
      for (const name in value) {
        if (left-- <= 0) break
        members.push([text(name), within(Reflect.get(value, name), depth + 1)])
      }
      return Object.fromEntries(members)
    }
    return within(root, 0)
  }

  // A truncated body may end in the middle of a token or of a name.
  const excerpt = (body: string): string =>
    escape(
      begin(body, excerptLength)
        .replace(/"(?:[^"\\]|\\[\s\S])*(?:"|\\?$)/g, `"…"`)
        .replace(/[^\s<>"]{16,}/g, "…")
        .replace(/[0-9]{2,}/g, "#")
    )

  return { text, identifier, json, excerpt }
}

/** A line break could forge a line of a log; a bidirectional mark could reorder it. */
const escape = (text: string): string =>
  text.replace(
    /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`
  )

/** Phone numbers and codes are written with separators, some of them invisible. */
const separator = /[\s.()/_+\p{Dash}\p{Format}]/u

const separators = new RegExp(separator, "gu")

/** ASCII letters only, so that every character keeps its position. */
const lowerCase = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())

const normalize = (text: string): string => lowerCase(text).replace(separators, "")

/** A service that parses a code as a number echoes it without leading zeros. */
const writings = (secret: string): ReadonlyArray<string> => {
  const number = /^0+([1-9][0-9]{3,})$/.exec(secret)?.[1]
  return secret === "" ? [] : number === undefined ? [secret] : [secret, number]
}

const piecesOf = (secret: string): ReadonlyArray<string> => {
  const pieces: Array<string> = []
  for (let i = 0; i + pieceLength <= secret.length; i++) {
    pieces.push(secret.slice(i, i + pieceLength))
  }
  return pieces
}

const withoutSecrets = (
  text: string,
  pieces: ReadonlySet<string>,
  short: ReadonlyArray<string>
): string => {
  const { normal, places } = withPlaces(text)
  const isHidden = new Uint8Array(text.length)
  const hide = (start: number, length: number) =>
    isHidden.fill(1, places[start], (places[start + length - 1] ?? 0) + 1)
  for (let i = 0; i + pieceLength <= normal.length; i++) {
    if (pieces.has(normal.slice(i, i + pieceLength))) hide(i, pieceLength)
  }
  for (const secret of short) {
    for (let i = normal.indexOf(secret); i !== -1; i = normal.indexOf(secret, i + 1)) {
      hide(i, secret.length)
    }
  }
  let shown = ""
  for (let i = 0; i < text.length; i++) {
    if (isHidden[i] === 0) shown += text[i]
    else if (isHidden[i - 1] !== 1) shown += redacted
  }
  return shown
}

/** The text without separators, and the position of each character in the original. */
const withPlaces = (text: string) => {
  const lower = lowerCase(text)
  const places: Array<number> = []
  let normal = ""
  for (let i = 0; i < lower.length; i++) {
    const character = lower.charAt(i)
    if (separator.test(character)) continue
    normal += character
    places.push(i)
  }
  return { normal, places }
}

/** For strings without a request, and so without secrets. */
export const plain: Sanitizer = make([])
