/** The engines of others on which the kill test runs, by the name of their soak. */
import type { OtherEngine } from "./clusterKills.js"
import * as restateServer from "./restateServer.js"

export const otherEngines: Readonly<Record<string, OtherEngine>> = {
  // `ClusterWorkflowEngine` fails executions whose database is away.
  effect: { worker: "effectWorker.ts", hasOutages: false },
  dbos: { worker: "dbosWorker.ts" },
  openworkflow: { worker: "openworkflowWorker.ts" },
  restate: { worker: "restateWorker.ts", server: restateServer.server }
}
