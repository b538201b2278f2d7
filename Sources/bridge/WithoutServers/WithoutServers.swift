// WithoutServers: replaces the commands that need SwiftNIO in a build without SwiftNIO, such as the
// build by `make play`.

import ArgumentParser
import BoardSharing
import HapticBridge
import ToolSupport

/// The command `bridge studio`, which always fails in this build.
struct Studio: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: ToolError.notInThisBuild)
    @Argument(parsing: .captureForPassthrough) var arguments: [String] = []

    func run() throws { throw ToolError.withoutServers("bridge studio") }
}

/// The command `bridge audition`, which always fails in this build.
struct Audition: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: ToolError.notInThisBuild)
    @Argument(parsing: .captureForPassthrough) var arguments: [String] = []

    func run() throws { throw ToolError.withoutServers("bridge audition") }
}

/// The service of `bridge serve --buttplug`, which cannot be started in this build.
final class ButtplugService {
    let address = ""
    let port = 0

    init(_ options: ButtplugOptions, on device: HapticDevice, _ output: OutputOptions) throws {
        throw ToolError.withoutServers("bridge serve --buttplug")
    }

    func end() {}
}

/// The secret in the address of the WebSocket, which does not exist in this build.
struct WebSocketKey {}

/// The service of `bridge serve --websocket`, which cannot be started in this build.
final class WebSocketService {
    let address = ""
    let port = 0

    init(
        _ options: WebSocketOptions, _ key: WebSocketKey, to listener: InternalListener,
        _ output: OutputOptions
    ) throws {
        throw ToolError.withoutServers("bridge serve --websocket")
    }

    func end() {}
}

extension ToolError {
    fileprivate static let notInThisBuild =
        "(Not in this build; `make build` builds the complete tool.)"

    fileprivate static func withoutServers(_ command: String) -> ToolError {
        ToolError(
            .usage, "\(command) is not part of the tool that `make play` builds",
            advice: "`make build` builds the complete tool")
    }
}
