// Tool: the built programs of this package.

import Foundation

/// The programs in the build folder that contains the test bundle.
public enum Tool {
    /// Runs `bridge` to its end.
    public static func bridge(
        _ arguments: String..., input: Data? = nil, environment: [String: String] = [:]
    ) throws -> Outcome {
        try RunningTool(
            executable("bridge"), arguments, input: input, environment: environment
        ).outcome()
    }

    /// Returns the path of a built program.
    public static func executable(_ name: String) -> URL {
        buildFolder.appendingPathComponent(name)
    }

    /// The folder that contains the test bundle and the programs and modules of the same build.
    public static let buildFolder: URL = {
        let bundle = CommandLine.arguments.first { $0.contains(".xctest") }
        var url = URL(fileURLWithPath: bundle ?? CommandLine.arguments[0])
        while url.pathComponents.contains(where: { $0.hasSuffix(".xctest") }) {
            url.deleteLastPathComponent()
        }
        return bundle == nil ? url.deletingLastPathComponent() : url
    }()
}
