/**
 * Values that the catalogue does not list, and phone numbers that are none. The interface does not say what becomes
 * of them: the sandbox refuses them, or warns. A warning has the value, but never a phone number.
 */
import type { AvailableService } from "@manilla/catalogue/AvailableService"
import { nearest } from "./nearest.js"

const fields = ["country", "currency", "payment_method", "operation"] as const

export type Requested = Readonly<Record<(typeof fields)[number], string>>

export interface Unlisted {
  readonly field: string
  readonly rule: string
  readonly warning: string
}

const unlisted = (field: string, shown: string, demanded: string): Unlisted => ({
  field,
  rule: `must be ${demanded}`,
  warning: `${field}${shown} is not ${demanded}`
})

const requestedBy = (service: AvailableService): Requested => ({
  ...service,
  country: service.country.code,
  currency: service.currency.code
})

/** Whether a service of the catalogue is the requested one. */
export const is = (service: AvailableService, requested: Requested): boolean =>
  fields.every((field) => requestedBy(service)[field] === requested[field])

/** The requested values that no service of the catalogue has, given those before them. */
export const service = (
  services: ReadonlyArray<AvailableService>,
  requested: Requested
): ReadonlyArray<Unlisted> => {
  const found: Array<Unlisted> = []
  let left = services
  for (const field of fields) {
    const value = requested[field]
    const next = left.filter((one) => requestedBy(one)[field] === value)
    if (next.length > 0) left = next
    else {
      const options = [...new Set(left.map((one) => requestedBy(one)[field]))]
      const country = field === "country" ? "" : ` of ${left[0]?.country.name}`
      const meant = nearest(value, options)
      const hint = meant === undefined ? `it has ${options.join(", ")}` : `did you mean ${meant}?`
      found.push(
        unlisted(field, ` ${JSON.stringify(value)}`, `in the catalogue${country}; ${hint}`)
      )
      // Each country has its own currency and methods.
      if (field === "country") break
    }
  }
  return found
}

/** A phone number has 8 to 15 digits: the country code and the number. */
export const phone = (field: string, value: string): Unlisted | undefined =>
  /^\(?\+?[\d .()-]+$/.test(value) && /^\d{8,15}$/.test(value.replace(/\D/g, ""))
    ? undefined
    : unlisted(field, "", "a phone number with its country code, such as +2290100000000")
