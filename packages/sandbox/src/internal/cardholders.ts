/**
 * Cardholders that are there from the start: the interface does not show how one is created
 * (sections 2.8, 4.13 and 4.14). Nobody here exists.
 */
import * as Cardholder from "@manilla/cards/Cardholder"
import type { PageSize } from "@manilla/cards/CardsApi"
import type { Page } from "@manilla/core/Page"
import * as Either from "effect/Either"
import * as Redacted from "effect/Redacted"
import type { Identifiers } from "./identifiers.js"
import * as moment from "./moment.js"
import * as pages from "./pages.js"
import * as refusal from "./refusal.js"
import type { Rule } from "./rule.js"

export interface Cardholders {
  readonly list: (size: PageSize, page: number) => Rule<Page<Cardholder.Cardholder>>
  readonly get: (id: Cardholder.CardholderId) => Rule<Cardholder.CardholderDetail>
  readonly all: () => ReadonlyArray<Cardholder.Cardholder>
  readonly find: (id: string) => Cardholder.Cardholder | undefined
}

interface Stored {
  readonly listed: Cardholder.Cardholder
  readonly detail: Cardholder.CardholderDetail
}

export const make = (identifiers: Identifiers, nowMillis: number): Cardholders => {
  const created_at = moment.fromMillis(nowMillis)
  const byId = new Map(
    people.map((person): [string, Stored] => {
      const id = Cardholder.CardholderId.make(identifiers.uuid())
      const provider_reference = identifiers.reference("PRV")
      return [
        id,
        {
          listed: { id, provider_reference, environment: "SANDBOX", created_at },
          detail: { reference: identifiers.reference("CHD"), ...person }
        }
      ]
    })
  )
  const find: Cardholders["find"] = (id) => byId.get(id.toLowerCase())?.listed

  const all = () => Array.from(byId.values(), ({ listed }) => listed)

  return {
    list:
      ({ per_page }, page) =>
      () =>
        Either.right(pages.select(all(), { page, per_page })),
    get: (id) => () => {
      const stored = byId.get(id.toLowerCase())
      return stored === undefined ? Either.left(unknown) : Either.right(stored.detail)
    },
    all,
    find
  }
}

const unknown = refusal.notFound("NOT_FOUND", "There is no such cardholder.")

const people = [
  {
    is_business: false,
    first_name: Redacted.make("Afi"),
    last_name: Redacted.make("Exemple"),
    email: Redacted.make("afi.exemple@cardholder.invalid"),
    country_code: Redacted.make("229"),
    contact: Redacted.make("0100000001"),
    dob: Redacted.make("1990-02-28"),
    billing_name: Redacted.make("Afi Exemple"),
    billing_address: Redacted.make("1 Rue Imaginaire"),
    billing_city: Redacted.make("Cotonou"),
    billing_country: Redacted.make("BJ"),
    billing_state: Redacted.make("Littoral"),
    billing_postal_code: Redacted.make("00229"),
    id_number: Redacted.make("SANDBOX-ID-0001")
  },
  {
    is_business: false,
    first_name: Redacted.make("Kwame"),
    last_name: Redacted.make("Muster"),
    email: Redacted.make("kwame.muster@cardholder.invalid"),
    country_code: Redacted.make("225"),
    contact: Redacted.make("0500000002"),
    dob: Redacted.make("1985-11-03"),
    billing_name: Redacted.make("Kwame Muster"),
    billing_address: Redacted.make("2 Avenue Inventée"),
    billing_city: Redacted.make("Abidjan"),
    billing_country: Redacted.make("CI"),
    billing_state: Redacted.make("Lagunes"),
    billing_postal_code: Redacted.make("00225"),
    id_number: Redacted.make("SANDBOX-ID-0002")
  },
  {
    is_business: true,
    first_name: Redacted.make("Mariam"),
    last_name: Redacted.make("Sample"),
    email: Redacted.make("mariam.sample@cardholder.invalid"),
    country_code: Redacted.make("221"),
    contact: Redacted.make("700000003"),
    dob: Redacted.make("1978-07-19"),
    billing_name: Redacted.make("Sample Trading SARL"),
    billing_address: Redacted.make("3 Place Fictive"),
    billing_city: Redacted.make("Dakar"),
    billing_country: Redacted.make("SN"),
    billing_state: Redacted.make("Dakar"),
    billing_postal_code: Redacted.make("00221"),
    id_number: Redacted.make("SANDBOX-ID-0003")
  }
] satisfies ReadonlyArray<Omit<Required<Cardholder.CardholderDetail>, "reference">>
