import * as Record from "effect/Record"

/** The columns that the file of a payroll must have, and their other names in English and French, without accents. */
const synonyms = {
  employee: ["employe", "nom", "name", "salarie", "matricule"],
  amount: ["montant", "salaire", "salary"],
  currency: ["devise", "monnaie"],
  country: ["pays"],
  payment_method: ["payment method", "operateur", "operator", "methode"],
  phone: ["telephone", "tel", "mobile", "phone_number", "phone number", "numero"]
} as const satisfies Record.ReadonlyRecord<string, ReadonlyArray<string>>

export type Column = keyof typeof synonyms

export const columns = Record.keys(synonyms)

/** A record with the cell of each column. */
export const record = <A>(cell: (column: Column) => A) =>
  Record.map(synonyms, (_, column) => cell(column))

/** Without accents, capitals and spaces around it. */
export const plain = (name: string): string =>
  name.normalize("NFKD").replace(/\p{M}/gu, "").replace(/\s+/g, " ").trim().toLowerCase()

/** The place of each column in a header, or the sentences that say how to correct it. */
export const find = (header: ReadonlyArray<string>) => {
  const names = header.map(plain)
  const places = new Map<Column, number>()
  const missing: Array<Column> = []
  const problems: Array<string> = []
  for (const column of columns) {
    const placesOf = (wanted: ReadonlyArray<string>) =>
      names.flatMap((name, place) => (wanted.includes(name) ? [place] : []))
    const own = placesOf([column])
    const [place, other] = own.length > 0 ? own : placesOf(synonyms[column])
    if (place === undefined) missing.push(column)
    else if (other === undefined) places.set(column, place)
    else {
      const both = `"${header[place]?.trim()}" and "${header[other]?.trim()}"`
      problems.push(`${both} may both be the column ${column}: name one of them ${column}`)
    }
  }
  if (missing.length === columns.length) {
    problems.push(`this is no header. Write above the rows: ${columns.join(",")}`)
  } else if (missing.length > 0) {
    problems.push(`there is no column ${missing.join(", ")}. Write it as: ${columns.join(",")}`)
  }
  return { places, problems }
}
