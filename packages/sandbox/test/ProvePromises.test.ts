import { IdempotencyKey } from "@manilla/core"
import * as Promises from "@manilla/promises/Promises"
import * as Prove from "@manilla/sandbox/Prove"
import { assert, describe, expect, it } from "vitest"

interface Order {
  state: Prove.Told
  sends: number
  payment: string | undefined
}

const body = {
  country: "BJ",
  amount: "1500",
  currency: "XOF",
  operation: "COLLECTION",
  payment_method: "mtn_momo",
  payer: { phone_number: "+2290161234567" }
}

/** A checkout that calls the service with `fetch` alone. */
const checkout = (mistake: { readonly isNewKey?: true; readonly isClosed?: true }) => ({
  store: (): Order => ({ state: "open", sends: 0, payment: undefined }),
  process: ({ authUrl, baseUrl, clientId, clientSecret, fetch }: Prove.Service, order: Order) => {
    const call = async (method: string, url: string, json?: unknown, headers = {}) => {
      const response = await fetch(url, {
        method,
        headers: { "content-type": "application/json", ...headers },
        ...(json === undefined ? {} : { body: JSON.stringify(json) }),
        signal: AbortSignal.timeout(10_000)
      })
      const { data } = (await response.json()) as { readonly data: Record<string, string> }
      return { status: response.status, data }
    }
    let token: string | undefined
    const authorised = async (method: string, path: string, json?: unknown, headers = {}) => {
      token ??= (
        await call("POST", `${authUrl}/auth/application/token`, {
          client_id: clientId,
          client_secret: clientSecret
        })
      ).data["access_token"]
      const answer = await call(method, baseUrl + path, json, {
        ...headers,
        authorization: `Bearer ${token}`
      })
      if (answer.status === 401) token = undefined
      return answer
    }
    const send = async () => {
      if (order.state !== "open" || order.payment !== undefined) return
      order.sends++
      const key = mistake.isNewKey ? crypto.randomUUID() : "order:42"
      const { data, status } = await authorised("POST", "/payments", body, {
        "idempotency-key": key
      })
      if (status === 201 && data["amount"] === "1500.0000") order.payment = data["id"]
      else if (status === 422 && order.sends > 1) order.state = "review"
      else if (status === 422) order.state = "not paid"
    }
    return {
      handle: () => send().catch(() => (mistake.isClosed ? "not paid" : undefined)),
      worker: async () => {
        await new Promise((resolve) => setTimeout(resolve, 500))
        if (order.payment === undefined) return send()
        if (order.state !== "open") return
        const { data, status } = await authorised("GET", `/payments/${order.payment}`)
        if (status !== 200 || data["id"] !== order.payment) return
        if (data["status"] === "COMPLETED") order.state = "paid"
        else if (data["status"] !== "PENDING") order.state = "review"
      }
    }
  },
  script: ["handle", "worker"] as const,
  pairs: 0,
  told: ({ state }: Order) => state
})

describe("a checkout with fetch", () => {
  it("passes, and the timers are real again", async () => {
    const before = [Date, setTimeout, AbortSignal.timeout]
    const proof = await Prove.everyFaultPromise(checkout({}))
    assert.isAbove(proof.runs, 100)
    assert.deepStrictEqual([Date, setTimeout, AbortSignal.timeout], before)
  }, 300_000)

  it("that makes a new key for each request is caught, and the run is repeated by its faults", async () => {
    const wrong = checkout({ isNewKey: true })
    const caught = await Prove.everyFaultPromise(wrong).catch(String)
    const [, run] =
      /Money moved twice[^]*?add \{ run: "(.+)", seed: 1, pairs: 0 \}/.exec(String(caught)) ?? []
    await expect(Prove.everyFaultPromise({ ...wrong, run })).rejects.toThrow(
      new RegExp(`^2 runs [^]*, ${run}\n[^]*Money moved twice for one order`)
    )
  }, 300_000)

  it("that says “not paid” after a lost response is caught", async () => {
    await expect(Prove.everyFaultPromise(checkout({ isClosed: true }))).rejects.toThrow(
      /told “not paid”, but the money could still move/
    )
  }, 300_000)
})

it("a checkout that is wrong without a fault says so, whatever run is asked for", async () => {
  const proof = Prove.everyFaultPromise({
    ...checkout({}),
    told: (): Prove.Told => "not paid",
    run: 45
  })
  await expect(proof).rejects.toThrow(
    /^1 run in [^]*Run 0, no fault\n[^]*told “not paid”[^]*\nFailed without a fault, so no fault was tried\.$/
  )
})

it("a checkout with @manilla/promises passes", async () => {
  const proof = await Prove.everyFaultPromise({
    store: () => ({ state: "open" as Prove.Told }),
    process: async (service, order) => {
      const { payments } = await Promises.make(service)
      const { operation: _, ...request } = body
      return {
        collect: async () => {
          const collected = await payments.collect(request, {
            key: IdempotencyKey.derive("order", "42")
          })
          if (!collected.ok) return
          order.state = collected.value.status === "COMPLETED" ? "paid" : "review"
        }
      }
    },
    script: ["collect"],
    pairs: 0,
    told: ({ state }) => state
  })
  assert.isAbove(proof.runs, 80)
}, 300_000)
