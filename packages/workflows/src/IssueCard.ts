/**
 * Issues a virtual card as a durable workflow. An issuance is final when it is created, so there is no
 * wait.
 *
 * @since 0.1.0
 */
import type * as WorkflowEngine from "@effect/workflow/WorkflowEngine"
import * as Card from "@manilla/cards/Card"
import * as Cards from "@manilla/cards/Cards"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Durable from "./Durable.js"
import type * as Engine from "./Engine.js"
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
export const IssueError = Durable.WriteError

/**
 * @since 0.1.0
 * @category errors
 */
export type IssueError = typeof IssueError.Type

/**
 * Starts and operates card issuances by business key.
 *
 * @since 0.1.0
 * @category services
 */
export class IssueCard extends Context.Tag("@manilla/workflows/IssueCard")<
  IssueCard,
  Operator.Service<IssueRequest, Card.Issuance, IssueError>
>() {}

const definition = {
  name: "Manilla/IssueCard/1",
  payload: IssueRequest,
  success: Card.Issuance,
  error: IssueError,
  body: (request: IssueRequest) =>
    Effect.flatMap(Cards.Cards, (cards) =>
      Durable.write({
        operation: "Cards.issue",
        success: Card.Issuance,
        idOf: ({ card }) => card.id,
        send: (key) => cards.issue(request, { key })
      })
    )
}

/**
 * A layer that runs the workflow and provides `IssueCard`. A part that the policy leaves out has its default.
 * `look` and `wait` have no effect, because a card has no status to wait for.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (
  policy?: Partial<Policy.Policy>
): Layer.Layer<
  IssueCard,
  Durable.LayerError,
  Cards.Cards | Engine.Engine | WorkflowEngine.WorkflowEngine
> => Durable.layer(IssueCard, definition, policy)
