/**
 * The faults that the network can inject.
 */

/**
 * The fate of a request, and the relative probability of each.
 *
 * Faults that no client can detect are excluded:
 *
 * - A copy of a request is delivered *after* the original was refused. The client reports "not
 *   applied", and the service applies the copy.
 * - A request without a key is duplicated. The service creates two links, whatever the client does.
 * - The service refuses (400, 401, 403, 404, 422, 429) a request that it processed. By the interface,
 *   these statuses mean that it did not.
 * - A request gets the response to another request for the same values. Nothing in the response shows
 *   the mismatch.
 */
export const weights = {
  delivered: 52,
  "slow request": 2,
  "slow response": 2,
  "refused connection": 6,
  "request lost, connection reset": 5,
  "request lost, no reset": 3,
  "response lost, connection reset": 8,
  "response lost, no reset": 4,
  "request arrives after connection reset": 4,
  "request duplicated": 4,
  "response truncated": 3,
  "connection reset in body": 2,
  "body stalls": 1,
  "response replaced by HTML": 2,
  "response emptied": 1,
  "response without a status member": 2,
  "success:false under 2xx": 1,
  "response is not UTF-8": 1,
  "success body under an error status": 2,
  "error body under 200": 2,
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
  "404 from a stale replica": 1,
  "stale response": 3,
  "response to another request": 3
}
export type NetworkFault = keyof typeof weights

/** Whether the service may have processed the request without the client learning of it. */
export const isHidden = (fault: NetworkFault): boolean =>
  /after processing|response lost|arrives after|in body|body stalls/.test(fault)

/** The statuses with which a proxy rejects every request during a storm. */
export const stormStatuses = [401, 429, 500, 502, 503, 504] as const

/** The status at the start of the name of a fault. */
export const statusOf = (fault: NetworkFault): number => Number.parseInt(fault, 10)
