// Uses the command with `fetch` only, as a program in another language would.
import { assert, describe, it } from "vitest"
import * as command from "./utils/command.js"

const day = 86_400

const connect = async () => {
  const started = await command.start(["--quiet"])
  const { MANILLA_AUTH_URL: authUrl, MANILLA_BASE_URL: baseUrl } = started.exported
  let token = ""

  const send = async (method: string, url: string, body?: unknown, headers = {}) => {
    const response = await fetch(url, {
      method,
      headers: { accept: "application/json", "content-type": "application/json", ...headers },
      body: body === undefined ? null : JSON.stringify(body)
    })
    const text = await response.text()
    return { status: response.status, json: text === "" ? undefined : JSON.parse(text) }
  }

  /** A call to the service. Returns `data` of a success, and the error code of a failure. */
  const service = async (method: string, path: string, body?: unknown, key?: string) => {
    const { json, status } = await send(method, baseUrl + path, body, {
      authorization: `Bearer ${token}`,
      ...(key === undefined ? {} : { "idempotency-key": key })
    })
    return { status, data: json.data, code: json.data.error?.code }
  }

  const control = (method: string, path: string, body?: unknown) =>
    send(method, `${started.origin}/_sandbox${path}`, body)

  const authenticate = async () => {
    const { json, status } = await send("POST", `${authUrl}/auth/application/token`, {
      client_id: started.exported["MANILLA_CLIENT_ID"],
      client_secret: started.exported["MANILLA_CLIENT_SECRET"]
    })
    token = json.data.access_token
    return status
  }

  return { ...started, authenticate, control, send, service }
}

const payment = {
  country: "BJ",
  amount: "1500",
  currency: "XOF",
  operation: "COLLECTION",
  payment_method: "mtn_momo",
  payer: { phone_number: "+2290100000000" }
}

describe("a program without a library", () => {
  it("reaches every operation, and causes what a test needs", async () => {
    const { authenticate, control, origin, send, service, stop } = await connect()
    assert.strictEqual(await authenticate(), 200)
    assert.strictEqual((await control("GET", "/health")).json.status, "ready")

    // A lost response: the retry with the same key returns the payment that the first request made.
    await control("POST", "/faults", {
      fault: "drop_after",
      operation: "Payments.create",
      field: { name: "amount", value: "1500" }
    })
    await service("POST", "/payments", payment, "order-1").then(
      () => assert.fail("the response was not lost"),
      () => {}
    )
    const paid = await service("POST", "/payments", payment, "order-1")
    assert.strictEqual(paid.status, 201)
    const [retried, lost] = (await control("GET", "/requests?limit=2")).json
    assert.deepStrictEqual(
      [lost.ending, lost.fault, lost.replay],
      ["response lost", "drop_after", false]
    )
    assert.deepStrictEqual([retried.status, retried.replay, retried.body], [201, true, null])

    const settled = await control("POST", `/resources/${paid.data.id}/settle`)
    assert.strictEqual(settled.json.status, "COMPLETED")
    assert.strictEqual((await service("GET", `/payments/${paid.data.id}`)).data.status, "COMPLETED")
    const transactions = await service("GET", "/transactions")
    assert.strictEqual(transactions.data.total, 1)
    const { reference } = transactions.data.data[0]
    assert.strictEqual(
      (await service("GET", `/transactions/${reference}`)).data.net_amount,
      "1477.5000"
    )

    // A refund.
    const refund = await control("POST", "/refunds", { transaction: reference, amount: "500" })
    assert.strictEqual(refund.status, 201)
    await control("POST", "/clock/advance", { seconds: 10 })
    const refunded = await service("GET", `/refunds/${refund.json.reference}`)
    assert.strictEqual(refunded.data.status, "COMPLETED")

    // A failed payout returns its funds.
    const wallets = (await control("GET", "/wallets")).json
    const wallet = wallets.find((one: { currency: string }) => one.currency === "XOF")
    const payout = await service(
      "POST",
      "/payouts",
      {
        wallet_id: wallet.id,
        amount: "1000",
        currency: "XOF",
        country: "BJ",
        payment_method: "mtn_momo",
        destination: "+2290100000000"
      },
      "payout-1"
    )
    assert.strictEqual(payout.data.status, "PENDING")
    await control("POST", `/resources/${payout.data.reference}/settle`, { status: "FAILED" })
    assert.strictEqual(
      (await service("GET", `/payouts/${payout.data.reference}`)).data.status,
      "FAILED"
    )
    assert.deepStrictEqual((await control("GET", "/wallets")).json, wallets)

    // A link that is used up, and one that expires within a day.
    const tomorrow = Date.parse((await control("GET", "/clock")).json.now) + day * 1000
    const link = {
      amount: "2000",
      currency: "XOF",
      country: "BJ",
      description: "Shoes",
      max_uses: 1
    }
    const used = await service("POST", "/payment-links", link)
    const expiring = await service("POST", "/payment-links", {
      ...link,
      expires_at: new Date(tomorrow - 60_000).toISOString()
    })
    const payer = { phone_number: "+2290100000000" }
    assert.strictEqual(
      (await control("POST", `/payment-links/${used.data.id}/pay`, payer)).status,
      200
    )
    const again = await control("POST", `/payment-links/${used.data.id}/pay`, payer)
    assert.deepStrictEqual([again.status, again.json.code], [422, "LINK_NOT_ACTIVE"])

    // A day passes: the link and the token expire.
    const { now } = (await control("POST", "/clock/advance", { seconds: day })).json
    assert.isAtLeast(Date.parse(now), tomorrow)
    assert.strictEqual((await service("GET", "/services")).status, 401)
    assert.strictEqual(await authenticate(), 200)
    assert.strictEqual(
      (await service("GET", `/payment-links/${expiring.data.id}`)).data.status,
      "EXPIRED"
    )
    assert.strictEqual(
      (await service("GET", `/payment-links/${used.data.id}`)).data.status,
      "INACTIVE"
    )
    assert.strictEqual((await service("GET", "/payment-links?status=ACTIVE")).data.total, 0)

    // A card.
    const [holder] = (await service("GET", "/cardholders")).data.data
    assert.strictEqual((await service("GET", `/cardholders/${holder.id}`)).status, 200)
    const card = await service("POST", "/cards", {
      customer_id: holder.id,
      wallet_id: wallet.id,
      idempotency_key: "card-1",
      debit_currency: "XOF",
      initial_balance: "10"
    })
    assert.strictEqual(card.data.reservation.status, "CAPTURED")
    assert.strictEqual((await service("GET", "/cards")).data.total, 1)
    assert.isAbove((await service("GET", "/services")).data.services.length, 0)

    // Every operation of the OpenAPI document was used.
    const document = (await send("GET", `${origin}/openapi.json`)).json
    const declared = Object.values<Record<string, { operationId?: string }>>(document.paths)
      .flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId))
      .filter((id) => id !== undefined)
    const requests = (await control("GET", "/requests?limit=1000")).json
    const reached = new Set(
      requests
        .filter(({ status }: { status: number | null }) => status === 200 || status === 201)
        .map(({ operation }: { operation: string }) => operation)
    )
    assert.lengthOf(declared, 16)
    assert.deepStrictEqual(Array.from(reached).sort(), declared.sort())
    assert.strictEqual((await stop()).code, 0)
  })
})
