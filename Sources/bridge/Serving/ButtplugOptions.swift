// ButtplugOptions: the options for clients that use the Buttplug message specification.

import ArgumentParser

struct ButtplugOptions: ParsableArguments {
    @Option(
        name: .customLong("buttplug"), defaultAsFlag: "12345",
        help: ArgumentHelp(
            "Receive Buttplug messages (WebSocket) at a port; the default is 12345.",
            discussion: """
                Programs of this user on this computer connect to ws://127.0.0.1:12345 and set the \
                level of each actuator. Versions 3 and 4 of the message specification are \
                supported. Port 0 selects a free port.
                """,
            valueName: "port"))
    var buttplug: String?

    @Option(
        name: .customLong("buttplug-origin"),
        help: ArgumentHelp(
            "The origin of a web page that may also connect, such as https://example.com.",
            discussion: "This option can be repeated. Pages of all other origins are refused.",
            valueName: "origin"))
    var origins: [String] = []

    /// The TCP port, which `validate` has checked.
    var port: Int { parsedPort ?? 0 }

    private var parsedPort: Int? { buttplug.flatMap { UInt16($0) }.map { Int($0) } }

    func validate() throws {
        guard buttplug == nil || parsedPort != nil else {
            throw ValidationError(
                "--buttplug \(buttplug ?? ""): expected a port from 0 to 65535.")
        }
        try origins.validate(
            asOriginsOf: "--buttplug-origin", with: "--buttplug", isOpen: buttplug != nil)
    }
}
