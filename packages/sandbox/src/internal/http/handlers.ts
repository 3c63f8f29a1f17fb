/**
 * Handlers that apply the rules of the current emulation. Statuses, paths and encodings come from the
 * declared operations.
 */
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import type { Page } from "@manilla/core/Page"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Outcome from "../../Outcome.js"
import * as ServiceApi from "../../ServiceApi.js"
import type { Emulation } from "../emulation.js"
import { Current, Requested } from "../emulation.js"
import * as pages from "../rules/pages.js"
import type { Rule } from "../rules/refusal.js"
import * as reply from "./reply.js"

const answer = <A>(rule: (emulation: Emulation, outcome: Outcome.Outcome | undefined) => Rule<A>) =>
  reply.fromRule(
    Effect.flatMap(Requested, (outcome) =>
      Effect.flatMap(Current, (emulation) => emulation.apply(rule(emulation, outcome)))
    )
  )

const answerPage = <Row>(list: (emulation: Emulation, page: number) => Rule<Page<Row>>) =>
  reply.fromRule(
    Effect.flatMap(pages.requested, (page) =>
      Effect.flatMap(Current, (emulation) => emulation.apply(list(emulation, page)))
    )
  )

export const main = HttpApiBuilder.api(ServiceApi.main).pipe(
  Layer.provide([
    HttpApiBuilder.group(ServiceApi.main, "Payments", (handlers) =>
      handlers
        .handle("create", ({ headers, payload }) =>
          answer(({ payments }, outcome) =>
            payments.create(payload, headers["idempotency-key"], outcome)
          )
        )
        .handle("get", ({ path }) => answer(({ payments }) => payments.get(path.paymentIntent)))
    ),
    HttpApiBuilder.group(ServiceApi.main, "Transactions", (handlers) =>
      handlers
        .handle("list", ({ urlParams }) =>
          answerPage(({ transactions }, page) => transactions.list(urlParams, page))
        )
        .handle("get", ({ path }) => answer(({ transactions }) => transactions.get(path.reference)))
    ),
    HttpApiBuilder.group(ServiceApi.main, "Payouts", (handlers) =>
      handlers
        .handle("create", ({ headers, payload }) =>
          answer(({ payouts }, outcome) =>
            payouts.create(payload, headers["idempotency-key"], outcome)
          )
        )
        .handle("get", ({ path }) => answer(({ payouts }) => payouts.get(path.reference)))
    ),
    HttpApiBuilder.group(ServiceApi.main, "Refunds", (handlers) =>
      handlers.handle("get", ({ path }) => answer(({ refunds }) => refunds.get(path.reference)))
    ),
    HttpApiBuilder.group(ServiceApi.main, "PaymentLinks", (handlers) =>
      handlers
        .handle("create", ({ payload }) =>
          answer(({ paymentLinks }, outcome) => paymentLinks.create(payload, outcome))
        )
        .handle("list", ({ urlParams }) =>
          answerPage(({ paymentLinks }, page) => paymentLinks.list(urlParams, page))
        )
        .handle("get", ({ path }) =>
          answer(({ paymentLinks }) => paymentLinks.get(path.paymentLink))
        )
    ),
    HttpApiBuilder.group(ServiceApi.main, "Cards", (handlers) =>
      handlers
        .handle("issue", ({ payload }) =>
          answer(({ cards }, outcome) => cards.issue(payload, outcome))
        )
        .handle("list", ({ urlParams }) =>
          answerPage(({ cards }, page) => cards.list(urlParams, page))
        )
    ),
    HttpApiBuilder.group(ServiceApi.main, "Cardholders", (handlers) =>
      handlers
        .handle("list", ({ urlParams }) =>
          answerPage(({ cardholders }, page) => cardholders.list(urlParams, page))
        )
        .handle("get", ({ path }) =>
          answer(({ cardholders }) => cardholders.get(path.virtualCardCustomer))
        )
    ),
    HttpApiBuilder.group(ServiceApi.main, "Catalogue", (handlers) =>
      handlers.handle("list", () =>
        reply.fromRule(Effect.map(Current, ({ catalogue }) => catalogue))
      )
    )
  ])
)

export const account = HttpApiBuilder.api(ServiceApi.account).pipe(
  Layer.provide(
    HttpApiBuilder.group(ServiceApi.account, "Token", (handlers) =>
      handlers.handle("obtain", ({ payload }) =>
        reply.fromRule(Effect.flatMap(Current, ({ accounts }) => accounts.obtain(payload)))
      )
    )
  )
)
