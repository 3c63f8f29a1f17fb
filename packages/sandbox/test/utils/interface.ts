/**
 * The operations of the service's interface, copied from the document by hand. The declarations must match them, because
 * everything else is derived from the declarations and would repeat their mistakes.
 */
import type { HttpMethod } from "@effect/platform/HttpMethod"
import type * as ServiceApi from "@manilla/service/ServiceApi"

/** A field of a request, and values that break its rules. `undefined` leaves it out. */
type Broken = readonly [field: string, ...values: ReadonlyArray<unknown>]

export interface Copy {
  /** Section 4: method, path and scope; "bearer" if the scope is not documented. */
  readonly route: readonly [HttpMethod, path: string, access: string]
  /** Where its key is (sections 4.1, 4.5 and 4.11), or "none" (section 4.8). */
  readonly key?: string
  /** Decision 6: the compared members of a response, the comparison, and the path in the response. */
  readonly compared?: string
  /** Sections 4 and 5.1: the fields of the body. */
  readonly body?: string
  /** Sections 4.3, 4.9, 4.12 and 4.13: the query parameters of lists. */
  readonly query?: string
  /** Section 4.1: headers beside the token. */
  readonly headers?: string
  /** Section 2, and 5.1 for the token: the members of `data`. */
  readonly answer: string
  /** A good body or query with every field, without the key. */
  readonly valid?: object
  /** Sections 4 and 8: each rule of a field of the body or the query. */
  readonly broken?: ReadonlyArray<Broken>
}

const within = (parent: string, names: string): string =>
  names
    .split(" ")
    .map((name) => `${parent}.${name}`)
    .join(" ")

/** Section 3: a page of rows. */
const page = (row: string): string => `current_page ${within("data", row)} per_page total`

const long = (length: number): string => "x".repeat(length)
const uuid = "3f2c8a34-5b52-4a39-9f57-0d6f3a2b1c4d"

const money: ReadonlyArray<Broken> = [
  ["amount", undefined, "", "1.", ".5", "-1", "+1", "1e3", "1,5", "1.23456", " 1", 1500],
  ["currency", undefined, "XO", "XOFX", 952],
  ["country", undefined, "B", "BEN", null]
]

const payment =
  "id reference country amount currency operation payment_method environment status metadata created_at updated_at"
const transaction =
  "id reference operation amount fee_amount net_amount currency country environment status completed_at created_at"
const payout = "id reference amount currency country payment_method destination status created_at"
const link =
  "id reference amount currency country description status max_uses use_count checkout_url expires_at"
const card =
  "id virtual_card_customer_id provider_reference issuance_reference charged_amount charged_currency environment card_sequence"

export const operations: Readonly<Record<ServiceApi.OperationName, Copy>> = {
  "Token.obtain": {
    route: ["POST", "/auth/application/token", "credentials"],
    body: "client_id client_secret",
    answer: "access_token expires_in token_type environment scope"
  },
  "Payments.create": {
    route: ["POST", "/payments", "payments.write"],
    key: "header idempotency-key",
    compared: "amount:amount currency:code operation:kind",
    body: "country amount currency operation payment_method payer.phone_number payer.otp_code payer.lang description metadata expires_at",
    headers: "idempotency-key x-correlation-id",
    answer: `${payment} account_id application_id description expires_at`,
    valid: {
      country: "BJ",
      amount: "1500",
      currency: "XOF",
      operation: "COLLECTION",
      payment_method: "mtn_momo",
      payer: { phone_number: "+2290161234567", otp_code: "1234", lang: "fr" },
      description: "d",
      metadata: {},
      expires_at: "2030-01-31T12:00:00Z"
    },
    broken: [
      ...money,
      ["operation", undefined, "GIFT", "collection"],
      ["payment_method", undefined, long(61), 7],
      ["payer", undefined, null, "+2290161234567"],
      ["payer.phone_number", undefined, long(33), 2290161234567],
      ["payer.otp_code", long(33), 1234],
      ["payer.lang", "es", "FR"],
      ["description", long(1001), 7],
      ["metadata", [], "x", { at: Number.NaN }],
      ["expires_at", "tomorrow", "2030-02-30T12:00:00Z", "2030-01-31 12:00"]
    ]
  },
  "Payments.get": { route: ["GET", "/payments/:paymentIntent", "payments.read"], answer: payment },
  "Transactions.list": {
    route: ["GET", "/transactions", "transactions.read"],
    query: "per_page status currency environment",
    answer: page(transaction),
    valid: { per_page: 100, status: "COMPLETED", currency: "XOF", environment: "LIVE" },
    broken: [
      ["per_page", 0, 101, 1.5, "10"],
      ["status", 7],
      ["currency", "XO"],
      ["environment", "TEST", "live"]
    ]
  },
  "Transactions.get": {
    route: ["GET", "/transactions/:reference", "transactions.read"],
    answer: `${transaction} provider_reference metadata`
  },
  "Payouts.create": {
    route: ["POST", "/payouts", "bearer"],
    key: "header idempotency-key",
    compared: "amount:amount currency:code destination:phone",
    body: "wallet_id amount currency country payment_method destination metadata",
    headers: "idempotency-key",
    answer: `${payout} wallet_id`,
    valid: {
      wallet_id: uuid,
      amount: "1500",
      currency: "XOF",
      country: "BJ",
      payment_method: "mtn_momo",
      destination: "+2290161234567",
      metadata: {}
    },
    broken: [
      ...money,
      ["wallet_id", undefined, "wallet-1", ""],
      ["payment_method", undefined, long(61)],
      ["destination", undefined, 2290161234567],
      ["metadata", []]
    ]
  },
  "Payouts.get": {
    route: ["GET", "/payouts/:reference", "bearer"],
    answer: `${payout} provider_reference updated_at`
  },
  "Refunds.get": {
    route: ["GET", "/refunds/:reference", "refunds.read"],
    answer: "id reference amount reason provider_reference status created_at updated_at"
  },
  "PaymentLinks.create": {
    route: ["POST", "/payment-links", "payment_links.write"],
    key: "none",
    compared: "amount:amount currency:code",
    body: "amount currency country description max_uses expires_at success_url failure_url metadata",
    answer: `${link} created_at`,
    valid: {
      amount: "1500",
      currency: "XOF",
      country: "BJ",
      description: "d",
      max_uses: 1,
      expires_at: "2030-01-31T12:00:00Z",
      success_url: "https://shop.invalid/thanks",
      failure_url: "https://shop.invalid/sorry",
      metadata: {}
    },
    broken: [
      ...money,
      ["description", long(1001)],
      ["max_uses", 0, -1, 1.5, "1"],
      ["expires_at", "tomorrow"],
      ["success_url", long(2049)],
      ["failure_url", long(2049)],
      ["metadata", []]
    ]
  },
  "PaymentLinks.list": {
    route: ["GET", "/payment-links", "payment_links.read"],
    query: "per_page status",
    answer: page(`${link} created_at`),
    valid: { per_page: 1, status: "EXPIRED" },
    broken: [
      ["per_page", 0, 101],
      ["status", "PENDING"]
    ]
  },
  "PaymentLinks.get": {
    route: ["GET", "/payment-links/:paymentLink", "payment_links.read"],
    answer: `${link} metadata`
  },
  "Cards.issue": {
    route: ["POST", "/cards", "virtual_cards.cards.write"],
    key: "body idempotency_key",
    compared:
      "idempotency_key:text=card.issuance_reference debit_currency:code=card.charged_currency",
    body: "customer_id wallet_id idempotency_key debit_currency initial_balance category grade",
    answer: `${within("card", card)} pricing.card_currency pricing.card_creation_fee_usd pricing.wallet_debit.amount pricing.wallet_debit.currency reservation.reference reservation.status`,
    valid: {
      customer_id: uuid,
      wallet_id: uuid,
      debit_currency: "XOF",
      initial_balance: "0",
      category: "PERSONAL",
      grade: null
    },
    broken: [
      ["customer_id", undefined, "customer-1"],
      ["wallet_id", undefined, "wallet-1"],
      ["debit_currency", undefined, "XO"],
      ["initial_balance", "-1", "1.23456", 10],
      ["category", "FAMILY", "personal"],
      ["grade", "GOLD"]
    ]
  },
  "Cards.list": {
    route: ["GET", "/cards", "virtual_cards.cards.read"],
    query: "per_page",
    answer: page(`${card} issuance_fee_usd exchange_rate created_at`),
    valid: { per_page: 1 },
    broken: [["per_page", 0, 101]]
  },
  "Cardholders.list": {
    route: ["GET", "/cardholders", "virtual_cards.users.read"],
    query: "per_page",
    answer: page("id provider_reference environment created_at"),
    valid: { per_page: 1 },
    broken: [["per_page", 0, 101]]
  },
  "Cardholders.get": {
    route: ["GET", "/cardholders/:virtualCardCustomer", "virtual_cards.users.read"],
    answer:
      "reference first_name last_name email country_code contact dob billing_name is_business billing_address billing_city billing_country billing_state billing_postal_code id_number"
  },
  "Catalogue.list": {
    route: ["GET", "/services", "bearer"],
    answer: `environment ${within("services", "country.code country.name currency.code currency.name operation payment_method available")}`
  }
}

/** Names in one text, sorted. */
export const names = (text = ""): ReadonlyArray<string> => text.split(" ").filter(Boolean).sort()
