import * as Executions from "@manilla/workflows/Executions"

const retention = Executions.layerRetention({ minAge: "90 days" })
