/**
 * Another web site, on a port of its own.
 */
import { createServer } from "node:http"

/** Serves the same HTML at every path. */
export const serve = async (html: string) => {
  const server = createServer((_, response) => {
    response.setHeader("content-type", "text/html")
    response.end(html)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("the site has no port")
  return {
    origin: `http://localhost:${address.port}`,
    close: () => {
      server.close()
      server.closeAllConnections()
    }
  }
}
