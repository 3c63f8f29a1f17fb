// The requests of a payout: its creation, and one look at it.
import * as Payouts from "@manilla/payouts/Payouts"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { gateway } from "../clients/gateway.js"
import { payout } from "../messages.js"
import type { Key } from "./programs.js"

export const layer = (port: number) => Layer.provide(Payouts.layer, gateway(port))

export const client = (port: number) =>
  Effect.map(Layer.build(layer(port)), (context) => {
    const payouts = Context.get(context, Payouts.Payouts)
    const create = (key: Key) => payouts.create(payout, { key })
    const look = payouts.awaitFinal
    return {
      create,
      look,
      pay: (key: Key) => Effect.flatMap(create(key), ({ reference }) => look(reference))
    }
  })
