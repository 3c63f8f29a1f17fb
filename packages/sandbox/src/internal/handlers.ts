/**
 * The declared operations, answered by the rules. Statuses, paths and encodings are the
 * declarations'.
 */
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ServiceApi from "../ServiceApi.js"
import type { Emulation } from "./emulation.js"
import * as reply from "./reply.js"

export const main = ({ catalogue, payments }: Emulation) =>
  HttpApiBuilder.api(ServiceApi.main).pipe(
    Layer.provide([
      HttpApiBuilder.group(ServiceApi.main, "Payments", (handlers) =>
        handlers
          .handle("create", ({ headers, payload }) =>
            reply.fromRule(payments.create(payload, headers["idempotency-key"]))
          )
          .handle("get", ({ path }) => reply.fromRule(payments.get(path.paymentIntent)))
      ),
      HttpApiBuilder.group(ServiceApi.main, "Catalogue", (handlers) =>
        handlers.handle("list", () => reply.fromRule(Effect.succeed(catalogue)))
      )
    ])
  )

export const account = ({ accounts }: Emulation) =>
  HttpApiBuilder.api(ServiceApi.account).pipe(
    Layer.provide(
      HttpApiBuilder.group(ServiceApi.account, "Token", (handlers) =>
        handlers.handle("obtain", ({ payload }) => reply.fromRule(accounts.obtain(payload)))
      )
    )
  )
