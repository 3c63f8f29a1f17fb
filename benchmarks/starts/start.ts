// The part of every program: it calls the server if its port is given, and otherwise only imports.
import { root } from "../messages.js"

export const payTo = async (
  pay: (server: { readonly port: number; readonly address: string }) => Promise<unknown>
): Promise<void> => {
  const [, , port] = process.argv
  if (port !== undefined)
    await pay({ port: Number(port), address: `http://127.0.0.1:${port}${root}` })
}
