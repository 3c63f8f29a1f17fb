/**
 * Decompresses a response. Requests accept only `identity`, but a proxy in between may compress all the same. `fetch`
 * decompresses by itself, the clients over undici and `node:http` do not.
 */

/** The decompressed bytes, `TooLarge` if they exceed the limit, or `undefined` if they cannot be decompressed. */
export const decompress = (
  bytes: Uint8Array,
  contentEncoding: string,
  limit: number
): Uint8Array | "TooLarge" | undefined => {
  // Node, Deno and Bun have it; elsewhere only `fetch` runs.
  const zlib = globalThis.process?.getBuiltinModule?.("node:zlib")
  if (zlib === undefined) return undefined
  const options = { maxOutputLength: limit }
  /** Some servers send raw deflate data, without the header of zlib, whose low bits are 8. */
  const inflate = (data: Uint8Array) =>
    ((data[0] ?? 0) & 0x0f) === 8
      ? zlib.inflateSync(data, options)
      : zlib.inflateRawSync(data, options)
  let data = bytes
  try {
    // The last one was applied last.
    for (const encoding of contentEncoding.toLowerCase().split(",").reverse()) {
      switch (encoding.trim()) {
        case "":
        case "identity":
          break
        case "gzip":
        case "x-gzip":
          data = zlib.gunzipSync(data, options)
          break
        case "deflate":
          data = inflate(data)
          break
        case "br":
          data = zlib.brotliDecompressSync(data, options)
          break
        default:
          return undefined
      }
    }
    return data
  } catch (error) {
    return error instanceof RangeError ? "TooLarge" : undefined
  }
}
