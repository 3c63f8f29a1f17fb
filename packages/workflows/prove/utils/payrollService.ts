/** A service of payouts that answers at once, keeps a million keys in little memory, and injects faults. */
import * as Effect from "effect/Effect"
import * as http from "node:http"
import { text } from "node:stream/consumers"
import { listen } from "./listen.js"
import * as payroll from "./payrollRows.js"

const faults = ["answer lost", "503 before", "503 after"] as const
type Fault = (typeof faults)[number] | "429"

const faultRate = 1 / 500
/** The share of the payouts that are pending at the first look. */
const slowRate = 1 / 30
/** About once in a minute of a large payroll. A small one meets one storm too. */
const requestsPerStorm = (rows: number) => Math.min(60_000, rows)

/** The members of a request that are kept. */
interface Paid {
  readonly amount: string
  readonly destination: string
}

/** A payout, which was applied. */
interface Made extends Paid {
  readonly key: string
  isSlow: boolean
}

const token = {
  access_token: "t".repeat(600),
  expires_in: 3600,
  token_type: "Bearer",
  environment: "SANDBOX",
  scope: "withdrawals.read withdrawals.write"
}

const prefix = "PYT-"

const payoutOf = (number: number, { amount, destination }: Paid, status: string) => ({
  reference: `${prefix}${number}`,
  status,
  amount: `${amount}.0000`,
  currency: "XOF",
  country: "BJ",
  payment_method: "mtn_momo",
  destination
})

const answer = (response: http.ServerResponse, status: number, data: object) => {
  const body = { success: status < 400, data, meta: { correlation_id: null } }
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
}

const refuse = (response: http.ServerResponse, status: number) =>
  answer(response, status, { error: { code: "REFUSED", message: "by the test" } })

export const make = (rows: number) =>
  Effect.gen(function* () {
    const random = yield* Effect.random
    const draw = () => Effect.runSync(random.next)
    const all: Array<Made> = []
    const numbers = new Map<string, number>()
    const injected = new Map<Fault, number>()
    const violations: Array<string> = []
    let creations = 0
    let requests = 0
    let stormEndsMillis = 0

    const nextFault = (): Fault | undefined => {
      const now = Date.now()
      if (requests % requestsPerStorm(rows) === 0) stormEndsMillis = now + 1_000 * (1 + draw())
      const other = draw() < faultRate ? faults[Math.floor(draw() * faults.length)] : undefined
      const fault = now < stormEndsMillis ? "429" : other
      if (fault !== undefined) injected.set(fault, (injected.get(fault) ?? 0) + 1)
      return fault
    }

    /** Applies a key once, and returns the number of its payout. */
    const apply = (key: string, { amount, destination }: Paid): number => {
      const number = numbers.get(key) ?? all.length
      const earlier = all[number]
      if (earlier === undefined) {
        numbers.set(key, number)
        all.push({ key, amount, destination, isSlow: draw() < slowRate })
      } else if (earlier.amount !== amount || earlier.destination !== destination) {
        violations.push(`${key} came with two bodies`)
      }
      return number
    }

    /** The status at a look. */
    const statusOf = (made: Made): string => {
      const status = made.isSlow ? "PENDING" : "COMPLETED"
      made.isSlow = false
      return status
    }

    const serve = async (request: http.IncomingMessage, response: http.ServerResponse) => {
      const { headers, method, url = "" } = request
      const body = await text(request)
      if (url.endsWith("/token")) return answer(response, 200, token)
      const isCreation = method === "POST"
      requests++
      if (isCreation) creations++
      const fault = nextFault()
      if (fault === "429") return refuse(response, 429)
      if (fault === "503 before") return refuse(response, 503)
      const number = isCreation
        ? apply(String(headers["idempotency-key"]), JSON.parse(body))
        : Number(url.slice(url.lastIndexOf(prefix) + prefix.length))
      if (fault === "503 after") return refuse(response, 503)
      const made = fault === "answer lost" ? undefined : all[number]
      if (made === undefined) return void request.socket.destroy()
      if (isCreation) answer(response, 201, payoutOf(number, made, "PENDING"))
      else answer(response, 200, payoutOf(number, made, statusOf(made)))
    }

    const server = http.createServer((request, response) => {
      // The process that sent it may have been killed.
      serve(request, response).catch(() => request.socket.destroy())
    })
    const port = yield* listen(server, () => server.closeAllConnections())
    const url = `http://127.0.0.1:${port}/api/v1`
    return {
      credentials: { baseUrl: url, authUrl: url, clientId: "payroll", clientSecret: "secret" },
      /** How many payouts were applied, each under a key of its own. */
      applied: () => all.length,
      creations: () => creations,
      /** Creations and looks, repeated ones included. */
      requests: () => requests,
      injected: () => Object.fromEntries(injected),
      sum: () =>
        all.reduce(
          (sum, { amount, key }, number) => payroll.add(sum, key, `${prefix}${number}`, amount),
          payroll.noPayouts
        ),
      violations
    }
  })
