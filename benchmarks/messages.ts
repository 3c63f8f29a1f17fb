// The requests and responses of all benchmarks.

export const operations = ["create", "list"] as const

export type Operation = (typeof operations)[number]

export const rows = 100

/** The token that every client sends. Manilla requests it from the token endpoint. */
export const token = `eyJhbGciOiJSUzI1NiJ9.${"t".repeat(600)}.${"s".repeat(342)}`

export const correlationId = "5f0c2a34-8b1d-4e6f-9a7b-3c2d1e0f9a8b"

const hex = (number: number, length: number): string => number.toString(16).padStart(length, "0")

/** A UUID derived from a number. */
export const uuid = (number: number): string => `0b9b8a3e-6c5f-4d1e-9b8a-${hex(number, 12)}`

/** A request with ten leaf fields. */
export const payment = {
  country: "BJ",
  amount: "1500",
  currency: "XOF",
  operation: "COLLECTION",
  payment_method: "mtn_momo",
  payer: { phone_number: "+2290161234567", lang: "fr" },
  description: "Order 42, two pairs of shoes",
  metadata: { order: "42" },
  expires_at: "2030-01-31T12:00:00.000000Z"
} as const

const readPayment = {
  id: uuid(1),
  reference: "PAY-IBFDJXKEBBJK",
  country: payment.country,
  amount: "1500.0000",
  currency: payment.currency,
  operation: payment.operation,
  payment_method: payment.payment_method,
  environment: "SANDBOX",
  status: "PENDING",
  metadata: payment.metadata,
  created_at: "2026-01-31T12:00:00.123456Z",
  updated_at: "2026-01-31T12:00:00.123456Z"
} as const

const createdPayment = {
  ...readPayment,
  account_id: uuid(2),
  application_id: uuid(3),
  description: payment.description,
  expires_at: payment.expires_at
} as const

const transaction = (number: number) => ({
  id: uuid(1000 + number),
  reference: `TRX-IBFDJXKEBB${hex(number, 2)}`,
  operation: "COLLECTION",
  amount: `${1500 + number}.0000`,
  fee_amount: "22.5000",
  net_amount: `${1477 + number}.5000`,
  currency: "XOF",
  country: "BJ",
  environment: "SANDBOX",
  status: "COMPLETED",
  completed_at: `2026-01-31T12:00:${String(number % 60).padStart(2, "0")}.654321Z`,
  created_at: "2026-01-31T12:00:00.123456Z"
})

const page = {
  current_page: 1,
  data: Array.from({ length: rows }, (_, number) => transaction(number)),
  per_page: rows,
  total: rows
}

const envelope = (data: unknown): string =>
  JSON.stringify({ success: true, data, meta: { correlation_id: correlationId } })

/** The base path, which contains the version segment. */
export const root = "/api/v1"

export const tokenPath = "/auth/application/token"

/** The request of an operation, and the status of its response. */
interface Exchange {
  readonly method: "GET" | "POST"
  readonly path: string
  readonly status: number
}

export const exchanges: Readonly<Record<Operation, Exchange>> = {
  create: { method: "POST", path: `${root}/payments`, status: 201 },
  list: { method: "GET", path: `${root}/transactions?per_page=${rows}`, status: 200 }
}

export const payout = {
  wallet_id: uuid(4),
  amount: "250000",
  currency: "XOF",
  country: "BJ",
  payment_method: "mtn_momo",
  destination: "+2290161234567"
} as const

const payoutReference = "PYT-IBFDJXKEBBJK"

/** A payout, as it is created or read. */
const payoutWith = (status: "COMPLETED" | "PENDING") => ({
  ...payout,
  id: uuid(5),
  reference: payoutReference,
  amount: "250000.0000",
  status,
  created_at: "2026-01-31T12:00:00.123456Z"
})

const issuedToken = {
  access_token: token,
  expires_in: 3600,
  token_type: "Bearer",
  environment: "SANDBOX",
  scope: "payments.read payments.write payouts.read payouts.write transactions.read"
}

const ok = (data: unknown) => ({ status: "200 OK", body: envelope(data) })
const created = (data: unknown) => ({ status: "201 Created", body: envelope(data) })
const routeOf = (operation: Operation) =>
  `${exchanges[operation].method} ${exchanges[operation].path}`

/** The response to each request of the server, by method and path. */
export const answers = {
  [routeOf("create")]: created(createdPayment),
  [routeOf("list")]: ok(page),
  [`POST ${root}/payouts`]: created(payoutWith("PENDING")),
  [`GET ${root}/payouts/${payoutReference}`]: ok(payoutWith("COMPLETED")),
  [`POST ${root}${tokenPath}`]: ok(issuedToken),
  // The least that stripe-node takes.
  "POST /v1/payment_intents": { status: "200 OK", body: '{"id":"pi_1","object":"payment_intent"}' }
}

/** The headers of a request, except its content-length. */
export const headersOf = (operation: Operation): Record<string, string> => ({
  accept: "application/json",
  authorization: `Bearer ${token}`,
  "x-correlation-id": correlationId,
  ...(operation === "create"
    ? { "content-type": "application/json", "idempotency-key": nextKey() }
    : {})
})

let keys = 0

/** A new key. */
export const nextKey = (): string => `bench:order:${++keys}`
