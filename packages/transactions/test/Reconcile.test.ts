import { assert, describe, it } from "@effect/vitest"
import * as Amount from "@manilla/core/Amount"
import * as Reconcile from "@manilla/transactions/Reconcile"

const asked = (key: string, amount = "1000"): Reconcile.Asked => ({
  key,
  amount: Amount.Amount.make(amount),
  currency: "XOF"
})

const found = (key: string | undefined, change: Partial<Reconcile.Found> = {}) => ({
  ...asked(key ?? ""),
  key,
  id: `id of ${key}`,
  status: "COMPLETED",
  ...change
})

describe("compare", () => {
  it("matches an item with one resource and one transaction, whatever the digits of its amount", () => {
    const report = Reconcile.compare({
      asked: [asked("a"), asked("b")],
      resources: [found("b"), found("a", { amount: Amount.Amount.make("1000.0000") })],
      transactions: [found("a"), found("b")]
    })
    assert.deepStrictEqual(report, { matched: ["a", "b"], differences: [] })
  })

  it("names each difference, and matches nothing that has one", () => {
    const other = { amount: Amount.Amount.make("1000.000000000001") }
    const unknown = found(undefined, { id: "id of nobody" })
    const { differences, matched } = Reconcile.compare({
      asked: [asked("a"), asked("b"), asked("c"), asked("d"), asked("e"), asked("e")],
      resources: [found("b"), found("b", { id: "2" }), found("c", other), found("d"), found("e")],
      transactions: [
        found("a"),
        found("b"),
        found("c", { currency: "XAF" }),
        found("d", { status: "FAILED" }),
        found("e"),
        found("z"),
        unknown
      ]
    })
    assert.deepStrictEqual(matched, [])
    assert.deepStrictEqual(differences, [
      { is: "missing", in: "resources", key: "a" },
      { is: "repeated", in: "resources", key: "b", ids: ["id of b", "2"] },
      { is: "amountDiffers", in: "resources", asked: asked("c"), found: found("c", other) },
      {
        is: "amountDiffers",
        in: "transactions",
        asked: asked("c"),
        found: found("c", { currency: "XAF" })
      },
      {
        is: "notCompleted",
        in: "transactions",
        asked: asked("d"),
        found: found("d", { status: "FAILED" })
      },
      { is: "askedTwice", key: "e" },
      { is: "orphaned", in: "transactions", found: found("z") },
      { is: "orphaned", in: "transactions", found: unknown }
    ])
  })

  it.each(["PENDING", "FAILED", "REVERSED"])("does not take %s for COMPLETED", (status) => {
    const [resource, transaction] = [found("a", { status }), found("a")]
    const input = { asked: [asked("a")], resources: [resource], transactions: [transaction] }
    assert.deepStrictEqual(Reconcile.compare(input), {
      matched: [],
      differences: [{ is: "notCompleted", in: "resources", asked: asked("a"), found: resource }]
    })
  })

  it("counts a row once that a list returns twice, also if nobody asked for it", () => {
    const orphan = found("z")
    const { differences, matched } = Reconcile.compare({
      asked: [asked("a")],
      resources: [found("a"), found("a")],
      transactions: [found("a"), orphan, found("a"), { ...orphan }]
    })
    assert.deepStrictEqual(matched, ["a"])
    assert.deepStrictEqual(differences, [{ is: "orphaned", in: "transactions", found: orphan }])
  })

  it.each([{ amount: Amount.Amount.make("999") }, { currency: "XAF" }, { status: "FAILED" }])(
    "keeps two rows with one id, of which one has %o",
    (change) => {
      const { differences } = Reconcile.compare({
        asked: [asked("a")],
        resources: [found("a")],
        transactions: [found("a"), found("a", change)]
      })
      assert.deepInclude(differences, {
        is: "repeated",
        in: "transactions",
        key: "a",
        ids: ["id of a", "id of a"]
      })
      assert.lengthOf(differences, 2)
    }
  )

  it("finds two errors that cancel out in the totals", () => {
    const more = { amount: Amount.Amount.make("1001") }
    const less = { amount: Amount.Amount.make("999") }
    const { differences } = Reconcile.compare({
      asked: [asked("a"), asked("b")],
      resources: [found("a", more), found("b", less)],
      transactions: [found("a", more), found("b", less)]
    })
    assert.lengthOf(differences, 4)
  })
})
