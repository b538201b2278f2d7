// WithoutServers: replaces the commands that need SwiftNIO in a build without it, such as that of
// `make play`.

import ArgumentParser
import HapticBridge
import ToolSupport

/// The command `bridge studio`, which fails.
struct Studio: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: ToolError.notInThisBuild)
    @Argument(parsing: .captureForPassthrough) var arguments: [String] = []

    func run() throws { throw ToolError.withoutServers("bridge studio") }
}

/// The command `bridge audition`, which fails.
struct Audition: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: ToolError.notInThisBuild)
    @Argument(parsing: .captureForPassthrough) var arguments: [String] = []

    func run() throws { throw ToolError.withoutServers("bridge audition") }
}

/// The service of `bridge serve --buttplug`, which fails to start.
final class ButtplugService {
    let address = ""
    let port = 0

    init(_ options: ButtplugOptions, on device: HapticDevice, _ output: OutputOptions) throws {
        throw ToolError.withoutServers("bridge serve --buttplug")
    }

    func end() {}
}

extension ToolError {
    fileprivate static let notInThisBuild =
        "(Not in this build; `make build` makes the whole tool.)"

    fileprivate static func withoutServers(_ command: String) -> ToolError {
        ToolError(
            .usage, "\(command) is not part of a build by `make play`",
            advice: "`make build` makes the whole tool")
    }
}
