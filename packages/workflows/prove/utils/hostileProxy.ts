/** An HTTP proxy before the service that cuts, halves, delays and repeats some of the requests. */
import * as Effect from "effect/Effect"
import type * as Random from "effect/Random"
import * as http from "node:http"
import { buffer } from "node:stream/consumers"
import { setTimeout as sleep } from "node:timers/promises"
import { listen } from "./listen.js"

export interface HostileProxy {
  /** The address of the proxy, with the path of the service. */
  readonly url: string
  /** How many requests met a trick. */
  readonly tricks: () => number
  /** From now on, it passes on what it gets. */
  readonly calm: Effect.Effect<void>
}

const tricks = ["cut before", "cut after", "halve", "delay", "repeat"] as const

/** The share of the requests that meet a trick. */
const hostility = 0.2

export interface Options {
  /** The share of the other requests whose answer is lost. */
  readonly lost?: number
  /** The share of requests that are refused although an earlier one with the same key was applied. */
  readonly refused?: number
}

/** Longer than an attempt of the workers may take. */
const longestDelayMillis = 3_000

/** Forwards a request, and returns the whole answer. */
const forward = async (to: URL, { headers, method, url }: http.IncomingMessage, body: Buffer) => {
  const sent = http.request(new URL(url ?? "/", to), { method, headers })
  sent.end(body)
  const answer = await new Promise<http.IncomingMessage>((resolve, reject) =>
    sent.once("response", resolve).once("error", reject)
  )
  return { status: answer.statusCode ?? 502, headers: answer.headers, body: await buffer(answer) }
}

export const make = (to: URL, random: Random.Random, { lost = 0, refused = 0 }: Options = {}) =>
  Effect.gen(function* () {
    const applied = new Set<string>()
    let isHostile = true
    let count = 0
    const draw = () => Effect.runSync(random.next)

    const serve = async (request: http.IncomingMessage, response: http.ServerResponse) => {
      const body = await buffer(request)
      const key = request.headers["idempotency-key"]
      if (isHostile && typeof key === "string" && applied.has(key) && draw() < refused) {
        count++
        response.writeHead(422, { "content-type": "application/json" })
        return void response.end(JSON.stringify({ message: "refused" }))
      }
      const isTrick = isHostile && draw() < hostility
      const isLost = isHostile && !isTrick && draw() < lost
      const trick = isTrick
        ? tricks[Math.floor(draw() * tricks.length)]
        : isLost
          ? "cut after"
          : undefined
      if (trick !== undefined) count++
      if (trick === "cut before") return void request.socket.destroy()
      const answers = [forward(to, request, body)]
      if (trick === "repeat") answers.push(forward(to, request, body))
      const last = (await Promise.all(answers)).at(-1)
      if (typeof key === "string" && last?.status === 201) applied.add(key)
      if (trick === "cut after" || last === undefined) return void request.socket.destroy()
      if (trick === "delay") await sleep(draw() * longestDelayMillis)
      response.writeHead(last.status, last.headers)
      if (trick === "halve") {
        const half = last.body.subarray(0, last.body.length / 2)
        response.write(half, () => request.socket.destroy())
      } else response.end(last.body)
    }

    const server = http.createServer((request, response) => {
      // The service closes the connection of a request that meets a fault.
      serve(request, response).catch(() => request.socket.destroy())
    })
    const port = yield* listen(server, () => server.closeAllConnections())
    const proxy: HostileProxy = {
      url: `http://127.0.0.1:${port}${to.pathname}`,
      tricks: () => count,
      calm: Effect.sync(() => {
        isHostile = false
      })
    }
    return proxy
  })
