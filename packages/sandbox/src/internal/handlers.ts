/**
 * The declared operations, answered by the rules. Statuses, paths and encodings are the
 * declarations'.
 */
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import type { Page } from "@manilla/core/Page"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ServiceApi from "../ServiceApi.js"
import type { Emulation } from "./emulation.js"
import * as pages from "./pages.js"
import * as reply from "./reply.js"
import type { Rule } from "./rule.js"

export const main = (emulation: Emulation) => {
  const { apply, cardholders, cards, catalogue } = emulation
  const { paymentLinks, payments, payouts, refunds, transactions } = emulation
  const answer = <A>(rule: Rule<A>) => reply.fromRule(apply(rule))
  const answerPage = <Row>(list: (page: number) => Rule<Page<Row>>) =>
    reply.fromRule(Effect.flatMap(pages.requested, (page) => apply(list(page))))

  return HttpApiBuilder.api(ServiceApi.main).pipe(
    Layer.provide([
      HttpApiBuilder.group(ServiceApi.main, "Payments", (handlers) =>
        handlers
          .handle("create", ({ headers, payload }) =>
            answer(payments.create(payload, headers["idempotency-key"]))
          )
          .handle("get", ({ path }) => answer(payments.get(path.paymentIntent)))
      ),
      HttpApiBuilder.group(ServiceApi.main, "Transactions", (handlers) =>
        handlers
          .handle("list", ({ urlParams }) =>
            answerPage((page) => transactions.list(urlParams, page))
          )
          .handle("get", ({ path }) => answer(transactions.get(path.reference)))
      ),
      HttpApiBuilder.group(ServiceApi.main, "Payouts", (handlers) =>
        handlers
          .handle("create", ({ headers, payload }) =>
            answer(payouts.create(payload, headers["idempotency-key"]))
          )
          .handle("get", ({ path }) => answer(payouts.get(path.reference)))
      ),
      HttpApiBuilder.group(ServiceApi.main, "Refunds", (handlers) =>
        handlers.handle("get", ({ path }) => answer(refunds.get(path.reference)))
      ),
      HttpApiBuilder.group(ServiceApi.main, "PaymentLinks", (handlers) =>
        handlers
          .handle("create", ({ payload }) => answer(paymentLinks.create(payload)))
          .handle("list", ({ urlParams }) =>
            answerPage((page) => paymentLinks.list(urlParams, page))
          )
          .handle("get", ({ path }) => answer(paymentLinks.get(path.paymentLink)))
      ),
      HttpApiBuilder.group(ServiceApi.main, "Cards", (handlers) =>
        handlers
          .handle("issue", ({ payload }) => answer(cards.issue(payload)))
          .handle("list", ({ urlParams }) => answerPage((page) => cards.list(urlParams, page)))
      ),
      HttpApiBuilder.group(ServiceApi.main, "Cardholders", (handlers) =>
        handlers
          .handle("list", ({ urlParams }) =>
            answerPage((page) => cardholders.list(urlParams, page))
          )
          .handle("get", ({ path }) => answer(cardholders.get(path.virtualCardCustomer)))
      ),
      HttpApiBuilder.group(ServiceApi.main, "Catalogue", (handlers) =>
        handlers.handle("list", () => reply.fromRule(Effect.succeed(catalogue)))
      )
    ])
  )
}

export const account = ({ accounts }: Emulation) =>
  HttpApiBuilder.api(ServiceApi.account).pipe(
    Layer.provide(
      HttpApiBuilder.group(ServiceApi.account, "Token", (handlers) =>
        handlers.handle("obtain", ({ payload }) => reply.fromRule(accounts.obtain(payload)))
      )
    )
  )
