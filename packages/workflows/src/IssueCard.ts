/**
 * Issues a virtual card as a durable workflow. An issuance is final when it is created, so there is no
 * wait.
 *
 * @since 0.1.0
 */
import * as Workflow from "@effect/workflow/Workflow"
import type * as WorkflowEngine from "@effect/workflow/WorkflowEngine"
import * as Card from "@manilla/cards/Card"
import * as Cards from "@manilla/cards/Cards"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Durable from "./Durable.js"
import { earlier } from "./internal/create.js"
import { keyed } from "./internal/keyed.js"

/**
 * The workflow. Its key, of at most 100 characters, is the one that `issue` would send: it continues what `issue` has begun,
 * with `sentMillis` if that outcome is unknown. Start again under another key only if `Errors.outcome` of its error is
 * `notApplied`.
 *
 * @since 0.1.0
 * @category workflows
 */
export const workflow = keyed(
  Workflow.make({
    name: "Manilla/IssueCard/2",
    payload: {
      key: Card.CardRequest.fields.idempotency_key,
      ...Card.CardRequest.omit("idempotency_key").fields,
      ...earlier
    },
    success: Card.Issuance,
    error: Durable.WriteError,
    idempotencyKey: ({ key }) => key
  })
)

const body = ({ key, sentMillis, ...request }: typeof workflow.payloadSchema.Type) =>
  Effect.flatMap(Cards.Cards, (cards) =>
    Durable.write({
      operation: "Cards.issue",
      key,
      success: Card.Issuance,
      idOf: ({ card }) => card.id,
      sentMillis,
      send: (key) => cards.issue(request, { key })
    })
  )

/**
 * A layer that runs the workflow. `Policy.layer` changes its pauses and deadlines. `look` and `wait` have no
 * effect, because a card has no status to wait for.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<never, never, Cards.Cards | WorkflowEngine.WorkflowEngine> =
  workflow.toLayer(body)
