// The least that an Effect program with `fetch` costs. It checks nothing.
import * as Effect from "effect/Effect"
import { payment, tokenPath } from "../messages.js"
import { payTo } from "./start.js"

const post = (url: string, body: object) =>
  Effect.tryPromise(async () => {
    const headers = { "content-type": "application/json" }
    const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) })
    if (!response.ok) throw new Error(`status ${response.status}`)
    return response.json()
  })

await payTo(({ address }) =>
  Effect.runPromise(
    Effect.zipRight(post(`${address}${tokenPath}`, {}), post(`${address}/payments`, payment))
  )
)
