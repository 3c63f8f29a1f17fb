/** The names of the steps and pauses of blocks, which are stored. `Body.beginOf` has another one. */

/** A step or a pause in one round of a block. */
export const inRound = (
  kind: "write" | "look" | "carry-on" | "wait",
  block: string,
  round: number
): string => `${kind}/${block}/${round}`

/** The step of `Durable.step`. */
export const step = (name: string): string => `step/${name}`

/** The decision whether a part of the body that has failed is undone. */
export const compensating = (part: number): string => `compensating/part ${part}`

/** The pause of `Durable.sleep`. */
export const sleep = (name: string): string => `sleep/${name}`

/** The pause of `Durable.signal`. */
export const signal = (name: string): string => `signal/${name}`

// An operator's view takes them apart again.

/** The kind, the block and the round of a step. It is stored with its attempt. */
export const roundPattern = /^(begin|write|look)\/(.+)\/(\d+)\/\d+$/

/** The kind and the block of a pause. */
export const pausePattern = /^(carry-on|wait)\/(.+)\/\d+$/

/** The kind and the name of any other step. Some are the engine's. */
export const stepPattern =
  /^(?:(step|cancelled|child|deferred|sent|compensating)\/)?(.+?)(?:\/(?:\d+|begun))?$/
