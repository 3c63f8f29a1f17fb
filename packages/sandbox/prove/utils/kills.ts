/**
 * Kills the command with SIGKILL while callers send payments and payouts, starts it again with the same data
 * file, and checks that everything that was answered is still there.
 */
import { strict as assert } from "node:assert"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as command from "./command.js"

export interface Options {
  readonly kills: number
  /** How many callers send requests at the same time. */
  readonly callers: number
}

interface Answered {
  readonly path: string
  readonly id: string
  readonly key: string
}

const json = async (response: Response) => {
  const body: unknown = await response.json()
  return body as { readonly data: Readonly<Record<string, string>> }
}

const post = (url: string, body: unknown, headers: Readonly<Record<string, string>> = {}) =>
  fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body)
  })

export const run = async ({ callers, kills }: Options) => {
  const folder = mkdtempSync(join(tmpdir(), "manilla-kills-"))
  const args = ["--quiet", "--settle-after", "50 millis", "--data", join(folder, "sandbox.data")]
  const answered: Array<Answered> = []
  try {
    for (let round = 0; round <= kills; round++) {
      const started = await command.start(args)
      const base = started.exported["MANILLA_BASE_URL"] ?? ""
      const token = await post(`${started.exported["MANILLA_AUTH_URL"]}/auth/application/token`, {
        client_id: started.exported["MANILLA_CLIENT_ID"],
        client_secret: started.exported["MANILLA_CLIENT_SECRET"]
      })
      const authorization = `Bearer ${(await json(token)).data["access_token"]}`
      await check(started.origin, base, authorization, answered)
      if (round === kills) {
        await started.stop()
        break
      }
      let isKilled = false
      const wallet = started.exported["MANILLA_WALLET_ID"] ?? ""
      const calling = Array.from({ length: callers }, async (_, caller) => {
        for (let count = 0; !isKilled; count++) {
          const key = `${round}-${caller}-${count}`
          const isPayout = count % 2 === 1
          const path = isPayout ? "/payouts" : "/payments"
          try {
            const response = await post(`${base}${path}`, isPayout ? payout(wallet) : payment, {
              authorization,
              "idempotency-key": key
            })
            const { data } = await json(response)
            const id = (isPayout ? data["reference"] : data["id"]) ?? ""
            answered.push({ path, id, key })
          } catch {
            // The kill ended the call, whose outcome is unknown.
            return
          }
        }
      })
      const before = answered.length
      // Under load from its first requests to some hundred, different in each round.
      const enough = before + 20 + ((round * 37) % 200)
      while (answered.length < enough) await new Promise((resolve) => setTimeout(resolve, 1))
      const ended = started.stop("SIGKILL")
      await ended
      isKilled = true
      await Promise.all(calling)
    }
    return { answered: answered.length }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const payment = {
  country: "BJ",
  amount: "1500",
  currency: "XOF",
  operation: "COLLECTION",
  payment_method: "mtn_momo",
  payer: { phone_number: "+2290100000000" }
}

const payout = (wallet_id: string) => ({
  wallet_id,
  amount: "10",
  currency: "XOF",
  country: "BJ",
  payment_method: "mtn_momo",
  destination: "+2290100000000"
})

/** Everything that was answered exists, with its key, and the ledger balances. */
const check = async (
  origin: string,
  base: string,
  authorization: string,
  answered: ReadonlyArray<Answered>
) => {
  const snapshot = await fetch(`${origin}/_sandbox/snapshot`)
  const { state } = (await snapshot.json()) as {
    readonly state: Readonly<Record<string, ReadonlyArray<Readonly<Record<string, string>>>>>
  }
  const keys = new Map<string, string>()
  for (const one of [...(state["payments"] ?? []), ...(state["payouts"] ?? [])]) {
    const path = one["destination"] === undefined ? "/payments" : "/payouts"
    const id = path === "/payouts" ? one["reference"] : one["id"]
    const name = `${path} ${one["idempotency_key"]}`
    assert(!keys.has(name), `${name} was made twice`)
    keys.set(name, id ?? "")
  }
  for (const { id, key, path } of answered) {
    assert.equal(keys.get(`${path} ${key}`), id, `${path} ${key} was answered and is lost`)
  }
  const last = answered.at(-1)
  if (last !== undefined) {
    const read = await fetch(`${base}${last.path}/${last.id}`, { headers: { authorization } })
    assert.equal(read.status, 200)
  }
}
