import * as Record from "effect/Record"
import type { Column, Words } from "./words.js"

const list = (names: string): ReadonlyArray<string> => names.split(", ")

const people = list(
  "employe, salarie, beneficiaire, beneficiary, nom, nom et prenom, nom et prenoms, nom complet, name, full name"
)

const firstNames = list("prenom, first name")

/**
 * The names of each column in English and French, as `plain` writes them. If a header has names of several lists, those of the
 * first one count: a name may stand beside the number of an employee.
 */
const names: Record.ReadonlyRecord<Column, ReadonlyArray<ReadonlyArray<string>>> = {
  employee: [["employee"], list("matricule, employee id"), people],
  amount: [
    list(
      "amount, montant, montant net, net a payer, salaire, salaire net, salary, net salary, net, net pay, a payer, total, total a payer"
    )
  ],
  currency: [list("currency, devise, monnaie")],
  country: [list("country, pays")],
  payment_method: [
    list(
      "payment method, operateur, operator, methode, mode de paiement, moyen de paiement, reseau, network"
    )
  ],
  phone: [
    list(
      "phone, telephone, tel, mobile, phone number, destination, numero, numero de telephone, n° de telephone"
    ),
    ["contact"]
  ]
}

export const columns = Record.keys(names)

/** A record with the cell of each column. */
export const record = <A>(cell: (column: Column) => A) =>
  Record.map(names, (_, column) => cell(column))

/** Without accents, capitals and invisible characters, and with single spaces. */
export const plain = (name: string): string =>
  name
    .normalize("NFKD")
    .replace(/[\p{M}\p{Cf}]/gu, "")
    .replace(/[\s_]+/g, " ")
    .trim()
    .toLowerCase()

/** The currency in a header such as `Montant (FCFA)`. */
export interface Unit {
  readonly name: string
  readonly currencies: ReadonlyArray<string>
}

const allCurrencies: ReadonlySet<string> = new Set(Intl.supportedValuesOf("currency"))

/** A name, and the unit in brackets after it. Other brackets are part of the name. */
const headingOf = (cell: string): { readonly name: string; readonly unit?: Unit } => {
  const [, name = "", unit = ""] = /^(.+?) ?\(([a-z. ]+)\)$/.exec(plain(cell)) ?? []
  const code = unit.replace(/[. ]/g, "").toUpperCase()
  if (/^F?CFA$/.test(code)) return { name, unit: { name: code, currencies: ["XOF", "XAF"] } }
  return allCurrencies.has(code)
    ? { name, unit: { name: code, currencies: [code] } }
    : { name: plain(cell) }
}

const known: ReadonlyArray<string> = ["", ...Record.values(names).flat(2), ...firstNames]

/** The place of each column in a header, or the sentences that say how to correct it. */
export const find = (header: ReadonlyArray<string>, words: Words) => {
  const line = columns.map((column) => words.columns[column]).join(words.csv.delimiter)
  const headings = header.map(headingOf)
  const places = new Map<Column, number>()
  const missing: Array<Column> = []
  const problems: Array<string> = []
  for (const column of columns) {
    const [first = [], ...others] = names[column]
    const [place, other] =
      [[...first, plain(words.columns[column])], ...others]
        .map((wanted) =>
          headings.flatMap(({ name }, place) => (wanted.includes(name) ? [place] : []))
        )
        .find(({ length }) => length > 0) ?? []
    if (place === undefined) missing.push(column)
    else if (other === undefined) places.set(column, place)
    else {
      const [one = "", two = ""] = [place, other].map((place) => header[place]?.trim())
      problems.push(words.bothMayBe(one, two, words.columns[column]))
    }
  }
  if (missing.length === columns.length) {
    problems.push(words.noHeader(line))
  } else if (missing.length > 0) {
    const names = missing.map((column) => words.columns[column])
    const unknown = header.filter((_, place) => !known.includes(headings[place]?.name ?? ""))
    problems.push(words.noColumns(names, unknown, line))
  }
  const taken = [...places.values()]
  const isName = (_: string, place: number) =>
    !taken.includes(place) && [...people, ...firstNames].includes(headings[place]?.name ?? "")
  const unread = header.filter(
    (cell, place) => plain(cell) !== "" && !taken.includes(place) && !isName(cell, place)
  )
  /** The name of the employee, if it has columns of its own. */
  const nameIn = (record: ReadonlyArray<string>) => record.filter(isName).join(" ").trim()
  const { unit } = headings[places.get("amount") ?? -1] ?? {}
  return { nameIn, places, problems, unit, unread }
}
