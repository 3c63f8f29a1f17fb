/** A stored execution that is due. */
import * as transitions from "../../src/internal/transitions.js"

export const execution = transitions.started({
  workflow: "Shop/Test/1",
  businessKey: "order-42",
  executionId: "id-42",
  payload: '{"key":"order-42"}',
  parent: undefined,
  startedMillis: 1
})
