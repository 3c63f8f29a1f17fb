/**
 * Predefined, fictitious cardholders. The interface does not document how to create one (sections 2.8,
 * 4.13 and 4.14).
 */
import * as Cardholder from "@manilla/cards/Cardholder"
import type { Identifiers } from "../rules/identifiers.js"
import * as pages from "../rules/pages.js"
import * as refusal from "../rules/refusal.js"
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
  {
    is_business: false,
    first_name: "Afi",
    last_name: "Exemple",
    country_code: "229",
    contact: "0100000001",
    dob: "1990-02-28",
    billing_address: "1 Rue Imaginaire",
    billing_city: "Cotonou",
    billing_country: "BJ",
    billing_state: "Littoral"
  },
  {
    is_business: false,
    first_name: "Kwame",
    last_name: "Muster",
    country_code: "225",
    contact: "0500000002",
    dob: "1985-11-03",
    billing_address: "2 Avenue Inventée",
    billing_city: "Abidjan",
    billing_country: "CI",
    billing_state: "Lagunes"
  },
  {
    is_business: true,
    first_name: "Mariam",
    last_name: "Sample",
    country_code: "221",
    contact: "700000003",
    dob: "1978-07-19",
    billing_address: "3 Place Fictive",
    billing_city: "Dakar",
    billing_country: "SN",
    billing_state: "Dakar"
  }
].map((person, index) => {
  const { country_code, first_name, is_business, last_name } = person
  return {
    ...person,
    email: `${first_name}.${last_name}@cardholder.invalid`.toLowerCase(),
    billing_name: is_business ? `${last_name} Trading SARL` : `${first_name} ${last_name}`,
    billing_postal_code: `00${country_code}`,
    id_number: `SANDBOX-ID-000${index + 1}`
  }
})
