/** A program that runs in a worker. */
import type { Answer, Request } from "./worker.js"

export interface Remote {
  /** Answers in the order of the requests. After `stop`, or while the program never yields, it does not. */
  readonly ask: (request: Request) => Promise<Answer>
  readonly stop: () => void
}

/** Loads the client, the sandbox and the compiler before they are used. */
export const open = (): Remote => {
  const worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" })
  const waiting: Array<(answer: Answer) => void> = []
  const next = (answer: Answer) => waiting.shift()?.(answer)
  worker.addEventListener("message", ({ data }: MessageEvent<Answer>) => next(data))
  worker.addEventListener("error", ({ message }) => next({ is: "refusal", message }))
  return {
    ask: (request) =>
      new Promise((resolve) => {
        waiting.push(resolve)
        worker.postMessage(request)
      }),
    stop: () => worker.terminate()
  }
}
