// Calls of the control API, and the same calls as lines for curl.

const root = "/_sandbox"

/** The message of an error names the invalid fields and their rules. */
export class CallError extends Error {}

/**
 * @param {unknown} body
 * @param {number} status
 */
const errorOf = (body, status) => {
  if (typeof body !== "object" || body === null || !("message" in body)) {
    return new CallError(`The sandbox answered with status ${status}.`)
  }
  const issues = "issues" in body && Array.isArray(body.issues) ? body.issues : []
  return new CallError(
    [String(body.message), ...issues.map(({ field, rule }) => `${field}: ${rule}.`)].join(" ")
  )
}

/**
 * Calls the control API, whose responses have the type that the caller expects.
 *
 * @template A
 * @param {string} method
 * @param {string} path
 * @param {unknown} [body]
 * @returns {Promise<A>}
 */
export const call = async (method, path, body) => {
  const response = await fetch(root + path, {
    method,
    ...(body === undefined
      ? {}
      : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) })
  }).catch(() => {
    throw new CallError("The sandbox does not respond. Is it still running?")
  })
  const text = await response.text()
  const json = text === "" ? undefined : JSON.parse(text)
  if (!response.ok) throw errorOf(json, response.status)
  return json
}

/** @param {string} text */
const quoted = (text) => `'${text.replaceAll("'", `'\\''`)}'`

/**
 * A line for a shell that sends a request. A token is taken from the variable TOKEN.
 *
 * @param {string} method
 * @param {string} url
 * @param {{ token?: boolean, key?: string | undefined, body?: string | undefined }} [options]
 */
export const curl = (method, url, { body, key, token = false } = {}) =>
  [
    "curl",
    ...(method === "GET" ? [] : ["-X", method]),
    ...(token ? ["-H", '"Authorization: Bearer $TOKEN"'] : []),
    ...(key === undefined ? [] : ["-H", quoted(`Idempotency-Key: ${key}`)]),
    ...(body === undefined
      ? []
      : ["-H", quoted("Content-Type: application/json"), "--data-raw", quoted(body)]),
    quoted(url)
  ].join(" ")

/**
 * A call of the control API as a line for curl.
 *
 * @param {string} method
 * @param {string} path
 * @param {unknown} [body]
 */
export const controlCurl = (method, path, body) =>
  curl(method, location.origin + root + path, {
    body: body === undefined ? undefined : JSON.stringify(body)
  })
