// The kinds of resources, and how the page treats each of them. The compiler names a kind that is missing.

/** @typedef {typeof import("../src/ControlApi.js").Resources.Encoded} Resources */
/** @typedef {keyof Resources} Kind */

/**
 * The fields of all kinds that the page shows.
 *
 * @typedef {"status" | "amount" | "charged_amount" | "currency" | "charged_currency" | "fee_amount" | "operation"
 *   | "payment_method" | "idempotency_key" | "issuance_reference" | "source" | "created_at" | "checkout_url"
 *   | "id" | "reference" | "reason" | "description" | "expires_at"} Name
 * @typedef {{ readonly [K in Name]?: string | null | undefined } & {
 *   readonly use_count?: number | undefined, readonly max_uses?: number | null | undefined
 * }} Row
 */

/**
 * - `readBy`: the field by which the service reads one, if it does.
 * - `person` and `verb`: for whom money moves once it is `COMPLETED`, and how.
 *
 * @typedef {{
 *   readonly readBy: "id" | "reference" | undefined,
 *   readonly moves: { readonly person: string, readonly verb: string } | undefined
 * }} Traits
 */

/** @type {Readonly<Record<Kind, Traits>>} */
const traits = {
  payments: { readBy: "id", moves: { person: "customer", verb: "charged" } },
  payouts: { readBy: "reference", moves: { person: "recipient", verb: "paid" } },
  transactions: { readBy: "reference", moves: undefined },
  refunds: { readBy: "reference", moves: { person: "payer", verb: "refunded" } },
  payment_links: { readBy: "id", moves: undefined },
  cards: { readBy: undefined, moves: undefined },
  cardholders: { readBy: "id", moves: undefined }
}

/** In the order of the page. */
export const kinds = /** @type {ReadonlyArray<Kind>} */ (Object.keys(traits))

/** Such as “payment link”. @param {Kind} kind */
export const oneOf = (kind) => kind.slice(0, -1).replace("_", " ")

/** @param {Row} resource */
export const nameIn = ({ id, reference }) => reference ?? id ?? ""

/** The path of a resource, such as `/payments/ID`, if it is read by itself. @param {Kind} kind @param {Row} resource */
export const pathOf = (kind, resource) => {
  const { readBy } = traits[kind]
  const name = readBy && resource[readBy]
  return name ? `/${kind.replace("_", "-")}/${encodeURIComponent(name)}` : undefined
}

/** Whether its money has moved, in a sentence; empty if it moves none. @param {Kind} kind @param {Row} resource */
export const moneyOf = (kind, { operation, status }) => {
  const { moves } = traits[kind]
  // Other operations move no money in the sandbox.
  const isMoved = operation === undefined || /^(COLLECTION|DEPOSIT)$/.test(operation ?? "")
  if (moves === undefined || !isMoved) return ""
  const { person, verb } = moves
  if (status === "COMPLETED") return `The ${person} was ${verb} once.`
  return `The ${person} ${status === "PENDING" ? `is not ${verb} yet` : `was not ${verb}`}.`
}
