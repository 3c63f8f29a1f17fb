/** The columns that the file of a payroll must have. */
export const columns = [
  "employee",
  "amount",
  "currency",
  "country",
  "payment_method",
  "phone"
] as const

export type Column = (typeof columns)[number]

/** A record with the cell of each column. */
export const record = <A>(cell: (column: Column) => A): Readonly<Record<Column, A>> => ({
  employee: cell("employee"),
  amount: cell("amount"),
  currency: cell("currency"),
  country: cell("country"),
  payment_method: cell("payment_method"),
  phone: cell("phone")
})

/** Other names of a column, in English and French, without accents. */
const synonyms: Readonly<Record<Column, ReadonlyArray<string>>> = {
  employee: ["employe", "nom", "name", "salarie", "matricule"],
  amount: ["montant", "salaire", "salary"],
  currency: ["devise", "monnaie"],
  country: ["pays"],
  payment_method: ["payment method", "operateur", "operator", "methode"],
  phone: ["telephone", "tel", "mobile", "phone_number", "phone number", "numero"]
}

const plain = (name: string): string =>
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
  if (missing.length > 0) {
    problems.push(`there is no column ${missing.join(", ")}. Write it as: ${columns.join(",")}`)
  }
  return { places, problems }
}
