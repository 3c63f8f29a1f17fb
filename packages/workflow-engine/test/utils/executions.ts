/** A stored execution that is due. */
import type * as Execution from "@manilla/workflow-engine/Execution"

export const execution: Execution.Execution = {
  workflow: "Shop/Test/1",
  businessKey: "order-42",
  executionId: "id-42",
  payload: '{"key":"order-42"}',
  parent: undefined,
  startedMillis: 1,
  runner: undefined,
  dueMillis: 1,
  pause: undefined,
  clocks: {},
  wakes: 0,
  resource: undefined,
  outcome: undefined,
  isCancelRequested: false,
  end: undefined,
  exit: undefined,
  isPurged: false
}
