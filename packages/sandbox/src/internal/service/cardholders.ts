/**
 * Predefined, fictitious cardholders. The interface does not document how to create one (sections 2.8,
 * 4.13 and 4.14).
 */
import * as Cardholder from "@manilla/cards/Cardholder"
import * as pages from "../rules/pages.js"
import * as refusal from "../rules/refusal.js"
import type { Identifiers } from "../store/identifiers.js"
import type { State } from "../store/state.js"
import * as moment from "../time/moment.js"
import type { Handlers } from "./core.js"

export interface Cardholders extends ReturnType<typeof make> {}

export const make = ({ cardholders: rows }: State, identifiers: Identifiers) => {
  const all = () => rows.all().map(({ listed }) => listed)
  const find = (id: string) => rows.get(id.toLowerCase())

  const handlers: Handlers<"Cardholders.list" | "Cardholders.get"> = {
    "Cardholders.list": ({ urlParams }, { search }) =>
      pages.select(all(), search, urlParams.per_page),
    "Cardholders.get": ({ path }) =>
      refusal.found("cardholder", find(path.virtualCardCustomer)?.detail)
  }

  return {
    handlers,
    /** Adds the predefined people. */
    open: (nowMillis: number): void => {
      const created_at = moment.fromMillis(nowMillis)
      for (const person of people) {
        const id = Cardholder.CardholderId.make(identifiers.uuid())
        const provider_reference = identifiers.reference("PRV")
        rows.set({
          listed: { id, provider_reference, environment: "SANDBOX", created_at },
          detail: { reference: identifiers.reference("CHD"), ...person }
        })
      }
    },
    all,
    find: (id: string) => find(id)?.listed
  }
}

/** Fictitious people with every member of the interface. */
const people = [
  ["Afi", "Exemple", "0100000001", "1990-02-28", "1 Rue Imaginaire", "Cotonou", "BJ", "229"],
  ["Kwame", "Muster", "0500000002", "1985-11-03", "2 Avenue Inventée", "Abidjan", "CI", "225"],
  ["Mariam", "Sample", "700000003", "1978-07-19", "3 Place Fictive", "Dakar", "SN", "221"]
].map(([first_name = "", last_name = "", contact, dob, street, city, country, code], index) => ({
  is_business: index === 2,
  first_name,
  last_name,
  country_code: code,
  contact,
  dob,
  email: `${first_name}.${last_name}@cardholder.invalid`.toLowerCase(),
  billing_name: index === 2 ? `${last_name} Trading SARL` : `${first_name} ${last_name}`,
  billing_address: street,
  billing_city: city,
  billing_country: country,
  billing_state: city,
  billing_postal_code: `00${code}`,
  id_number: `SANDBOX-ID-000${index + 1}`
}))
