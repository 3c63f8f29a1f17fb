/** The numbers in the cells of a spreadsheet, which people write in many ways. Only one that has one meaning is read. */
import * as Either from "effect/Either"
import * as Record from "effect/Record"
import { plain } from "./columns.js"
import { decimal, type Words } from "./words.js"

/** A space or a tab. A line break may be between two numbers. */
const space = /[\p{Zs}\t]/gu

/** The marks between thousands, and none. */
const groups = [" ", ".", ",", "'", ""] as const
const decimals = [".", ","] as const

const escaped = (mark: string) => mark.replace(/[.]/g, "\\.")

/** A number without groups, such as `101000.00`, if a text is a number with these marks. */
const numberOf = (text: string, group: string, decimal: string): string | undefined => {
  const whole = group === "" ? "\\d+" : `[1-9]\\d{0,2}(?:${escaped(group)}\\d{3})+`
  const [, digits, fraction = ""] =
    new RegExp(`^(${whole})((?:${escaped(decimal)}\\d{1,4})?)$`).exec(text) ?? []
  return digits && `${digits.replaceAll(group, "")}${fraction.replace(",", ".")}`
}

/** Without zeros that change nothing: two readings of one number are one. */
const value = (number: string) =>
  number
    .replace(/^0+(?=\d)/, "")
    .replace(/(\.\d*?)0*$/, "$1")
    .replace(/\.$/, "")

/** Three digits after a point may be thousands, and four may not. */
const unambiguous = (number: string) => number.replace(/\.\d{3}$/, "$&0")

/** Cells that are no amount, and how to correct them. */
const spoilt = [
  [/^#+$/, "tooNarrow"],
  [/^#/, "sheetError"],
  [/^=/, "formula"],
  [/^\d([.,]\d+)?e[+-]?\d+$/i, "cutAmount"],
  [/^[\p{Pd}(]|\p{Pd}$|^0[0., ']*$/u, "notPositive"],
  [/^\d+[.,]\d{5,}$/, "manyDecimals"]
] as const

/** The signs of a currency around a number. */
const sign = "(?:\\p{Sc}|[a-z]{3}|F\\.? ?CFA|F|francs?)"
const withSign = new RegExp(`^${sign}? ?(\\d[\\d., ']*?) ?${sign}?$`, "iu")

/** An amount with a point, or a sentence that says how to write it. */
export const amount = (cell: string, words: Words): Either.Either<string, string> => {
  // As a digit, the mark of a footnote would make an amount ten times larger.
  if (/\p{No}/u.test(cell)) return Either.left(words.digits)
  // Excel marks text with an apostrophe.
  const text = cell
    .normalize("NFKC")
    .replace(space, " ")
    .replace(/[’´`]/g, "'")
    .trim()
    .replace(/^'/, "")
  const broken = spoilt.find(([pattern]) => pattern.test(text))
  if (broken !== undefined) return Either.left(words[broken[1]])
  const readings = new Map<string, string>()
  for (const group of groups) {
    for (const decimal of decimals) {
      const read = group === decimal ? undefined : numberOf(text, group, decimal)
      if (read !== undefined && !readings.has(value(read))) readings.set(value(read), read)
    }
  }
  const [one, ...others] = readings.values()
  if (one === undefined) {
    const [, number] = withSign.exec(text) ?? []
    const isBare = number === undefined || number === text
    const bare = isBare ? Either.left("") : amount(number, words)
    return Either.left(
      Either.isRight(bare) ? words.withSign(decimal(bare.right, words)) : words.digits
    )
  }
  const ways = [one, ...others].map((way) => decimal(unambiguous(way), words))
  return others.length === 0 ? Either.right(one) : Either.left(words.write(ways.join(words.or)))
}

/** The codes of the countries whose numbers people write without them, from the numbering plans of the ITU. */
const codes: Readonly<Record<string, string>> = {
  BF: "226",
  BJ: "229",
  CD: "243",
  CG: "242",
  CI: "225",
  CM: "237",
  GA: "241",
  GH: "233",
  GN: "224",
  KE: "254",
  ML: "223",
  NE: "227",
  NG: "234",
  RW: "250",
  SN: "221",
  TD: "235",
  TG: "228",
  TZ: "255",
  UG: "256"
}

/** Countries in which a number begins with a 0 that is not dialled after the code. */
const zeroFirst = ["CD", "GH", "KE", "NG", "RW", "TZ", "UG"]

/** Whether a phone number is of another country than this one, if the code of this one is known. */
export const isForeign = (phone: string, country: string): boolean => {
  const code = codes[country]
  return code !== undefined && !phone.replace(/^\+/, "").startsWith(code)
}

/** The words of a name, without the signs between them. */
const wordsOf = (name: string) => plain(name).replace(/[^a-z]+/g, " ")

/** A country by its name in English or French. */
export const country = (cell: string, words: Words): Either.Either<string, string> => {
  const isName = (code: string) =>
    ["en", "fr"].some((language) => {
      const name = new Intl.DisplayNames(language, { type: "region" }).of(code)
      return name !== undefined && wordsOf(name) === wordsOf(cell)
    })
  const code = cell.length > 2 ? Record.keys(codes).find(isName) : undefined
  return code === undefined ? Either.right(cell.toUpperCase()) : Either.left(words.write(code))
}

/** The digits of the shortest number without its country code. */
const localLeast = 8

/** A phone number without spaces, or a sentence that says how to write it. It never has the number. */
export const phone = (
  cell: string,
  country: string,
  words: Words
): Either.Either<string, string> => {
  if (/^\d([.,]\d+)?e\+?\d+$/i.test(cell)) return Either.left(words.cutPhone)
  // Excel marks text with an apostrophe, and other programs read a number as a decimal.
  const visible = cell
    .replace(/\p{Cf}/gu, "")
    .replace(space, "")
    .replace(/^'|\.0$/g, "")
  const text = visible.replace(/[.()\p{Pd}]/gu, "").replace(/^00/, "+")
  if (/\(0+\)/.test(visible)) return Either.left(words.trunkZero)
  // One that begins with another mark, or has one dot, may be another number.
  const isOther = /^[^+(\d]|^\d+\.\d+$/.test(visible)
  if (isOther || !/^(\+(?!0))?\d{8,15}$/.test(text)) return Either.left(words.phone)
  const name = country.toUpperCase()
  const code = codes[name]
  if (code === undefined) return Either.right(text)
  const hasZero = zeroFirst.includes(name)
  if (hasZero && text.replace(/^\+/, "").startsWith(`${code}0`)) return Either.left(words.trunkZero)
  const isWhole =
    text.startsWith("+") || (text.startsWith(code) && text.length >= code.length + localLeast)
  if (isWhole) return Either.right(text)
  return Either.left(
    hasZero && text.startsWith("0") ? words.forZero(code) : words.withoutCode(code, name)
  )
}
