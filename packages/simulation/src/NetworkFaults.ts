/**
 * What the network can do to a request, and what it cannot.
 */

/**
 * What can become of a request, and how likely it is.
 *
 * What no client can see through stays out. A network that delivers a copy of a request *after* the
 * first was refused: the client is told "not applied" in good faith, and the copy is applied. A
 * network that copies a request without a key: two links, whatever the client does. A refusal (400,
 * 401, 403, 404, 422, 429) for what was processed: the interface means by it that it was not. The
 * answer to another request that asked for the same: nothing in it tells that it is another's.
 */
export const weights = {
  delivered: 52,
  "slow request": 2,
  "slow answer": 2,
  "refused connection": 6,
  "request lost, connection reset": 5,
  "request lost in silence": 3,
  "answer lost, connection reset": 8,
  "answer lost in silence": 4,
  "request arrives after its connection broke": 4,
  "request arrives twice": 4,
  "answer cut short": 3,
  "body breaks off": 2,
  "body stalls": 1,
  "answer replaced by HTML": 2,
  "answer emptied": 1,
  "answer without its status": 2,
  "answer that contradicts itself": 1,
  "answer that is no text": 1,
  "success under an error status": 2,
  "refusal under 200": 2,
  "409 after processing": 2,
  "408 after processing": 1,
  "302 after processing": 1,
  "500 after processing": 1,
  "502 after processing": 2,
  "504 after processing": 1,
  "409 from a proxy": 2,
  "401 from a proxy": 1,
  "429 from a proxy": 2,
  "500 from a proxy": 1,
  "502 from a proxy": 1,
  "503 from a proxy": 2,
  "504 from a proxy": 1,
  "404 from a lagging read": 1,
  "stale answer": 3,
  "answer to another request": 3
}
export type NetworkFault = keyof typeof weights

/** Whether the service may have processed the request, and the client does not hear of it. */
export const isHidden = (fault: NetworkFault): boolean =>
  /after processing|answer lost|arrives after|body/.test(fault)

/** What a proxy answers to everything, while it lasts. */
export const stormStatuses = [401, 429, 500, 502, 503, 504] as const

/** The status that a fault begins with. */
export const statusOf = (fault: NetworkFault): number => Number.parseInt(fault, 10)
