/**
 * Sanitizes strings from the service for messages, logs, spans and errors: redacts secrets, escapes
 * control and bidirectional characters, and limits the length.
 */
import * as FiberRef from "effect/FiberRef"

export interface Sanitizer {
  /** Human-readable text: at most 500 characters. */
  readonly text: (text: string) => string
  /** An id, reference or correlation id: unchanged, unless it contains a secret or is unprintable. */
  readonly identifier: (text: string) => string
  /** A JSON value: at most 1,000 values, 50 levels deep. */
  readonly json: (value: unknown) => unknown
}

const redacted = "<redacted>"

/**
 * Any part of a secret with this length is redacted: the service may repeat a phone number without its
 * country code, or a truncated token.
 */
const pieceLength = 8

const textLength = 500
const identifierLength = 255
const maxDepth = 50
const maxValues = 1000

/** The forms of a secret to search for: those of a token are made once for all its calls. */
export type Secret = ReadonlyArray<string>

/** A service that parses a code as a number returns it without leading zeros. */
export const secret = (text: string): Secret => {
  const normal = normalize(text)
  const number = /^0+([1-9][0-9]{3,})$/.exec(normal)?.[1]
  return normal === "" ? [] : number === undefined ? [normal] : [normal, number]
}

/** See `Sensitive.redacting`. */
export const ofEarlier: FiberRef.FiberRef<ReadonlyArray<string>> =
  /* @__PURE__ */ FiberRef.unsafeMake<ReadonlyArray<string>>([])

export const make = (secrets: ReadonlyArray<Secret>): Sanitizer => {
  const wanted = secrets.flat()
  // Made on demand: a token has about a thousand pieces, and redacting an id needs none.
  let pieces: ReadonlySet<string> | undefined
  const short = wanted.filter((secret) => secret.length < pieceLength)
  const redact = (text: string): string =>
    wanted.length === 0
      ? text
      : withoutSecrets(text, (pieces ??= new Set(wanted.flatMap(piecesOf))), short)

  /**
   * Truncates after redaction, because a truncated secret is not found. Redaction shortens the text, so it
   * starts with four times the length, and with no more, because a body may have megabytes. If that cuts the
   * text, its end may be the unfound beginning of a secret, which is dropped.
   */
  const text = (long: string): string => {
    const begun = redact(long.slice(0, textLength * 4))
    const whole = long.length > textLength * 4 ? begun.slice(0, -pieceLength) : begun
    return escape(whole.slice(0, textLength)).slice(0, textLength)
  }

  /** A reference may contain some digits of a phone number by chance, but not the whole number. */
  const hasSecret = (normal: string): boolean =>
    wanted.some((secret) => secret.length >= pieceLength && normal.includes(secret))

  const identifier = (name: string): string => {
    // The length first: to normalize megabytes takes more than a second.
    const isKept =
      name.length <= identifierLength && /^[\x20-\x7e]*$/.test(name) && !hasSecret(normalize(name))
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
      // `Object.entries` would allocate all members first, of which there may be a million.
      for (const name in value) {
        if (left-- <= 0) break
        members.push([text(name), within(Reflect.get(value, name), depth + 1)])
      }
      return Object.fromEntries(members)
    }
    return within(root, 0)
  }

  return { text, identifier, json }
}

/** A line break could forge a log entry; a bidirectional mark could reorder its text. */
const escape = (text: string): string =>
  text.replace(
    /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`
  )

/** The separators in phone numbers and codes, including invisible ones. */
const separator = /[\s.()/_+\p{Dash}\p{Format}]/u

const separators = new RegExp(separator, "gu")

/** Converts ASCII letters only, to preserve the positions of all characters. */
const lowerCase = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())

const normalize = (text: string): string => lowerCase(text).replace(separators, "")

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

/** The text without separators, and the original position of each character. */
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

/** A sanitizer without secrets. */
export const plain: Sanitizer = make([])
