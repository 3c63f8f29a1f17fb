/** The built site, served as a host does: compressed, and with its own page for unknown addresses. */
import { readFileSync, statSync } from "node:fs"
import { once } from "node:events"
import { createServer } from "node:http"
import { extname, join } from "node:path"
import { gzipSync } from "node:zlib"

export const dist = join(import.meta.dirname, ".vitepress/dist")

const types: Readonly<Record<string, string>> = {
  ".css": "text/css",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".json": "application/json",
  ".png": "image/png",
  ".svg": "image/svg+xml"
}

/** Serves the site below a path to this machine only. Port 0 is a free port. */
export const serve = async (base: string, port: number) => {
  const server = createServer(({ url = "/" }, response) => {
    const { pathname } = new URL(url, "http://site.test")
    const path = pathname.slice(base.length).replace(/(^|\/)$/, "$1index.html")
    // A page has an address with `.html` and one without.
    const file = [join(dist, path), join(dist, `${path}.html`)].find(
      (file) =>
        pathname.startsWith(base) && statSync(file, { throwIfNoEntry: false })?.isFile() === true
    )
    const found = file ?? join(dist, "404.html")
    const type = types[extname(found)] ?? "application/octet-stream"
    const status = file === undefined ? 404 : 200
    response.writeHead(status, { "content-type": type, "content-encoding": "gzip" })
    response.end(gzipSync(readFileSync(found)))
  })
  await once(server.listen(port, "127.0.0.1"), "listening")
  const address = server.address()
  return {
    port: typeof address === "object" && address !== null ? address.port : port,
    close: () => server.close()
  }
}
