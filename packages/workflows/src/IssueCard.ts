/**
 * Issues a virtual card as a durable workflow. An issuance is final when it is created, so there is no
 * wait.
 *
 * @since 0.1.0
 */
import type * as WorkflowEngine from "@effect/workflow/WorkflowEngine"
import * as Card from "@manilla/cards/Card"
import * as Cards from "@manilla/cards/Cards"
import type * as Errors from "@manilla/core/Errors"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type * as Engine from "./Engine.js"
import type * as Execution from "./Execution.js"
import type { Definition } from "./internal/definition.js"
import * as operator from "./internal/operator.js"
import type * as Operator from "./Operator.js"
import type * as Policy from "./Policy.js"

/**
 * The body of `POST /cards` without its key.
 *
 * @since 0.1.0
 * @category schemas
 */
export const IssueRequest = Card.CardRequest.omit("idempotency_key")

/**
 * @since 0.1.0
 * @category models
 */
export interface IssueRequest extends Omit<Card.CardRequest, "idempotency_key"> {}

/**
 * The errors of an execution. `Errors.outcome` tells whether the card was
 * issued. Start again under another business key only if it was not.
 *
 * @since 0.1.0
 * @category errors
 */
export type IssueError = Errors.KeyedWriteError | Execution.ExecutionCancelled

/**
 * @since 0.1.0
 * @category services
 */
export class IssueCard extends Context.Tag("@manilla/workflows/IssueCard")<
  IssueCard,
  Operator.Service<IssueRequest, Card.Issuance, IssueError>
>() {}

const definition = {
  name: "Manilla/IssueCard/1",
  operation: "Cards.issue",
  request: IssueRequest,
  resource: Card.Issuance,
  stillPending: Schema.Never,
  idOf: ({ card }) => card.id,
  create: (request, key) => Effect.flatMap(Cards.Cards, (cards) => cards.issue(request, { key }))
} satisfies Definition<
  IssueRequest,
  typeof IssueRequest.Encoded,
  Card.Issuance,
  typeof Card.Issuance.Encoded,
  never,
  never,
  Cards.Cards
>

/**
 * @since 0.1.0
 * @category layers
 */
export const layer = (
  policy?: Partial<Policy.Policy>
): Layer.Layer<IssueCard, never, Cards.Cards | Engine.Engine | WorkflowEngine.WorkflowEngine> =>
  operator.layer(IssueCard, definition, policy)
