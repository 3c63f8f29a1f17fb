/**
 * Explains in words why a request got no response: the same for undici, `fetch` of each runtime, and `node:http`.
 *
 * @since 0.1.0
 */
import { ruleOf } from "./internal/transport/networkRules.js"
import { rootsOf } from "./internal/transport/networkRoots.js"

/**
 * Why a request got no response. Contains no path, query or credentials of a URL.
 *
 * @since 0.1.0
 * @category models
 */
export interface NetworkFailure {
  /** The code of the system or the client, such as `ECONNREFUSED`. */
  readonly code: string | undefined
  /** The reason in words, such as `the certificate of the server has expired`. */
  readonly reason: string | undefined
  /** A sentence that says what to do, such as `Check the clock of this machine.` */
  readonly remedy: string | undefined
}

/**
 * Explains an error of undici, `fetch` or `node:http`.
 *
 * @example
 * import * as NetworkFailure from "@manilla/core/NetworkFailure"
 *
 * const reason = fetch("https://service.example").then(
 *   () => undefined,
 *   (error: unknown) => NetworkFailure.explain(error).reason
 * )
 *
 * @since 0.1.0
 * @category constructors
 */
export const explain = (error: unknown): NetworkFailure => {
  const [root] = rootsOf(error)
  if (root === undefined) return { code: undefined, reason: undefined, remedy: undefined }
  const rule = ruleOf(root)
  if (rule === undefined) {
    return { code: root.code, reason: withoutAddresses(root.text), remedy: undefined }
  }
  const { reason, remedy } = rule.explain(root.text)
  return { code: root.code ?? rule.named, reason, remedy }
}

/** One short line, with only the scheme, host and port of each URL. */
const withoutAddresses = (text: string): string | undefined =>
  text
    .replace(/([a-z]+:\/\/)[^\s/@]*@/gi, "$1")
    .replace(/([a-z]+:\/\/[^\s/?#)"']+)[^\s)"']*/gi, "$1")
    .replace(/[\p{Cc}\s]+/gu, " ")
    .trim()
    .slice(0, 200) || undefined
