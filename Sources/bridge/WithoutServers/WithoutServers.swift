// WithoutServers: what stands in the place of the commands with servers in a build without SwiftNIO, as
// `make play` makes it.

import ArgumentParser
import HapticBridge
import JSONText

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

/// The receiver of Open Sound Control, which fails to start.
final class OSCService {
    struct Report {
        let json: JSONValue
        let text: String
    }

    let address = ""

    init(_ options: OSCOptions, on device: HapticDevice) throws {
        throw ToolError.withoutServers("bridge serve --osc")
    }

    func end() -> Report { Report(json: JSONValue(.null), text: "") }
}

extension ToolError {
    fileprivate static let notInThisBuild =
        "(Not in this build; `make build` makes the whole tool.)"

    fileprivate static func withoutServers(_ command: String) -> ToolError {
        ToolError(
            .usage, "\(command) is not part of this build, which `make play` made",
            advice: "`make build` makes the whole tool")
    }
}
