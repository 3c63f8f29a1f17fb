# workerd requires a compatibility date. The worker can reach only this machine.
using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "worker", worker = (
      modules = [(name = "worker", esModule = embed "bundle.js")],
      compatibilityDate = "2025-01-01",
      bindings = [
        (name = "MANILLA_BASE_URL", fromEnvironment = "MANILLA_BASE_URL"),
        (name = "MANILLA_AUTH_URL", fromEnvironment = "MANILLA_AUTH_URL"),
        (name = "MANILLA_CLIENT_ID", fromEnvironment = "MANILLA_CLIENT_ID"),
        (name = "MANILLA_CLIENT_SECRET", fromEnvironment = "MANILLA_CLIENT_SECRET"),
        (name = "MANILLA_ENVIRONMENT", fromEnvironment = "MANILLA_ENVIRONMENT")
      ],
      globalOutbound = "loopback"
    )),
    (name = "loopback", network = (allow = ["local"]))
  ]
);
