import * as Record from "effect/Record"
import type { Column, Words } from "./words.js"

/** The columns, and their other names in English and French, without accents. */
const synonyms = {
  employee: [
    "employe",
    "salarie",
    "beneficiaire",
    "beneficiary",
    "nom",
    "nom et prenom",
    "nom et prenoms",
    "nom complet",
    "name",
    "full name"
  ],
  amount: [
    "montant",
    "montant net",
    "net a payer",
    "salaire",
    "salaire net",
    "salary",
    "net salary",
    "net",
    "net pay",
    "a payer",
    "total",
    "total a payer"
  ],
  currency: ["devise", "monnaie"],
  country: ["pays"],
  payment_method: [
    "payment method",
    "operateur",
    "operator",
    "methode",
    "mode de paiement",
    "moyen de paiement",
    "reseau",
    "network"
  ],
  phone: [
    "telephone",
    "tel",
    "mobile",
    "phone_number",
    "phone number",
    "destination",
    "numero",
    "numero de telephone",
    "n° de telephone"
  ]
} as const satisfies Record.ReadonlyRecord<Column, ReadonlyArray<string>>

/** Numbers of employees: beside one of them, a name is not the employee. */
const numbers = ["matricule", "employee_id", "employee id"]

const firstNames = ["prenom", "first_name", "first name"]

export const columns = Record.keys(synonyms)

/** A record with the cell of each column. */
export const record = <A>(cell: (column: Column) => A) =>
  Record.map(synonyms, (_, column) => cell(column))

/** Without accents, capitals, invisible characters and spaces around it. */
export const plain = (name: string): string =>
  name
    .normalize("NFKD")
    .replace(/[\p{M}\p{Cf}]/gu, "")
    .replace(/\s+/g, " ")
    .trim()
    .toLowerCase()

const known: ReadonlyArray<string> = [
  ...columns,
  ...Record.values(synonyms).flat(),
  ...numbers,
  ...firstNames
]

const isUnknown = (name: string) => name.trim() !== "" && !known.includes(plain(name))

/** The place of each column in a header, or the sentences that say how to correct it. */
export const find = (header: ReadonlyArray<string>, words: Words) => {
  const line = columns.map((column) => words.columns[column]).join(words.csv.delimiter)
  const names = header.map(plain)
  const unread = header.filter(isUnknown)
  const places = new Map<Column, number>()
  const missing: Array<Column> = []
  const problems: Array<string> = []
  for (const column of columns) {
    const placesOf = (wanted: ReadonlyArray<string>) =>
      names.flatMap((name, place) => (wanted.includes(name) ? [place] : []))
    const own = [column, plain(words.columns[column])]
    // A name may stand beside the employee. An amount beside the amount may be the one to pay.
    const ways =
      column === "employee" ? [own, numbers, synonyms[column]] : [[...own, ...synonyms[column]]]
    const [place, other] = ways.map(placesOf).find(({ length }) => length > 0) ?? []
    if (place === undefined) missing.push(column)
    else if (other === undefined) places.set(column, place)
    else {
      const both = [place, other].map((place) => header[place]?.trim() ?? "")
      problems.push(words.bothMayBe(both[0] ?? "", both[1] ?? "", words.columns[column]))
    }
  }
  if (missing.length === columns.length) {
    problems.push(words.noHeader(line))
  } else if (missing.length > 0) {
    const names = missing.map((column) => words.columns[column])
    problems.push(words.noColumns(names, unread, line))
  }
  const people: ReadonlyArray<string> = [...synonyms.employee, ...firstNames]
  const isName = (_: string, place: number) =>
    place !== places.get("employee") && people.includes(names[place] ?? "")
  /** The name of the employee, if it has columns of its own. */
  const nameIn = (record: ReadonlyArray<string>) => record.filter(isName).join(" ").trim()
  return { nameIn, places, problems, unread }
}
