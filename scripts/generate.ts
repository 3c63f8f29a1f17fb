// Rewrites all generated files. With --check, fails if one is stale.
await import("./codegen.js")
await import("./openapi.js")
await import("./operations.js")
await import("./readme.js")
