/**
 * The tables of the service's interface, written by hand. The declarations must match them, because
 * everything else is derived from the declarations and would repeat their mistakes.
 */
import { assert, describe, it } from "@effect/vitest"
import * as ServiceApi from "@manilla/service/ServiceApi"
import type * as Schema from "effect/Schema"
import type * as AST from "effect/SchemaAST"

/** Section 4: method, path and scope; "bearer" if the scope is not documented. */
const operations = {
  "Token.obtain": ["POST", "/auth/application/token", "credentials"],
  "Payments.create": ["POST", "/payments", "payments.write"],
  "Payments.get": ["GET", "/payments/:paymentIntent", "payments.read"],
  "Transactions.list": ["GET", "/transactions", "transactions.read"],
  "Transactions.get": ["GET", "/transactions/:reference", "transactions.read"],
  "Payouts.create": ["POST", "/payouts", "bearer"],
  "Payouts.get": ["GET", "/payouts/:reference", "bearer"],
  "Refunds.get": ["GET", "/refunds/:reference", "refunds.read"],
  "PaymentLinks.create": ["POST", "/payment-links", "payment_links.write"],
  "PaymentLinks.list": ["GET", "/payment-links", "payment_links.read"],
  "PaymentLinks.get": ["GET", "/payment-links/:paymentLink", "payment_links.read"],
  "Cards.issue": ["POST", "/cards", "virtual_cards.cards.write"],
  "Cards.list": ["GET", "/cards", "virtual_cards.cards.read"],
  "Cardholders.list": ["GET", "/cardholders", "virtual_cards.users.read"],
  "Cardholders.get": ["GET", "/cardholders/:virtualCardCustomer", "virtual_cards.users.read"],
  "Catalogue.list": ["GET", "/services", "bearer"]
} as const

/** The location of the key (sections 4.1, 4.5 and 4.11), or none (section 4.8). */
const keys: Record<string, string> = {
  "Payments.create": "header idempotency-key",
  "Payouts.create": "header idempotency-key",
  "Cards.issue": "body idempotency_key",
  "PaymentLinks.create": "none"
}

/** Decision 6: the compared members of a response, the comparison, and the path in the response. */
const compared: Record<string, string> = {
  "Payments.create": "amount:amount currency:code operation:kind",
  "Payouts.create": "amount:amount currency:code destination:phone",
  "PaymentLinks.create": "amount:amount currency:code",
  "Cards.issue":
    "idempotency_key:text=card.issuance_reference debit_currency:code=card.charged_currency"
}

const page = (row: string) => ["current_page", ...members("data", row), "per_page", "total"]
const members = (parent: string, names: string) =>
  names.split(" ").map((name) => `${parent}.${name}`)

const payment =
  "id reference country amount currency operation payment_method environment status metadata created_at updated_at"
const transaction =
  "id reference operation amount fee_amount net_amount currency country environment status completed_at created_at"
const link =
  "id reference amount currency country description status max_uses use_count checkout_url expires_at"
const card =
  "id virtual_card_customer_id provider_reference issuance_reference charged_amount charged_currency environment card_sequence"

/** Section 2, and 5.1 for the token: the members of `data`. */
const answers: Record<keyof typeof operations, ReadonlyArray<string>> = {
  "Token.obtain": ["access_token", "expires_in", "token_type", "environment", "scope"],
  "Payments.create": [
    ...payment.split(" "),
    "account_id",
    "application_id",
    "description",
    "expires_at"
  ],
  "Payments.get": payment.split(" "),
  "Transactions.list": page(transaction),
  "Transactions.get": [...transaction.split(" "), "provider_reference", "metadata"],
  "Payouts.create":
    "id reference wallet_id amount currency country payment_method destination status created_at".split(
      " "
    ),
  "Payouts.get":
    "id reference amount currency country payment_method destination status provider_reference created_at updated_at".split(
      " "
    ),
  "Refunds.get": "id reference amount reason provider_reference status created_at updated_at".split(
    " "
  ),
  "PaymentLinks.create": [...link.split(" "), "created_at"],
  "PaymentLinks.list": page(`${link} created_at`),
  "PaymentLinks.get": [...link.split(" "), "metadata"],
  "Cards.issue": [
    ...members("card", card),
    "pricing.card_currency",
    "pricing.card_creation_fee_usd",
    "pricing.wallet_debit.amount",
    "pricing.wallet_debit.currency",
    "reservation.reference",
    "reservation.status"
  ],
  "Cards.list": page(`${card} issuance_fee_usd exchange_rate created_at`),
  "Cardholders.list": page("id provider_reference environment created_at"),
  "Cardholders.get":
    "reference first_name last_name email country_code contact dob billing_name is_business billing_address billing_city billing_country billing_state billing_postal_code id_number".split(
      " "
    ),
  "Catalogue.list": [
    "environment",
    ...members(
      "services",
      "country.code country.name currency.code currency.name operation payment_method available"
    )
  ]
}

/** Sections 4.1, 4.5, 4.8, 4.11 and 5.1: the fields of bodies. */
const bodies: Record<string, string> = {
  "Token.obtain": "client_id client_secret",
  "Payments.create":
    "country amount currency operation payment_method payer.phone_number payer.otp_code payer.lang description metadata expires_at",
  "Payouts.create": "wallet_id amount currency country payment_method destination metadata",
  "PaymentLinks.create":
    "amount currency country description max_uses expires_at success_url failure_url metadata",
  "Cards.issue":
    "customer_id wallet_id idempotency_key debit_currency initial_balance category grade"
}

/** Sections 4.3, 4.9, 4.12 and 4.13: the query parameters of lists. */
const queries: Record<string, string> = {
  "Transactions.list": "per_page status currency environment",
  "PaymentLinks.list": "per_page status",
  "Cards.list": "per_page",
  "Cardholders.list": "per_page"
}

/** Section 4.1: headers beside the token. */
const headers: Record<string, string> = {
  "Payments.create": "idempotency-key x-correlation-id",
  "Payouts.create": "idempotency-key"
}

/** The paths of the leaves of a schema, including array elements. */
const leaves = (ast: AST.AST, path = ""): ReadonlyArray<string> => {
  switch (ast._tag) {
    case "TypeLiteral":
      return ast.propertySignatures.flatMap(({ name, type }) =>
        leaves(type, path === "" ? String(name) : `${path}.${String(name)}`)
      )
    case "TupleType":
      return ast.rest.flatMap(({ type }) => leaves(type, path))
    case "Union": {
      const found = ast.types
        .filter((type) => type._tag !== "UndefinedKeyword" && type._tag !== "Literal")
        .flatMap((type) => leaves(type, path))
      return found.length === 0 ? [path] : Array.from(new Set(found))
    }
    case "Refinement":
      return leaves(ast.from, path)
    default:
      return [path]
  }
}

const sorted = (names: Iterable<string>) => Array.from(names).sort()
const fields = (schema: Schema.Schema.AnyNoContext | undefined) =>
  schema === undefined ? [] : sorted(leaves(schema.ast))
const listed = (names: string | undefined) => (names === undefined ? [] : sorted(names.split(" ")))

it("the declared operations are those of section 4, and no other", () => {
  assert.deepStrictEqual(sorted(ServiceApi.operations.keys()), sorted(Object.keys(operations)))
})

for (const [name, [method, path, access]] of Object.entries(operations)) {
  describe(name, () => {
    const operation = ServiceApi.operations.get(name)
    if (operation === undefined) throw new Error(`${name} is not declared`)

    it("has the method, path and scope of section 4", () => {
      assert.deepStrictEqual(
        [operation.method, operation.path, operation.access],
        [method, path, access]
      )
    })

    it("has its key in the documented location", () => {
      const { replay } = operation
      const key =
        replay._tag === "Keyed"
          ? `${replay.in} ${replay.name}`
          : replay._tag === "Once"
            ? "none"
            : undefined
      assert.strictEqual(key, keys[name])
    })

    it("compares its response by amount, currency, beneficiary and key", () => {
      const { in: parent, members: checks = [] } = operation.checks ?? {}
      const shown = checks.map(({ as, field, member }) =>
        [`${field}:${as}`, ...(member === undefined ? [] : [`${parent ?? "data"}.${member}`])].join(
          "="
        )
      )
      assert.deepStrictEqual(shown, compared[name]?.split(" ") ?? [])
    })

    it("has the request fields of section 4", () => {
      assert.deepStrictEqual(fields(operation.payload), listed(bodies[name]))
      assert.deepStrictEqual(fields(operation.urlParams), listed(queries[name]))
      assert.deepStrictEqual(fields(operation.headers), listed(headers[name]))
    })

    it("has the response members of section 2", () => {
      assert.deepStrictEqual(
        fields(operation.success),
        sorted(answers[name as keyof typeof operations])
      )
    })
  })
}
