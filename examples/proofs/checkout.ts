/**
 * A checkout without a framework and without Manilla: orders in files, and `fetch`. `express.ts` serves it.
 */
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"

const { env } = process

interface Order {
  readonly id: string
  readonly state: "open" | "paid" | "not paid" | "review"
  /** Stored before anything is sent. */
  readonly key: string
  readonly sends: number
  readonly payment?: string | undefined
}

mkdirSync("orders", { recursive: true })

const fileOf = (id: string) => `orders/${encodeURIComponent(id)}.json`

export const find = (id: string): Order | undefined => {
  try {
    return JSON.parse(readFileSync(fileOf(id), "utf8"))
  } catch {
    return undefined
  }
}

const store = (order: Order): Order => {
  writeFileSync(`${fileOf(order.id)}.new`, JSON.stringify(order))
  renameSync(`${fileOf(order.id)}.new`, fileOf(order.id))
  return order
}

const call = async (method: string, url: string, body?: unknown, headers = {}) => {
  const response = await fetch(url, {
    method,
    headers: { "content-type": "application/json", ...headers },
    body: body === undefined ? null : JSON.stringify(body),
    signal: AbortSignal.timeout(1000)
  })
  const { data } = (await response.json()) as { readonly data: Readonly<Record<string, string>> }
  return { status: response.status, data }
}

let token: Promise<string> | undefined

const obtain = async () => {
  const { MANILLA_AUTH_URL, MANILLA_CLIENT_ID, MANILLA_CLIENT_SECRET } = env
  const { data } = await call("POST", `${MANILLA_AUTH_URL}/auth/application/token`, {
    client_id: MANILLA_CLIENT_ID,
    client_secret: MANILLA_CLIENT_SECRET
  })
  if (data["access_token"] === undefined) throw new Error("there is no token")
  return data["access_token"]
}

const authorised = async (method: string, path: string, body?: unknown, headers = {}) => {
  const bearer = await (token ??= obtain()).catch((error: unknown) => {
    token = undefined
    throw error
  })
  const authorization = `Bearer ${bearer}`
  const answer = await call(method, `${env["MANILLA_BASE_URL"]}${path}`, body, {
    ...headers,
    authorization
  })
  if (answer.status === 401) token = undefined
  return answer
}

const request = {
  operation: "COLLECTION",
  country: "BJ",
  amount: "1500",
  currency: "XOF",
  payment_method: "mtn_momo",
  payer: { phone_number: "+2290161234567" }
}

/** Sends the stored request, the first time or again. */
const send = async (given: Order) => {
  const order = store({ ...given, sends: given.sends + 1 })
  const { data, status } = await authorised("POST", "/payments", request, {
    "idempotency-key": order.key
  })
  if (status === 201 && Number(data["amount"]) === 1500) store({ ...order, payment: data["id"] })
  // A refusal says nothing about an earlier request.
  else if (status === 422) store({ ...order, state: order.sends === 1 ? "not paid" : "review" })
}

const read = async (order: Order) => {
  const { data, status } = await authorised("GET", `/payments/${order.payment}`)
  if (status !== 200 || data["id"] !== order.payment || data["status"] === "PENDING") return
  store({ ...order, state: data["status"] === "COMPLETED" ? "paid" : "review" })
}

/** The requests that are under way, so that one order has one. */
const busy = new Map<string, Promise<void>>()

const step = (order: Order): Promise<void> => {
  const running =
    busy.get(order.id) ??
    (order.payment === undefined ? send(order) : read(order))
      .catch((error: unknown) => console.warn(String(error)))
      .finally(() => busy.delete(order.id))
  busy.set(order.id, running)
  return running
}

/** The buyer presses “pay”. They never read that nothing was paid while money may move. */
export const pay = async (id: string) => {
  const order = find(id) ?? store({ id, state: "open", key: `order:${id}`, sends: 0 })
  if (order.state === "open" && order.payment === undefined) {
    // The planted mistake of the guide: a new key for each press.
    await step(env["NEW_KEY"] === undefined ? order : { ...order, key: crypto.randomUUID() })
  }
  return { order: id, state: find(id)?.state }
}

/** The worker continues each open order. */
export const work = async () => {
  for (;;) {
    for (const name of readdirSync("orders")) {
      const order = name.endsWith(".json") ? find(decodeURIComponent(name.slice(0, -5))) : undefined
      if (order?.state === "open") void step(order)
    }
    await sleep(200)
  }
}
