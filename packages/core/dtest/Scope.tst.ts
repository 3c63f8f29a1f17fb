import type { Operation } from "@manilla/core"
import { expect, test } from "tstyche"

test("the scopes are those of section 5.2", () => {
  expect<Operation.Scope>().type.toBe<
    | "payments.read"
    | "payments.write"
    | "transactions.read"
    | "withdrawals.read"
    | "withdrawals.write"
    | "refunds.read"
    | "refunds.write"
    | "payment_links.read"
    | "payment_links.write"
    | "virtual_cards.users.read"
    | "virtual_cards.users.write"
    | "virtual_cards.cards.read"
    | "virtual_cards.cards.sensitive.read"
    | "virtual_cards.cards.write"
    | "virtual_cards.cards.manage"
  >()
})
